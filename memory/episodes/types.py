"""The words of the wing as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from memory.episodes.contents import Contents, Quote, grade_points

LAYERS: Final = ("hot", "warm", "cold")
ANCHORS: Final = ("kept", "profile", "project", "instructions")
"""Why an episode is an anchor: somebody asked for it, facts rest on it, it is the latest of a long project, it holds
instructions of the system."""


class SaidMessage(Struct, frozen=True):
    """A message as cutting reads it."""

    id: UUID
    role: str
    content: str
    created_at: datetime
    seq: int


class Cut(Struct, frozen=True):
    """An episode as the messages give it: where it stands, and what it holds."""

    id: UUID
    session_started_at: datetime
    started_at: datetime
    ended_at: datetime
    message_ids: list[UUID]
    contents: Contents
    is_kept: bool


@dataclass(frozen=True, slots=True)
class OpenEpisode:
    """An episode as it is stored, opened."""

    id: UUID
    user_id: UUID
    conversation_id: UUID
    layer: str
    priority: float
    parts: tuple[float, ...]
    anchored_by: tuple[str, ...]
    started_at: datetime
    ended_at: datetime
    access_count: int
    last_accessed_at: datetime | None
    continues_from: UUID | None
    related_to: tuple[UUID, ...]
    made_by: str
    message_ids: tuple[UUID, ...]
    contents: Contents

    @property
    def is_anchor(self) -> bool:
        """Whether it never goes cold."""
        return bool(self.anchored_by)

    def name_messages(self, *places: int) -> tuple[UUID, ...]:
        """The ids of messages by their place in the episode."""
        return tuple(self.message_ids[place] for place in places)

    def list_points(self, *, share: float) -> list[Quote]:
        """The key points that are shown in a layer that keeps so much of the episode's information."""
        return grade_points(self.contents, share=share)
