"""Random samples for the queue: recent instant facts, corrections, and messages without a fact (SPEC X-4, H-1).

Samples are drawn evenly from what came in the last days, not by doubt: only so is the rate of errors among them the
rate among all. Extraction draws its own while it runs (`memory.extraction.quality.samples`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from corrections.models import ReviewItem
from corrections.review.queue import ALL, get_reviewers_wanted, make_condition
from corrections.review.types import MESSAGE, ItemFilter
from memory.errors import InvalidRequest
from memory.ids import get_first_id, new_id
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act

SAMPLED_SOURCES: Final = ("instant", "correction", MESSAGE)
MAX_DAYS: Final = 365

# Reads a tenant's facts of a few days: a person presses a button for it, no request of the API does.
_INSTANT_FACTS = """
SELECT k.user_id, k.id AS fact_id, NULL::uuid AS correction_id, 'ADD' AS operation, k.knowledge_type, k.language,
       coalesce(k.rule, '') AS rule, k.rule_version, k.evidence_message_ids
  FROM user_knowledge k JOIN memory_user u ON u.id = k.user_id AND u.fenced_at IS NULL
 WHERE k.tenant_id = %(tenant_id)s AND k.extracted_from = 'instant_pattern' AND k.created_at >= %(since)s
   AND NOT EXISTS (SELECT FROM memory_message m WHERE m.user_id = k.user_id AND m.id = ANY(k.evidence_message_ids)
                    AND m.forgotten_at IS NOT NULL)
   AND NOT EXISTS (SELECT FROM corrections_review_item i
                    WHERE i.user_id = k.user_id AND i.fact_id = k.id AND i.source = 'instant')
"""

# Index: corrections_of_a_tenant_by_time.
_CORRECTIONS = """
SELECT c.user_id, coalesce(c.set_knowledge_id, c.deactivated_knowledge_id, c.disputed_knowledge_id) AS fact_id,
       c.id AS correction_id,
       CASE WHEN c.set_knowledge_id IS NOT NULL THEN 'UPDATE' WHEN c.deactivated_knowledge_id IS NOT NULL THEN 'REMOVE'
            ELSE 'DISPUTE' END AS operation,
       coalesce(k.knowledge_type, '') AS knowledge_type, c.language, 'correction.' || c.correction_type AS rule,
       NULL::integer AS rule_version, ARRAY[c.trigger_message_id] AS evidence_message_ids
  FROM memory_correction_log c JOIN memory_user u ON u.id = c.user_id AND u.fenced_at IS NULL
  LEFT JOIN user_knowledge k ON k.user_id = c.user_id
        AND k.id = coalesce(c.set_knowledge_id, c.deactivated_knowledge_id, c.disputed_knowledge_id)
 WHERE c.tenant_id = %(tenant_id)s AND c.created_at >= %(since)s
   AND NOT EXISTS (SELECT FROM memory_message m WHERE m.user_id = c.user_id AND m.id = c.trigger_message_id
                    AND m.forgotten_at IS NOT NULL)
   AND NOT EXISTS (SELECT FROM corrections_review_item i WHERE i.user_id = c.user_id AND i.correction_id = c.id)
"""

# Index: owner_of_a_message, whose ids are in the order of arrival. Even among all: a pool is drawn before anything is
# looked up for a message.
_MESSAGES = """
SELECT m.user_id, NULL::uuid AS fact_id, NULL::uuid AS correction_id, 'NONE' AS operation, '' AS knowledge_type,
       m.language, '' AS rule, NULL::integer AS rule_version, ARRAY[m.id] AS evidence_message_ids
  FROM (SELECT p.user_id, p.id, p.language FROM memory_message p
         WHERE p.tenant_id = %(tenant_id)s AND p.id >= %(first_id)s AND p.received_at >= %(since)s AND p.role = 'user'
           AND p.forgotten_at IS NULL AND (%(language)s::varchar = '' OR p.language = %(language)s::varchar)
         ORDER BY random() LIMIT %(pool)s) m
  JOIN memory_user u ON u.id = m.user_id AND u.fenced_at IS NULL
 WHERE NOT EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = m.user_id AND m.id = ANY(k.evidence_message_ids))
   AND NOT EXISTS (SELECT FROM memory_correction_log c WHERE c.user_id = m.user_id AND c.trigger_message_id = m.id)
   AND NOT EXISTS (SELECT FROM memory_message r WHERE r.user_id = m.user_id AND r.replaces_id = m.id)
   AND NOT EXISTS (SELECT FROM corrections_review_item i WHERE i.user_id = m.user_id AND i.source = 'message'
                    AND i.evidence_message_ids[1] = m.id)
"""

_STATEMENTS: Final = {"instant": _INSTANT_FACTS, "correction": _CORRECTIONS, MESSAGE: _MESSAGES}
_DRAW = "SELECT * FROM ({rows}) d WHERE true {filter} ORDER BY random() LIMIT %(count)s"


def sample_recent(
    *,
    tenant_id: UUID,
    source: str,
    count: int,
    since: datetime,
    now: datetime,
    wanted: ItemFilter = ALL,
    actor: str = "system",
) -> int:
    """Put up to `count` random things of a source made since a moment into the queue; how many. Writes.

    `wanted` bounds them to a language, type or rule; messages have a language alone. What is or was in the queue is
    not drawn again. Raises InvalidRequest.
    """
    if source not in SAMPLED_SOURCES:
        raise InvalidRequest(fields={"source": f"must be one of {', '.join(SAMPLED_SOURCES)}"})
    if not 1 <= count <= settings.UNDE_TUNING.REVIEW_MAX_SAMPLES:
        raise InvalidRequest(fields={"count": f"must be 1 to {settings.UNDE_TUNING.REVIEW_MAX_SAMPLES}"})
    people = get_reviewers_wanted(tenant_id=tenant_id)
    bounds = ItemFilter(language=wanted.language) if source == MESSAGE else replace(wanted, source="")
    named = {
        "tenant_id": tenant_id,
        "since": since,
        "count": count,
        "pool": settings.UNDE_TUNING.REVIEW_POOL * count,
        **bounds.values,
    }
    with tenant_scope(tenant_id):
        rows = _draw(source, bounds, named | {"first_id": get_first_id(since)})
        items = [
            ReviewItem(id=new_id(), tenant_id=tenant_id, source=source, reviewers_wanted=people, created_at=now, **row)
            for row in rows
        ]
        # Somebody else may draw at the same moment: the unique indexes let one of the two in.
        ReviewItem.objects.bulk_create(items, ignore_conflicts=True)
        record_staff_act(tenant_id=tenant_id, actor=actor, action=f"review.sample_{source}", now=now)
    return len(items)


def _draw(source: str, bounds: ItemFilter, named: dict[str, Any]) -> list[dict[str, Any]]:
    statement = _DRAW.format(rows=_STATEMENTS[source], filter=make_condition(bounds, table="d"))
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
