"""Passages of a project's threads for a question: neighbourhoods, not single turns (SPEC J-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np

from memory.projects.selectors.projects import list_threads
from memory.projects.types import ProjectRef
from memory.selectors.messages import list_messages_by_id
from memory.types import RecordedMessage, UserRef
from retrieval.configuration import get_pipeline
from retrieval.pack.token_counters import ESTIMATE
from retrieval.projects.lines import tidy_turn
from retrieval.projects.neighbourhoods import choose_turns, find_density
from retrieval.search.candidates import read_id
from retrieval.search.matching import match_words
from retrieval.search.questions import read_question
from retrieval.search.statement import read_places

MAX_TURNS: Final = 400
"""Turns whose words are read for one question: the densest ones, more never fit a context."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Turns of a conversation that follow each other."""

    user_id: UUID
    conversation_id: str
    messages: Sequence[RecordedMessage]
    text: str
    density: float


@dataclass(frozen=True, slots=True)
class _Turn:
    message_id: UUID
    user: UserRef
    conversation: str
    place: int
    density: float


def find_passages(
    project: ProjectRef, *, query: str, user_id: UUID, budget_tokens: int, as_of: datetime | None = None
) -> list[Passage]:
    """Passages of the user's own threads and of shared ones (D-51), densest first, under a budget. Reads only."""
    turns = _find_turns(project, query=query, user_id=user_id, as_of=as_of)[:MAX_TURNS]
    if not turns:
        return []
    messages = _read_messages(turns)
    turns = [turn for turn in turns if turn.message_id in messages]
    costs = [ESTIMATE.count(_write_turn(messages[turn.message_id])) + 1 for turn in turns]
    chosen = choose_turns(np.array([turn.density for turn in turns]), costs, budget=budget_tokens)
    return _join([turns[index] for index in chosen], messages)


def _find_turns(project: ProjectRef, *, query: str, user_id: UUID, as_of: datetime | None) -> list[_Turn]:
    """Turns of all readable threads with the density of their neighbourhood, best first."""
    threads: dict[UUID, dict[UUID, str]] = {}
    for thread in list_threads(project):
        if (
            thread["scope"] != "out"
            and thread["conversation_id"]
            and (thread["user_id"] == user_id or thread["is_shared"])
        ):
            threads.setdefault(thread["user_id"], {})[thread["conversation_id"]] = thread["conversation"]
    found: list[_Turn] = []
    for owner, conversations in sorted(threads.items()):
        found += _find_turns_of(UserRef(id=owner, tenant_id=project.tenant_id), conversations, query, as_of)
    return sorted(found, key=lambda turn: (-turn.density, turn.message_id))


def _find_turns_of(user: UserRef, conversations: dict[UUID, str], query: str, as_of: datetime | None) -> list[_Turn]:
    places = read_places(user=user)
    if not len(places):
        return []
    keys = np.array([id.bytes for id in conversations], dtype="S16")
    in_scope = np.isin(places.columns["conversation_id"], keys)
    if as_of is not None:
        in_scope &= places.said_at <= as_of.timestamp()
    hits = match_words(places, question=read_question(query), recipe=get_pipeline().recipe, in_scope=in_scope)
    chosen = np.flatnonzero(in_scope)
    if not len(chosen) or not hits.ranks.size:
        return []
    columns = places.columns[chosen]
    ids = columns["conversation_id"]
    starts = [0, *(np.flatnonzero(ids[1:] != ids[:-1]) + 1).tolist()]
    density = find_density(hits.ranks[:, chosen], hits.idfs, columns["len"].astype(np.int64), starts)
    order = np.argsort(-density, kind="stable")[:MAX_TURNS]
    return [
        _Turn(
            read_id(columns["message_id"][at]),
            user,
            conversations[read_id(ids[at])],
            int(chosen[at]),
            float(density[at]),
        )
        for at in order.tolist()
        if density[at] > 0
    ]


def _read_messages(turns: Sequence[_Turn]) -> dict[UUID, RecordedMessage]:
    found: dict[UUID, RecordedMessage] = {}
    for user in {turn.user.id: turn.user for turn in turns}.values():
        ids = [turn.message_id for turn in turns if turn.user.id == user.id]
        found |= list_messages_by_id(user=user, message_ids=ids)
    return found


def _join(turns: Sequence[_Turn], messages: dict[UUID, RecordedMessage]) -> list[Passage]:
    """Turns that follow each other become one passage; the densest passage comes first."""
    ordered = sorted(turns, key=lambda turn: (turn.user.id, turn.conversation, turn.place))
    runs: list[list[_Turn]] = []
    for turn in ordered:
        last = runs[-1][-1] if runs else None
        is_next = last is not None and (last.user.id, last.conversation, last.place + 1) == (
            turn.user.id, turn.conversation, turn.place
        )  # fmt: skip
        if is_next:
            runs[-1].append(turn)
        else:
            runs.append([turn])
    passages = [_make_passage(run, messages) for run in runs]
    return sorted(passages, key=lambda passage: (-passage.density, passage.messages[0].id))


def _make_passage(run: Sequence[_Turn], messages: dict[UUID, RecordedMessage]) -> Passage:
    own = [messages[turn.message_id] for turn in run]
    return Passage(
        user_id=run[0].user.id,
        conversation_id=run[0].conversation,
        messages=own,
        text="\n".join(_write_turn(message) for message in own),
        density=round(max(turn.density for turn in run), 6),
    )


def _write_turn(message: RecordedMessage) -> str:
    return tidy_turn(message.speaker or message.role, message.content)


def has_threads(project: ProjectRef, *, user_id: UUID) -> bool:
    """Whether there is a conversation that passages may come from."""
    return any(
        thread["conversation_id"] and thread["scope"] != "out" and (thread["user_id"] == user_id or thread["is_shared"])
        for thread in list_threads(project)
    )
