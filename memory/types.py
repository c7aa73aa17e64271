"""The words of the room as values. Pure: no Django, nothing here reads or writes.

SPEC section 2 fixes the vocabulary; `docs/glossary.md` keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct, field

GuaranteedType = Literal["body_params", "budget", "allergy", "hard_ban", "onboarding_style", "life_event"]
ExtractedOnlyType = Literal["brand_preference"]
GUARANTEED_TYPES: Final[tuple[str, ...]] = get_args(GuaranteedType)
"""Types that may become facts (SPEC F-1)."""
EXTRACTED_ONLY_TYPES: Final[tuple[str, ...]] = get_args(ExtractedOnlyType)
"""Soft type that may become a fact from extraction alone, with two independent evidences (SPEC F-1, K12)."""
KNOWLEDGE_TYPES: Final = GUARANTEED_TYPES + EXTRACTED_ONLY_TYPES

FACTS_COVER: Final = "facts."
"""How the kind of what is kept begins that is facts of a type."""
KEPT_KINDS: Final = (
    "messages",
    "episodes",
    "items",
    "answers",
    "model",
    *(FACTS_COVER + name for name in KNOWLEDGE_TYPES),
)
"""What a purpose of a tenant may cover: what is kept, and two things done with it (answers, a model that reads)."""

TOLD_BY: Final = "unde_told_by"
"""Under this name of a message's metadata stands who told it, where that was not the app: `via` and `client`."""

ROLES = ("user", "assistant", "system")
MEMORY_TYPES = ("chat", "fact", "event", "emotion", "preference")
ExtractedFrom = Literal["onboarding", "instant_pattern", "batch", "explicit", "correction", "review"]
Provenance = Literal["observation", "analysis", "confirmed_by_user"]
EpistemicType = Literal["fact", "opinion", "preference", "outdated"]
CorrectionType = Literal["user_denied", "wrong_subject", "outdated", "ambiguous"]
EXTRACTED_FROM: Final[tuple[str, ...]] = get_args(ExtractedFrom)
PROVENANCES: Final[tuple[str, ...]] = get_args(Provenance)
EPISTEMIC_TYPES: Final[tuple[str, ...]] = get_args(EpistemicType)
CORRECTION_TYPES: Final[tuple[str, ...]] = get_args(CorrectionType)

FactAction = Literal["added", "superseded", "renewed", "deactivated", "disputed", "restored", "stored_inactive"]
FACT_ACTIONS: Final[tuple[str, ...]] = get_args(FactAction)
"""What may happen to a fact (API.md): `superseded` names the new row that took the place of `superseded_id`."""

ActionKind = Literal[
    "instant",
    "correction",
    "onboarding",
    "explicit",
    "confirm",
    "dispute",
    "retract",
    "edit",
    "forget",
    "restore",
    "expire",
    "extraction",
    "verdict",
    "withdraw",
    "close",
    "anchor",
    "withhold",
    "calibrate",
    "merge",
    "part",
]


def _one_of(codes: tuple[str, ...]) -> Meta:
    return Meta(pattern=rf"^(?:{'|'.join(codes)})\Z")


# What a value must be when it comes out of a file (memory.imports.lines); inside the service the database sees to it.
Instant = Annotated[datetime, Meta(tz=True)]
Share = Annotated[float, Meta(gt=0, le=1)]
Position = Annotated[int, Meta(ge=1, le=2**53)]
Key = Annotated[str, Meta(min_length=1, max_length=100)]
LanguageCode = Annotated[str, Meta(max_length=16)]


@dataclass(frozen=True, slots=True)
class UserRef:
    """The person who chats, as every service of the room names them: always together with the tenant."""

    id: UUID
    tenant_id: UUID
    external_id: str = ""
    """The tenant's own id; empty where a worker acts by ids alone."""


class Draft(Struct, frozen=True):
    """One message as it came, already checked for form (`memory.services.drafts`).

    A structure of msgspec, as are others that every message makes: a frozen dataclass takes ten times as long to make.
    """

    user_external_id: str
    conversation_external_id: str
    role: str
    content: str
    created_at: datetime
    blocks: list[dict[str, Any]] | None = None
    client_id: str | None = None
    reply_to_id: UUID | None = None
    replaces_id: UUID | None = None
    receipt_id: UUID | None = None
    speaker: str = ""
    response_description: str | None = None
    memory_type: str = "chat"
    mood: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


class RecordedMessage(Struct):
    """One message as RAW holds it. `language` is filled in by the ingest steps before the row is written."""

    id: UUID
    user_id: UUID
    tenant_id: UUID
    conversation_id: UUID
    seq: int
    role: str
    content: str
    created_at: datetime
    received_at: datetime
    client_id: str | None = None
    speaker: str = ""
    response_description: str | None = None
    memory_type: str = "chat"
    mood: str = ""
    language: str = ""
    blocks: list[dict[str, Any]] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    reply_to_id: UUID | None = None
    replaces_id: UUID | None = None
    receipt_id: UUID | None = None
    forgotten_at: datetime | None = None


class Fact(Struct, frozen=True):
    """One row of `user_knowledge`, opened. Times are aware; `value` is JSON (see docs/facts.md)."""

    id: UUID
    knowledge_type: Annotated[str, _one_of(KNOWLEDGE_TYPES)]
    knowledge_key: Key
    value: Any
    confidence: Share
    extracted_from: Annotated[str, _one_of(EXTRACTED_FROM)]
    provenance: Annotated[str, _one_of(PROVENANCES)]
    valid_at: Instant
    last_validated_at: Instant
    log_position: Position
    version: Position = 1
    epistemic_type: Annotated[str, _one_of(EPISTEMIC_TYPES)] = "fact"
    expires_at: Instant | None = None
    invalid_at: Instant | None = None
    is_active: bool = True
    is_disputed: bool = False
    evidence_message_ids: tuple[UUID, ...] = ()
    superseded_by: UUID | None = None
    language: LanguageCode = ""
    rule: Annotated[str, Meta(max_length=120)] | None = None
    rule_version: int | None = None

    @property
    def slot(self) -> tuple[str, str]:
        """The key under which at most one row is active."""
        return (self.knowledge_type, self.knowledge_key)


class Statement(Struct, frozen=True):
    """Something to be written as a fact: what, how sure, from where. Made by a step, decided by the ledger."""

    knowledge_type: str
    knowledge_key: str
    value: Any
    confidence: float
    extracted_from: str
    said_at: datetime
    provenance: str = "confirmed_by_user"
    epistemic_type: str = "fact"
    expires_at: datetime | None = None
    evidence_message_ids: tuple[UUID, ...] = ()
    language: str = ""
    rule: str | None = None
    rule_version: int | None = None


class FactChange(Struct, frozen=True):
    """What one decision did to one fact. `fact` is the row after it."""

    action: str
    fact: Fact
    superseded_id: UUID | None = None
    is_new_row: bool = False
    superseded: Fact | None = None
    """Of a change that is about to be written: the row whose place the new one takes, as it was before."""


@dataclass(frozen=True, slots=True)
class TenantRef:
    """Whose request it is, and the zone in which relative dates of its users are counted."""

    id: UUID
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """What an eraser works on: a whole user, or the messages listed under an erasure (`erasure_item`)."""

    user: UserRef
    erasure_id: UUID
    is_whole: bool
