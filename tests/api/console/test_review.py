"""The review console: one item at a time, a verdict once, undo, two reviewers, numbers, switches, golden cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.evaluation.corpus import read_cases
from corrections.models import CorrectionLog, GoldenCase, ReviewItem, ReviewVerdict
from corrections.review.sampling import sample_recent
from memory.extraction.quality.intervals import measure_precision
from memory.extraction.quality.switches import get_state, list_quarantined, quarantine_slice, switch_extraction
from memory.ids import new_id
from memory.models import FactRow, ReviewSample
from memory.services.forgets import forget_messages
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
STATEMENTS = ("I'm allergic to nickel", "My size is M", "I never wear leather", "My budget is 500 AED")


@pytest.fixture
def learnt(alice: Chatter, bob: Chatter) -> list[Chatter]:
    """Two users who stated four facts each."""
    for person in (alice, bob):
        person.hear("Tell me about yourself")
        for statement in STATEMENTS:
            person.say(statement)
    return [alice, bob]


@pytest.fixture
def reviewer(log_in: LogIn) -> Client:
    return log_in(Role.REVIEWER)


def sample(tenant: TenantRef, *, source: str = "instant", count: int = 50) -> int:
    now = timezone.now()
    return sample_recent(tenant_id=tenant.id, source=source, count=count, since=now - timedelta(days=1), now=now)


def make_second(tenant: TenantRef) -> Client:
    """Another reviewer of the tenant."""
    client = Client()
    client.force_login(make_staff(f"second-{tenant.id.hex[-8:]}", tenant=tenant, role=Role.REVIEWER))
    return client


def show(client: Client) -> Any:
    return client.get(reverse("console:review")).context


def judge(client: Client, card: Any, verdict: str, *, token: UUID | None = None, milliseconds: int = 900) -> Any:
    return client.post(
        reverse("console:review_verdict"),
        {"item": card.item.id, "verdict": verdict, "token": token or card.token, "milliseconds": milliseconds},
        headers={"HX-Request": "true"},
    )


def undo(client: Client, verdict_id: UUID) -> HttpResponse:
    url = reverse("console:review_undo")
    return client.post(url, {"judged": verdict_id}, headers={"HX-Request": "true"})


def list_verdicts(tenant: TenantRef) -> list[ReviewVerdict]:
    with tenant_scope(tenant.id):
        return list(ReviewVerdict.objects.filter(tenant_id=tenant.id).order_by("judged_at"))


def count_actions(tenant: TenantRef, action: str) -> int:
    with tenant_scope(tenant.id):
        return AuditEvent.objects.filter(tenant_id=tenant.id, action=action).count()


# --- the queue --------------------------------------------------------------------------------------------------------


def test_an_empty_queue_offers_to_draw_a_sample(reviewer: Client, learnt: list[Chatter], tenant: TenantRef) -> None:
    page = reviewer.get(reverse("console:review")).content.decode()
    assert "Queue is empty" in page
    reviewer.post(reverse("console:review_samples"), {"source": "instant"})
    assert show(reviewer)["counts"].waiting == 8
    assert count_actions(tenant, "review.sample_instant") == 1


def test_an_item_shows_the_words_in_their_conversation_and_the_fact(
    reviewer: Client, alice: Chatter, tenant: TenantRef
) -> None:
    alice.hear("Anything to avoid?")
    alice.say("Yes please. I'm allergic to nickel, thanks")
    sample(tenant)
    page = reviewer.get(reverse("console:review")).content.decode()
    assert "<mark>allergic to nickel</mark>" in page
    assert "Anything to avoid?" in page
    assert re.search(r"review-value[^>]*>nickel<", page)


def test_the_fact_stands_with_what_it_replaced(reviewer: Client, alice: Chatter, tenant: TenantRef) -> None:
    alice.say("My size is M")
    sample(tenant)
    alice.say("My size is L", conversation_id="another")
    judge(reviewer, show(reviewer)["card"], "correct")
    sample(tenant)
    card = show(reviewer)["card"]
    assert (card.fact.value, card.replaced.value) == ("L", "M")


def test_every_look_and_every_verdict_is_audited(reviewer: Client, learnt: list[Chatter], tenant: TenantRef) -> None:
    sample(tenant, count=2)
    judge(reviewer, show(reviewer)["card"], "correct")
    assert count_actions(tenant, "review.view_item") == 2
    assert count_actions(tenant, "review.correct") == 1


def test_a_verdict_brings_the_next_item_and_is_kept_with_its_time(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=2)
    first = show(reviewer)["card"]
    second = judge(reviewer, first, "correct", milliseconds=1234).context["card"]
    assert second.item.id != first.item.id
    (verdict,) = list_verdicts(tenant)
    assert (verdict.item_id, verdict.verdict, verdict.milliseconds) == (first.item.id, "correct", 1234)


def test_the_same_token_twice_is_one_verdict(reviewer: Client, learnt: list[Chatter], tenant: TenantRef) -> None:
    sample(tenant, count=2)
    card = show(reviewer)["card"]
    once = judge(reviewer, card, "correct").context["card"]
    again = judge(reviewer, card, "correct").context["card"]
    assert len(list_verdicts(tenant)) == 1
    assert once.item.id == again.item.id


def test_a_wrong_fact_is_closed_and_undo_opens_it_after_going_on(
    reviewer: Client, alice: Chatter, tenant: TenantRef
) -> None:
    alice.say("I'm allergic to nickel")
    alice.say("My size is M")
    sample(tenant)
    card = show(reviewer)["card"]
    answer = judge(reviewer, card, "wrong_subject")
    assert card.fact.slot not in alice.list_facts()
    back = undo(reviewer, answer.context["last"]["id"])
    assert back.context["card"].item.id == card.item.id
    assert alice.list_facts()[card.fact.slot] == card.fact.value
    assert back.context["last"] is None


def test_a_verdict_that_was_taken_back_does_not_come_again_by_its_token(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=1)
    card = show(reviewer)["card"]
    undo(reviewer, judge(reviewer, card, "false_fact").context["last"]["id"])
    shown = judge(reviewer, card, "false_fact").context["card"]
    assert shown.item.id == card.item.id
    assert [verdict.undone_at is not None for verdict in list_verdicts(tenant)] == [True]


def test_two_reviewers_never_hold_the_same_item(reviewer: Client, learnt: list[Chatter], tenant: TenantRef) -> None:
    sample(tenant, count=2)
    second = make_second(tenant)
    mine, theirs = show(reviewer)["card"], show(second)["card"]
    assert mine.item.id != theirs.item.id
    refused = judge(second, mine, "correct")
    assert "Another reviewer has" in refused.context["notice"]
    assert list_verdicts(tenant) == []


def test_a_lock_that_is_over_lets_another_reviewer_in(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=1)
    mine = show(reviewer)["card"]
    second = make_second(tenant)
    assert show(second)["card"] is None
    with tenant_scope(tenant.id):
        ReviewItem.objects.filter(tenant_id=tenant.id).update(locked_until=timezone.now() - timedelta(seconds=1))
    assert show(second)["card"].item.id == mine.item.id


def test_a_skipped_item_is_left_to_others_until_it_is_asked_for(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=1)
    card = show(reviewer)["card"]
    answer = reviewer.post(
        reverse("console:review_skip"), {"item": card.item.id}, headers={"HX-Request": "true"}
    ).context
    assert (answer["card"], answer["counts"].skipped) == (None, 1)
    assert show(make_second(tenant))["card"].item.id == card.item.id
    with tenant_scope(tenant.id):
        ReviewItem.objects.filter(tenant_id=tenant.id).update(locked_until=None, locked_by="")
    reviewer.post(reverse("console:review_skipped"))
    assert show(reviewer)["card"].item.id == card.item.id


def test_two_wanted_reviewers_decide_together_and_their_agreement_is_counted(
    reviewer: Client, alice: Chatter, tenant: TenantRef
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"reviewers_per_item": 2})
    alice.say("I'm allergic to nickel")
    sample(tenant)
    second, third = make_second(tenant), Client()
    third.force_login(make_staff(f"third-{tenant.id.hex[-8:]}", tenant=tenant, role=Role.REVIEWER))
    judge(reviewer, show(reviewer)["card"], "false_fact")
    assert ("allergy", "nickel") in alice.list_facts()
    judge(second, show(second)["card"], "correct")
    judge(third, show(third)["card"], "false_fact")
    assert ("allergy", "nickel") not in alice.list_facts()
    numbers = reviewer.get(reverse("console:review_numbers")).context
    assert [(one.language, one.agreeing, one.pairs) for one in numbers["agreement"]] == [("en", 1, 3)]
    assert (numbers["overall"].precision.judged, numbers["overall"].wrong) == (1, 1)


def test_what_was_forgotten_leaves_the_queue(reviewer: Client, alice: Chatter, tenant: TenantRef) -> None:
    said = alice.say("I'm allergic to nickel")
    sample(tenant)
    forget_messages(user=alice.ref, message_ids=[said.message_id], actor="key:test", now=timezone.now())
    context = show(reviewer)
    assert (context["card"], context["counts"].waiting) == (None, 0)


def test_a_sample_of_extraction_is_judged_through_its_own_service(
    reviewer: Client, alice: Chatter, tenant: TenantRef
) -> None:
    said = alice.say("I'm allergic to nickel")
    with tenant_scope(tenant.id):
        fact = FactRow.objects.get(user_id=alice.ref.id)
        ReviewSample.objects.create(
            id=new_id(),
            tenant_id=tenant.id,
            user_id=alice.ref.id,
            run_id=new_id(),
            fact_id=fact.id,
            operation="ADD",
            knowledge_type="allergy",
            language="en",
            model="some-model",
            prompt_version="v1",
            evidence_message_ids=[said.message_id],
            created_at=timezone.now(),
        )
    card = show(reviewer)["card"]
    assert (card.item.source, card.item.model) == ("extraction", "some-model")
    last = judge(reviewer, card, "missed_sarcasm").context["last"]
    with tenant_scope(tenant.id):
        assert ReviewSample.objects.get(user_id=alice.ref.id).verdict == "missed_sarcasm"
    assert alice.list_facts() == {}
    undo(reviewer, last["id"])
    with tenant_scope(tenant.id):
        assert ReviewSample.objects.get(user_id=alice.ref.id).verdict is None
    assert alice.list_facts() == {("allergy", "nickel"): "nickel"}


def test_without_javascript_a_verdict_leads_back_to_the_queue(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=1)
    card = show(reviewer)["card"]
    answer = reviewer.post(
        reverse("console:review_verdict"), {"item": card.item.id, "verdict": "correct", "token": card.token}
    )
    assert (answer.status_code, answer["Location"]) == (302, reverse("console:review"))


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.AUDITOR, Role.PATTERN_EDITOR])
def test_the_queue_is_for_reviewers(log_in: LogIn, learnt: list[Chatter], tenant: TenantRef, role: Role) -> None:
    sample(tenant, count=1)
    client = log_in(role)
    assert client.get(reverse("console:review")).status_code == 403
    assert client.post(reverse("console:review_undo"), {"judged": uuid4()}).status_code == 403
    assert client.get(reverse("console:correction_cases")).status_code == 403


def test_another_tenants_item_cannot_be_judged(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef, other_tenant: TenantRef
) -> None:
    sample(tenant, count=1)
    card = show(reviewer)["card"]
    stranger = make_second(other_tenant)
    assert "does not exist" in judge(stranger, card, "false_fact").context["notice"]
    assert list_verdicts(tenant) == []


def test_the_command_draws_what_was_not_drawn_before(learnt: list[Chatter], tenant: TenantRef, capsys: Any) -> None:
    slug = Tenant.objects.get(id=tenant.id).slug
    call_command("sample_review", tenant=slug, count=6)
    call_command("sample_review", tenant=slug, count=6)
    assert capsys.readouterr().out.split("\n")[:2] == ["6 in the queue", "2 in the queue"]


# --- numbers and switches ---------------------------------------------------------------------------------------------


def test_error_rates_have_their_interval_by_rule_type_and_language(
    reviewer: Client, learnt: list[Chatter], tenant: TenantRef
) -> None:
    sample(tenant, count=8)
    card = show(reviewer)["card"]
    for verdict in ["correct"] * 6 + ["false_fact"] * 2:
        card = judge(reviewer, card, verdict).context["card"]
    context = reviewer.get(reverse("console:review_numbers")).context
    expected = measure_precision(right=6, judged=8)
    assert context["overall"].percent == 25
    assert context["overall"].lower == pytest.approx(100 * (1 - expected.upper))
    titles = {one.title: one.rates for one in context["slices"]}
    assert {"By source", "By type", "By language", "By rule version"} <= set(titles)
    assert sum(rate.precision.judged for rate in titles["By type"]) == 8
    assert all(re.search(r" v\d+$", rate.value) for rate in titles["By rule version"])


def test_an_operator_releases_what_paused_itself_and_a_reviewer_does_not(
    log_in: LogIn, reviewer: Client, tenant: TenantRef
) -> None:
    now = timezone.now()
    switch_extraction(tenant_id=tenant.id, mode="paused", reason="review_error_rate", actor=SYSTEM, now=now)
    precision = measure_precision(right=20, judged=40)
    quarantine_slice(tenant_id=tenant.id, slice_name="language", value="ar", precision=precision, now=now)
    operator = log_in(Role.OPERATOR)
    page = operator.get(reverse("console:review_numbers"))
    assert "Reviewers judged too many changes wrong." in page.content.decode()
    ((held, _),) = page.context["quarantines"]
    assert reviewer.post(reverse("console:release_extraction")).status_code == 403
    operator.post(reverse("console:release_extraction"))
    operator.post(reverse("console:release_quarantine", args=[held.id]))
    assert get_state(tenant_id=tenant.id, default_share=0.01).mode == "on"
    assert list_quarantined(tenant_id=tenant.id) == frozenset()


# --- corrections and golden cases -------------------------------------------------------------------------------------


@pytest.fixture
def corrected(alice: Chatter) -> CorrectionLog:
    """Alice said that she is allergic, and took it back word by word of her own."""
    alice.say("I'm allergic to nickel")
    alice.hear("I left out earrings with nickel because you are allergic to it")
    alice.say("no, that is wrong, I am not allergic to nickel at all my dear")
    with tenant_scope(alice.tenant.id):
        return CorrectionLog.objects.get(user_id=alice.ref.id)


def make_form(**changes: str) -> dict[str, str]:
    form = {
        "language": "en",
        "correction_type": "user_denied",
        "turn": "No wool in this list, as you asked",
        "reply": "not true: no wool allergy here",
        "facts": "allergy/wool = wool",
        "operations": "deactivate allergy/wool",
        "note": "names the fact",
    }
    return form | changes


def test_rates_lead_to_the_cases_behind_them(reviewer: Client, corrected: CorrectionLog, tenant: TenantRef) -> None:
    rates = reviewer.get(reverse("console:correction_rates"))
    (row,) = rates.context["rows"]
    assert (row.language, row.user_messages, row.corrections) == ("en", 2, 1)
    assert dict(row.by_type)["user_denied"] == 1
    cases = reviewer.get(reverse("console:correction_cases"), {"language": "en", "type": "user_denied"})
    assert [card.row.id for card in cases.context["cards"]] == [corrected.id]
    assert count_actions(tenant, "correction.view_cases") == 1


def test_rates_hold_no_text_and_auditors_may_see_them(log_in: LogIn, corrected: CorrectionLog) -> None:
    page = log_in(Role.AUDITOR).get(reverse("console:correction_rates"))
    assert page.status_code == 200
    assert "my dear" not in page.content.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"reply": "no, that is wrong, I am not allergic to nickel at all my dear"},
        {"reply": "NO that is wrong, I am not!"},
        {"turn": "I left out earrings with nickel because you are allergic"},
        {"note": "I am not allergic to nickel at all my dear"},
    ],
)
def test_a_golden_case_never_holds_the_users_own_words(
    reviewer: Client, corrected: CorrectionLog, changes: dict[str, str]
) -> None:
    url = reverse("console:golden_case", args=[corrected.user_id, corrected.id])
    answer = reviewer.post(url, {**make_form(**changes), "save": "1"})
    assert list(answer.context["problems"]) == list(changes)
    with tenant_scope(corrected.tenant_id):
        assert not GoldenCase.objects.filter(tenant_id=corrected.tenant_id).exists()


def test_a_rewritten_case_is_tried_stored_and_exported_as_test_data(
    reviewer: Client, corrected: CorrectionLog, tenant: TenantRef, tmp_path: Any
) -> None:
    url = reverse("console:golden_case", args=[corrected.user_id, corrected.id])
    assert reviewer.get(url).context["draft"].operations == "deactivate allergy/nickel"
    assert reviewer.post(url, {**make_form(), "try": "1"}).context["check"].is_exact
    assert reviewer.post(url, {**make_form(), "save": "1"}).status_code == 302
    file = tmp_path / "cases.jsonl"
    call_command("export_golden", tenant=Tenant.objects.get(id=tenant.id).slug, out=file)
    (case,) = read_cases(file)
    assert (case.reply, case.action) == ("not true: no wool allergy here", "deactivate")
    assert str(corrected.user_id) not in file.read_text(encoding="utf-8")
    download = reviewer.get(reverse("console:export_golden"))
    assert json.loads(download.content)["user"] == "not true: no wool allergy here"
    with tenant_scope(tenant.id):
        assert CorrectionLog.objects.get(user_id=corrected.user_id, id=corrected.id).golden_status == "accepted"


def test_a_line_without_form_is_named(reviewer: Client, corrected: CorrectionLog) -> None:
    url = reverse("console:golden_case", args=[corrected.user_id, corrected.id])
    answer = reviewer.post(url, {**make_form(operations="remove the nickel"), "save": "1"})
    assert answer.context["problems"] == {"operations": "line 1 has no form"}


def test_a_correction_is_reviewed_without_touching_the_fact(
    reviewer: Client, corrected: CorrectionLog, tenant: TenantRef, alice: Chatter
) -> None:
    assert sample(tenant, source="correction") == 1
    card = show(reviewer)["card"]
    assert (card.item.source, card.correction.id) == ("correction", corrected.id)
    judge(reviewer, card, "false_fact")
    assert alice.list_facts() == {}
