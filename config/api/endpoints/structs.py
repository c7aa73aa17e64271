"""What goes over the wire (API.md): bodies, queries and answers as structs, so that the OpenAPI document can't lie."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from memory.types import MEMORY_TYPES

Role = Literal["user", "assistant", "system"]
MemoryType = Literal["chat", "fact", "event", "emotion", "preference"]
assert set(MemoryType.__args__) == set(MEMORY_TYPES)  # type: ignore[attr-defined]  # one list, said twice for the document

Limit = Annotated[int, Meta(ge=1, le=100)]


# --- messages ---------------------------------------------------------------------------------------------------------


class ContentBlock(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A piece of a message: text, or a reference whose `text_fallback` is what gets indexed (SPEC M-6)."""

    type: Literal["text", "image", "audio", "document"]
    text: str | None = None
    media_id: str | None = None
    text_fallback: str | None = None
    security_status: str | None = None


class MessageBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message to store."""

    user_id: ExternalId
    conversation_id: ExternalId
    role: Role
    content: str | list[ContentBlock]
    id: (
        Annotated[str, Meta(min_length=1, max_length=128, description="Your id of the message; makes it idempotent.")]
        | None
    ) = None
    created_at: Instant | None = None
    reply_to_id: UUID | None = None
    replaces_id: Annotated[UUID, Meta(description="The message of which this is an edit.")] | None = None
    receipt_id: Annotated[UUID, Meta(description="The pack from which this reply was made (assistant).")] | None = None
    speaker: Annotated[str, Meta(max_length=128, description="Display name.")] = ""
    response_description: str | None = None
    memory_type: MemoryType = "chat"
    mood: Annotated[str, Meta(max_length=40)] = ""
    metadata: dict[str, Any] = {}
    wait_for_index: Annotated[
        bool, Meta(description="Answer when the vector is there; `indexed` in the answer says whether it is.")
    ] = False


class MessageBatchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 500 messages, each as in `POST /v1/messages`."""

    messages: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=500)]


class FactChangeAnswer(msgspec.Struct, frozen=True):
    """What a message, or a call, did to one fact."""

    id: UUID
    knowledge_type: str
    knowledge_key: str
    value: Any
    action: str
    superseded_id: UUID | None
    confidence: float
    expires_at: datetime | None


class CorrectionAnswer(msgspec.Struct, frozen=True):
    """What a message said is wrong, and what became of it.

    `fact_id` is null where the message denies or challenges a claim of the assistant that is no stored fact: `action`
    is then `logged`, no fact changes, and the next pack asks for an apology.
    """

    id: UUID
    correction_type: str
    fact_id: UUID | None
    action: str


class AnswerFindingView(msgspec.Struct, frozen=True):
    """One thing a reply gave away of its pack (SPEC P-6): a code, and the message or fact it is about."""

    code: str
    message_id: UUID | None
    fact_id: UUID | None


class MessageAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored message and what it taught.

    `answer_guard` is there for an assistant message that names its receipt, and empty when it gave nothing away.
    """

    id: UUID
    client_id: str | None
    language: str
    facts: list[FactChangeAnswer]
    corrections: list[CorrectionAnswer]
    answer_guard: list[AnswerFindingView] | None = None
    indexed: (
        Annotated[
            bool,
            Meta(description="With wait_for_index: whether the vector is there. It follows where it is not."),
        ]
        | None
    ) = None


class MessageBatchAnswer(msgspec.Struct, frozen=True):
    """One answer an item, in order; an item that was refused holds `error` alone."""

    results: list[dict[str, Any]]


class MessagesQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of messages, oldest first."""

    conversation_id: ExternalId | None = None


class MessageView(msgspec.Struct, frozen=True):
    """A message as it is stored."""

    id: UUID
    client_id: str | None
    conversation_id: str
    role: str
    content: str
    blocks: list[dict[str, Any]] | None
    speaker: str
    response_description: str | None
    memory_type: str
    mood: str
    language: str
    metadata: dict[str, Any]
    created_at: datetime
    received_at: datetime
    reply_to_id: UUID | None
    replaces_id: UUID | None
    receipt_id: UUID | None


class MessagePage(msgspec.Struct, frozen=True):
    """A page of messages."""

    results: list[MessageView]
    next: str | None


# --- users ------------------------------------------------------------------------------------------------------------


class UserView(msgspec.Struct, frozen=True):
    """A user by your id and ours."""

    user_id: str
    id: UUID
    created_at: datetime


