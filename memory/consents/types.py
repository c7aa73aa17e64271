"""Words of purposes and consents as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.errors import Conflict

KEY_PATTERN: Final = r"^[a-z][a-z0-9_]{0,39}$"
AGEING_KINDS: Final = frozenset({"messages", "items"})
"""What has an age of its own. Facts and episodes go with the messages they rest on."""


class PurposeGrows(Conflict):
    """A change would keep more, or for longer, than users were told. `fields` says what grows."""

    code = "purpose_grows"
    default_message = "Users agreed to less than this. End the purpose and make another one under a new key."


@dataclass(frozen=True, slots=True, kw_only=True)
class PurposeInput:
    """A purpose as an operator writes it. `names` and `texts` are by language."""

    key: str
    names: Mapping[str, str]
    texts: Mapping[str, str]
    covers: tuple[str, ...]
    is_granted_by_default: bool
    is_changeable: bool
    kept_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurposeView:
    """A purpose of a tenant."""

    id: UUID
    key: str
    names: Mapping[str, str]
    texts: Mapping[str, str]
    covers: tuple[str, ...]
    is_granted_by_default: bool
    is_changeable: bool
    kept_days: int | None
    created_at: datetime

    def name(self, locale: str) -> str:
        """Its name in a language; in English, or else in whatever there is, where that is missing."""
        return _choose(self.names, locale) or self.key

    def text(self, locale: str) -> str:
        """What is kept and why, likewise."""
        return _choose(self.texts, locale)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentView:
    """A purpose and what a user says to it. `said_at` and `actor` are None where the default holds."""

    purpose: PurposeView
    is_granted: bool
    said_at: datetime | None
    actor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastConsent:
    """What a user said once."""

    id: UUID
    purpose_key: str
    is_granted: bool
    actor: str
    recorded_at: datetime
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentOutcome:
    """What holds after a user said something, and what went because of it."""

    consents: tuple[ConsentView, ...]
    withheld: tuple[str, ...]
    facts_closed: int = 0
    candidates_closed: int = 0
    items_deleted: int = 0
    erasure_id: UUID | None = None
    """Of the user's messages, where none may be kept any more."""


def _choose(texts: Mapping[str, str], locale: str) -> str:
    return texts.get(locale) or texts.get("en") or next(iter(texts.values()), "")
