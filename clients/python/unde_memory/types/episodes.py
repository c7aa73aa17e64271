"""Blocks of conversations about one topic."""

from __future__ import annotations

from datetime import datetime

import msgspec

from unde_memory.types.memory import Message


class EpisodeEntity(msgspec.Struct, frozen=True):
    """A name that an episode speaks of."""

    text: str
    kind: str
    message_ids: list[str]


class Quote(msgspec.Struct, frozen=True):
    """A sentence as it was said."""

    text: str
    message_ids: list[str]


class Decision(msgspec.Struct, frozen=True):
    """Something that was settled."""

    text: str
    reason: str | None
    message_ids: list[str]


class Episode(msgspec.Struct, frozen=True):
    """A topical block of a conversation, in as many words as its layer shows."""

    id: str
    conversation_id: str
    layer: str
    priority: float
    is_anchor: bool
    anchored_by: list[str]
    started_at: datetime
    ended_at: datetime
    last_accessed_at: datetime | None
    access_count: int
    headline: str
    tags: list[str]
    summary: list[Quote]
    key_points: list[Quote]
    decisions: list[Decision]
    open_questions: list[Quote]
    entities: list[EpisodeEntity]
    message_ids: list[str]
    continues_from: str | None
    related_to: list[str]
    made_by: str


class Close(msgspec.Struct, frozen=True):
    """What closing gave."""

    episodes: int


class UnpackedEpisode(Episode, frozen=True):
    """An episode with everything that was said in it."""

    made_by: str
    messages: list[Message] = []
