"""The one or two questions of a project that are asked next (SPEC J-1, MAAS Clarifier)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memory.database.statements import execute
from memory.projects.questions import word_questions
from memory.projects.selectors.register import list_questions
from memory.projects.selectors.sources import Reader
from memory.projects.types import ProjectRef

ASKED_AT_ONCE: Final = 2
_CONSIDERED: Final = 50


def choose_questions(project: ProjectRef, *, now: datetime, reader: Reader, language: str) -> list[str]:
    """Questions about contradictions, the oldest first. Notes that they are asked.

    Two at most. Writes.
    """
    questions = [
        question
        for question in list_questions(project, status="open", reader=reader, limit=_CONSIDERED)
        if question.conflict_id
    ]
    texts = word_questions(project, questions, now=now, reader=reader, language=language)
    told = [question for question in questions if texts[question.id]][:ASKED_AT_ONCE]
    if told:
        execute(
            "UPDATE project_question SET asked_at = %s WHERE project_id = %s AND id = ANY(%s) AND asked_at IS NULL",
            [now, project.id, [question.id for question in told]],
        )
    return [str(texts[question.id]) for question in told]
