"""Random samples for the queue: recent instant facts and corrections (SPEC X-4, H-1).

Samples are drawn evenly from what came in the last days, not by doubt: only so is the rate of errors among them the
rate among all. Extraction draws its own while it runs (`memory.extraction.review`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from corrections.review.models import ReviewItem
from corrections.review.queue import get_reviewers_wanted
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.tenants.scope import tenant_scope

SAMPLED_SOURCES: Final = ("instant", "correction")
MAX_SAMPLES: Final = 500
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
 ORDER BY random() LIMIT %(count)s
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
 ORDER BY random() LIMIT %(count)s
"""

_STATEMENTS: Final = {"instant": _INSTANT_FACTS, "correction": _CORRECTIONS}


def sample_recent(*, tenant_id: UUID, source: str, count: int, since: datetime, now: datetime) -> int:
    """Put up to `count` random instant facts or corrections made since a moment into the queue; how many. Writes.

    What is or was in the queue is not drawn again. Raises InvalidRequest.
    """
    if source not in SAMPLED_SOURCES:
        raise InvalidRequest(fields={"source": f"must be one of {', '.join(SAMPLED_SOURCES)}"})
    if not 1 <= count <= MAX_SAMPLES:
        raise InvalidRequest(fields={"count": f"must be 1 to {MAX_SAMPLES}"})
    wanted = get_reviewers_wanted(tenant_id=tenant_id)
    with tenant_scope(tenant_id):
        rows = _draw(source, {"tenant_id": tenant_id, "since": since, "count": count})
        items = [
            ReviewItem(id=new_id(), tenant_id=tenant_id, source=source, reviewers_wanted=wanted, created_at=now, **row)
            for row in rows
        ]
        # Somebody else may draw at the same moment: the unique indexes let one of the two in.
        ReviewItem.objects.bulk_create(items, ignore_conflicts=True)
    return len(items)


def _draw(source: str, named: dict[str, Any]) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[source], named)
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
