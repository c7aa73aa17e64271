"""Words of retention as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.types import UserRef

REASON: Final = "retention"
"""The reason of erasures by age (D-54)."""


@dataclass(frozen=True, slots=True)
class OverAge:
    """A user with something over its age: how much, and the moments from which on things stay (None: all)."""

    user: UserRef
    keeps_messages_from: datetime | None
    messages: int
    keeps_items_from: datetime | None
    items: int


@dataclass(frozen=True, slots=True)
class RetainingTenant:
    """A tenant that lets things go by age. `since`: when a run ended last, or else when the first began."""

    tenant_id: UUID
    last_began_at: datetime | None
    since: datetime | None