class UserPage(msgspec.Struct, frozen=True):
    """A page of users."""

    results: list[UserView]
    next: str | None


class ConversationView(msgspec.Struct, frozen=True):
    """A conversation of a user."""

    conversation_id: str
    id: UUID
    messages: int
    last_message_at: datetime | None
    created_at: datetime


class ConversationPage(msgspec.Struct, frozen=True):
    """A page of conversations."""

    results: list[ConversationView]
    next: str | None


# --- facts ------------------------------------------------------------------------------------------------------------


class FactsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which facts to list."""

    knowledge_type: str | None = None
    include: Literal["inactive"] | None = None
    as_of: Instant | None = None


class FactExcerptView(msgspec.Struct, frozen=True):
    """What the user said in one message behind a fact, word for word; of a long message its beginning and its end."""

    message_id: Annotated[UUID, Meta(description="Our id of the message.")]
    text: Annotated[str, Meta(description="What it says.")]


class FactView(msgspec.Struct, frozen=True):
    """A fact with its evidence and provenance."""

    id: UUID
    knowledge_type: str
    knowledge_key: str
    value: Any
    version: int
    confidence: float
    extracted_from: str
    provenance: str
    epistemic_type: Annotated[
        str,
        Meta(
            description=(
                "fact, opinion, preference, or outdated: closed, expired, or not said again for longer than its type"
                " holds."
            )
        ),
    ]
    valid_at: datetime
    invalid_at: datetime | None
    expires_at: datetime | None
    last_validated_at: datetime
    is_active: bool
    is_disputed: bool
    superseded_by: UUID | None
    evidence_message_ids: list[UUID]
    language: str
    rule: str | None
    rule_version: int | None
    excerpts: Annotated[
        list[FactExcerptView],
        Meta(description="The user's own words behind the fact, oldest first. Empty for onboarding and forms."),
    ] = []


class FactPage(msgspec.Struct, frozen=True):
    """A page of facts."""

    results: list[FactView]
    next: str | None


class FactBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact from onboarding or stated by the user in a form."""

    knowledge_type: Annotated[str, Meta(max_length=40)]
    value: Any
    source: Literal["onboarding", "explicit"]
    knowledge_key: str | None = None
    expires_at: Instant | None = None


class FactsBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts to write: all of them or none."""

    facts: Annotated[list[FactBody], Meta(min_length=1, max_length=100)]


class FactChangesAnswer(msgspec.Struct, frozen=True):
    """What the call did, a line a fact."""

    facts: list[FactChangeAnswer]


class FactActionBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why: a message, a reason in words (kept sealed), both or neither."""

    message_id: UUID | None = None
    reason: Annotated[str, Meta(max_length=500)] | None = None


class EvidenceView(msgspec.Struct, frozen=True):
    """A message behind a fact, with one neighbour on either side."""

    message_id: UUID
    role: str
    excerpt: str
    created_at: datetime
    span: list[dict[str, Any]]


class FactVersion(msgspec.Struct, frozen=True):
    """One version of a key."""

    fact: FactView
    evidence: list[EvidenceView]


class Timeline(msgspec.Struct, frozen=True):
    """Every version of a key, oldest first."""

    knowledge_type: str
    knowledge_key: str
    results: list[FactVersion]
    next: str | None = None


# --- forgetting -------------------------------------------------------------------------------------------------------

Reason = Annotated[str, Meta(max_length=500, description="In words; kept sealed under the user's key.")]


class ForgetMessageBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, if there is something to say."""

    reason: Reason | None = None


class ForgetBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First a dry run with `query` or `message_ids`, then its `plan_id`. `message_ids` without a dry run go at once."""

    query: Annotated[str, Meta(min_length=1, max_length=8000)] | None = None
    message_ids: Annotated[list[UUID], Meta(min_length=1, max_length=1000)] | None = None
    plan_id: UUID | None = None
    dry_run: bool = False
    reason: Reason | None = None


class ForgetAnswer(msgspec.Struct, frozen=True):
    """What was hidden, cleared, deactivated or brought back: ids and counts."""

    message_ids: list[UUID]
    batch_id: UUID | None = None
    plan_id: UUID | None = None
    facts_deactivated: list[UUID] = []
    facts_restored: list[UUID] = []
    facts_left_inactive: list[UUID] = []
    descriptions_cleared: list[UUID] = []
    derived: dict[str, int] = {}
    grace_until: datetime | None = None
