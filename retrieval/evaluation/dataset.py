"""Labelled sets: conversations and questions as JSON Lines (docs/retrieval.md names the fields). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """One message of a labelled conversation."""

    id: str
    role: str
    speaker: str
    session: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class LabelledConversation:
    """A conversation of one user, in order."""

    conversation_id: str
    user_id: str
    messages: tuple[LabelledMessage, ...]


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and the messages that answer it. `asked_at` is None where the set does not say."""

    id: str
    user_id: str
    query: str
    evidence: tuple[str, ...]
    category: str
    asked_at: datetime | None = None


def read_conversations(path: Path) -> list[LabelledConversation]:
    """The conversations of a file. Raises KeyError for a line without the fields."""
    return [
        LabelledConversation(
            line["conversation_id"], line["user_id"], tuple(_read_message(message) for message in line["messages"])
        )
        for line in _read_lines(path)
    ]


def read_questions(path: Path) -> list[LabelledQuestion]:
    """The questions that have evidence."""
    return [
        LabelledQuestion(
            id=line["id"],
            user_id=line["user_id"],
            query=line["query"],
            evidence=tuple(line["evidence"]),
            category=line.get("category", ""),
            asked_at=_read_moment(line["asked_at"]) if line.get("asked_at") else None,
        )
        for line in _read_lines(path)
        if line["evidence"]
    ]


def _read_message(line: dict[str, Any]) -> LabelledMessage:
    return LabelledMessage(
        id=line["id"],
        role=line["role"],
        speaker=line.get("speaker", ""),
        session=line.get("session", ""),
        text=line["text"],
        said_at=_read_moment(line["timestamp"]),
    )


def _read_moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
