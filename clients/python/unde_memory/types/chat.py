"""A turn of a conversation."""

from __future__ import annotations

from typing import Any

import msgspec

from unde_memory.types.memory import Correction, FactChange


class ChatIntent(msgspec.Struct, frozen=True):
    """What a message was understood to want."""

    action_required: bool
    intent_type: str
    confidence: float
    extracted_entities: dict[str, Any]
    context_hints: list[str]
    made_by: str


class ChatSkill(msgspec.Struct, frozen=True):
    """The receipt of a skill's execution."""

    name: str
    status: str
    code: str
    duration_ms: int
    receipt: dict[str, Any]


class ChatReply(msgspec.Struct, frozen=True):
    """The reply, and what was done on the way."""

    reply: str
    message_id: str
    reply_id: str
    receipt_id: str | None
    intent: ChatIntent
    skill: ChatSkill | None
    facts: list[FactChange]
    corrections: list[Correction]
    withheld: list[str]
    degraded_reasons: list[str]
    snapshot_id: str | None = None


class ChatEvent(msgspec.Struct, frozen=True):
    """An event of a reply that is being made.

    `receipt`: what follows begins at `offset`: what was shown beyond it is to be dropped. `delta`: `text` follows.
    `reply`: all of it is in `reply`.
    """

    kind: str
    text: str = ""
    offset: int = 0
    message_id: str = ""
    receipt_id: str | None = None
    reply: ChatReply | None = None
