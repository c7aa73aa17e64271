"""Items for people: one item left to somebody, or a number of those that wait (SPEC H-1)."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.models import ReviewItem
from corrections.review.queue import find_owner, make_condition
from corrections.review.types import ItemFilter
from memory.database.statements import execute
from memory.errors import InvalidRequest
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_reviewers
from memory.tenants.services.audit import record_staff_act

NOBODY: Final = ""
"""An item of nobody is everybody's."""

# Index: items_to_judge. An item that somebody looks at now stays with them.
_ASSIGN = """
WITH chosen AS MATERIALIZED (
  SELECT i.user_id, i.id FROM corrections_review_item i
   WHERE i.tenant_id = %(tenant_id)s AND i.state = 'waiting' AND i.assigned_to <> %(person)s {filter}
     AND (i.locked_until IS NULL OR i.locked_until <= %(now)s)
   ORDER BY (i.assigned_to <> ''), i.created_at, i.id LIMIT %(count)s FOR UPDATE OF i SKIP LOCKED)
UPDATE corrections_review_item r SET assigned_to = %(person)s
  FROM chosen WHERE r.user_id = chosen.user_id AND r.id = chosen.id
"""


def assign_item(*, tenant_id: UUID, item_id: UUID, person: str, reviewer: str, now: datetime) -> None:
    """Leave an item that waits to a person, who meets it first; the reviewer who had it has it no more. Writes.

    Raises InvalidRequest for somebody who does not review in this tenant, NotFound.
    """
    check_person(tenant_id=tenant_id, person=person)
    with tenant_scope(tenant_id):
        user = find_owner(tenant_id=tenant_id, item_id=item_id)
        rows = ReviewItem.objects.filter(user_id=user.id, id=item_id, state="waiting")
        rows.update(assigned_to=person)
        if person not in (NOBODY, reviewer):
            rows.filter(locked_by=reviewer).update(locked_by="", locked_until=None)
        record_staff_act(
            tenant_id=tenant_id,
            actor=reviewer,
            action="review.assign",
            now=now,
            object_type="review_item",
            object_ids=[item_id, user.id],
        )


def assign_waiting(
    *, tenant_id: UUID, wanted: ItemFilter, person: str, count: int, reviewer: str, now: datetime
) -> int:
    """Give the oldest `count` items that wait to a person, those of nobody first; how many. Writes.

    For `NOBODY` they are everybody's again. Raises InvalidRequest.
    """
    check_person(tenant_id=tenant_id, person=person)
    if not 1 <= count <= settings.UNDE_TUNING.REVIEW_MAX_ASSIGNED:
        raise InvalidRequest(fields={"count": f"must be 1 to {settings.UNDE_TUNING.REVIEW_MAX_ASSIGNED}"})
    named = {"tenant_id": tenant_id, "person": person, "count": count, "now": now, **wanted.values}
    with tenant_scope(tenant_id):
        given = execute(_ASSIGN.format(filter=make_condition(wanted)), named)
        record_staff_act(tenant_id=tenant_id, actor=reviewer, action="review.assign", now=now)
    return given


def check_person(*, tenant_id: UUID, person: str) -> None:
    """Raises InvalidRequest where the code is neither a reviewer's of the tenant nor nobody's."""
    if person != NOBODY and person not in dict(list_reviewers(tenant_id=tenant_id)):
        raise InvalidRequest(fields={"person": "must be a reviewer of this tenant"})
