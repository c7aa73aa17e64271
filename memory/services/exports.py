"""Everything held about a user as JSON Lines, streamed (SPEC M-7). Each line says its `kind`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.facts.reading import list_facts
from memory.models import Action, Conversation
from memory.registries import exporters
from memory.sealing.vault import UserVault
from memory.selectors.messages import MessagePosition, list_messages
from memory.selectors.pages import read_in_pages, read_rows
from memory.types import Fact, RecordedMessage, UserRef

FORMAT_VERSION = 1


def export_user(*, user: UserRef, now: datetime) -> Iterator[bytes]:
    """The user's whole memory, a line an object: user, conversations, messages, facts, actions, then what rooms add.

    Pages are read in short transactions, so that a slow reader holds no lock and no snapshot, and a page of each is
    all that is held in memory.
    """
    yield _line({"kind": "export", "version": FORMAT_VERSION, "exported_at": now})
    yield _line({"kind": "user", "id": user.id, "user_id": user.external_id})
    for rows in (_list_conversations(user), _list_messages(user), _list_actions(user), _list_facts(user, now)):
        yield from map(_line, rows)
    for exporter in exporters:
        yield from map(_line, exporter(user))


def _list_conversations(user: UserRef) -> Iterator[dict[str, Any]]:
    for row in read_rows(user, Conversation):
        yield {"kind": "conversation", "id": row.id, "external_id": row.external_id, "created_at": row.created_at}


def _list_messages(user: UserRef) -> Iterator[dict[str, Any]]:
    def read(last: RecordedMessage | None, limit: int) -> list[RecordedMessage]:
        after = MessagePosition(last.created_at, last.seq, last.id) if last else None
        return list_messages(user=user, after=after, limit=limit)

    for message in read_in_pages(user, read):
        fields = {name: getattr(message, name) for name in message.__struct_fields__}
        del fields["tenant_id"], fields["forgotten_at"]
        yield {"kind": "message", **fields}


def _list_facts(user: UserRef, now: datetime) -> Iterator[dict[str, Any]]:
    def read(last: Fact | None, limit: int) -> list[Fact]:
        return list_facts(user=user, include_inactive=True, now=now, after=last.id if last else None, limit=limit)

    for fact in read_in_pages(user, read):
        yield {"kind": "fact", **{name: getattr(fact, name) for name in fact.__struct_fields__}}


def _list_actions(user: UserRef) -> Iterator[dict[str, Any]]:
    vault = UserVault(user_id=user.id)

    def read(last: Action | None, limit: int) -> list[Action]:
        after = last.position if last else 0
        return list(Action.objects.filter(user_id=user.id, position__gt=after).order_by("position")[:limit])

    for action in read_in_pages(user, read):
        yield _describe_action(action, vault)


def _describe_action(action: Action, vault: UserVault) -> dict[str, Any]:
    return {
        "kind": "action",
        "id": action.id,
        "position": action.position,
        "action": action.kind,
        "actor": action.actor,
        "message_id": action.message_id,
        "batch_id": action.batch_id,
        "effects": action.effects,
        "detail": action.detail,
        "words": vault.open(action.sealed, purpose="action") if action.sealed else None,
        "rule_set_version": action.rule_set_version,
        "engine_version": action.engine_version,
        "said_at": action.said_at,
        "recorded_at": action.recorded_at,
    }


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, default=_encode).encode() + b"\n"


def _encode(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"not exportable: {type(value).__name__}")
