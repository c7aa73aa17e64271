"""What reviewers work with: past items reopened, remarks, messages in which nothing was found, items for people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.assignment import assign_item, assign_waiting
from corrections.review.figures import list_missed, list_weekly_errors, measure_errors
from corrections.review.listing import list_choices, list_items
from corrections.review.queue import count_queue, count_waiting, fetch_next_item
from corrections.review.remarks import export_remarks, open_remarks
from corrections.review.reopening import reopen_item
from corrections.review.sampling import sample_recent
from corrections.review.types import ItemFilter, Judgement, Remark
from corrections.review.verdicts import ItemTaken, record_verdict, undo_verdict
from corrections.selectors.rule_figures import count_facts_by_day
from memory.errors import InvalidRequest, NotFound
from memory.models import FactRow
from memory.registries import exporters
from memory.services.forgets import forget_messages
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

ME = "staff:900001"
NO_REMARK = Remark()


def draw(tenant: TenantRef, source: str = "instant", **wanted: str) -> int:
    now = timezone.now()
    return sample_recent(
        tenant_id=tenant.id,
        source=source,
        count=50,
        since=now - timedelta(days=1),
        now=now,
        wanted=ItemFilter(**wanted),
    )


def fetch(tenant: TenantRef, reviewer: str = ME, **wanted: str) -> ReviewItem | None:
    return fetch_next_item(tenant_id=tenant.id, reviewer=reviewer, now=timezone.now(), wanted=ItemFilter(**wanted))


def judge(
    tenant: TenantRef, verdict: str = "correct", *, reviewer: str = ME, remark: Remark = NO_REMARK
) -> ReviewVerdict:
    item = fetch(tenant, reviewer)
    assert item is not None
    judgement = Judgement(item_id=item.id, verdict=verdict, token=uuid4(), milliseconds=5, remark=remark)
    return record_verdict(tenant_id=tenant.id, reviewer=reviewer, judgement=judgement, now=timezone.now()).verdict


def make_reviewer(tenant: TenantRef, name: str) -> str:
    return f"staff:{make_staff(f'{name}-{tenant.id.hex[-8:]}', tenant=tenant, role=Role.REVIEWER).pk}"


# --- past items -------------------------------------------------------------------------------------------------------


def test_an_item_that_somebody_decided_is_reopened_and_its_fact_is_held_again(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    verdict = judge(alice.tenant, "false_fact", reviewer="staff:900002")
    assert alice.list_facts() == {}
    item = reopen_item(tenant_id=alice.tenant.id, item_id=verdict.item_id, reviewer=ME, now=timezone.now())
    assert (item.state, item.verdict, item.locked_by) == ("waiting", None, ME)
    assert alice.list_facts() == {("allergy", "nickel"): "nickel"}
    assert judge(alice.tenant, "correct").item_id == verdict.item_id
    with tenant_scope(alice.tenant.id):
        rows = ReviewVerdict.objects.filter(item_id=verdict.item_id).order_by("id")
        assert [(row.verdict, row.undone_at is None) for row in rows] == [("false_fact", False), ("correct", True)]


def test_an_item_that_another_reviewer_looks_at_is_not_reopened(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    item = fetch(alice.tenant, "staff:900002")
    assert item is not None
    with pytest.raises(ItemTaken):
        reopen_item(tenant_id=alice.tenant.id, item_id=item.id, reviewer=ME, now=timezone.now())


def test_what_was_forgotten_is_neither_reopened_nor_held_again(alice: Chatter) -> None:
    said = alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    verdict = judge(alice.tenant, "false_fact")
    forget_messages(user=alice.ref, message_ids=[said.message_id], actor="key:test", now=timezone.now())
    with pytest.raises(NotFound):
        reopen_item(tenant_id=alice.tenant.id, item_id=verdict.item_id, reviewer=ME, now=timezone.now())
    undo_verdict(tenant_id=alice.tenant.id, reviewer=ME, verdict_id=verdict.id, now=timezone.now())
    assert alice.list_facts() == {}


def test_a_reopened_item_leaves_the_rates_until_it_is_judged_again(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    verdict = judge(alice.tenant, "false_fact")
    since = timezone.now() - timedelta(days=1)
    with tenant_scope(alice.tenant.id):
        assert measure_errors(tenant_id=alice.tenant.id, since=since).wrong == 1
    reopen_item(tenant_id=alice.tenant.id, item_id=verdict.item_id, reviewer=ME, now=timezone.now())
    with tenant_scope(alice.tenant.id):
        assert measure_errors(tenant_id=alice.tenant.id, since=since).precision.judged == 0


# --- filters ----------------------------------------------------------------------------------------------------------


def test_the_queue_gives_what_the_filter_names_and_counts_that_alone(alice: Chatter) -> None:
    for text in ("I'm allergic to nickel", "у меня аллергия на шерсть", "My size is M"):
        alice.say(text)
    draw(alice.tenant)
    found = fetch(alice.tenant, language="ru")
    assert found is not None
    assert (found.knowledge_type, found.language) == ("allergy", "ru")
    since, tenant_id = timezone.now() - timedelta(days=1), alice.tenant.id
    counts = count_queue(tenant_id=tenant_id, reviewer=ME, since=since, wanted=ItemFilter(knowledge_type="allergy"))
    assert counts.waiting == 2
    assert fetch(alice.tenant, "staff:900002", rule="no-such-rule") is None
    with tenant_scope(tenant_id):
        offered = list_choices(tenant_id=tenant_id)
        listed = list_items(
            tenant_id=tenant_id, state="waiting", wanted=ItemFilter(language="en"), before=None, limit=10
        )
    assert dict(offered.language) == {"en": 2, "ru": 1}
    assert dict(offered.knowledge_type) == {"allergy": 2, "body_params": 1}
    assert len(listed) == 2


def test_a_batch_is_drawn_from_what_the_filter_names(alice: Chatter) -> None:
    for text in ("I'm allergic to nickel", "у меня аллергия на шерсть", "My size is M"):
        alice.say(text)
    assert draw(alice.tenant, language="ru") == 1
    assert draw(alice.tenant, knowledge_type="body_params") == 1
    assert draw(alice.tenant) == 1


# --- remarks ----------------------------------------------------------------------------------------------------------


def test_a_note_and_the_right_value_are_kept_sealed_and_leave_with_the_users_export(alice: Chatter) -> None:
    alice.say("My size is M")
    draw(alice.tenant)
    verdict = judge(alice.tenant, "false_fact", remark=Remark(note="  she meant shoes ", value="38"))
    with tenant_scope(alice.tenant.id):
        stored = ReviewVerdict.objects.get(user_id=alice.ref.id, id=verdict.id)
        assert b"shoes" not in bytes(stored.remark)
        assert open_remarks([stored])[stored.id] == Remark(note="she meant shoes", value="38")
    (line,) = list(export_remarks(alice.ref))
    assert (line["kind"], line["note"], line["value"]) == ("review_remark", "she meant shoes", "38")
    assert "review_remarks" in dict(exporters.items())


def test_what_is_correct_has_no_other_value_and_a_note_has_an_end(alice: Chatter) -> None:
    alice.say("My size is M")
    draw(alice.tenant)
    for verdict, remark in (("correct", Remark(value="38")), ("false_fact", Remark(note="x" * 501))):
        with pytest.raises(InvalidRequest):
            judge(alice.tenant, verdict, remark=remark)
    assert judge(alice.tenant, "correct", remark=Remark(note="clear")).verdict == "correct"


# --- what was missed --------------------------------------------------------------------------------------------------


def test_messages_in_which_nothing_was_found_are_drawn_and_no_others(alice: Chatter) -> None:
    alice.hear("Anything I should know?")
    alice.say("I'm allergic to nickel")
    silent = alice.say("my skin and cashmere are no friends")
    gone = alice.say("forget that I said this")
    forget_messages(user=alice.ref, message_ids=[gone.message_id], actor="key:test", now=timezone.now())
    assert (draw(alice.tenant, "message"), draw(alice.tenant, "message")) == (1, 0)
    item = fetch(alice.tenant)
    assert item is not None
    assert (item.source, item.evidence_message_ids) == ("message", [silent.message_id])


def test_what_was_missed_is_a_rate_of_its_own_and_no_error_of_what_was_learnt(alice: Chatter) -> None:
    for text in ("my skin and cashmere are no friends", "good morning", "and good evening"):
        alice.say(text)
    assert draw(alice.tenant, "message") == 3
    judge(alice.tenant, "missed_fact", remark=Remark(value="cashmere", knowledge_type="allergy"))
    judge(alice.tenant)
    with pytest.raises(InvalidRequest):
        judge(alice.tenant, "false_fact")
    since = timezone.now() - timedelta(days=1)
    with tenant_scope(alice.tenant.id):
        rates = list_missed(tenant_id=alice.tenant.id, since=since)
        assert measure_errors(tenant_id=alice.tenant.id, since=since).precision.judged == 0
    assert [(one.value, one.precision.judged, one.wrong) for one in rates] == [("all", 2, 1), ("en", 2, 1)]


def test_a_learnt_fact_cannot_be_judged_as_missed(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    with pytest.raises(InvalidRequest):
        judge(alice.tenant, "missed_fact")


def test_a_message_is_drawn_once_even_when_two_draw_at_once(alice: Chatter) -> None:
    alice.say("good morning")
    draw(alice.tenant, "message")
    with tenant_scope(alice.tenant.id):
        twice = ReviewItem.objects.get(source="message")
        twice.id = uuid4()
        with pytest.raises(IntegrityError, match="a_message_is_sampled_once"), transaction.atomic():
            twice.save(force_insert=True)


# --- items for people -------------------------------------------------------------------------------------------------


def test_an_item_that_is_assigned_comes_first_to_its_person_and_to_nobody_else(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    alice.say("у меня аллергия на шерсть")
    draw(alice.tenant)
    fatima = make_reviewer(alice.tenant, "fatima")
    assert assign(alice.tenant, fatima, language="ru") == 1
    mine, theirs = fetch(alice.tenant), fetch(alice.tenant, fatima)
    assert mine is not None
    assert theirs is not None
    assert (mine.language, theirs.language) == ("en", "ru")


def assign(tenant: TenantRef, person: str, count: int = 10, **wanted: str) -> int:
    now = timezone.now()
    return assign_waiting(
        tenant_id=tenant.id, wanted=ItemFilter(**wanted), person=person, count=count, reviewer=ME, now=now
    )


def test_leaving_an_item_to_somebody_takes_it_from_the_screen_at_once(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    item, fatima = fetch(alice.tenant), make_reviewer(alice.tenant, "fatima")
    assert item is not None
    assign_item(tenant_id=alice.tenant.id, item_id=item.id, person=fatima, reviewer=ME, now=timezone.now())
    assert fetch(alice.tenant) is None
    found = fetch(alice.tenant, fatima)
    assert found is not None
    assert found.id == item.id


def test_items_of_somebody_who_reviews_no_more_are_everybodys_again(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    fatima = make_reviewer(alice.tenant, "fatima")
    assign(alice.tenant, fatima)
    assert fetch(alice.tenant) is None
    with connection.cursor() as cursor:
        cursor.execute("UPDATE auth_user SET is_active = false WHERE id = %s", [int(fatima.removeprefix("staff:"))])
    assert fetch(alice.tenant) is not None


def test_an_item_is_assigned_to_reviewers_of_the_tenant_alone(alice: Chatter, other_tenant: TenantRef) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    item = fetch(alice.tenant)
    assert item is not None
    for person in (make_reviewer(other_tenant, "stranger"), "staff:0", "key:1"):
        with pytest.raises(InvalidRequest):
            assign(alice.tenant, person)
        with pytest.raises(InvalidRequest):
            assign_item(tenant_id=alice.tenant.id, item_id=item.id, person=person, reviewer=ME, now=timezone.now())
    with pytest.raises(InvalidRequest):
        assign(alice.tenant, "", count=0)
    with pytest.raises(NotFound):
        assign_item(tenant_id=alice.tenant.id, item_id=UUID(int=7), person="", reviewer=ME, now=timezone.now())


def test_the_badge_counts_no_item_of_others(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    draw(alice.tenant)
    assign(alice.tenant, make_reviewer(alice.tenant, "fatima"))
    assert count_waiting(tenant_id=alice.tenant.id, reviewer=ME, at_most=100) == 0


# --- by week ----------------------------------------------------------------------------------------------------------


def test_decisions_are_counted_by_the_weeks_of_the_tenants_calendar(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    alice.say("My size is M")
    draw(alice.tenant)
    judge(alice.tenant, "false_fact")
    judge(alice.tenant)
    zone, tenant_id = ZoneInfo("Asia/Dubai"), alice.tenant.id
    with tenant_scope(tenant_id):
        # Sunday, 21:00 in London is Monday in Dubai.
        ReviewItem.objects.filter(tenant_id=tenant_id).update(decided_at=datetime(2026, 3, 8, 21, tzinfo=UTC))
        weeks = list_weekly_errors(tenant_id=tenant_id, zone=zone, now=datetime(2026, 3, 18, 12, tzinfo=UTC), weeks=3)
    assert [(one.week.isoformat(), one.precision and one.precision.judged) for one in weeks] == [
        ("2026-03-02", None),
        ("2026-03-09", 2),
        ("2026-03-16", None),
    ]
    assert weeks[1].precision is not None
    assert weeks[1].precision.right == 1


def test_facts_of_a_rule_are_counted_by_day_and_version(alice: Chatter) -> None:
    alice.say("I'm allergic to nickel")
    alice.say("I'm allergic to wool")
    with tenant_scope(alice.tenant.id):
        (rule, version) = FactRow.objects.values_list("rule", "rule_version").first()
        since = timezone.now() - timedelta(days=1)
        counts = count_facts_by_day(tenant_id=alice.tenant.id, slug=rule, since=since, zone=ZoneInfo("Asia/Dubai"))
    assert list(counts.values()) == [2]
    assert {number for _, number in counts} == {version}
