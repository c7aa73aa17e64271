"""What is kept of users: messages, facts, items, forgets, erasures, keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from unde_memory.types.packs import AnswerFinding, FactExcerpt, Known, SpanMessage, Weighed

Role = Literal["user", "assistant", "system"]
MemoryType = Literal["chat", "fact", "event", "emotion", "preference"]


class ErasureEvent(msgspec.Struct, frozen=True):
    """A step in the history of an erasure."""

    status: str
    code: str
    at: datetime


class Erasure(msgspec.Struct, frozen=True):
    """An erasure: codes, times and counts, nothing of what was erased."""

    erasure_id: str
    scope: str
    reason: str
    status: str
    requested_at: datetime
    deadline: datetime
    completed_at: datetime | None
    alert: str
    attempts: int
    history: list[ErasureEvent]
    counts: dict[str, dict[str, int]]
    certificate: dict[str, Any] | None
    certificates: list[dict[str, Any]]


class Adjustment(msgspec.Struct, frozen=True):
    """A step by which feedback on packs moved the confidence of a fact."""

    at: datetime
    rule: str
    uses: int
    positive: int
    corrected: int
    before: float
    after: float


class Fact(Weighed, frozen=True):
    """A fact with its evidence and provenance."""

    version: int
    extracted_from: str
    valid_at: datetime
    invalid_at: datetime | None
    expires_at: datetime | None
    last_validated_at: datetime
    is_active: bool
    is_disputed: bool
    superseded_by: str | None
    language: str
    rule: str | None
    rule_version: int | None
    excerpts: list[FactExcerpt] = []
    adjustments: list[Adjustment] = []


class Evidence(msgspec.Struct, frozen=True):
    """A message behind a fact, with one neighbour on either side."""

    message_id: str
    role: str
    excerpt: str
    created_at: datetime
    span: list[SpanMessage]


class FactVersion(msgspec.Struct, frozen=True):
    """One version of a key."""

    fact: Fact
    evidence: list[Evidence]


class Timeline(msgspec.Struct, frozen=True):
    """Every version of a key, oldest first."""

    knowledge_type: str
    knowledge_key: str
    results: list[FactVersion]
    next: None = None


class Forgotten(msgspec.Struct, frozen=True):
    """What was hidden, cleared, deactivated or restored: ids and counts, no text."""

    message_ids: list[str]
    batch_id: str | None = None
    plan_id: str | None = None
    facts_deactivated: list[str] = []
    facts_restored: list[str] = []
    facts_left_inactive: list[str] = []
    descriptions_cleared: list[str] = []
    derived: dict[str, int] = {}
    grace_until: datetime | None = None


class FactChange(Known, frozen=True):
    """What a message, or a call, did to one fact."""

    action: str
    superseded_id: str | None
    confidence: float
    expires_at: datetime | None


class Correction(msgspec.Struct, frozen=True):
    """What a message said is wrong, and what was done about it."""

    id: str
    correction_type: str
    fact_id: str | None
    action: str
    item_id: str | None = None


class TellingSource(msgspec.Struct, frozen=True):
    """One client, and how much of what it told is stored."""

    via: str
    client: str
    name: str
    messages: int
    first_at: datetime
    last_at: datetime


class TellingSources(msgspec.Struct, frozen=True):
    """Everybody who told something of a user."""

    results: list[TellingSource]
    next: None = None


class SourceForgotten(msgspec.Struct, frozen=True):
    """What of one client went, or would go."""

    message_ids: list[str]
    batch_ids: list[str] = []
    facts_deactivated: list[str] = []
    grace_until: datetime | None = None


class Purpose(msgspec.Struct, frozen=True):
    """What an app keeps of its users, and what for."""

    key: str
    names: dict[str, str]
    texts: dict[str, str]
    covers: list[str]
    is_granted_by_default: bool
    is_changeable: bool
    kept_days: int | None


class Purposes(msgspec.Struct, frozen=True):
    """The purposes of the app."""

    results: list[Purpose]


class Consent(msgspec.Struct, frozen=True):
    """What a user says to a purpose."""

    purpose: str
    is_granted: bool
    said_at: datetime | None
    said_by: str | None


class Consents(msgspec.Struct, frozen=True):
    """What a user says to all purposes, and what is not kept of them."""

    results: list[Consent]
    withheld: list[str]


class ConsentsChanged(Consents, frozen=True):
    """What holds now, and what went because of it."""

    facts_closed: int
    candidates_closed: int
    items_deleted: int
    erasure_id: str | None


class MessageVersion(msgspec.Struct, frozen=True):
    """One version of a message."""

    version_id: str
    event: str
    content: str
    metadata: dict[str, Any]
    created_at: datetime
    received_at: datetime


class MessageHistory(msgspec.Struct, frozen=True):
    """Every version of a message, oldest first."""

    id: str
    results: list[MessageVersion]
    next: None = None


class StoredMessage(msgspec.Struct, frozen=True):
    """The stored message and what it taught."""

    id: str
    client_id: str | None
    language: str
    facts: list[FactChange]
    corrections: list[Correction]
    withheld: list[str] = []
    answer_guard: list[AnswerFinding] | None = None
    indexed: bool | None = None


class EditedMessage(StoredMessage, frozen=True, kw_only=True):
    """The edited message under its own id, and what the new version taught."""

    version_id: str


class BatchResults(msgspec.Struct, frozen=True):
    """One answer for each message, in the order of the request."""

    results: list[dict[str, Any]]


class StoreResults(msgspec.Struct, frozen=True):
    """The answers of the steps."""

    results: list[Any]


class Item(msgspec.Struct, frozen=True):
    """A document as it is kept."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    version: int
    expires_at: datetime | None


