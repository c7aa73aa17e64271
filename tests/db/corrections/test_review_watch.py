"""Verdicts hold an instant rule back by themselves: in one tenant, for the version that was judged, and not too soon."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from corrections.models import ReviewItem, RuleWarning
from corrections.quality.governor import list_open
from corrections.review.watch import keep_rule, list_held_back_rules, watch_rules
from memory.errors import NotFound
from memory.ids import new_id
from memory.outbox.models import Event as OutboxEvent
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Actor, ActorType
from memory.types import TenantRef
from patterns.models import Rule
from patterns.rules.pack import SHIPPED, load_pack
from patterns.services.history import restore_rule_version
from tests.cast import Chatter
from tests.packs import bring_in

pytestmark = pytest.mark.django_db

SLUG = "allergy-en-word"


@pytest.fixture
def rule() -> Rule:
    """A rule in force for all tenants."""
    bring_in(load_pack(SHIPPED))
    return Rule.objects.get(slug=SLUG, tenant_id=None)


def judge_many(person: Chatter, rule: Rule, *, right: int, wrong: int, at: datetime | None = None) -> None:
    """That many decided items of the rule."""
    said = person.say("hello")
    at = at or timezone.now()
    with tenant_scope(person.tenant.id):
        ReviewItem.objects.bulk_create(
            ReviewItem(
                id=new_id(),
                tenant_id=person.tenant.id,
                user_id=person.ref.id,
                source="instant",
                fact_id=new_id(),
                operation="ADD",
                knowledge_type="allergy",
                language="en",
                rule=rule.slug,
                rule_version=rule.version,
                evidence_message_ids=[said.message_id],
                state="decided",
                verdict="correct" if number < right else "false_fact",
                decided_at=at,
                created_at=at,
            )
            for number in range(right + wrong)
        )


def watch(tenant: TenantRef, *, after: timedelta = timedelta()) -> list[str]:
    return watch_rules(tenant_id=tenant.id, now=timezone.now() + after)


DAY = timedelta(hours=25)
STAFF = Actor(type=ActorType.STAFF, id="7")


def test_a_rule_with_a_low_bound_is_off_in_that_tenant_alone(
    alice: Chatter, rule: Rule, other_tenant: TenantRef
) -> None:
    judge_many(alice, rule, right=20, wrong=12)
    assert watch(alice.tenant) == ["rule_warned"]
    assert watch(alice.tenant, after=timedelta(hours=23)) == []
    with tenant_scope(alice.tenant.id):
        assert list_held_back_rules(tenant_id=alice.tenant.id) == []
        (told,) = list_open(tenant_id=alice.tenant.id, at=timezone.now())
        (event,) = OutboxEvent.objects.filter(type="rule.warned")
    assert (told.action, told.subject, told.value) == ("rule_warned", f"{SLUG} v{rule.version}", 20 / 32)
    assert (event.data["rule_id"], event.data["due_at"]) == (str(rule.id), told.due_at.isoformat())  # type: ignore[union-attr]
    assert watch(alice.tenant, after=DAY) == ["rule_quarantined"]
    with tenant_scope(alice.tenant.id):
        (held,) = list_held_back_rules(tenant_id=alice.tenant.id)
        assert AuditEvent.objects.filter(action="rule.quarantine", object_ids__contains=[held.id]).count() == 1
    assert (held.slug, held.tenant_id, held.is_active) == (SLUG, alice.tenant.id, False)
    assert "20 of 32 right" in held.quarantine_reason
    rule.refresh_from_db()
    assert (rule.state, rule.is_active) == ("published", True)
    with tenant_scope(other_tenant.id):
        assert list_held_back_rules(tenant_id=other_tenant.id) == []
    assert watch(alice.tenant, after=DAY) == []
    with tenant_scope(alice.tenant.id):
        (warning,) = RuleWarning.objects.all()
    assert (warning.outcome, warning.ended_by) == ("quarantined", "system:review")


def test_a_rule_that_a_person_lets_stand_stays_in_force(alice: Chatter, rule: Rule) -> None:
    judge_many(alice, rule, right=20, wrong=12)
    watch(alice.tenant)
    with tenant_scope(alice.tenant.id):
        warning = RuleWarning.objects.get()
        keep_rule(tenant_id=alice.tenant.id, warning_id=warning.id, actor=STAFF, now=timezone.now())
        with pytest.raises(NotFound):
            keep_rule(tenant_id=alice.tenant.id, warning_id=warning.id, actor=STAFF, now=timezone.now())
        warning.refresh_from_db()
        actions = set(AuditEvent.objects.filter(object_ids__contains=[warning.id]).values_list("action", flat=True))
    assert (warning.outcome, warning.ended_by) == ("kept", "staff:7")
    assert actions == {"rule.warned", "rule.kept"}
    assert watch(alice.tenant, after=DAY) == []


def test_a_warning_ends_when_verdicts_get_better_or_another_version_is_in_force(alice: Chatter, rule: Rule) -> None:
    judge_many(alice, rule, right=26, wrong=6)
    assert watch(alice.tenant) == ["rule_warned"]
    judge_many(alice, rule, right=90, wrong=0)
    assert watch(alice.tenant, after=DAY) == []
    judge_many(alice, rule, right=0, wrong=60)
    assert watch(alice.tenant) == ["rule_warned"]
    Rule.objects.filter(id=rule.id).update(version=rule.version + 1)
    assert watch(alice.tenant, after=DAY) == []
    with tenant_scope(alice.tenant.id):
        assert sorted(RuleWarning.objects.values_list("outcome", flat=True)) == ["recovered", "replaced"]


@pytest.mark.parametrize(("right", "wrong"), [(9, 20), (32, 0), (97, 3)])
def test_few_verdicts_and_good_ones_hold_nothing_back(alice: Chatter, rule: Rule, right: int, wrong: int) -> None:
    judge_many(alice, rule, right=right, wrong=wrong)
    assert watch(alice.tenant) == []


def test_old_verdicts_and_those_on_another_version_do_not_count(alice: Chatter, rule: Rule) -> None:
    judge_many(alice, rule, right=5, wrong=30, at=timezone.now() - timedelta(days=15))
    rule.version += 7
    judge_many(alice, rule, right=5, wrong=30)
    assert watch(alice.tenant) == []


def test_a_version_that_is_put_back_is_judged_anew(alice: Chatter, rule: Rule) -> None:
    judge_many(alice, rule, right=20, wrong=12)
    watch(alice.tenant)
    watch(alice.tenant, after=DAY)
    own = Rule.objects.get(slug=SLUG, tenant_id=alice.tenant.id)
    first = own.versions.order_by("version").first()
    back = restore_rule_version(rule=own, version=first.version, changed_by="staff:1")
    Rule.objects.filter(id=back.id).update(is_active=True)
    assert watch(alice.tenant, after=2 * DAY) == []
