"""The memory page: links, and the sources of a reply in words."""

from __future__ import annotations

from datetime import datetime

import msgspec

from unde_memory.types.packs import Known


class PageLink(msgspec.Struct, frozen=True):
    """A link that works once."""

    url: str
    expires_at: datetime


class SaidWords(msgspec.Struct, frozen=True):
    """Words that a fact rests on."""

    message_id: str
    role: str
    text: str
    said_at: datetime
    conversation_id: str


class KnownFact(Known, frozen=True):
    """A fact as its person sees it."""

    state: str
    since: datetime
    expires_at: datetime | None
    words: list[SaidWords]
    used_in_replies: int
    last_used_at: datetime | None


class ReplySource(msgspec.Struct, frozen=True):
    """Words or a fact that a reply was given, or was not."""

    fact: KnownFact | None
    words: SaidWords | None
    reason: str


class ReplySources(msgspec.Struct, frozen=True):
    """What one reply knew."""

    receipt_id: str
    made_at: datetime
    used: list[ReplySource]
    left_out: list[ReplySource]
    degraded_reasons: list[str]
