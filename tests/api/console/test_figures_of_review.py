"""Figures of the review queue, of weeks and of rules, worked out a second time from the rows of their tables.

The other figures of the console are in `test_figures.py` and `test_figures_of_pages.py`, which lists them all.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from corrections.models import CorrectionLog, ReviewItem, ReviewVerdict
from corrections.selectors.rule_figures import count_facts_by_day, count_hits, list_version_figures, measure_rule_errors
from memory.ids import new_id
from memory.models import FactRow, Message
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from patterns.models import RejectionCount
from tests.api.console.conftest import make_staff
from tests.api.console.test_figures import LogIn, list_rows, name_day, now, world
from tests.cast import DUBAI, Chatter

__all__ = ["now", "world"]

pytestmark = pytest.mark.django_db


def wait_for_review(tenant: TenantRef, user_id: UUID, evidence: UUID, now: datetime, **changed: Any) -> ReviewItem:
    values = {
        "source": "instant", "operation": "add", "fact_id": new_id(), "knowledge_type": "allergy", "language": "en",
        "model": "", "prompt_version": "", "evidence_message_ids": [evidence], "state": "waiting", "created_at": now,
    }  # fmt: skip
    return ReviewItem.objects.create(
        id=new_id(), tenant_id=tenant.id, user_id=user_id, rule="", rule_version=None, **{**values, **changed}
    )


def test_the_queue_counts_what_waits_what_was_skipped_and_what_was_judged_today(
    world: TenantRef, alice: Chatter, bob: Chatter, now: datetime
) -> None:
    me, colleague = (make_staff(name, tenant=world, role=Role.REVIEWER) for name in ("me", "colleague"))
    mine, theirs = f"staff:{me.pk}", f"staff:{colleague.pk}"
    said = alice.said[0].message_id
    forgotten = next(row.id for row in list_rows(world, Message) if row.forgotten_at is not None)
    with tenant_scope(world.id):
        for _ in range(3):
            wait_for_review(world, alice.ref.id, said, now)
        wait_for_review(world, alice.ref.id, said, now, language="ar")
        wait_for_review(world, alice.ref.id, said, now, skipped_by=[mine])
        wait_for_review(world, alice.ref.id, said, now, skipped_by=[theirs])
        wait_for_review(world, alice.ref.id, said, now, assigned_to=theirs)
        wait_for_review(world, alice.ref.id, said, now, assigned_to="staff:0")  # nobody who reviews here
        wait_for_review(world, bob.ref.id, forgotten, now)
        judged = wait_for_review(world, alice.ref.id, said, now, reviewers_wanted=2)
        for days, undone in ((0, None), (0, now), (2, None)):
            item = judged if not days and undone is None else wait_for_review(world, alice.ref.id, said, now)
            ReviewVerdict.objects.create(
                id=new_id(), tenant_id=world.id, user_id=alice.ref.id, item_id=item.id, token=new_id(), reviewer=mine,
                verdict="correct", milliseconds=900, judged_at=now - timedelta(days=days), undone_at=undone,
            )  # fmt: skip
    browser = Client()
    browser.force_login(me)
    hidden = {row.id for row in list_rows(world, Message) if row.forgotten_at is not None}
    verdicts = [row for row in list_rows(world, ReviewVerdict) if row.reviewer == mine and row.undone_at is None]
    for language in ("", "ar", "en"):
        waiting = [
            row
            for row in list_rows(world, ReviewItem, state="waiting")
            if row.id not in {one.item_id for one in verdicts}
            and not set(row.evidence_message_ids) & hidden
            and row.assigned_to != theirs
            and language in ("", row.language)
        ]
        counts = browser.get(reverse("console:review"), {"language": language} if language else {}).context["counts"]
        skipped = sum(mine in row.skipped_by for row in waiting)
        assert (counts.waiting, counts.skipped) == (len(waiting) - skipped, skipped), language
        assert counts.judged_today == sum(name_day(row.judged_at) == name_day(now) for row in verdicts) > 0


def test_missed_facts_are_counted_among_messages_alone(
    log_in: LogIn, world: TenantRef, alice: Chatter, now: datetime
) -> None:
    with tenant_scope(world.id):
        for number, said in enumerate(alice.said[:18]):
            days = 3 * number
            verdict = ("correct", "missed_fact", "correct")[number % 3]
            item = wait_for_review(
                world, alice.ref.id, said.message_id, now, source="message", operation="none", fact_id=None,
                language=("en", "ru", "")[number % 3 if number < 9 else 0], knowledge_type="",
            )  # fmt: skip
            if number != 4:  # one still waits
                at = now - timedelta(days=days, hours=1)
                ReviewItem.objects.filter(id=item.id).update(state="decided", verdict=verdict, decided_at=at)
    browser = log_in(Role.OPERATOR)
    for days in (7, 30, 90):
        items = [
            row
            for row in list_rows(world, ReviewItem, state="decided", source="message")
            if row.decided_at >= now - timedelta(days=days)
        ]
        expected = {"all": (len(items), sum(row.verdict == "missed_fact" for row in items))}
        for language in {row.language for row in items}:
            mine = [row for row in items if row.language == language]
            expected[language or "–"] = len(mine), sum(row.verdict == "missed_fact" for row in mine)
        context = browser.get(reverse("console:review_numbers"), {"days": str(days)}).context
        shown = {rate.value: (rate.precision.judged, rate.wrong) for rate in context["missed"]}
        assert shown == expected
        assert all(
            rate.percent == pytest.approx(100 * expected[rate.value][1] / expected[rate.value][0])
            for rate in context["missed"]
        )
        # Messages in which nothing was found are not among what memory learnt.
        learnt = [
            row
            for row in list_rows(world, ReviewItem, state="decided")
            if row.source != "message" and row.decided_at >= now - timedelta(days=days)
        ]
        assert context["overall"].precision.judged == len(learnt)


def test_error_rates_by_week_begin_on_mondays(log_in: LogIn, world: TenantRef, now: datetime) -> None:
    judged: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for row in list_rows(world, ReviewItem, state="decided"):
        day = name_day(row.decided_at)
        week = f"{day - timedelta(days=day.weekday()):%d %b}"
        judged[week] += 1
        wrong[week] += row.verdict != "correct"
    picture = log_in(Role.OPERATOR).get(reverse("console:review_numbers")).context["weekly"]
    shown = {row[0]: row for row in picture.rows if row[0] in judged}
    assert set(shown) == set(judged)
    for week, row in shown.items():
        percents = [float(each) for each in re.findall(r"[\d.]+(?= ?%)", " ".join(map(str, row[1:])))]
        assert percents[0] == pytest.approx(100 * wrong[week] / judged[week], abs=0.06), week


def test_the_list_of_rules_says_facts_and_errors_of_each(world: TenantRef, now: datetime) -> None:
    since = now - timedelta(days=30)
    made = Counter(row.rule for row in list_rows(world, FactRow) if row.rule and row.created_at >= since)
    judged = [
        row
        for row in list_rows(world, ReviewItem, state="decided", source="instant")
        if row.rule and row.decided_at >= since
    ]
    wrong = Counter(row.rule for row in judged if row.verdict != "correct")
    with tenant_scope(world.id):
        assert made and count_hits(tenant_id=world.id, since=since) == made
        errors = measure_rule_errors(tenant_id=world.id, since=since)
    assert {rule: (one.part, one.whole) for rule, one in errors.items()} == {
        rule: (wrong[rule], whole) for rule, whole in Counter(row.rule for row in judged).items()
    }


def test_versions_of_a_rule_count_facts_refusals_corrections_and_verdicts(
    world: TenantRef, alice: Chatter, now: datetime
) -> None:
    since = now - timedelta(days=30)
    facts = [row for row in list_rows(world, FactRow) if row.rule and row.created_at >= since]
    rule = Counter(row.rule for row in facts).most_common(1)[0][0]
    mine = [row for row in facts if row.rule == rule]
    version = mine[0].rule_version
    with tenant_scope(world.id):
        for number, kind in enumerate(("user_denied", "wrong_subject", "outdated")):
            CorrectionLog.objects.create(
                id=new_id(), tenant_id=world.id, user_id=mine[0].user_id, trigger_message_id=alice.said[number].message_id,
                correction_type=kind, language="en", created_at=now, deactivated_knowledge_id=mine[0].id,
            )  # fmt: skip
        RejectionCount.objects.create(
            tenant_id=world.id, rule=rule, rule_version=version, reason="question", day=now.date(), count=7
        )
        for verdict in ("correct", "false_fact"):
            item = wait_for_review(world, alice.ref.id, alice.said[0].message_id, now)
            ReviewItem.objects.filter(id=item.id).update(
                state="decided", verdict=verdict, decided_at=now, rule=rule, rule_version=version
            )
        (shown,) = [
            one for one in list_version_figures(tenant_id=world.id, slug=rule, since=since) if one.version == version
        ]
        by_day = count_facts_by_day(tenant_id=world.id, slug=rule, since=since, zone=DUBAI)
    of_version = [row for row in mine if row.rule_version == version]
    assert (shown.facts, shown.active) == (len(of_version), sum(row.is_active for row in of_version))
    assert (shown.refused, shown.judged, shown.wrong) == (7, 2, 1)
    assert shown.taken_back == 1
    assert by_day == Counter((name_day(row.created_at), row.rule_version) for row in mine)
