"""The review queue: each item is one reviewer's at a time, and nobody meets an item twice (SPEC H-1)."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.models import ReviewItem
from corrections.review.types import MAX_REVIEWERS, ItemFilter, QueueCounts
from memory.database.statements import execute, fetch_row
from memory.errors import NotFound
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import UserRef

ALL: Final = ItemFilter()

# Shown to nobody: items of users who are being erased, and of messages that were forgotten.
_MAY_BE_SEEN = """
EXISTS (SELECT FROM memory_user u WHERE u.id = i.user_id AND u.fenced_at IS NULL)
AND NOT EXISTS (SELECT FROM memory_message m WHERE m.user_id = i.user_id AND m.id = ANY(i.evidence_message_ids)
                 AND m.forgotten_at IS NOT NULL)
"""

_NOT_JUDGED_BY = """
NOT EXISTS (SELECT FROM corrections_review_verdict v WHERE v.user_id = i.user_id AND v.item_id = i.id
             AND v.reviewer = %(reviewer)s AND v.undone_at IS NULL)
"""

# An item of somebody who reviews here no more is everybody's again.
_FOR_THEM = """
(i.assigned_to IN ('', %(reviewer)s)
 OR NOT EXISTS (SELECT FROM staff_membership s JOIN auth_user a ON a.id = s.staff_user_id AND a.is_active
                 WHERE s.tenant_id = i.tenant_id AND s.role = 'reviewer'
                   AND 'staff:' || s.staff_user_id = i.assigned_to))
"""

# Index: items_to_judge. Two reviewers who ask at once get two items: a locked row is passed by.
_FETCH = f"""
WITH next AS MATERIALIZED (
  SELECT i.user_id, i.id FROM corrections_review_item i
   WHERE i.tenant_id = %(tenant_id)s AND i.state = 'waiting' {{chosen}}
     AND (i.locked_until IS NULL OR i.locked_until <= %(now)s OR i.locked_by = %(reviewer)s)
     AND {_NOT_JUDGED_BY} AND {_MAY_BE_SEEN}
   ORDER BY (i.locked_by = %(reviewer)s AND i.locked_until > %(now)s) DESC,
            (i.assigned_to = %(reviewer)s) DESC, i.created_at, i.id
   LIMIT 1 FOR UPDATE OF i SKIP LOCKED)
UPDATE corrections_review_item r SET locked_by = %(reviewer)s, locked_until = %(until)s
  FROM next WHERE r.user_id = next.user_id AND r.id = next.id
RETURNING r.id
"""
_NEXT = f"AND NOT %(reviewer)s = ANY(i.skipped_by) AND {_FOR_THEM} {{filter}}"
_NAMED = "AND i.id = %(item_id)s"

# Index: samples_to_judge. Extraction's samples keep their id, so that taking one in twice is impossible.
_TAKE_IN = """
INSERT INTO corrections_review_item (tenant_id, user_id, id, source, fact_id, operation, knowledge_type, language, rule,
    rule_version, model, prompt_version, evidence_message_ids, reviewers_wanted, created_at)
SELECT s.tenant_id, s.user_id, s.id, 'extraction', s.fact_id, s.operation, s.knowledge_type, s.language,
       coalesce(k.rule, ''), k.rule_version, s.model, s.prompt_version, s.evidence_message_ids, %(wanted)s, s.created_at
  FROM review_sample s LEFT JOIN user_knowledge k ON k.user_id = s.user_id AND k.id = s.fact_id
 WHERE s.tenant_id = %(tenant_id)s AND s.verdict IS NULL
   AND NOT EXISTS (SELECT FROM corrections_review_item i WHERE i.user_id = s.user_id AND i.id = s.id)
ON CONFLICT DO NOTHING
"""

_COUNTS = f"""
SELECT count(*) FILTER (WHERE NOT %(reviewer)s = ANY(i.skipped_by)),
       count(*) FILTER (WHERE %(reviewer)s = ANY(i.skipped_by)),
       (SELECT count(*) FROM corrections_review_verdict t
         WHERE t.tenant_id = %(tenant_id)s AND t.reviewer = %(reviewer)s
           AND t.judged_at >= %(since)s AND t.undone_at IS NULL)
  FROM corrections_review_item i
 WHERE i.tenant_id = %(tenant_id)s AND i.state = 'waiting' AND {_NOT_JUDGED_BY} AND {_MAY_BE_SEEN} AND {_FOR_THEM}
   {{filter}}
"""

# Indexes: items_to_judge, samples_to_judge. Bounded, for a badge says "99+" and is on every page.
_WAITING = f"""
SELECT (SELECT count(*) FROM (
          SELECT FROM corrections_review_item i
           WHERE i.tenant_id = %(tenant_id)s AND i.state = 'waiting' AND NOT %(reviewer)s = ANY(i.skipped_by)
             AND {_NOT_JUDGED_BY} AND {_MAY_BE_SEEN} AND {_FOR_THEM} LIMIT %(at_most)s) shown)
     + (SELECT count(*) FROM (
          SELECT FROM review_sample s
           WHERE s.tenant_id = %(tenant_id)s AND s.verdict IS NULL
             AND NOT EXISTS (SELECT FROM corrections_review_item i WHERE i.user_id = s.user_id AND i.id = s.id)
           LIMIT %(at_most)s) taken_in)
