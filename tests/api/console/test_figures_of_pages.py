"""Figures of backtests, the explorer, episodes, projects and service levels, counted from their tables.

Each is worked out a second time here, and must agree. `FIGURES` lists every figure of the console that is counted
twice, with the test that does it; the other tests are in `test_figures.py` and `test_figures_of_review.py`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from inspect import isclass, isfunction
from statistics import median, quantiles
from typing import Any, Final
from uuid import UUID

import pytest
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone

from corrections.backtests.running import request_backtest, run_backtest
from corrections.models import BacktestSample
from corrections.quality.measuring import measure_tenant, note_levels
from memory.episodes.models import Episode, EpisodeMessage
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.ids import new_id
from memory.models import AdaptiveItem, ErasureRequest, ExtractionRun, FactRow, Message
from memory.projects.models import Conflict, Decision, Evidence, ProjectFact, ProjectSnapshot, Question, Run, Source
from memory.projects.services.facts import put_facts
from memory.projects.services.history import update_history
from memory.projects.services.projects import ProjectInput, bind_thread, make_project
from memory.projects.types import ProjectFactBody, ProjectRef, SourceBody
from memory.services.fact_inputs import FactInput
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.services.publishing import save_rule_draft
from retrieval.models import Feedback, RetrievalReceipt
from tests.api.console import test_figures, test_figures_of_review
from tests.api.console.conftest import state_facts
from tests.api.console.test_figures import LogIn, list_rows, now, open_page, world
from tests.cast import Chatter
from tests.db.memory.episodes.conftest import cut, tell
from tests.db.patterns.conftest import load_small, make_balloon_rule, own_registry
from tests.db.retrieval.conftest import build_pack, search
from tests.packs import bring_in
from tests.unit.memory.episodes.talks import DRESS, TRIP

__all__ = ["now", "own_registry", "world"]

pytestmark = pytest.mark.django_db


BLUE: Final = 30
"""Messages about one dress: more than a page shows as candidates."""
FIGURES: Final = (
    ("start page", "tiles of today", "test_tiles_count_rows_of_today_and_yesterday"),
    ("start page", "messages by day", "test_messages_by_day_and_role"),
    ("start page", "active facts", "test_active_facts_by_type_and_the_disputed_among_them"),
    ("start page", "what waits", "test_what_waits"),
    ("start page", "corrections by type", "test_corrections_by_type"),
    ("extraction", "costs and results", "test_costs_and_results"),
    ("extraction", "days", "test_days_add_up_to_the_whole"),
    ("extraction", "tokens of today", "test_tokens_of_today"),
    ("review queue", "counts", "test_the_queue_counts_what_waits_what_was_skipped_and_what_was_judged_today"),
    ("review metrics", "error rates", "test_error_rates"),
    ("review metrics", "agreement and pace", "test_agreement_and_pace"),
    ("review metrics", "error rate by week", "test_error_rates_by_week_begin_on_mondays"),
    ("review metrics", "missed facts", "test_missed_facts_are_counted_among_messages_alone"),
    ("correction rates", "rates", "test_correction_rates_by_language_and_type"),
    ("refusals", "counts", "test_refusals_by_step_rule_and_day"),
    ("rules", "facts and errors of each", "test_the_list_of_rules_says_facts_and_errors_of_each"),
    ("rule", "versions", "test_versions_of_a_rule_count_facts_refusals_corrections_and_verdicts"),
    ("backtest", "totals", "test_a_backtest_adds_up_what_it_read_and_what_would_change"),
    ("user", "head", "test_the_head_of_a_users_memory"),
    ("user", "episodes", "test_episodes_by_layer_anchors_and_messages"),
    ("explorer", "all stages", "test_the_explorer_counts_candidates_facts_cards_and_tokens"),
    ("receipt", "head", "test_the_head_of_a_receipt"),
    ("candidates", "states", "test_candidates_by_state"),
    ("corpora", "counts", "test_corpora_count_what_is_in_their_tables"),
    ("project", "counts", "test_a_project_counts_what_is_in_its_tables"),
    (
        "project",
        "open questions, snapshots",
        "test_a_project_counts_open_questions_and_snapshots_and_nothing_forgotten",
    ),
    ("project", "monitor", "test_the_monitor_of_a_project_is_worked_out_from_its_runs"),
    ("quality", "samples", "test_service_levels_rest_on_as_many_samples_as_their_windows_hold"),
    ("lists", "rows", "test_lists_hold_as_many_rows_as_their_tables"),
)
"""Page, figure, and the test that counts it a second time."""


def list_tests() -> list[str]:
    """The names of all tests of the three modules, those of classes included."""
    names = []
    for module in (test_figures, test_figures_of_review, sys.modules[__name__]):
        own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
        holders = [vars(one) for one in own if isclass(one) and one.__name__.startswith("Test")]
        for holder in (vars(module), *holders):
            names += [name for name, one in holder.items() if name.startswith("test_") and isfunction(one)]
    return names


def test_every_figure_has_a_test_and_every_test_has_a_figure() -> None:
    listed = [name for _, _, name in FIGURES]
    about_the_list = ["test_every_figure_has_a_test_and_every_test_has_a_figure"]
    assert sorted([*listed, *about_the_list]) == sorted(list_tests())


def test_a_backtest_adds_up_what_it_read_and_what_would_change(
    log_in: LogIn, own_registry: Any, alice: Chatter, bob: Chatter, other_tenant: TenantRef
) -> None:
    bring_in(load_small())
    rule = make_balloon_rule(
        slug="size-en-dress", knowledge_type="body_params", kind="own", pattern="i always dress in size",
        positive=("i always dress in size S", "i always dress in size L"),
        negative=("i always dress in black", "what size is it?"),
    )  # fmt: skip
    for number in range(4):
        alice.say("i always dress in size S", conversation_id=f"c-{number}")
        bob.say("what a lovely day" if number % 2 else "i always dress in size S")
        bob.say("какой чудесный день")
        bob.hear("i always dress in size S")
    Chatter(other_tenant, "alice").say("i always dress in size S")
    forget_messages(user=bob.ref, message_ids=[bob.said[0].message_id], actor="key:test", now=timezone.now())
    state_facts(alice, FactInput("body_params", "M", "onboarding"))
    tenant = alice.tenant
    version = save_rule_draft(rule, tenant_id=tenant.id, changed_by="staff:1")
    row = request_backtest(
        tenant_id=tenant.id, version=version, messages_per_language=1000, requested_by="staff:1", now=timezone.now()
    )
    assert run_backtest(tenant_id=tenant.id, backtest_id=row.id, clock=timezone.now) == "done"
    said = [one for one in list_rows(tenant, Message) if one.role == "user" and one.forgotten_at is None]
    sized = {one.user_id for one in list_rows(tenant, FactRow, is_active=True, knowledge_type="body_params")}
    expected: dict[str, Counter[str]] = {}
    for one in said:
        counts = expected.setdefault(one.language or "other", Counter())
        counts["read"] += 1
        if "i always dress in size" in one.content:
            counts["superseded" if one.user_id in sized else "added"] += 1
    shown = log_in(Role.PATTERN_EDITOR).get(reverse("console:backtest", args=[row.id])).context["backtest"]
    assert shown.row.scanned == len(said)
    assert {name: +Counter(counts) for name, counts in shown.languages} == expected
    assert +Counter(shown.total) == sum(expected.values(), Counter())
    assert shown.total["superseded"] == 4 and shown.total["added"] == 1
    kept = Counter(one.change for one in list_rows(tenant, BacktestSample, backtest_id=row.id))
    assert kept == {name: count for name, count in shown.total.items() if name != "read" and count}


def test_the_explorer_counts_candidates_facts_cards_and_tokens(log_in: LogIn, alice: Chatter, bob: Chatter) -> None:
    for number in range(BLUE):
        alice.say(f"синее платье номер {number}", conversation_id="old")
    alice.say("мой размер M", conversation_id="old")
    alice.say("у меня аллергия на никель", conversation_id="old")
    bob.say("синее платье и мой размер L")
    gone = alice.said[0].message_id
    forget_messages(user=alice.ref, message_ids=[gone], actor="key:test", now=timezone.now())
    answer = log_in(Role.OPERATOR).post(
        reverse("console:explore_pack", args=[alice.ref.id]), {"query": "какое синее платье я хотела?"}
    )
    picture, page = answer.context["picture"], answer.content.decode()
    said = [row for row in list_rows(alice.tenant, Message, user_id=alice.ref.id) if row.forgotten_at is None]
    blue = {row.id for row in said if "синее платье" in row.content}
    lines = [*picture.candidates, *picture.further]
    assert [line.place for line in lines] == list(range(1, len(lines) + 1))
    assert {line.message_id for line in lines} <= blue and len(blue) == BLUE - 1
    found, asked = map(int, re.search(r"(\d+) of (\d+) messages", page).groups())
    assert asked == len(said)
    assert len(blue) <= found <= asked
    # Those above, those behind the fold and those that are only counted are all that were found.
    more = re.search(r"(\d+) more with lower scores", page)
    assert more is not None and len(picture.candidates) + int(more[1]) == found
    assert f"the best {len(picture.further)} are listed" in page and len(lines) < found
    known = {row.id for row in list_rows(alice.tenant, FactRow, user_id=alice.ref.id, is_active=True)}
    assert {line.fact.id for line in picture.facts} == known and len(known) == 2
    chosen = {line.message_id for line in lines if line.fate == "chosen"}
    assert chosen == {card.message_id for card in picture.cards_in_order}
    assert 0 < len(chosen) <= picture.max_cards
    assert picture.used == sum(slot.used for slot in picture.slots)
    assert picture.used + picture.margin <= picture.total
    assert f"{picture.used} of {picture.total} tokens" in page


def test_episodes_by_layer_anchors_and_messages(log_in: LogIn, alice: Chatter, bob: Chatter, now: datetime) -> None:
    for days in (9, 5, 2):
        for person in (alice, bob):
            person.clock = now - timedelta(days=days)
            tell(person, *TRIP, *DRESS)
    for person in (alice, bob):
        cut(person)
    with tenant_scope(alice.tenant.id):
        own = list(Episode.objects.filter(user_id=alice.ref.id).order_by("started_at").values_list("id", flat=True))
        for ids, changes in (
            (own[:3], {"layer": "cold"}), (own[3:4], {"layer": "warm", "is_kept": True}),
            (own[4:5], {"anchored_by": ["profile"], "is_kept": True}), (own[5:], {"anchored_by": ["project"]}),
        ):  # fmt: skip
            Episode.objects.filter(user_id=alice.ref.id, id__in=ids).update(**changes)
    rows = list_rows(alice.tenant, Episode, user_id=alice.ref.id)
    layers = Counter(row.layer for row in rows)
    anchors = sum(row.is_kept or bool(row.anchored_by) for row in rows)
    assert set(layers) == {"hot", "warm", "cold"}
    context = open_page(log_in, "console:user_episodes", alice.ref.id)
    assert context["life"].words == (
        f"{len(rows)} episodes: {layers['hot']} hot, {layers['warm']} warm, {layers['cold']} cold; {anchors} anchors."
    )
    assert Counter(box.layer for box in context["life"].boxes) == layers
    assert sum(box.is_anchor for box in context["life"].boxes) == anchors
    said = Counter(row.episode_id for row in list_rows(alice.tenant, EpisodeMessage, user_id=alice.ref.id))
    assert {one.id: len(one.message_ids) for one in context["episodes"]} == said
    assert {row.id: row.message_count for row in rows} == said


@pytest.fixture
def apollo(alice: Chatter) -> ProjectRef:
    """A project with what is read of a conversation and facts of messages, one of them forgotten: so one of its two
    contradictions has a hidden side."""
    tenant, now = alice.tenant, timezone.now()
    alice.say("We decided to use liquid fuel. Open question: who pays for the crane?", conversation_id="c-1")
    alice.say("Agreed: launch moves to June. Open question: who paints the tower?", conversation_id="c-1")
    kept, gone = (said.message_id for said in alice.said)
    with tenant_scope(tenant.id):
        ref = make_project(
            tenant_id=tenant.id, external_id="apollo", user=None, content=ProjectInput(name="Apollo", mission="Moon"),
            now=now,
        )[0]  # fmt: skip
        bind_thread(ref, user="alice", conversation="c-1", scope="in", is_shared=False, now=now)
        update_history(ref, now=now)
        document = SourceBody(type="document", ref="minutes")
        words = {id: SourceBody(type="message", ref=str(id)) for id in (kept, gone)}
        facts = [
            ProjectFactBody(subject="fuel", value=name, exclusive=True, source=document) for name in ("dry", "wet")
        ]
        facts += [
            ProjectFactBody(subject=f"of {place}", value=1, source=words[id]) for place, id in enumerate((kept, gone))
        ]
        facts += [
            ProjectFactBody(subject="engine", value=name, exclusive=True, source=source)
            for name, source in (("old", document), ("new", words[gone]))
        ]
        put_facts(ref, facts=facts, origin="caller", actor="key:a", now=now)
    forget_messages(user=alice.ref, message_ids=[gone], actor="key:test", now=timezone.now())
    return ref


@dataclass(frozen=True)
class Shown:
    """Rows of a project that its lists show, worked out one by one."""

    facts: list[Any]
    decisions: list[Any]
    contradictions: set[UUID]
    questions: list[Any]


def list_shown(tenant: TenantRef) -> Shown:
    gone = {row.id for row in list_rows(tenant, Message) if row.forgotten_at is not None}
    hidden = {row.id for row in list_rows(tenant, Source) if row.message_id in gone}
    assert len(gone) == 1 and hidden
    sources: dict[UUID, set[UUID]] = {}
    for row in list_rows(tenant, Evidence):
        sources.setdefault(row.fact_id, set()).add(row.source_id)
    facts = [
        row
        for row in list_rows(tenant, ProjectFact)
        if row.known_to is None and (row.id not in sources or sources[row.id] - hidden)
    ]
    decisions = [row for row in list_rows(tenant, Decision) if row.known_to is None and row.source_id not in hidden]
    sides = {row.id for row in (*facts, *decisions)}
    contradictions = {
        row.id for row in list_rows(tenant, Conflict, status="open") if {row.left_id, row.right_id} <= sides
    }
    questions = [
        row
        for row in list_rows(tenant, Question, status="open")
        if row.source_id not in hidden and (row.conflict_id is None or row.conflict_id in contradictions)
    ]
    return Shown(facts, decisions, contradictions, questions)


def test_a_project_counts_open_questions_and_snapshots_and_nothing_forgotten(
    log_in: LogIn, apollo: ProjectRef, alice: Chatter
) -> None:
    browser, tenant = log_in(Role.OPERATOR), alice.tenant
    for query in ("which fuel?", "who pays for the crane?"):
        page = browser.get(reverse("console:project_context", args=[apollo.id]), {"query": query, "user": "alice"})
        assert page.status_code == 200
    rows = list_shown(tenant)
    expected = {
        "open_questions": len(rows.questions),
        "decisions": len(rows.decisions),
        "facts": len(rows.facts),
        "open_conflicts": len(list_rows(tenant, Conflict, status="open")),
        "snapshots": len(list_rows(tenant, ProjectSnapshot)),
    }
    assert expected == {
        "open_questions": 2, "decisions": 1, "facts": 4, "open_conflicts": 2, "snapshots": expected["snapshots"],
    }  # fmt: skip
    assert expected["snapshots"] > 0
    context = browser.get(reverse("console:project", args=[apollo.id])).context
    shown = context["view"].counts
    assert {name: shown[name] for name in expected} == expected
    # The page shows as many as it counts.
    assert (len(context["questions"]), len(context["facts"])) == (expected["open_questions"], expected["facts"])
    (listed,) = browser.get(reverse("console:projects")).context["views"]
    assert {name: listed.counts[name] for name in expected} == expected


def test_the_monitor_of_a_project_is_worked_out_from_its_runs(
    log_in: LogIn, apollo: ProjectRef, alice: Chatter, now: datetime
) -> None:
    tenant_id = apollo.tenant_id
    with tenant_scope(tenant_id):
        for number in range(9):
            for process in ("context", "writeback"):
                Run.objects.bulk_create([
                    Run(
                        id=new_id(), tenant_id=tenant_id, project_id=apollo.id, process=process,
                        at=now - timedelta(days=5 * number, hours=1), milliseconds=10.0 * (number + 1) ** 2, budget_tokens=2000,
                        used_tokens=100 * number, stated=number, attributed=number // 2, cited=number + 1,
                        hits=number // 3, refused=number,
                    )
                ])  # fmt: skip
        rows = [one for one in Run.objects.filter(tenant_id=tenant_id) if one.at >= now - timedelta(days=30)]
    figures = open_page(log_in, "console:project", apollo.id)["figures"]
    contexts = [one for one in rows if one.process == "context"]
    written = [one for one in rows if one.process == "writeback"]
    times = [one.milliseconds for one in contexts]
    assert figures.latency_p50_ms == pytest.approx(median(times), abs=1e-3)
    assert figures.latency_p95_ms == pytest.approx(quantiles(times, n=20, method="inclusive")[18], abs=1e-3)
    assert figures.hit_at_k == pytest.approx(
        sum(one.hits for one in written) / sum(one.cited for one in written), abs=1e-4
    )
    attributed, stated = sum(one.attributed for one in rows), sum(one.stated for one in rows)
    assert figures.attr_rate == pytest.approx(attributed / stated, abs=1e-4)
    used = [one.used_tokens / one.budget_tokens for one in contexts if one.budget_tokens]
    assert figures.token_budget_used == pytest.approx(sum(used) / len(used), abs=1e-4)
    assert (figures.runs, figures.refused) == (len(rows), sum(one.refused for one in rows))
    shown = list_shown(alice.tenant)
    active = [one for one in shown.facts if one.status == "active"]
    assert figures.conflict_rate == pytest.approx(
        len(shown.contradictions) / (len(active) + len(shown.decisions)), abs=1e-4
    )
    assert len(shown.contradictions) == 1 and len(active) == 4


def test_service_levels_rest_on_as_many_samples_as_their_windows_hold(
    log_in: LogIn, world: TenantRef, alice: Chatter, bob: Chatter, now: datetime
) -> None:
    for ago in (timedelta(), timedelta(minutes=50), timedelta(hours=5), timedelta(days=2)):
        build_pack(alice, "leather", now=now - ago)
        search(alice, "nickel", now=now - ago)
    for person in ("gone", "leaving"):
        Chatter(world, person).say("hello")
    with tenant_scope(world.id):
        receipt = RetrievalReceipt.objects.filter(tenant_id=world.id).first()
        for place, days in enumerate((0, 3, 6, 8, 20)):
            Feedback.objects.create(
                id=new_id(), tenant_id=world.id, user_id=alice.ref.id, receipt_id=receipt.id,
                message_id=alice.said[place].message_id, signal="used", created_at=now - timedelta(days=days, minutes=1),
            )  # fmt: skip
        AdaptiveItem.objects.create(
            id=new_id(), tenant_id=world.id, user_id=alice.ref.id, item_type="preference", status="active",
            key_hash=bytes(32), sealed=b"x", confidence=0.5, evidence_message_ids=[alice.said[0].message_id],
            run_id=new_id(), first_said_at=now, last_said_at=now, expires_at=now + timedelta(days=30), created_at=now,
            updated_at=now,
        )  # fmt: skip
        ExtractionRun.objects.filter(tenant_id=world.id).update(duration_ms=800, message_ids=[new_id()])
        ExtractionRun.objects.filter(
            id=ExtractionRun.objects.filter(tenant_id=world.id).latest("claimed_at").id
        ).update(duration_ms=0)
    for person in ("gone", "leaving"):
        request_erasure(
            tenant=world, user_external_id=person, target=ErasureTarget(), reason="user_request", actor="key:test",
            now=now - timedelta(hours=1),
        )  # fmt: skip
    with tenant_scope(world.id):
        figures = measure_tenant(tenant_id=world.id, now=now)
        note_levels(tenant_id=world.id, figures=figures, now=now)

    def count(model: type[Model], moment: str, window: timedelta, **wanted: Any) -> int:
        return sum(now - window <= getattr(row, moment) <= now for row in list_rows(world, model, **wanted))

    active = len(list_rows(world, FactRow, is_active=True))
    adaptive = len(list_rows(world, AdaptiveItem, status="active"))
    erasures = [row for row in list_rows(world, ErasureRequest) if row.requested_at <= now]
    runs = [row for row in list_rows(world, ExtractionRun, status="done") if row.finished_at and row.duration_ms]
    day, week = timedelta(days=1), timedelta(days=7)
    expected = {
        "staleness_rate": active + adaptive,
        "conflict_rate": active,
        "injection_quality": count(Feedback, "created_at", week),
        "retrieval_latency_p95": count(RetrievalReceipt, "created_at", timedelta(hours=1)),
        "context_overflow_rate": count(RetrievalReceipt, "created_at", day, kind="context"),
        "deletion_timeout_rate": len(
            [one for one in erasures if not one.completed_at or one.completed_at >= now - week]
        ),
        "receipt_completeness_rate": count(RetrievalReceipt, "created_at", day),
        "evolution_throughput": sum(now - day <= row.claimed_at <= now for row in runs),
        "tombstone_completion": len(
            [one for one in erasures if not one.completed_at or one.completed_at >= now - 30 * day]
        ),
        "receipt_five_tuple": count(RetrievalReceipt, "created_at", day, kind="context"),
        "failover": 0,
        "retrieval_miss_rate": 0,
        "user_repeated_info": 0,
    }
    assert expected["injection_quality"] == 3
    assert 0 < expected["retrieval_latency_p95"] < expected["receipt_completeness_rate"]
    rows = open_page(log_in, "console:quality")["rows"]
    assert {row.indicator.level.name: row.indicator.n for row in rows} == expected
