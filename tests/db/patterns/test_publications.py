"""Publishing is planned: now or at a time, by one person or with a second; what is taken back is remembered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from memory.ids import new_id
from patterns.errors import RuleRefused
from patterns.models import Publication, Rule, RuleVersion
from patterns.selectors import list_withdrawn_versions
from patterns.services.history import quarantine_rule, restore_rule_version
from patterns.services.publications import (
    SAME_PERSON,
    approve_publication,
    cancel_publication,
    plan_publication,
    publish_due,
)
from patterns.services.publishing import discard_version, publish_rule_version, save_rule_draft, start_canary
from tests.db.patterns.conftest import make_balloon_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOON = NOW + timedelta(hours=3)
ANN, BEN = "staff:1", "staff:2"
SLUG = "allergy-en-balloon"


@pytest.fixture
def tenant_id() -> UUID:
    return new_id()


def draft(tenant_id: UUID, **changes: object) -> RuleVersion:
    return save_rule_draft(make_balloon_rule(**changes), tenant_id=tenant_id, changed_by=ANN)


def put_in_force(tenant_id: UUID, **changes: object) -> Rule:
    return publish_rule_version(draft(tenant_id, **changes))


def get_rule(tenant_id: UUID) -> Rule:
    return Rule.objects.get(slug=SLUG, tenant_id=tenant_id)


class TestPlans:
    def test_without_a_time_it_is_published_at_once(self, tenant_id: UUID) -> None:
        plan = plan_publication(draft(tenant_id), tenant_id=tenant_id, asked_by=ANN, now=NOW)
        assert (plan.state, get_rule(tenant_id).state) == ("published", "published")

    def test_with_a_time_the_scheduler_publishes_it_then_and_not_before(self, tenant_id: UUID) -> None:
        plan_publication(draft(tenant_id), tenant_id=tenant_id, asked_by=ANN, now=NOW, publish_at=SOON)
        assert publish_due(now=SOON - timedelta(seconds=1)) == []
        assert get_rule(tenant_id).state == "draft"
        (ended,) = publish_due(now=SOON)
        assert (ended.state, get_rule(tenant_id).state) == ("published", "published")
        assert publish_due(now=SOON) == []

    def test_a_plan_that_was_cancelled_publishes_nothing_and_the_draft_stays(self, tenant_id: UUID) -> None:
        version = draft(tenant_id)
        plan = plan_publication(version, tenant_id=tenant_id, asked_by=ANN, now=NOW, publish_at=SOON)
        cancel_publication(plan, cancelled_by=BEN, now=NOW)
        assert publish_due(now=SOON) == []
        version.refresh_from_db()
        assert version.state == "draft"
        with pytest.raises(RuleRefused):
            cancel_publication(plan, cancelled_by=BEN, now=NOW)

    def test_a_newer_draft_ends_the_plan_of_the_older_one(self, tenant_id: UUID) -> None:
        plan = plan_publication(draft(tenant_id), tenant_id=tenant_id, asked_by=ANN, now=NOW, publish_at=SOON)
        draft(tenant_id, pattern="i (?:do )?balloon up from")
        plan.refresh_from_db()
        assert (plan.state, publish_due(now=SOON)) == ("cancelled", [])

    def test_what_fails_its_checks_when_it_is_due_is_refused_with_the_reason(self, tenant_id: UUID) -> None:
        version = draft(tenant_id)
        plan_publication(version, tenant_id=tenant_id, asked_by=ANN, now=NOW, publish_at=SOON)
        RuleVersion.objects.filter(id=version.id).update(content=version.content | {"pattern": "something else"})
        (plan,) = publish_due(now=SOON)
        assert plan.state == "refused"
        assert "must match but does not" in plan.problem
        assert get_rule(tenant_id).state == "draft"


class TestSecondPerson:
    def test_the_author_asks_and_somebody_else_agrees(self, tenant_id: UUID) -> None:
        version = draft(tenant_id)
        plan = plan_publication(version, tenant_id=tenant_id, asked_by=ANN, now=NOW, needs_second_person=True)
        assert (plan.state, get_rule(tenant_id).state) == ("waiting", "draft")
        with pytest.raises(RuleRefused) as refused:
            approve_publication(plan, approved_by=ANN, now=NOW)
        assert refused.value.problems == (SAME_PERSON,)
        assert approve_publication(plan, approved_by=BEN, now=NOW).state == "published"
        assert get_rule(tenant_id).state == "published"

    def test_somebody_elses_request_is_the_agreement(self, tenant_id: UUID) -> None:
        plan = plan_publication(draft(tenant_id), tenant_id=tenant_id, asked_by=BEN, now=NOW, needs_second_person=True)
        assert (plan.state, plan.approved_by) == ("published", BEN)

    def test_what_waits_for_a_second_person_is_not_published_when_its_time_comes(self, tenant_id: UUID) -> None:
        plan = plan_publication(
            draft(tenant_id), tenant_id=tenant_id, asked_by=ANN, now=NOW, publish_at=SOON, needs_second_person=True
        )
        assert publish_due(now=SOON) == []
        assert approve_publication(plan, approved_by=BEN, now=SOON).state == "published"

    @pytest.mark.parametrize(
        ("values", "constraint"),
        [
            ({"approved_by": F("author")}, "patterns_approver_is_not_the_author"),
            ({"state": "published"}, "patterns_second_person_agrees_before_it_is_published"),
            ({"state": "scheduled"}, "patterns_second_person_agrees_before_it_is_published"),
        ],
    )
    def test_the_database_holds_to_it(self, tenant_id: UUID, values: dict[str, object], constraint: str) -> None:
        plan = plan_publication(draft(tenant_id), tenant_id=tenant_id, asked_by=ANN, now=NOW, needs_second_person=True)
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            Publication.objects.filter(id=plan.id).update(**values)


class TestWithdrawn:
    def test_putting_an_earlier_version_back_takes_back_what_came_after_it(self, tenant_id: UUID) -> None:
        row = put_in_force(tenant_id)
        put_in_force(tenant_id, pattern="i (?:do )?balloon up from")
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == []
        restore_rule_version(rule=row, version=1, changed_by=ANN)
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == [2]

    def test_a_quarantine_takes_back_what_was_in_force_and_a_mended_version_does_not_bring_it_back(
        self, tenant_id: UUID
    ) -> None:
        put_in_force(tenant_id)
        quarantine_rule(slug=SLUG, tenant_id=tenant_id, reason="wrong", changed_by=ANN)
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == [1]
        put_in_force(tenant_id, pattern="i (?:do )?balloon up from")
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == [1]

    def test_a_version_that_is_in_force_again_is_not_taken_back(self, tenant_id: UUID) -> None:
        row = put_in_force(tenant_id)
        quarantine_rule(slug=SLUG, tenant_id=tenant_id, reason="wrong", changed_by=ANN)
        restore_rule_version(rule=row, version=1, changed_by=ANN)
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == []

    def test_a_trial_that_was_ended_is_taken_back_and_one_that_was_published_is_not(self, tenant_id: UUID) -> None:
        put_in_force(tenant_id)
        tried = draft(tenant_id, pattern="i (?:do )?balloon up from")
        discard_version(start_canary(tried, percent=10))
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == [2]
        good = draft(tenant_id, pattern="i (?:really )?balloon up from")
        publish_rule_version(start_canary(good, percent=10))
        assert list_withdrawn_versions(slug=SLUG, tenant_id=tenant_id) == [2]

    def test_a_tenants_quarantine_of_a_shared_rule_takes_the_shared_version_back_there_alone(
        self, tenant_id: UUID
    ) -> None:
        shared = Rule.objects.get(slug="allergy-en-word", tenant_id=None)
        own = quarantine_rule(slug=shared.slug, tenant_id=tenant_id, reason="wrong", changed_by=ANN)
        assert list_withdrawn_versions(slug=shared.slug, tenant_id=tenant_id) == [shared.version]
        assert list_withdrawn_versions(slug=shared.slug, tenant_id=new_id()) == []
        assert own.version > shared.version