"""


def make_condition(wanted: ItemFilter, *, table: str = "i") -> str:
    """The filter as SQL after a WHERE; its values are named like its columns."""
    return " ".join(f"AND {table}.{name} = %({name})s" for name, value in wanted.values.items() if value)


def may_be_shown(item: ReviewItem) -> bool:
    """Whether people may look at an item: its user is not being erased, none of its messages is forgotten."""
    row = fetch_row(
        f"SELECT {_MAY_BE_SEEN} FROM corrections_review_item i WHERE i.user_id = %s AND i.id = %s",
        [item.user_id, item.id],
    )
    return bool(row and row[0])


def get_reviewers_wanted(*, tenant_id: UUID) -> int:
    """How many people judge each item of the tenant, 1 to 5."""
    tenant = find_tenant(tenant_id=tenant_id)
    wanted = read_settings(tenant).reviewers_per_item if tenant else 1
    return min(max(wanted, 1), MAX_REVIEWERS)


def take_in_samples(*, tenant_id: UUID) -> int:
    """Put extraction's samples that nobody has judged into the queue; how many were new. Writes."""
    wanted = get_reviewers_wanted(tenant_id=tenant_id)
    with tenant_scope(tenant_id):
        return execute(_TAKE_IN, {"tenant_id": tenant_id, "wanted": wanted})


def fetch_next_item(
    *, tenant_id: UUID, reviewer: str, now: datetime, item_id: UUID | None = None, wanted: ItemFilter = ALL
) -> ReviewItem | None:
    """The next item for this reviewer (`staff:<id>`), theirs for ten minutes; the one they hold comes first.

    Their own come before everybody's. With `item_id` that item, if it is free, whoever it was meant for. None when
    nothing is. Writes.
    """
    chosen = _NEXT.format(filter=make_condition(wanted)) if item_id is None else _NAMED
    named = {
        "tenant_id": tenant_id,
        "reviewer": reviewer,
        "now": now,
        "until": now + settings.UNDE_TUNING.REVIEW_LOCK,
        "item_id": item_id,
        **wanted.values,
    }
    with tenant_scope(tenant_id):
        row = fetch_row(_FETCH.format(chosen=chosen), named)
        return ReviewItem.objects.get(tenant_id=tenant_id, id=row[0]) if row else None


def skip_item(*, tenant_id: UUID, item_id: UUID, reviewer: str) -> None:
    """Leave an item to others: this reviewer does not meet it again until they ask for what they skipped. Writes."""
    with tenant_scope(tenant_id):
        user = find_owner(tenant_id=tenant_id, item_id=item_id)
        execute(
            "UPDATE corrections_review_item SET skipped_by = array_append(array_remove(skipped_by, %s), %s),"
            " locked_until = CASE WHEN locked_by = %s THEN NULL ELSE locked_until END,"
            " locked_by = CASE WHEN locked_by = %s THEN '' ELSE locked_by END WHERE user_id = %s AND id = %s",
            [reviewer, reviewer, reviewer, reviewer, user.id, item_id],
        )


def bring_back_skipped(*, tenant_id: UUID, reviewer: str) -> int:
    """Show this reviewer again what they skipped; how many items. Writes."""
    with tenant_scope(tenant_id):
        return execute(
            "UPDATE corrections_review_item SET skipped_by = array_remove(skipped_by, %s)"
            " WHERE tenant_id = %s AND state = 'waiting' AND %s = ANY(skipped_by)",
            [reviewer, tenant_id, reviewer],
        )


def count_queue(*, tenant_id: UUID, reviewer: str, since: datetime, wanted: ItemFilter = ALL) -> QueueCounts:
    """What waits for this reviewer among what is wanted, and what they have judged since a moment."""
    named = {"tenant_id": tenant_id, "reviewer": reviewer, "since": since, **wanted.values}
    with tenant_scope(tenant_id):
        return QueueCounts(*fetch_row(_COUNTS.format(filter=make_condition(wanted)), named))


def count_waiting(*, tenant_id: UUID, reviewer: str, at_most: int) -> int:
    """What waits for this reviewer, samples that the queue will take in among it; counted to about `at_most`."""
    with tenant_scope(tenant_id):
        return int(fetch_row(_WAITING, {"tenant_id": tenant_id, "reviewer": reviewer, "at_most": at_most})[0])


def find_owner(*, tenant_id: UUID, item_id: UUID) -> UserRef:
    """Whose item it is. Raises NotFound. Index: owner_of_an_item."""
    row = ReviewItem.objects.filter(tenant_id=tenant_id, id=item_id).values_list("user_id", flat=True).first()
    if row is None:
        raise NotFound("This item does not exist any more.", fields={"item_id": "unknown"})
    return UserRef(id=row, tenant_id=tenant_id)
