"""What leaves with a forgotten or erased message, and how it comes back (SPEC G-1, G-2, D-28, KSP fix 15)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction

from memory.database.statements import fetch_row, fetch_rows
from memory.selectors.messages import list_messages_by_id
from memory.types import UserRef
from retrieval.index.writing import NORMAL, index_messages, put_back_messages, rebuild_conversation, remove_messages
from retrieval.metrics import SNIPPETS_NULLIFIED
from retrieval.sql import read_sql


def forget_messages(user: UserRef, message_ids: Iterable[UUID]) -> dict[str, int]:
    """Hide messages from search at once: index row, vector, task and snippet go, neighbours' snippets too. Writes."""
    ids = list(message_ids)
    snippets = _count_snippets_near(user, ids)
    removed = remove_messages(user=user, message_ids=ids)
    transaction.on_commit(partial(SNIPPETS_NULLIFIED.inc, snippets))
    return {"index_rows_cleared": removed, "snippets_cleared": snippets}


def restore_messages(user: UserRef, message_ids: Iterable[UUID]) -> dict[str, int]:
    """Bring messages back into search, each at its old place; replaced versions stay out (D-4). Writes."""
    ids = list(message_ids)
    current = _list_current(user, ids)
    rows = fetch_rows(
        "SELECT message_id FROM message_index WHERE user_id = %s AND message_id = ANY(%s)", [user.id, current]
    )
    indexed = {row[0] for row in rows}
    found = list_messages_by_id(user=user, message_ids=[each for each in current if each not in indexed])
    restored = put_back_messages(user=user, messages=list(found.values()), now=datetime.now(UTC))
    return {"index_rows_restored": restored}


def rebuild(*, user: UserRef, conversation_id: UUID) -> int:
    """Index one conversation anew from RAW, a few hundred messages at a time. Returns how many rows it has now."""
    now = datetime.now(UTC)
    rebuild_conversation(user=user, conversation_id=conversation_id, messages=[], now=now)
    rows = fetch_rows(
        "SELECT id FROM memory_message WHERE user_id = %s AND conversation_id = %s ORDER BY seq",
        [user.id, conversation_id],
    )
    ordered = [row[0] for row in rows]
    current = set(_list_current(user, ordered))
    ids = [each for each in ordered if each in current]
    return sum(
        _index_chunk(user, ids[start : start + settings.UNDE_TUNING.FORGOTTEN_AT_ONCE], now)
        for start in range(0, len(ids), settings.UNDE_TUNING.FORGOTTEN_AT_ONCE)
    )


def _list_current(user: UserRef, message_ids: Sequence[UUID]) -> list[UUID]:
    rows = fetch_rows(read_sql("list_current"), {"user_id": user.id, "message_ids": list(message_ids)})
    return [row[0] for row in rows]


def _index_chunk(user: UserRef, message_ids: Sequence[UUID], now: datetime) -> int:
    messages = list_messages_by_id(user=user, message_ids=message_ids)
    return index_messages(messages=[messages[each] for each in message_ids], now=now, priority=NORMAL).indexed


def rebuild_user(user: UserRef) -> int:
    """Index all of a user's conversations anew (SPEC M-4). Returns how many rows there are now."""
    conversations = [
        row[0] for row in fetch_rows("SELECT id FROM memory_conversation WHERE user_id = %s ORDER BY id", [user.id])
    ]
    return sum(rebuild(user=user, conversation_id=conversation_id) for conversation_id in conversations)


def _count_snippets_near(user: UserRef, message_ids: Sequence[UUID]) -> int:
    return int(
        fetch_row(
            "SELECT count(DISTINCT s.message_id) FROM message_index g JOIN message_index n"
            " ON n.user_id = g.user_id AND n.conversation_id = g.conversation_id"
            " AND n.seq BETWEEN g.seq - 2 AND g.seq + 2"
            " JOIN message_snippet s ON s.user_id = n.user_id AND s.message_id = n.message_id"
            " WHERE g.user_id = %s AND g.message_id = ANY(%s)",
            [user.id, list(message_ids)],
        )[0]
    )
