"""Words of visits as values. Pure: no Django, nothing here reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args
from uuid import UUID

from memory.errors import CodedError, Forbidden
from memory.types import UserRef

Permission = Literal["read", "correct", "forget", "pause", "consent", "export", "erase"]
Locale = Literal["en", "ru", "ar"]
Theme = Literal["auto", "light", "dark"]
PERMISSIONS: Final[tuple[str, ...]] = get_args(Permission)
LOCALES: Final[tuple[str, ...]] = get_args(Locale)
THEMES: Final[tuple[str, ...]] = get_args(Theme)


class LinkOver(CodedError):
    """No such link, or it was used, or its time is over. All answer alike, so that links cannot be tried out."""

    code = "link_over"
    status = 410
    default_message = "This link was used already or is too old. Ask the app for a new one."


class SessionOver(CodedError):
    """No such session, or it has ended. All answer alike."""

    code = "session_over"
    status = 401
    default_message = "This session has ended. Open the memory page again from the app."


class MissingPermission(Forbidden):
    """The page may be seen but this may not be done: the app did not list it in the link."""

    code = "missing_permission"
    default_message = "The link of this session does not allow this."


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkInput:
    """What a link is made with. The caller has checked it."""

    permissions: tuple[str, ...]
    locale: str
    theme: str
    return_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A session just begun. `secret` is with the person's browser alone, not in the database."""

    secret: str
    tenant_id: UUID
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenVisit:
    """The visit behind a request: one user of one tenant, what may be done, and until when."""

    id: UUID
    user: UserRef
    key_id: UUID
    tenant_slug: str
    timezone: str
    permissions: frozenset[str]
    locale: str
    theme: str
    return_url: str
    expires_at: datetime
    paused_at: datetime | None
    pause_keeps: bool

    @property
    def actor(self) -> str:
        """Who acts, as the action log names them."""
        return f"visit:{self.id}"
