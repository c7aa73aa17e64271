"""Everything held about a user as JSON Lines, streamed (SPEC M-7). Each line says its `kind`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Action, Conversation
from memory.registries import exporters
from memory.sealing.vault import UserVault
from memory.selectors.facts import list_facts
from memory.selectors.messages import MessagePosition, list_messages
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

FORMAT_VERSION = 1
PAGE = 500


def export_user(*, user: UserRef, now: datetime) -> Iterator[bytes]:
    """The user's whole memory, a line an object: user, conversations, messages, facts, actions, then what rooms add.

    Pages are read in short transactions, so that a slow reader holds no lock and no snapshot.
    """
    yield _line({"kind": "export", "version": FORMAT_VERSION, "exported_at": now})
    yield _line({"kind": "user", "id": user.id, "user_id": user.external_id})
    for page in (_export_conversations, _export_messages, _export_actions):
        yield from page(user)
    yield from _export_facts(user, now)
    for exporter in exporters:
        with tenant_scope(user.tenant_id):
            rows = list(exporter(user))
        yield from (_line(row) for row in rows)


def _export_conversations(user: UserRef) -> Iterator[bytes]:
    with tenant_scope(user.tenant_id):
        rows = list(
            Conversation.objects.filter(user_id=user.id).order_by("id").values("id", "external_id", "created_at")
        )
    for row in rows:
        yield _line({"kind": "conversation", **row})


def _export_messages(user: UserRef) -> Iterator[bytes]:
    after: MessagePosition | None = None
    while True:
        with tenant_scope(user.tenant_id):
            page = list_messages(user=user, after=after, limit=PAGE)
        for message in page:
            fields = {name: getattr(message, name) for name in message.__dataclass_fields__}
            fields.pop("tenant_id")
            fields.pop("forgotten_at")
            yield _line({"kind": "message", **fields})
        if len(page) < PAGE:
            return
        after = MessagePosition(page[-1].created_at, page[-1].seq, page[-1].id)


def _export_facts(user: UserRef, now: datetime) -> Iterator[bytes]:
    after: UUID | None = None
    while True:
        with tenant_scope(user.tenant_id):
            page = list_facts(user=user, include_inactive=True, now=now, after=after, limit=PAGE)
        for fact in page:
            yield _line({"kind": "fact", **{name: getattr(fact, name) for name in fact.__dataclass_fields__}})
        if len(page) < PAGE:
            return
        after = page[-1].id


def _export_actions(user: UserRef) -> Iterator[bytes]:
    vault = UserVault(user_id=user.id)
    position = 0
    while True:
        with tenant_scope(user.tenant_id):
            page = list(Action.objects.filter(user_id=user.id, position__gt=position).order_by("position")[:PAGE])
        for action in page:
            yield _line(_describe_action(action, vault))
        if len(page) < PAGE:
            return
        position = page[-1].position


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
