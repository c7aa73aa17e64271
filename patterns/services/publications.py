"""Publishing planned: at once or at a time, by one person or with the agreement of a second (SPEC I-2).

Whoever calls sees to the backtest, which reads messages, and to the audit trail.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from patterns.errors import RuleRefused
from patterns.models import OPEN_STATES, PLANNED_STATES, EntryVersion, Publication, RuleVersion
from patterns.services.publishing import end_plans, list_version_problems, publish_entry_version, publish_rule_version

SAME_PERSON = "You wrote this version, so a second person has to approve it."
OVER = "This version was already published, cancelled or refused."


def plan_publication(
    version: RuleVersion | EntryVersion,
    *,
    tenant_id: UUID,
    asked_by: str,
    now: datetime,
    publish_at: datetime | None = None,
    needs_second_person: bool = False,
) -> Publication:
    """Publish a version now or at a time; where a second person must agree and the author asks, it waits for one.

    Takes the place of an earlier plan for the version. Raises RuleRefused, then nothing is written. Writes.
    """
    with transaction.atomic():
        kept = _lock_open_version(version)
        problems = list_version_problems(kept)
        if problems:
            raise RuleRefused(problems)
        end_plans(kept, ended_by=asked_by, now=now)
        has_agreed = needs_second_person and asked_by != kept.changed_by
        plan = Publication.objects.create(
            **{"rule_version" if isinstance(kept, RuleVersion) else "entry_version": kept},
            tenant_id=tenant_id,
            author=kept.changed_by,
            asked_by=asked_by,
            asked_at=now,
            publish_at=publish_at,
            needs_second_person=needs_second_person,
            approved_by=asked_by if has_agreed else "",
            approved_at=now if has_agreed else None,
            state="waiting" if needs_second_person and not has_agreed else "scheduled",
        )
        return _publish_if_due(plan, by=asked_by, now=now)


def approve_publication(plan: Publication, *, approved_by: str, now: datetime) -> Publication:
    """Agree as the second person: it is published now, or at its time. Raises RuleRefused. Writes."""
    with transaction.atomic():
        kept = _lock_plan(plan)
        if kept.state != "waiting":
            raise RuleRefused([OVER])
        if approved_by == kept.author:
            raise RuleRefused([SAME_PERSON])
        kept.approved_by, kept.approved_at, kept.state = approved_by, now, "scheduled"
        kept.save(update_fields=["approved_by", "approved_at", "state"])
        return _publish_if_due(kept, by=approved_by, now=now)


def cancel_publication(plan: Publication, *, cancelled_by: str, now: datetime) -> None:
    """Take a plan back; the draft stays. Raises RuleRefused when it is over. Writes."""
    with transaction.atomic():
        kept = _lock_plan(plan)
        if kept.state not in PLANNED_STATES:
            raise RuleRefused([OVER])
        _end(kept, "cancelled", by=cancelled_by, now=now)


def publish_due(*, now: datetime) -> list[Publication]:
    """Publish all that is due, each in a transaction of its own; what fails its checks is refused with the reason.

    Two schedulers at once publish each once. Answers the plans that ended, for the audit trail. Writes.
    """
    ended: list[Publication] = []
    due = Publication.objects.filter(state="scheduled", publish_at__lte=now).order_by("publish_at")
    for plan_id in due.values_list("id", flat=True):
        with transaction.atomic():
            plan = Publication.objects.select_for_update(skip_locked=True).filter(id=plan_id, state="scheduled").first()
            if plan is not None:
                ended.append(_try_due(plan, now))
    return ended


def _try_due(plan: Publication, now: datetime) -> Publication:
    try:
        with transaction.atomic():
            return _publish_if_due(plan, by="schedule", now=now)
    except RuleRefused as error:
        plan.problem = "\n".join(error.problems)
        return _end(plan, "refused", by="schedule", now=now)


def _publish_if_due(plan: Publication, *, by: str, now: datetime) -> Publication:
    if plan.state != "scheduled" or (plan.publish_at is not None and plan.publish_at > now):
        return plan
    # Before the version: it ends the plans of what it publishes.
    _end(plan, "published", by=by, now=now)
    version = plan.version
    if isinstance(version, RuleVersion):
        publish_rule_version(version)
    else:
        publish_entry_version(version)
    return plan


def _end(plan: Publication, state: str, *, by: str, now: datetime) -> Publication:
    plan.state, plan.ended_by, plan.ended_at = state, by, now
    plan.save(update_fields=["state", "ended_by", "ended_at", "problem"])
    return plan


def _lock_plan(plan: Publication) -> Publication:
    return Publication.objects.select_for_update().get(id=plan.id)


def _lock_open_version(version: RuleVersion | EntryVersion) -> Any:
    model: Any = type(version)
    kept = model.objects.select_for_update().filter(id=version.pk, state__in=OPEN_STATES).first()
    if kept is None:
        raise RuleRefused(["this version is no longer a draft or a trial"])
    return kept
