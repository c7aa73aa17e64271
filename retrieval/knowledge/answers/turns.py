"""Questions of a user to a corpus, kept for follow-ups (D-47): sealed, 30 days, never evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from memory.ids import new_id
from memory.sealing.vault import UserVault
from memory.selectors.pages import read_rows
from memory.types import UserRef
from retrieval.knowledge.models import AskTurn, Corpus, Entity
from retrieval.knowledge.planning.followups import Topic
from retrieval.knowledge.planning.types import Named

KEPT: Final = timedelta(days=30)
PURPOSE: Final = "ask_turn"
RECENT_TURNS: Final = 6
SUMMARY_AFTER: Final = 6
SUMMARY_CHARACTERS: Final = 600


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of a conversation with a corpus: the last topic, and its questions, oldest first."""

    topic: Topic | None = None
    questions: tuple[str, ...] = ()


def recall_turns(*, corpus: Corpus, user: UserRef, conversation: str, now: datetime) -> Memory:
    """The last topic of a conversation and its questions. Inside a tenant scope."""
    rows = AskTurn.objects.filter(
        user_id=user.id, corpus_id=corpus.id, conversation=conversation, asked_at__gt=now - KEPT
    ).order_by("-asked_at", "-id")
    turns = list(rows[: count_recent_turns(corpus)])
    if not turns:
        return Memory()
    vault = UserVault(user_id=user.id)
    questions = vault.open_all([bytes(turn.sealed) for turn in reversed(turns)], purpose=PURPOSE)
    last = turns[0]
    return Memory(Topic(last.intent, _find_entity(corpus, last)), tuple(one["question"] for one in questions))


def remember_turn(
    *, corpus: Corpus, user: UserRef, conversation: str, question: str, topic: Topic, now: datetime
) -> UUID:
    """Keep a question with what it was about. Writes; inside a tenant scope."""
    turn = AskTurn(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        corpus_id=corpus.id,
        conversation=conversation,
        sealed=UserVault(user_id=user.id).seal({"question": question}, purpose=PURPOSE),
        intent=topic.intent,
        entity_type=topic.entity.type if topic.entity else "",
        entity_key=topic.entity.key if topic.entity else "",
        asked_at=now,
    )
    AskTurn.objects.bulk_create([turn])
    return turn.id


def export_turns(user: UserRef) -> Iterator[dict[str, Any]]:
    """A user's questions to corpora as JSON objects, oldest first, in pages."""
    vault = UserVault(user_id=user.id)
    for turn in read_rows(user, AskTurn):
        yield {
            "kind": "ask_turn",
            "id": str(turn.id),
            "conversation_id": turn.conversation,
            "question": vault.open(bytes(turn.sealed), purpose=PURPOSE)["question"],
            "intent": turn.intent,
            "asked_at": turn.asked_at.isoformat(),
        }


def count_recent_turns(corpus: Corpus) -> int:
    """How many turns count, by the corpus's settings or by default."""
    value = corpus.settings.get("recent_turns")
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else RECENT_TURNS


def _find_entity(corpus: Corpus, turn: AskTurn) -> Named | None:
    """The entity that a turn was about, where it is still there."""
    if not turn.entity_key:
        return None
    rows = Entity.objects.filter(
        corpus_id=corpus.id, type=turn.entity_type, key=turn.entity_key, merged_into_id=None
    ).values_list("id", "type", "key", "name")
    return next((Named(*row) for row in rows), None)
