"""Questions in words: of a contradiction they are made when they are read, so that they hold nothing forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.decisions import get_decisions, open_decision_versions
from memory.projects.selectors.facts import get_facts, open_fact_versions
from memory.projects.selectors.register import ConflictView, QuestionView, list_conflicts
from memory.projects.selectors.sources import Reader
from memory.projects.types import ProjectRef
from memory.projects.words import write_value

LANGUAGES: Final = ("en", "ru", "ar")
Sides = Sequence[Sequence[Any]]
"""Kind, id (hexadecimal) and version of the two items of a contradiction."""
_FOLDER: Final = Path(__file__).resolve().parents[1] / "templates" / "projects" / "v1"
_MAX_CONFLICTS: Final = 1_000


def word_questions(
    project: ProjectRef, questions: Sequence[QuestionView], *, now: datetime, reader: Reader, language: str = "en"
) -> dict[UUID, str | None]:
    """The words of each question. None where a side of its contradiction is hidden."""
    wanted = {question.conflict_id for question in questions if question.conflict_id}
    conflicts = {each.id: each for each in list_conflicts(project, ids=list(wanted), limit=_MAX_CONFLICTS)}
    texts = _word_conflicts(project, list(conflicts.values()), now=now, reader=reader, language=language)
    return {
        question.id: question.text if question.conflict_id is None else texts.get(question.conflict_id)
        for question in questions
    }


def _word_conflicts(
    project: ProjectRef, conflicts: Sequence[ConflictView], *, now: datetime, reader: Reader, language: str
) -> dict[UUID, str]:
    ids = [id for each in conflicts for id in (each.left_id, each.right_id)]
    facts = {fact.id: fact for fact in get_facts(project, ids=ids, reader=reader)}
    decisions = {each.id: each for each in get_decisions(project, ids=ids, now=now, reader=reader)}
    texts = {}
    for conflict in conflicts:
        if conflict.left_id in facts and conflict.right_id in facts:
            left, right = facts[conflict.left_id], facts[conflict.right_id]
            texts[conflict.id] = read_text(language, "conflict_fact").format(
                subject=left.subject, left=write_value(left.value), right=write_value(right.value)
            )
        elif conflict.left_id in decisions and conflict.right_id in decisions:
            one, other = decisions[conflict.left_id], decisions[conflict.right_id]
            if one.title and other.title:
                texts[conflict.id] = read_text(language, "conflict_decision").format(
                    title=one.title, left=one.decided_at.date(), right=other.decided_at.date()
                )
    return texts


_SIDES: Final = """
SELECT c.id, i.kind, i.id, coalesce(f.version, d.version)
FROM project_conflict c
JOIN project_item i ON i.project_id = c.project_id AND i.id IN (c.left_id, c.right_id)
LEFT JOIN project_fact f ON f.project_id = i.project_id AND f.id = i.id AND f.known_to IS NULL
LEFT JOIN project_decision d ON d.project_id = i.project_id AND d.id = i.id AND d.known_to IS NULL
WHERE c.project_id = %s AND c.id = ANY(%s) ORDER BY c.id, i.id
"""


def find_sides(project: ProjectRef, conflict_ids: Sequence[UUID]) -> dict[UUID, list[list[Any]]]:
    """The items of contradictions with their current versions: what the words of a question are made of."""
    found: dict[UUID, list[list[Any]]] = {}
    for conflict_id, kind, id, version in fetch_rows(_SIDES, [project.id, list(conflict_ids)]):
        found.setdefault(conflict_id, []).append([kind, id.hex, version])
    return found


def word_versions(project: ProjectRef, sides: Sides, *, language: str) -> str | None:
    """The question about two versions. None where one of them is hidden or gone."""
    if len(sides) != len(("left", "right")):
        return None
    keys = [(UUID(id), version) for _, id, version in sides]
    if sides[0][0] == "fact":
        facts = {fact.id: fact for fact in open_fact_versions(project, keys, reader=Reader())}
        if len(facts) < len(keys):
            return None
        left, right = (facts[id] for id, _ in keys)
        return read_text(language, "conflict_fact").format(
            subject=left.subject, left=write_value(left.value), right=write_value(right.value)
        )
    decisions = {each.id: each for each in open_decision_versions(project, [(*key, 0) for key in keys])}
    if len(decisions) < len(keys) or not all(each.title for each in decisions.values()):
        return None
    one, other = (decisions[id] for id, _ in keys)
    return read_text(language, "conflict_decision").format(
        title=one.title, left=one.decided_at.date(), right=other.decided_at.date()
    )


@cache
def read_text(language: str, name: str) -> str:
    """One text of the wing in a language, English where there is none in it."""
    chosen = language if language in LANGUAGES else LANGUAGES[0]
    return (_FOLDER / chosen / f"{name}.txt").read_text(encoding="utf-8").strip()
