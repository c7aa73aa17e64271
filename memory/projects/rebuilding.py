"""What is derived from the words of a project: keys, by which statements are compared, and terms, which find them.

`manage.py rebuild --diff` holds them against the words; `rebuild` writes them again (SPEC M-4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from memory.database.statements import execute, fetch_rows
from memory.projects.types import ProjectRef
from memory.projects.words import DECISION, FACT, ProjectWords, write_value
from memory.registries import DerivedDifference
from memory.types import UserRef

_PROJECTS: Final = """
SELECT p.id, p.external_id, p.user_id FROM project p
WHERE p.tenant_id = %(tenant_id)s AND (p.user_id = %(user_id)s OR p.user_id IS NULL AND EXISTS (
  SELECT FROM project_thread t WHERE t.project_id = p.id AND t.user_id = %(user_id)s)) ORDER BY p.id
"""
_FACTS: Final = """
SELECT id, version, sealed, subject_key, value_key, stance_key, is_negative, terms FROM project_fact
WHERE project_id = %s ORDER BY id, version
"""
_DECISIONS: Final = """
SELECT id, version, sealed, title_key, terms FROM project_decision
WHERE project_id = %s AND sealed IS NOT NULL ORDER BY id, version
"""
_WRITE_FACT: Final = """
UPDATE project_fact SET subject_key = %s, value_key = %s, stance_key = %s, is_negative = %s, terms = %s
WHERE project_id = %s AND id = %s AND version = %s
"""
_WRITE_DECISION: Final = """
UPDATE project_decision SET title_key = %s, terms = %s WHERE project_id = %s AND id = %s AND version = %s
"""


@dataclass(frozen=True, slots=True)
class _Derived:
    """A stored version with what its words give now."""

    table: str
    project: ProjectRef
    id: UUID
    version: int
    stored: Sequence[Any]
    wanted: Sequence[Any]
    columns: Sequence[str]

    @property
    def different(self) -> tuple[str, ...]:
        """Names of the columns that differ."""
        pairs = zip(self.columns, self.stored, self.wanted, strict=True)
        return tuple(name for name, stored, wanted in pairs if stored != wanted)


def compare_user(user: UserRef) -> list[DerivedDifference]:
    """Where keys and terms of a user's projects are not what their words give. Changes nothing."""
    return [
        DerivedDifference(
            table=each.table, message_id=each.id, problem="different", columns=each.different, row_id=each.id
        )
        for each in _list_derived(user)
        if each.different
    ]


def rebuild_user(user: UserRef) -> int:
    """Write keys and terms again where they differ; how many versions. Writes."""
    count = 0
    for each in _list_derived(user):
        if each.different:
            statement = _WRITE_FACT if each.table == "project_fact" else _WRITE_DECISION
            execute(statement, [*each.wanted, each.project.id, each.id, each.version])
            count += 1
    return count


def _list_derived(user: UserRef) -> Iterator[_Derived]:
    for id, name, owner in fetch_rows(_PROJECTS, {"tenant_id": user.tenant_id, "user_id": user.id}):
        project = ProjectRef(id, user.tenant_id, name, owner)
        words = ProjectWords(project)
        yield from _list_facts(project, words)
        yield from _list_decisions(project, words)


def _list_facts(project: ProjectRef, words: ProjectWords) -> Iterator[_Derived]:
    columns = ("subject_key", "value_key", "stance_key", "is_negative", "terms")
    rows = fetch_rows(_FACTS, [project.id])
    for row, content in zip(rows, words.open_all([row[2] for row in rows], purpose=FACT), strict=True):
        keys = words.key_fact(content["subject"], content["value"])
        terms = words.number_terms(content["subject"], write_value(content["value"]))
        wanted = (keys.subject, keys.value, keys.stance, keys.is_negative, terms)
        stored = (*map(bytes, row[3:6]), row[6], list(row[7]))
        yield _Derived("project_fact", project, row[0], row[1], stored, wanted, columns)


def _list_decisions(project: ProjectRef, words: ProjectWords) -> Iterator[_Derived]:
    rows = fetch_rows(_DECISIONS, [project.id])
    for row, content in zip(rows, words.open_all([row[2] for row in rows], purpose=DECISION), strict=True):
        terms = words.number_terms(content["title"], content["description"], content["owner"])
        wanted = (words.key_title(content["title"]), terms)
        stored = (bytes(row[3]) if row[3] is not None else None, list(row[4]))
        yield _Derived("project_decision", project, row[0], row[1], stored, wanted, ("title_key", "terms"))
