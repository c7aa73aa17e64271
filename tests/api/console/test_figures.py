"""Every figure of the console is worked out a second time here, in Python from the rows of its table, and must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from statistics import median
from typing import Any
from uuid import UUID

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import CorrectionLog, ReviewItem, ReviewVerdict
from memory.ids import new_id
from memory.models import Conversation, ErasureRequest, ExtractionRun, FactCandidate, FactRow, ForgetBatch, Message
from memory.models import User as Person
from memory.outbox.models import WebhookDelivery, WebhookEndpoint
from memory.projects.models import Artifact, Conflict, Decision, Link, Project, ProjectFact, Thread
from memory.services.forgets import forget_messages
from memory.tenants.models import ApiKey
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import RejectionCount
from patterns.rules.reasons import explain_reason
from retrieval.knowledge.models import Alias, Chunk, Document, Edge, Entity, Mention, Record
from retrieval.models import EmbeddingTask, RetrievalReceipt
from retrieval.pipeline import search_messages
from retrieval.reasons import CHOSEN
from retrieval.types import SearchQuery
from tests.api.console.everything import make_everything
from tests.cast import DUBAI, Chatter
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
VERDICTS = ("correct", "correct", "wrong_subject", "false_fact", "missed_sarcasm")
LANGUAGES = ("en", "ar", "ru")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def world(tenant: TenantRef, other_tenant: TenantRef, alice: Chatter, bob: Chatter, now: datetime) -> TenantRef:
    """Two users who talked on several days; corrections, runs of extraction, refusals, verdicts; and a neighbour."""
    for days in (16, 13, 2, 1, 0):
        for person in (alice, bob):
            at = now - timedelta(days=days)
            person.say("my size is M" if days % 2 else "my size is L", now=at, created_at=at)
            person.hear("Noted.", now=at, created_at=at + timedelta(minutes=1))
    for number in range(6):
        alice.say(f"number {number}")
    alice.say("I'm allergic to nickel, and I never wear leather")
    alice.hear("You're allergic to nickel, so I left nickel out.")
    alice.say("no, i'm not allergic to nickel")
    bob.say("what a lovely day")
    with tenant_scope(tenant.id):
        search_messages(SearchQuery(user=alice.ref, text="leather"), now=now)
        correct(tenant, alice.ref.id, now)
        extract(tenant, bob.ref.id, now)
        refuse(tenant, now)
        review(tenant, alice.ref.id, now)
    forget_messages(user=bob.ref, message_ids=[bob.said[-1].message_id], actor="key:test", now=now)
    Chatter(other_tenant, "alice").say("my size is M")
    with tenant_scope(other_tenant.id):
        neighbour = Person.objects.get(tenant_id=other_tenant.id).id
        correct(other_tenant, neighbour, now)
        extract(other_tenant, neighbour, now)
        refuse(other_tenant, now)
        review(other_tenant, neighbour, now)
    return tenant


def correct(tenant: TenantRef, user_id: UUID, now: datetime) -> None:
    """Corrections of two weeks: some messages correct two facts, one of them in two ways."""
    said = Message.objects.filter(user_id=user_id, role="user").values_list("id", flat=True)[:12]
    for number, message_id in enumerate(said):
        for kind in ("user_denied", "wrong_subject")[: 1 + (number % 3 == 0)]:
            CorrectionLog.objects.create(
                id=new_id(), tenant_id=tenant.id, user_id=user_id, trigger_message_id=message_id, correction_type=kind,
                language=LANGUAGES[number % 3], created_at=now - timedelta(days=number * 2, minutes=number),
            )  # fmt: skip


def extract(tenant: TenantRef, user_id: UUID, now: datetime) -> None:
    for number in range(10):
        results = {"accepted": number % 3, "already_known": 3, "rejected_question": number % 4, "staged": 1}
        is_failed = number % 4 == 3
        at = now - timedelta(days=number, minutes=number)
        ExtractionRun.objects.create(
            id=new_id(), tenant_id=tenant.id, user_id=user_id, triggered_by="manual", claimed_at=at, next_at=at,
            status="failed" if is_failed else "done", code="answer_prose" if is_failed else "",
            finished_at=at, prompt_tokens=1000 + number, completion_tokens=10 * number, cost_usd=number / 1000,
            results={} if is_failed else results, proposed=0 if is_failed else sum(results.values()),
            applied=0 if is_failed else results["accepted"], staged=0 if is_failed else 1,
        )  # fmt: skip


def refuse(tenant: TenantRef, now: datetime) -> None:
    for number in range(30):
        RejectionCount.objects.create(
            tenant_id=tenant.id, rule=f"rule-{number % 3}", rule_version=1 + number % 2,
            reason=("question", "past", "other_person")[number % 3], day=(now - timedelta(days=number)).date(),
            count=number + 1,
        )  # fmt: skip


def review(tenant: TenantRef, user_id: UUID, now: datetime) -> None:
    for number in range(15):
        verdict, at = VERDICTS[number % 5], now - timedelta(days=3 * number, hours=1)
        item = ReviewItem.objects.create(
            id=new_id(), tenant_id=tenant.id, user_id=user_id, source=("instant", "extraction")[number % 2],
            operation="add", fact_id=new_id(), knowledge_type=("allergy", "budget")[number % 2],
            language=LANGUAGES[number % 3],
            rule="rule-1" if number % 2 == 0 else "", rule_version=1 if number % 2 == 0 else None, model="m",
            prompt_version="p1", evidence_message_ids=[new_id()], state="decided", verdict=verdict, decided_at=at,
            created_at=at,
        )  # fmt: skip
        for reviewer, said in (("staff:1", verdict), ("staff:2", VERDICTS[(number + number % 2) % 5]))[
            : 1 + number % 3
        ]:
            ReviewVerdict.objects.create(
                id=new_id(), tenant_id=tenant.id, user_id=user_id, item_id=item.id, token=new_id(), reviewer=reviewer,
                verdict=said, milliseconds=1000 + 100 * number, judged_at=at,
            )  # fmt: skip


def list_rows(tenant: TenantRef, model: type[Model], **wanted: Any) -> list[Any]:
    with tenant_scope(tenant.id):
        return list(model._default_manager.filter(tenant_id=tenant.id, **wanted))


def name_day(moment: datetime) -> date:
    return moment.astimezone(DUBAI).date()


def open_page(log_in: LogIn, name: str, *args: object, **query: str) -> Any:
    return log_in(Role.OPERATOR).get(reverse(name, args=args), query).context


def read_made_at(row_id: UUID) -> datetime:
    """When a UUIDv7 was made."""
    return datetime.fromtimestamp((row_id.int >> 80) / 1000, tz=UTC)


def count_bars(bars: list[Any]) -> dict[str, int]:
    return {bar.label: bar.total for bar in bars}


class TestStartPage:
    def test_tiles_count_rows_of_today_and_yesterday(self, log_in: LogIn, world: TenantRef, now: datetime) -> None:
        days = {
            "Messages": Counter(name_day(row.received_at) for row in list_rows(world, Message)),
            "New users": Counter(name_day(read_made_at(row.id)) for row in list_rows(world, Person)),
            "Facts written": Counter(name_day(read_made_at(row.id)) for row in list_rows(world, FactRow)),
            "Searches and packs": Counter(name_day(row.created_at) for row in list_rows(world, RetrievalReceipt)),
            "Corrections": Counter(
                day for day, _ in {
                    (name_day(row.created_at), row.trigger_message_id) for row in list_rows(world, CorrectionLog)
                }
            ),
        }  # fmt: skip
        today = name_day(now)
        tiles = {tile.name: tile for tile in open_page(log_in, "admin:index")["tiles"]}
        assert set(tiles) == set(days)
        for name, tile in tiles.items():
            difference = days[name][today] - days[name][today - timedelta(days=1)]
            assert tile.today == days[name][today], name
            assert tile.change == (f"{difference:+}".replace("-", "−") if difference else "same as yesterday"), name

    def test_messages_by_day_and_role(self, log_in: LogIn, world: TenantRef, now: datetime) -> None:
        rows = list_rows(world, Message)
        expected = []
        for back in range(13, -1, -1):
            day = name_day(now) - timedelta(days=back)
            said = [row.role for row in rows if name_day(row.received_at) == day]
            expected.append((f"{day:%d}", said.count("user"), len(said) - said.count("user")))
        bars = open_page(log_in, "admin:index")["message_bars"]
        tones = [{part.tone: part.count for part in bar.parts} for bar in bars]
        shown = [
            (bar.label, tone.get("primary", 0), tone.get("soft", 0)) for bar, tone in zip(bars, tones, strict=True)
        ]
        assert shown == expected

    def test_active_facts_by_type_and_the_disputed_among_them(self, log_in: LogIn, world: TenantRef) -> None:
        active = list_rows(world, FactRow, is_active=True)
        context = open_page(log_in, "admin:index")
        assert context["facts_total"] == len(active)
        expected = Counter(row.knowledge_type.replace("_", " ") for row in active)
        assert count_bars(context["fact_bars"]) == expected
        disputed = Counter(row.knowledge_type.replace("_", " ") for row in active if row.is_disputed)
        shown = {bar.label: part.count for bar in context["fact_bars"] for part in bar.parts if part.tone == "warn"}
        assert shown == disputed

    def test_what_waits(self, log_in: LogIn, world: TenantRef) -> None:
        pending = [row.pending_count for row in list_rows(world, Conversation)]
        queues = {queue.name: queue.waiting for queue in open_page(log_in, "admin:index")["queues"]}
        assert queues == {
            "Messages to embed": sum(1 for row in list_rows(world, EmbeddingTask) if row.orphaned_at is None),
            "Messages waiting for extraction": sum(pending),
            "Forget requests that can be undone": sum(
                1 for row in list_rows(world, ForgetBatch) if row.status == "done"
            ),
            "Erasures in progress": sum(1 for row in list_rows(world, ErasureRequest) if row.status != "completed"),
        }
        assert queues["Forget requests that can be undone"] == 1

    def test_corrections_by_type(self, log_in: LogIn, world: TenantRef, now: datetime) -> None:
        first = name_day(now) - timedelta(days=13)
        expected: Counter[str] = Counter()
        for kind, _ in {
            (row.correction_type.replace("_", " "), row.trigger_message_id)
            for row in list_rows(world, CorrectionLog)
            if name_day(row.created_at) >= first
        }:
            expected[kind] += 1
        assert count_bars(open_page(log_in, "admin:index")["correction_bars"]) == expected


class TestExtraction:
    @pytest.mark.parametrize("days", [7, 14])
    def test_costs_and_results(self, log_in: LogIn, world: TenantRef, now: datetime, days: int) -> None:
        first = now.astimezone(UTC).date() - timedelta(days=days - 1)
        runs = [row for row in list_rows(world, ExtractionRun) if row.claimed_at.astimezone(UTC).date() >= first]
        results = sum((Counter(row.results) for row in runs), Counter())
        context = open_page(log_in, "console:extraction", days=str(days))
        total = context["total"]
        assert (total.runs, total.failed) == (len(runs), sum(row.status == "failed" for row in runs))
        assert total.prompt_tokens == sum(row.prompt_tokens for row in runs)
        assert total.completion_tokens == sum(row.completion_tokens for row in runs)
        assert total.cost_usd == pytest.approx(float(sum(row.cost_usd for row in runs)))
        assert (total.applied, total.staged) == (results["accepted"], results["staged"])
        assert total.tokens_per_fact == pytest.approx(total.tokens / results["accepted"])
        refused = sum(count for code, count in results.items() if code.startswith("rejected"))
        assert total.rejection_percent == pytest.approx(100 * refused / sum(results.values()))
        shown = {bar.label: (bar.title, bar.total) for bar in context["bars"]}
        assert {label: count for label, (_, count) in shown.items()} == {
            code.removeprefix("rejected_").replace("_", " "): count for code, count in results.items() if count
        }
        # The share above is that of the bars below: what is refused there, over all of them.
        below = sum(count for why, count in shown.values() if why == "refused by the gate")
        assert total.rejection_percent == pytest.approx(100 * below / sum(count for _, count in shown.values()))
        assert count_bars(context["failures"]) == Counter(row.code.replace("_", " ") for row in runs if row.code)

    def test_days_add_up_to_the_whole(self, log_in: LogIn, world: TenantRef) -> None:
        context = open_page(log_in, "console:extraction", days="14")
        for name in ("runs", "failed", "prompt_tokens", "completion_tokens", "applied", "staged", "refused"):
            assert sum(getattr(day.costs, name) for day in context["by_day"]) == getattr(context["total"], name)

    def test_tokens_of_today(self, log_in: LogIn, world: TenantRef, now: datetime) -> None:
        today = now.astimezone(UTC).date()
        runs = [row for row in list_rows(world, ExtractionRun) if row.claimed_at.astimezone(UTC).date() == today]
        used = open_page(log_in, "console:extraction")["budget"].used
        assert used == sum(row.prompt_tokens + row.completion_tokens for row in runs)


class TestNumbersOfReview:
    @pytest.mark.parametrize("days", [7, 30])
    def test_error_rates(self, log_in: LogIn, world: TenantRef, now: datetime, days: int) -> None:
        since = now - timedelta(days=days)
        items = [row for row in list_rows(world, ReviewItem) if row.state == "decided" and row.decided_at >= since]
        context = open_page(log_in, "console:review_numbers", days=str(days))
        wrong = sum(row.verdict != "correct" for row in items)
        assert (context["overall"].precision.judged, context["overall"].wrong) == (len(items), wrong)
        assert context["overall"].percent == pytest.approx(100 * wrong / len(items))
        values: dict[str, Callable[[Any], str]] = {
            "By source": lambda row: row.source,
            "By type": lambda row: row.knowledge_type,
            "By language": lambda row: row.language,
            "By rule version": lambda row: f"{row.rule} v{row.rule_version}" if row.rule else "",
        }
        shown = {one.title: one.rates for one in context["slices"]}
        for title, read in values.items():
            groups = Counter(map(read, items)), Counter(read(row) for row in items if row.verdict != "correct")
            expected = {name: (count, groups[1][name]) for name, count in groups[0].items() if name}
            assert {rate.value: (rate.precision.judged, rate.wrong) for rate in shown[title]} == expected

    def test_agreement_and_pace(self, log_in: LogIn, world: TenantRef, now: datetime) -> None:
        since = now - timedelta(days=30)
        verdicts = [row for row in list_rows(world, ReviewVerdict) if row.judged_at >= since]
        language = {row.id: row.language for row in list_rows(world, ReviewItem)}
        pairs: Counter[str] = Counter()
        agreeing: Counter[str] = Counter()
        for one, other in combinations(verdicts, 2):
            if one.item_id == other.item_id:
                pairs[language[one.item_id]] += 1
                agreeing[language[one.item_id]] += one.verdict == other.verdict
        context = open_page(log_in, "console:review_numbers", days="30")
        assert {one.language: (one.agreeing, one.pairs) for one in context["agreement"]} == {
            name: (agreeing[name], count) for name, count in pairs.items()
        }
        for one in context["pace"]:
            mine = [row for row in verdicts if row.reviewer == one.reviewer]
            assert (one.verdicts, one.wrong) == (len(mine), sum(row.verdict != "correct" for row in mine))
            assert one.seconds == pytest.approx(median(row.milliseconds for row in mine) / 1000)


def test_correction_rates_by_language_and_type(log_in: LogIn, world: TenantRef, now: datetime) -> None:
    since = now - timedelta(days=7)
    log = [row for row in list_rows(world, CorrectionLog) if row.created_at >= since]
    said = [row for row in list_rows(world, Message) if row.role == "user" and row.received_at >= since]
    rows = open_page(log_in, "console:correction_rates", days="7")["rows"]
    assert rows
    for row in rows:
        mine = [one for one in log if one.language == row.language]
        assert row.user_messages == sum(one.language == row.language for one in said)
        assert row.corrections == len({one.trigger_message_id for one in mine})
        for kind, count in row.by_type:
            assert count == len({one.trigger_message_id for one in mine if one.correction_type == kind})


def test_refusals_by_step_rule_and_day(log_in: LogIn, world: TenantRef, now: datetime) -> None:
    first = now.astimezone(UTC).date() - timedelta(days=13)
    counts = [row for row in list_rows(world, RejectionCount) if row.day >= first]
    context = open_page(log_in, "console:refusals")
    steps: Counter[str] = Counter()
    for row in counts:
        steps[explain_reason(row.reason).step] += row.count
    assert {step: total for step, total, _ in context["steps"]} == steps
    for shown in context["rows"]:
        mine = [row for row in counts if (row.rule, row.reason) == (shown.rule, shown.code)]
        assert shown.total == sum(row.count for row in mine) == sum(count for _, count, _ in shown.days)
        assert {day: count for day, count, _ in shown.days if count} == {
            day: sum(row.count for row in mine if row.day == day) for day in {row.day for row in mine}
        }


def test_the_head_of_a_users_memory(log_in: LogIn, world: TenantRef, alice: Chatter, bob: Chatter) -> None:
    browser = log_in(Role.OPERATOR)
    for person in (alice, bob):
        profile = browser.get(reverse("console:user_facts", args=[person.ref.id])).context["profile"]
        said = list_rows(world, Message, user_id=person.ref.id)
        known = list_rows(world, FactRow, user_id=person.ref.id, is_active=True)
        assert (profile.message_count, profile.active_facts) == (len(said), len(known))
        assert profile.forgotten_count == sum(row.forgotten_at is not None for row in said)
        assert profile.disputed_facts == sum(row.is_disputed for row in known)
        assert profile.last_message_at == max(row.created_at for row in said)


def test_the_head_of_a_receipt(log_in: LogIn, world: TenantRef) -> None:
    (receipt,) = list_rows(world, RetrievalReceipt)
    context = open_page(log_in, "admin:retrieval_retrievalreceipt_change", receipt.id)
    assert context["chosen_count"] == Counter(receipt.decision_reasons)[CHOSEN] > 0
    assert len(context["candidates"]) == len(receipt.candidate_ids)
    assert sum(line.is_chosen for line in context["candidates"]) == context["chosen_count"]


class TestNewerPages:
    """A tenant with one row of every kind, and a neighbour with the same."""

    @pytest.fixture
    def rich(
        self, tenant: TenantRef, other_tenant: TenantRef, scripted_model: Callable[..., ScriptedModel]
    ) -> TenantRef:
        make_everything(other_tenant, scripted_model)
        make_everything(tenant, scripted_model)
        return tenant

    def test_corpora_count_what_is_in_their_tables(self, log_in: LogIn, rich: TenantRef) -> None:
        (corpus,) = open_page(log_in, "console:corpora")["corpora"]
        tables: dict[str, type[Model]] = {
            "documents": Document, "records": Record, "chunks": Chunk, "entities": Entity, "aliases": Alias,
            "mentions": Mention, "edges": Edge,
        }  # fmt: skip
        counted = {name: len(list_rows(rich, model)) for name, model in tables.items()}
        assert {name: getattr(corpus, name) for name in tables} == counted
        assert counted["documents"] and counted["records"] and counted["chunks"]

    def test_a_project_counts_what_is_in_its_tables(self, log_in: LogIn, rich: TenantRef) -> None:
        (project,) = list_rows(rich, Project)
        counts = open_page(log_in, "console:project", project.id)["view"].counts
        open_conflicts = [row for row in list_rows(rich, Conflict) if row.status == "open"]
        assert counts["facts"] == len(list_rows(rich, ProjectFact)) == 2
        assert counts["open_conflicts"] == len(open_conflicts) == 1
        tables: dict[str, type[Model]] = {
            "threads": Thread,
            "decisions": Decision,
            "links": Link,
            "artifacts": Artifact,
        }
        for name, model in tables.items():
            assert counts[name] == len(list_rows(rich, model)), name

    def test_candidates_by_state(self, log_in: LogIn, rich: TenantRef) -> None:
        shown = {name: count for name, _, count in open_page(log_in, "console:candidates")["states"] if count}
        assert shown == Counter(row.status for row in list_rows(rich, FactCandidate)) == {"open": 1}

    def test_lists_hold_as_many_rows_as_their_tables(self, log_in: LogIn, rich: TenantRef) -> None:
        lists: dict[str, type[Model]] = {
            "admin:outbox_webhookendpoint_changelist": WebhookEndpoint,
            "admin:outbox_webhookdelivery_changelist": WebhookDelivery,
            "admin:memory_erasurerequest_changelist": ErasureRequest,
            "admin:memory_extractionrun_changelist": ExtractionRun,
            "admin:patterns_rejectioncount_changelist": RejectionCount,
            "admin:tenants_apikey_changelist": ApiKey,
        }
        operator, editor = log_in(Role.OPERATOR), log_in(Role.PATTERN_EDITOR)
        for name, model in lists.items():
            answer = (editor if "patterns" in name else operator).get(reverse(name))
            assert len(answer.context["cl"].result_list) == len(list_rows(rich, model)) > 0, name
