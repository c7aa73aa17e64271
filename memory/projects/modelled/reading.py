"""Threads read by a model (MAAS Summarizer): asked without a transaction, stored behind the gate."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import execute, fetch_row, fetch_rows
from memory.extraction.model.openai_client import ModelClient
from memory.projects.metrics import PROJECT_REFUSALS
from memory.projects.modelled.asking import ask_about_thread
from memory.projects.modelled.proposals import Passed, Turn, pass_proposals
from memory.projects.selectors.projects import list_threads
from memory.projects.services.decisions import put_decision
from memory.projects.services.facts import put_facts
from memory.projects.services.runs import RunNote, note_run
from memory.projects.types import DecisionBody, ProjectFactBody, ProjectRef, SourceBody
from memory.projects.words import ProjectWords
from memory.tenants.scope import tenant_scope

MAX_TURNS: Final = 60
ACTOR: Final = "system"
_TURNS: Final = """
SELECT m.id, m.role, m.content, m.seq FROM memory_message m
WHERE m.user_id = %s AND m.conversation_id = %s AND m.seq > %s AND m.forgotten_at IS NULL
  AND NOT EXISTS (SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
ORDER BY m.seq LIMIT %s
"""
_REACHED: Final = "SELECT model_seq FROM project_thread WHERE project_id = %s AND id = %s"


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """What a reading stored and refused."""

    facts: int = 0
    decisions: int = 0
    refused: int = 0


def read_threads_by_model(project: ProjectRef, *, client: ModelClient, now: datetime) -> ThreadReading:
    """Let a model read what is new in the threads of scope `in`.

    Writes, thread by thread. Raises ModelFailed; what was stored before it stays.
    """
    facts = decisions = refused = 0
    with tenant_scope(project.tenant_id):
        threads = [thread for thread in list_threads(project) if thread["scope"] == "in" and thread["conversation_id"]]
    for thread in threads:
        started = time.perf_counter()
        with tenant_scope(project.tenant_id):
            reached = fetch_row(_REACHED, [project.id, thread["id"]])[0]
            rows = fetch_rows(_TURNS, [thread["user_id"], thread["conversation_id"], reached, MAX_TURNS])
        turns = [Turn(str(row[0]), row[1], row[2]) for row in rows]
        if not any(turn.role == "user" for turn in turns):
            continue
        passed = pass_proposals(ask_about_thread(client, turns), turns=turns)
        with tenant_scope(project.tenant_id):
            facts += _store_facts(project, passed, now)
            decisions += _store_decisions(project, passed, now)
            execute("UPDATE project_thread SET model_seq = greatest(model_seq, %s) WHERE project_id = %s AND id = %s",
                [rows[-1][3], project.id, thread["id"]])  # fmt: skip
            note = RunNote("update", round((time.perf_counter() - started) * 1000, 3), refused=len(passed.refusals))
            note_run(project, note, now=now)
        for reason, count in Counter(passed.refusals).items():
            PROJECT_REFUSALS.labels(reason).inc(count)
        refused += len(passed.refusals)
    return ThreadReading(facts, decisions, refused)


def _store_facts(project: ProjectRef, passed: Passed, now: datetime) -> int:
    bodies = [
        ProjectFactBody(
            subject=each.subject,
            value=each.value,
            level=each.level,
            source=_cite(each.message_id, each.quote),
        )
        for each in passed.facts
    ]
    if not bodies:
        return 0
    outcomes = put_facts(project, facts=bodies, origin="model", actor=ACTOR, now=now)
    return sum(outcome.action == "added" for outcome in outcomes)


def _store_decisions(project: ProjectRef, passed: Passed, now: datetime) -> int:
    """A model's decision is a proposal until a person accepts it."""
    words, count = ProjectWords(project), 0
    for each in passed.decisions:
        if _is_known(project, words.key_title(each.title), each.message_id):
            continue
        body = DecisionBody(
            title=each.title, owner=each.owner[:200], source=_cite(each.message_id, each.quote), state="proposed"
        )
        put_decision(project, body=body, origin="model", actor=ACTOR, now=now)
        count += 1
    return count


def _is_known(project: ProjectRef, title_key: bytes, message_id: str) -> bool:
    """Whether there is a decision of this title, or one that was read from the same message."""
    statement = (
        "SELECT 1 FROM project_decision d"
        " LEFT JOIN project_source s ON s.project_id = d.project_id AND s.id = d.source_id"
        " WHERE d.project_id = %s AND d.known_to IS NULL AND (d.title_key = %s OR s.message_id = %s)"
    )
    return bool(fetch_rows(statement, [project.id, title_key, UUID(message_id)]))


def _cite(message_id: str, quote: str) -> SourceBody:
    return SourceBody(type="message", ref=message_id, quote=quote[:2_000])
