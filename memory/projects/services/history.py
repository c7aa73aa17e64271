"""Update history: what is new in the threads of a project is read once (SPEC J-2, MAAS UpdateHistory).

Without a model: decisions with owner and date, and what is said to be open, from what users said themselves. Each
points at its sentence in the message. An assistant's words are never read: they are no source of themselves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import execute, fetch_rows, insert_all
from memory.ids import new_id
from memory.projects.services.decisions import put_decision
from memory.projects.services.locking import lock_project, note_change
from memory.projects.services.runs import RunNote, note_run
from memory.projects.services.sources import SourceAt, store_sources
from memory.projects.types import DecisionBody, ProjectRef, SourceBody
from memory.projects.words import QUESTION, ProjectWords
from patterns.text.decisions import Said, begin_day, list_decisions, list_open_questions

MAX_TITLE: Final = 300
READ_AT_ONCE: Final = 500
_UNREAD: Final = """
SELECT t.id, t.user_id, c.id, t.read_seq, c.last_seq FROM project_thread t
JOIN memory_user u ON u.id = t.user_id AND u.fenced_at IS NULL
JOIN memory_conversation c ON c.user_id = t.user_id AND c.external_id = t.conversation
WHERE t.project_id = %s AND t.scope = 'in' AND c.last_seq > t.read_seq ORDER BY t.id
"""
# Edited messages leave what was read of them; newer versions are read like any other (D-4).
_MESSAGES: Final = """
SELECT m.id, m.seq, m.content, m.created_at FROM memory_message m
WHERE m.user_id = %s AND m.conversation_id = %s AND m.seq > %s AND m.role = 'user' AND m.forgotten_at IS NULL
  AND NOT EXISTS (SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
ORDER BY m.seq LIMIT %s
"""
_REPLACED: Final = """
SELECT DISTINCT d.id FROM project_decision d
JOIN project_source s ON s.project_id = d.project_id AND s.id = d.source_id
JOIN memory_message newer ON newer.user_id = s.user_id AND newer.replaces_id = s.message_id
WHERE d.project_id = %s AND d.origin = 'rule' AND d.known_to IS NULL
"""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update of a history found: how many of each."""

    messages: int = 0
    decisions: int = 0
    questions: int = 0


def has_news(project: ProjectRef) -> bool:
    """Whether something was said in a thread since it was read last. One look-up."""
    return bool(fetch_rows(f"{_UNREAD} LIMIT 1", [project.id]))


def update_history(project: ProjectRef, *, now: datetime) -> Update:
    """Read what is new in the threads of scope `in`. May be repeated: what was read is not read again. Writes."""
    if not has_news(project):
        return Update()
    started = time.perf_counter()
    users = {row[1] for row in fetch_rows(_UNREAD, [project.id])}
    locked = lock_project(project, users=users)
    messages = decisions = questions = 0
    for thread_id, user_id, conversation_id, read_seq, last_seq in fetch_rows(_UNREAD, [project.id]):
        rows = fetch_rows(_MESSAGES, [user_id, conversation_id, read_seq, READ_AT_ONCE])
        for row in rows:
            decisions += _store_decisions(locked, row, now)
            questions += _store_questions(locked, row, now)
        messages += len(rows)
        reached = rows[-1][1] if len(rows) == READ_AT_ONCE else last_seq
        execute(
            "UPDATE project_thread SET read_seq = %s WHERE project_id = %s AND id = %s",
            [reached, project.id, thread_id],
        )
    withdrawn = _withdraw_replaced(locked)
    if decisions or questions or withdrawn:
        note_change(locked, now=now)
    note_run(locked, RunNote("update", round((time.perf_counter() - started) * 1000, 3)), now=now)
    return Update(messages, decisions, questions)


def _store_decisions(project: ProjectRef, row: Sequence[Any], now: datetime) -> int:
    message_id, _, content, created_at = row
    words = ProjectWords(project)
    found = [
        said
        for said in list_decisions(content, said_on=created_at.date())
        if not _is_known(project, words.key_title(_shorten(said.text)))
    ]
    for said in found:
        put_decision(
            project,
            body=DecisionBody(
                title=_shorten(said.text),
                description=said.text if len(said.text) > MAX_TITLE else "",
                owner=said.owner[:200],
                decided_at=begin_day(said.on) if said.on else created_at,
                source=_cite(message_id, said),
                state="accepted",
            ),
            origin="rule",
            actor="system",
            now=now,
        )
    return len(found)


def _is_known(project: ProjectRef, title_key: bytes) -> bool:
    """Whether somebody said so before: the same words again are no second decision."""
    statement = "SELECT 1 FROM project_decision WHERE project_id = %s AND title_key = %s AND known_to IS NULL"
    return bool(fetch_rows(statement, [project.id, title_key]))


def _store_questions(project: ProjectRef, row: Sequence[Any], now: datetime) -> int:
    message_id, _, content, created_at = row
    words, count = ProjectWords(project), 0
    for said in list_open_questions(content):
        source = store_sources(project, wanted=[SourceAt("source", _cite(message_id, said))], now=now)[0]
        count += add_question(project, words, text=_shorten(said.text), source_id=source.id, at=created_at)
    return count


def add_question(project: ProjectRef, words: ProjectWords, *, text: str, source_id: UUID | None, at: datetime) -> int:
    """Store an open question once; 1 when it is new. Call under the project's lock. Writes."""
    key = words.make_key("question", " ".join(text.casefold().split()))
    if fetch_rows("SELECT 1 FROM project_question WHERE project_id = %s AND key = %s", [project.id, key]):
        return 0
    columns = ("tenant_id", "project_id", "id", "source_id", "sealed", "key", "status", "opened_at")
    sealed = words.seal({"text": text}, purpose=QUESTION)
    insert_all(
        "project_question",
        columns,
        [(project.tenant_id, project.id, new_id(), source_id, sealed, key, "open", at)],
    )
    return 1


def _withdraw_replaced(project: ProjectRef) -> int:
    """Take out the readings of messages that were edited since: nobody else has spoken for them."""
    ids = [row[0] for row in fetch_rows(_REPLACED, [project.id])]
    if ids:
        execute("DELETE FROM project_item WHERE project_id = %s AND id = ANY(%s)", [project.id, ids])
    return len(ids)


def _cite(message_id: UUID, said: Said) -> SourceBody:
    return SourceBody(type="message", ref=str(message_id), quote=said.text[:2_000])


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_TITLE else f"{text[: MAX_TITLE - 1]}…"
