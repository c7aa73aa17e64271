"""The lines of our own export as values, checked: a file may come from anywhere. Pure."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from memory.errors import InvalidRequest
from memory.types import (
    ActionKind,
    CorrectionType,
    Fact,
    FactAction,
    GuaranteedType,
    Instant,
    Key,
    LanguageCode,
    Position,
    Share,
)

Name = Annotated[str, Meta(min_length=1, max_length=128)]


class ConversationLine(msgspec.Struct, frozen=True):
    """A conversation under the tenant's own id."""

    id: UUID
    external_id: Name


class MessageLine(msgspec.Struct, frozen=True):
    """A message word for word, with its ids and both its times."""

    id: UUID
    conversation_id: UUID
    seq: Annotated[int, Meta(ge=1, le=2**30)]
    role: str
    content: str
    created_at: Instant
    received_at: Instant
    client_id: str | None = None
    speaker: str = ""
    response_description: str | None = None
    memory_type: str = "chat"
    mood: str = ""
    language: LanguageCode = ""
    blocks: list[dict[str, Any]] | None = None
    metadata: dict[str, Any] = {}
    reply_to_id: UUID | None = None
    replaces_id: UUID | None = None
    receipt_id: UUID | None = None


class EffectLine(msgspec.Struct, frozen=True):
    """What an action did to one fact."""

    fact_id: UUID
    action: FactAction | Literal["calibrated", "kept", "to_be_decided"]
    confidence: Share
    superseded_id: UUID | None = None
    expires_at: Instant | None = None


class CorrectionEntry(msgspec.Struct, frozen=True):
    """One effect of a correction, as the action log names it."""

    id: UUID
    correction_type: CorrectionType
    fact_id: UUID | None
    action: Annotated[str, Meta(max_length=20)]
    deactivated_id: UUID | None = None
    disputed_id: UUID | None = None
    set_id: UUID | None = None
    item_id: UUID | None = None


Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class DetailLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Codes and ids of an action; anything else in a file is left out."""

    corrections: list[CorrectionEntry] = []
    corrected_message_id: UUID | None = None
    language: LanguageCode = ""
    message_ids: list[UUID] = []
    operation: Literal["add", "update", "remove", "confirm", ""] = ""
    # Of a calibration: which fact, when, by what, and what a person decided about it (SPEC P-9).
    fact_id: UUID | None = None
    night: date | None = None
    rule: Literal["positive_uses", "corrected_uses", "few_positive_uses", ""] = ""
    uses: Count = 0
    positive: Count = 0
    corrected: Count = 0
    before: Share | None = None
    after: Share | None = None
    decision: Literal["keep", "reconsider", "remove", "undone", ""] = ""


class StatementLine(msgspec.Struct, frozen=True):
    """A fact that a person or a form stated."""

    knowledge_type: GuaranteedType
    knowledge_key: Key
    value: Any
    confidence: Share
    extracted_from: Literal["onboarding", "explicit"]
    said_at: Instant
    expires_at: Instant | None = None


class WordsLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an action keeps sealed."""

    statement: StatementLine | None = None
    reason: Annotated[str, Meta(max_length=10_000)] | None = None


class ActionLine(msgspec.Struct, frozen=True):
    """One entry of the action log."""

    id: UUID
    position: Position
    action: ActionKind
    said_at: Instant
    recorded_at: Instant
    effects: list[EffectLine] = []
    detail: DetailLine = DetailLine()
    words: WordsLine | None = None
    message_id: UUID | None = None
    batch_id: UUID | None = None
    rule_set_version: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None


LineValue = ConversationLine | MessageLine | ActionLine | Fact
"""A fact in a file lends its id, and what a model had said, to the fold of the logs. It is never stored by itself."""
SHAPES: Final[dict[str, type[LineValue]]] = {
    "conversation": ConversationLine,
    "message": MessageLine,
    "action": ActionLine,
    "fact": Fact,
}
FIRST_YEAR, LAST_YEAR = 1970, 9000


def read_line(row: dict[str, Any]) -> LineValue | None:
    """A decoded line as a value; None for kinds that are not taken over. Raises InvalidRequest naming the field."""
    kind = row.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        return None
    try:
        value = msgspec.convert(row, shape, strict=True)
    except msgspec.ValidationError as error:
        _, _, path = str(error).partition(" - at `$.")
        raise InvalidRequest(fields={path.rstrip("`") or "line": "is missing or invalid for an export"}) from None
    if not _has_plain_times(value):
        raise InvalidRequest(fields={"line": f"names a time before {FIRST_YEAR} or after {LAST_YEAR}"})
    return value


def _has_plain_times(value: object) -> bool:
    """Whether every time in a line can be moved to any zone and stored."""
    if isinstance(value, datetime):
        return FIRST_YEAR <= value.year <= LAST_YEAR
    if isinstance(value, msgspec.Struct):
        return all(_has_plain_times(getattr(value, name)) for name in value.__struct_fields__)
    return all(map(_has_plain_times, value)) if isinstance(value, list) else True
