"""How what a user said leaves projects: for a while (a forget) and for good (an erasure; SPEC G-1, G-2, D-51).

A forget needs no row here: what rests on a hidden message is not read. It only makes snapshots be built anew.
An erasure takes the user's own projects whole. In shared ones a fact goes with its last source, and a decision keeps
its place without words. A conversation of which nothing is left is no thread any more: its name goes too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from memory.database.statements import execute
from memory.erasure.erasers import DERIVED, ITEMS, fetch_count, run_count
from memory.types import ErasureScope, UserRef

_WHOLE: Final = "s.user_id = %(user_id)s"
_PART: Final = f"s.user_id = %(user_id)s AND s.message_id IN {ITEMS}"

_SOURCES: Final = "SELECT s.project_id, s.id FROM project_source s WHERE {said}"
_NOTE: Final = """
UPDATE project p SET change = change + 1
WHERE p.id IN (SELECT s.project_id FROM project_source s WHERE {said})
"""
_FACTS_WITHOUT_ANOTHER_SOURCE: Final = """
DELETE FROM project_item i WHERE i.kind = 'fact'
  AND (i.project_id, i.id) IN (
    SELECT e.project_id, e.fact_id FROM project_evidence e WHERE (e.project_id, e.source_id) IN ({sources}))
  AND NOT EXISTS (
    SELECT FROM project_evidence o WHERE o.project_id = i.project_id AND o.fact_id = i.id
     AND (o.project_id, o.source_id) NOT IN ({sources}))
"""
_FACTS_WITH_ANOTHER: Final = """
UPDATE project_fact f SET source_id = (
  SELECT o.source_id FROM project_evidence o WHERE o.project_id = f.project_id AND o.fact_id = f.id
   AND (o.project_id, o.source_id) NOT IN ({sources}) ORDER BY o.source_id LIMIT 1)
WHERE (f.project_id, f.source_id) IN ({sources})
"""
_DECISIONS: Final = """
UPDATE project_decision d
SET sealed = NULL, title_key = NULL, terms = '{{}}', source_id = NULL, is_source_erased = true
WHERE (d.project_id, d.source_id) IN ({sources})
"""
_STATES: Final = """
UPDATE project_decision_state d SET sealed = NULL, source_id = NULL, is_source_erased = true
WHERE (d.project_id, d.source_id) IN ({sources})
"""
_DELETE_SOURCES: Final = "DELETE FROM project_source s WHERE {said}"
_OWN_ITEMS: Final = "DELETE FROM project_item WHERE project_id IN (SELECT id FROM project WHERE user_id = %(user_id)s)"
_OWN_PROJECTS: Final = "DELETE FROM project WHERE user_id = %(user_id)s"
_OWN_PARTS: Final = """
DELETE FROM project_item i WHERE (i.project_id, i.id) IN (
  SELECT t.project_id, t.id FROM project_thread t WHERE t.user_id = %(user_id)s
  UNION ALL SELECT s.project_id, s.id FROM project_snapshot s WHERE s.user_id = %(user_id)s)
"""
_EMPTIED_THREADS: Final = f"""
DELETE FROM project_item i WHERE (i.project_id, i.id) IN (
  SELECT t.project_id, t.id FROM project_thread t
  JOIN memory_conversation c ON c.user_id = t.user_id AND c.external_id = t.conversation
  WHERE t.user_id = %(user_id)s
    AND EXISTS (SELECT FROM memory_message m WHERE m.user_id = c.user_id AND m.conversation_id = c.id
                AND m.id IN {ITEMS})
    AND NOT EXISTS (SELECT FROM memory_message m WHERE m.user_id = c.user_id AND m.conversation_id = c.id
                    AND m.id NOT IN {ITEMS}))
"""
_LEFT: Final = """
SELECT (SELECT count(*) FROM project WHERE user_id = %(user_id)s)
  + (SELECT count(*) FROM project_thread WHERE user_id = %(user_id)s)
  + (SELECT count(*) FROM project_snapshot WHERE user_id = %(user_id)s)
"""


class ProjectEraser:
    """Projects of the user, and what rests on the user's messages in shared ones."""

    name = "projects"
    models = ("projects.Project", "projects.Thread", "projects.Source", "projects.ProjectSnapshot")
    stage = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch. All at once: what rests on a source goes with it in one transaction."""
        said = _WHOLE if scope.is_whole else _PART
        gone = 0
        if scope.is_whole:
            run_count(_OWN_ITEMS, scope)
            gone += run_count(_OWN_PROJECTS, scope) + run_count(_OWN_PARTS, scope)
        else:
            gone += run_count(_EMPTIED_THREADS, scope)
        run_count(_NOTE.format(said=said), scope)
        sources = _SOURCES.format(said=said)
        gone += run_count(_FACTS_WITHOUT_ANOTHER_SOURCE.format(sources=sources), scope)
        for statement in (_FACTS_WITH_ANOTHER, _DECISIONS, _STATES):
            run_count(statement.format(sources=sources), scope)
        return gone + run_count(_DELETE_SOURCES.format(said=said), scope)

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        said = _WHOLE if scope.is_whole else _PART
        left = fetch_count(f"SELECT count(*) FROM project_source s WHERE {said}", scope)
        return left + (fetch_count(_LEFT, scope) if scope.is_whole else 0)


def note_hidden(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """A forget or its undoing: what was built from these messages is old from now on. Writes."""
    count = execute(
        "UPDATE project p SET change = change + 1 WHERE p.id IN ("
        " SELECT s.project_id FROM project_source s WHERE s.user_id = %s AND s.message_id = ANY(%s))",
        [user.id, list(message_ids)],
    )
    return {"projects_noted": count} if count else {}
