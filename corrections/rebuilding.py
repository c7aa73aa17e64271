"""The correction log held against the action log, from which it can be made again (SPEC M-4, D-1)."""

from __future__ import annotations

from typing import Any

from memory.database.statements import execute, fetch_rows
from memory.registries import DerivedDifference
from memory.types import UserRef

TABLE = "memory_correction_log"

# What the action log notes and the correction log lacks; not of messages that are erased.
_MISSING = """
SELECT a.tenant_id, a.user_id, (e ->> 'id')::uuid, a.message_id, (a.detail ->> 'corrected_message_id')::uuid,
       (e ->> 'deactivated_id')::uuid, (e ->> 'disputed_id')::uuid, (e ->> 'set_id')::uuid,
       e ->> 'correction_type', a.detail ->> 'language', a.recorded_at
  FROM memory_action a
  JOIN memory_message said ON said.user_id = a.user_id AND said.id = a.message_id
 CROSS JOIN LATERAL jsonb_array_elements(coalesce(a.detail -> 'corrections', '[]')) e
 WHERE a.user_id = %(user_id)s AND a.kind = 'correction'
   AND (a.detail ->> 'corrected_message_id' IS NULL OR EXISTS (
     SELECT FROM memory_message m
      WHERE m.user_id = a.user_id AND m.id = (a.detail ->> 'corrected_message_id')::uuid))
   AND NOT EXISTS (
     SELECT FROM memory_correction_log c WHERE c.user_id = a.user_id AND c.id = (e ->> 'id')::uuid)
"""
_MAKE_AGAIN = """
INSERT INTO memory_correction_log (tenant_id, user_id, id, trigger_message_id, corrected_message_id,
    deactivated_knowledge_id, disputed_knowledge_id, set_knowledge_id, correction_type, language, created_at)
"""


def rebuild_user(user: UserRef) -> int:
    """Write the rows that are missing; how many. Reviewers' decisions stay. In the tenant's scope. Writes."""
    return execute(_MAKE_AGAIN + _MISSING, {"user_id": user.id})


def compare_user(user: UserRef) -> list[DerivedDifference]:
    """The rows that are missing, by the message that corrects. Changes nothing."""
    rows: list[tuple[Any, ...]] = fetch_rows(_MISSING, {"user_id": user.id})
    return [DerivedDifference(TABLE, row[3], "missing") for row in rows]
