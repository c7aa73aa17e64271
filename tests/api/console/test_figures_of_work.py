"""The figures of queues, candidates, samples and shares, worked out a second time from the rows, as in test_figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.console.navigation import list_navigation
from corrections.models import CorrectionLog
from corrections.review.models import GoldenCase, MessageCase, ReviewItem, ReviewVerdict
from memory.extraction.intervals import Z_95
from memory.ids import new_id
from memory.models import Action, Conversation, ExtractionRun, FactCandidate, FactRow, Message, ReviewSample
from memory.storing.types import TenantRef
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from retrieval.models import RetrievalReceipt
from retrieval.pack.assembly import CHOSEN
from tests.api.console.conftest import make_staff
from tests.api.console.test_figures import LANGUAGES, list_rows, name_day, now, open_page, world
from tests.cast import Chatter

__all__ = ["now", "world"]

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]


@pytest.fixture
def reviewer(log_in: LogIn) -> Client:
    return log_in(Role.REVIEWER)


@pytest.fixture
def me(reviewer: Client) -> str:
    """The code of that reviewer."""
    return f"staff:{reviewer.session['_auth_user_id']}"


@pytest.fixture
def queue(world: TenantRef, me: str, bob: Chatter, now: datetime) -> TenantRef:
    """Items that wait: for everybody, for some, skipped, judged, of a forgotten message; and samples not taken in."""
    other = make_staff("other", tenant=world, role=Role.REVIEWER)
    people = ("", me, f"staff:{other.id}", "staff:999999")
    owner = {"tenant_id": world.id, "user_id": bob.ref.id, "operation": "add"}
    with tenant_scope(world.id):
        for number in range(16):
            is_of_the_forgotten = number in (5, 12)
            item = ReviewItem.objects.create(
                id=new_id(), **owner, source="instant", fact_id=new_id(), language=LANGUAGES[number % 3],
                knowledge_type=("allergy", "budget")[number % 2], created_at=now, assigned_to=people[number % 4],
                skipped_by=[me] if number in (0, 1, 12) else [f"staff:{other.id}"] if number == 3 else [],
                evidence_message_ids=[bob.said[-1].message_id if is_of_the_forgotten else bob.said[0].message_id],
                reviewers_wanted=2,
            )  # fmt: skip
            if number in (7, 8):
                give_verdict(item, me, at=now, undone_at=now if number == 8 else None)
        for days in (0, 0, 1):
            done = ReviewItem.objects.filter(state="decided").first()
            give_verdict(done, me, at=now - timedelta(days=days))
        for verdict in (None, None, "correct"):
            ReviewSample.objects.create(
                id=new_id(), **owner, run_id=new_id(), fact_id=new_id(), knowledge_type="allergy", language="en",
                model="m", prompt_version="p1", evidence_message_ids=[bob.said[0].message_id], created_at=now,
                verdict=verdict, judged_at=now if verdict else None, judged_by="staff:9" if verdict else "",
            )  # fmt: skip
    return world


def give_verdict(item: ReviewItem, reviewer: str, *, at: datetime, undone_at: datetime | None = None) -> None:
    ReviewVerdict.objects.create(
        id=new_id(), tenant_id=item.tenant_id, user_id=item.user_id, item_id=item.id, token=new_id(), milliseconds=900,
        reviewer=reviewer, verdict="correct", judged_at=at, undone_at=undone_at,
    )  # fmt: skip


def list_shown(tenant: TenantRef, reviewer: str, **wanted: Any) -> list[ReviewItem]:
    """Items that wait and that a reviewer may be shown, the skipped among them."""
    forgotten = {row.id for row in list_rows(tenant, Message) if row.forgotten_at}
    judged = {row.item_id for row in list_rows(tenant, ReviewVerdict, reviewer=reviewer, undone_at=None)}
    reviewers = {f"staff:{user.id}" for user in User.objects.all()}
    return [
        row
        for row in list_rows(tenant, ReviewItem, state="waiting", **wanted)
        if not forgotten & set(row.evidence_message_ids)
        and row.id not in judged
        and (row.assigned_to in ("", reviewer) or row.assigned_to not in reviewers)
    ]


@pytest.mark.parametrize("wanted", [{}, {"language": "en"}, {"knowledge_type": "budget", "language": "ru"}])
def test_counts_of_the_queue(
    reviewer: Client, queue: TenantRef, me: str, now: datetime, wanted: dict[str, str]
) -> None:
    counts = reviewer.get(reverse("console:review"), wanted).context["counts"]
    shown = list_shown(queue, me, **wanted)
    assert counts.skipped == sum(me in row.skipped_by for row in shown)
    assert counts.waiting == len(shown) - counts.skipped
    verdicts = list_rows(queue, ReviewVerdict, reviewer=me, undone_at=None)
    assert counts.judged_today == sum(name_day(row.judged_at) == name_day(now) for row in verdicts) == 3
    assert counts.share_done == round(100 * counts.judged_today / (counts.judged_today + counts.waiting))
    if not wanted:
        assert (counts.waiting, counts.skipped) == (11, 2)


def test_the_badge_of_the_sidebar_is_what_the_queue_then_shows(reviewer: Client, queue: TenantRef, me: str) -> None:
    request = reviewer.get(reverse("console:extraction")).wsgi_request
    badges = [item["badge"] for group in list_navigation(request) for item in group["items"] if item.get("badge")]
    shown = reviewer.get(reverse("console:review")).context["counts"].waiting
    assert badges == [str(shown)]


def test_what_a_filter_of_the_queue_offers(reviewer: Client, queue: TenantRef) -> None:
    reviewer.get(reverse("console:review"))  # takes the samples in
    waiting = list_rows(queue, ReviewItem, state="waiting")
    offered = {choice.name: choice for choice in reviewer.get(reverse("console:review")).context["choices"]}
    for choice in offered.values():
        counted = Counter(getattr(row, choice.name) for row in waiting)
        assert {value: words.rpartition("(")[2] for value, words in choice.options} == {
            value: f"{count})" for value, count in counted.items() if value
        }


def test_missed_facts_by_language(log_in: LogIn, world: TenantRef, alice: Chatter, now: datetime) -> None:
    with tenant_scope(world.id):
        for number in range(9):
            at = now - timedelta(days=number)
            ReviewItem.objects.create(
                id=new_id(), tenant_id=world.id, user_id=alice.ref.id, source="message", operation="none",
                knowledge_type="", language=("en", "ru", "")[number % 3], state="decided", created_at=at, decided_at=at,
                verdict="missed_fact" if number % 2 else "correct", evidence_message_ids=[alice.said[0].message_id],
            )  # fmt: skip
    rows = list_rows(world, ReviewItem, source="message")
    context = open_page(log_in, "console:review_numbers", days="30")
    shown = [(rate.value, rate.precision.judged, rate.wrong) for rate in context["missed"]]
    wrong = Counter(row.language for row in rows if row.verdict == "missed_fact")
    assert shown[0] == ("all", len(rows), wrong.total())
    by_language = Counter(row.language for row in rows)
    assert sorted(shown[1:]) == sorted((name or "–", count, wrong[name]) for name, count in by_language.items())
    # They are another population: the error rate does not move by them.
    assert context["overall"].precision.judged == sum(
        row.state == "decided" and row.source != "message" and row.decided_at >= now - timedelta(days=30)
        for row in list_rows(world, ReviewItem)
    )


def test_error_rates_stand_in_their_band(log_in: LogIn, world: TenantRef) -> None:
    rate = open_page(log_in, "console:review_numbers", days="90")["overall"]
    share, count = rate.wrong / rate.precision.judged, rate.precision.judged
    # Each bound is the true share from which what was seen is z standard errors away (Wilson).
    for bound in (rate.lower / 100, rate.upper / 100):
        assert (share - bound) ** 2 == pytest.approx(Z_95**2 * bound * (1 - bound) / count)
    assert rate.lower < 100 * share < rate.upper
    assert rate.rest == pytest.approx(100 - rate.upper)


def test_error_rates_by_week(log_in: LogIn, world: TenantRef, now: datetime) -> None:
    monday = name_day(now) - timedelta(days=name_day(now).weekday())
    decided = [row for row in list_rows(world, ReviewItem, state="decided") if row.source != "message"]
    table = {row[0]: row[3] for row in open_page(log_in, "console:review_numbers")["weekly"].rows}
    for back in range(12):
        week = monday - timedelta(weeks=back)
        mine = [row for row in decided if week <= name_day(row.decided_at) < week + timedelta(days=7)]
        wrong = sum(row.verdict != "correct" for row in mine)
        assert table.get(f"{week:%d %b}", "") == (f"{wrong} of {len(mine)}" if mine else "")


def test_facts_of_extraction_and_those_that_were_taken_back(
    log_in: LogIn, world: TenantRef, alice: Chatter, now: datetime
) -> None:
    with tenant_scope(world.id):
        FactRow.objects.filter(user_id=alice.ref.id).update(extracted_from="batch", confidence=0.8)
        facts = list(FactRow.objects.filter(user_id=alice.ref.id).values_list("id", flat=True))
        for number, kind in enumerate(("user_denied", "outdated", "wrong_subject", "user_denied")):
            CorrectionLog.objects.create(
                id=new_id(), tenant_id=world.id, user_id=alice.ref.id, trigger_message_id=alice.said[0].message_id,
                correction_type=kind, language="en", created_at=now - timedelta(days=number),
                deactivated_knowledge_id=facts[number % len(facts)],
            )  # fmt: skip
    since = now - timedelta(days=7)
    batch = {row.id: row for row in list_rows(world, FactRow, extracted_from="batch")}
    taken_back = {
        row.deactivated_knowledge_id
        for row in list_rows(world, CorrectionLog)
        if row.created_at >= since and row.correction_type in ("user_denied", "wrong_subject")
    }
    context = open_page(log_in, "console:review_numbers")
    assert context["made"] == sum(row.created_at >= since for row in batch.values()) > 0
    assert context["taken_back"] == len(taken_back & set(batch)) > 0


def test_candidates_by_state(log_in: LogIn, world: TenantRef, alice: Chatter, now: datetime) -> None:
    states = ("open", "open", "promoted", "expired", "dismissed", "dismissed", "dismissed", "replaced")
    with tenant_scope(world.id):
        for number, state in enumerate(states):
            FactCandidate.objects.create(
                id=new_id(), tenant_id=world.id, user_id=alice.ref.id, kind="second_evidence", status=state,
                knowledge_type="allergy", key_hash=bytes([number]) * 32, sealed=b"x", confidence=0.5, run_id=new_id(),
                evidence_message_ids=[alice.said[0].message_id], first_said_at=now, last_said_at=now, created_at=now,
                updated_at=now, expires_at=now + timedelta(days=9),
            )  # fmt: skip
    shown = {name: count for name, _, count in open_page(log_in, "console:candidates")["states"]}
    stored = Counter(row.status for row in list_rows(world, FactCandidate))
    assert shown == {name: stored[name] for name in shown}
    assert set(stored) <= set(shown)


def test_samples_have_the_mean_time_of_their_verdicts(log_in: LogIn, queue: TenantRef, now: datetime) -> None:
    rows = open_page(log_in, "console:review_items")["rows"]
    verdicts = list_rows(queue, ReviewVerdict, undone_at=None)
    assert len(rows) == len(list_rows(queue, ReviewItem))
    for row in rows:
        times = [one.milliseconds for one in verdicts if one.item_id == row.item.id]
        assert row.seconds == (pytest.approx(sum(times) / len(times) / 1000) if times else None)


def test_golden_cases_are_counted_by_kind(log_in: LogIn, world: TenantRef, alice: Chatter, now: datetime) -> None:
    case: dict[str, Any] = {"tenant_id": world.id, "language": "en", "content": {}, "written_by": "staff:1"}
    with tenant_scope(world.id):
        for item in ReviewItem.objects.filter(state="decided")[:3]:
            MessageCase.objects.create(id=new_id(), item_id=item.id, written_at=now, **case)
        for row in CorrectionLog.objects.all()[:2]:
            GoldenCase.objects.create(id=new_id(), correction_id=row.id, written_at=now, **case)
    assert open_page(log_in, "console:review_items")["case_count"] == len(list_rows(world, MessageCase)) == 3
    page = open_page(log_in, "console:correction_rates", days="7")
    assert page["case_count"] == len(list_rows(world, GoldenCase)) == 2
    for row in page["rows"]:
        expected = 100 * row.corrections / row.user_messages if row.user_messages else None
        assert row.percent == (expected if expected is None else pytest.approx(expected))


def test_days_of_extraction_in_the_picture_and_in_the_table(log_in: LogIn, world: TenantRef) -> None:
    runs = list_rows(world, ExtractionRun)
    context = open_page(log_in, "console:extraction", days="7")
    table = {row[0]: row[1:] for row in context["daily"].rows}
    for day in context["by_day"]:
        mine = [row for row in runs if row.claimed_at.astimezone(UTC).date() == day.day]
        results = sum((Counter(row.results) for row in mine), Counter())
        other = results.total() - results["accepted"] - results["staged"]
        assert table[f"{day.day:%d %b}"] == tuple(map(str, (results["accepted"], results["staged"], other)))
        assert day.costs.cost_usd == pytest.approx(float(sum(row.cost_usd for row in mine)))
    budget = context["budget"]
    assert budget.percent == min(100, round(100 * budget.used / budget.limit))


def test_messages_that_wait_for_extraction_are_those_of_all_tenants(
    log_in: LogIn, world: TenantRef, other_tenant: TenantRef
) -> None:
    waiting = [row.pending_count for tenant in (world, other_tenant) for row in list_rows(tenant, Conversation)]
    assert open_page(log_in, "console:extraction")["pending"] == sum(waiting) > 0


def test_packs_of_a_user(log_in: LogIn, world: TenantRef, alice: Chatter) -> None:
    stored = {row.id: row for row in list_rows(world, RetrievalReceipt, user_id=alice.ref.id)}
    shown = open_page(log_in, "console:user_packs", alice.ref.id)["receipts"]
    assert {receipt.id for receipt, _ in shown} == set(stored)
    for receipt, chosen in shown:
        assert chosen == Counter(stored[receipt.id].decision_reasons)[CHOSEN]


def test_what_messages_of_a_user_have_taught(log_in: LogIn, world: TenantRef, alice: Chatter) -> None:
    page = open_page(log_in, "console:user_messages", alice.ref.id)["page"]
    actions = list_rows(world, Action, user_id=alice.ref.id)
    for message in page.messages:
        done = [effect["action"] for row in actions if row.message_id == message["id"] for effect in row.effects]
        assert dict(message["taught"]) == Counter(change.replace("_", " ") for change in done)