class FoundItem(Item, frozen=True):
    """A document that was found, with its score under a query."""

    score: float | None


class Items(msgspec.Struct, frozen=True):
    """Documents that were found."""

    items: list[FoundItem]


class Namespaces(msgspec.Struct, frozen=True):
    """Namespaces with documents in them."""

    namespaces: list[list[str]]


class User(msgspec.Struct, frozen=True):
    """A user by your id and ours."""

    user_id: str
    id: str
    created_at: datetime


class Conversation(msgspec.Struct, frozen=True):
    """A conversation of a user."""

    conversation_id: str
    id: str
    messages: int
    last_message_at: datetime | None
    created_at: datetime


class ErasureAccepted(msgspec.Struct, frozen=True):
    """From now on nothing of it is visible or can be written again."""

    erasure_id: str
    status: str
    deadline: datetime


class FactChanges(msgspec.Struct, frozen=True):
    """What the call did to each fact."""

    facts: list[FactChange]


class RefusedLine(msgspec.Struct, frozen=True):
    """Why a line was not taken."""

    line: int
    code: str
    fields: dict[str, str]


class Imported(msgspec.Struct, frozen=True):
    """What an import stored."""

    messages: int
    repeated: int
    actions: int
    accounts: int
    facts: int
    differing_facts: int
    ignored: int
    failed: int
    errors: list[RefusedLine]


class Progress(msgspec.Struct, frozen=True):
    """How far some work is; `total` is None until it is counted."""

    done: int
    total: int | None


class OperationError(msgspec.Struct, frozen=True):
    """Why some work failed."""

    code: str
    message: str
    fields: dict[str, str] = {}


class Operation(msgspec.Struct, frozen=True):
    """Some work and how far it is; of an import also what it stored, or why it failed."""

    id: str
    kind: str
    status: str
    created_at: datetime
    finished_at: datetime | None
    deadline: datetime | None = None
    path: str | None = None
    progress: Progress | None = None
    result: Imported | None = None
    error: OperationError | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.status not in ("pending", "running")


class UserKey(msgspec.Struct, frozen=True):
    """A key for one user, without its secret."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class NewUserKey(UserKey, frozen=True):
    """A key just made, and its secret."""

    key: str


class Message(msgspec.Struct, frozen=True):
    """A message as it is stored."""

    id: str
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
    reply_to_id: str | None
    replaces_id: str | None
    receipt_id: str | None


class OneMessage(Message, frozen=True, kw_only=True):
    """A message in its newest version; `id` stays the same through all edits."""

    version_id: str
    versions: int
