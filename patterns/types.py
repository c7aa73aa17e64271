"""Value types that leave this room: what a message says about its writer, and what was refused.

Structures of msgspec, which nearly every message makes: a frozen dataclass takes several times as long to make.
"""

from __future__ import annotations

from datetime import date

from msgspec import Struct


class Reading(Struct, frozen=True, gc=False):
    """One fact that a message states (SPEC I-4, I-5). Offsets are characters of the raw text, end exclusive."""

    knowledge_type: str
    knowledge_key: str
    value: str | int
    expires_on: date | None
    confidence: float
    start: int
    end: int
    rule: str
    rule_version: int
    language: str


class Rejection(Struct, frozen=True, gc=False):
    """A trigger that fired and a step that refused it. `reason` is a code, never a piece of the text.

    `signs`: what spoke against a doubtful reading, for the eyes of those who see the text: they may quote it.
    """

    rule: str
    reason: str
    start: int
    end: int
    signs: tuple[str, ...] = ()
    rule_version: int = 0


class ReadResult(Struct, frozen=True, gc=False):
    """Everything one reading of one message produced. `is_capped`: only its beginning was read."""

    readings: tuple[Reading, ...]
    rejections: tuple[Rejection, ...]
    language: str
    is_capped: bool
    rule_set_version: int
