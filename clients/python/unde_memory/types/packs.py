"""What searches and packs answer, and the receipts that account for them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class SpanMessage(msgspec.Struct, frozen=True):
    """A message beside another one."""

    message_id: str
    role: str
    text: str


class Card(msgspec.Struct, frozen=True):
    """One hit. The snippet is a label and is never trusted; the raw excerpt is what was said (SPEC T-3)."""

    message_id: str
    client_id: str | None
    conversation_id: str
    role: str
    created_at: datetime
    score: float
    snippet: str
    raw_excerpt: str
    span_context: list[SpanMessage]
    trace: dict[str, float] = {}


class Directive(msgspec.Struct, frozen=True):
    """A rule for the model."""

    name: str
    language: str
    version: str
    text: str


class FactExcerpt(msgspec.Struct, frozen=True):
    """What the user said in one message behind a fact, word for word; of a long message its beginning and its end."""

    message_id: str
    text: str


class Known(msgspec.Struct, frozen=True):
    """Something about a user: of a type, under a key of it, a value."""

    id: str
    knowledge_type: str
    knowledge_key: str
    value: Any


class Weighed(Known, frozen=True):
    """How sure that is, where it is from, and the messages that say it."""

    confidence: float
    provenance: str
    epistemic_type: str
    evidence_message_ids: list[str]


class PackFact(Weighed, frozen=True):
    """A fact as a pack carries it: the value that was read, and the words it was read from (SPEC T-3)."""

    extracted_from: str
    valid_at: datetime
    expires_at: datetime | None
    is_disputed: bool
    excerpts: list[FactExcerpt]


class Unproven(Weighed, frozen=True):
    """Something that may be true and is no fact: a candidate, or a leaning that was observed."""

    said_at: datetime
    raw_excerpt: str


class RecentMessage(msgspec.Struct, frozen=True):
    """One of the last messages of the conversation."""

    message_id: str
    role: str
    speaker: str
    content: str
    created_at: datetime


class PendingMessage(msgspec.Struct, frozen=True):
    """A message that a model has not read for facts yet."""

    message_id: str
    content: str
    created_at: datetime


class Slot(msgspec.Struct, frozen=True):
    """The tokens of one part of a pack."""

    allotted: int
    used: int


class Window(msgspec.Struct, frozen=True):
    """The context window of the model that was named."""

    tokens: int
    pattern: str
    source: str


class Budget(msgspec.Struct, frozen=True):
    """Where the tokens went."""

    system: Slot
    facts: Slot
    personal: Slot
    pending_raw: Slot
    knowledge: Slot
    entities: Slot
    summaries: Slot
    window: Slot
    input: Slot
    generation: Slot
    tokenizer: str
    context_window: Window | None


class RenderedMessage(msgspec.Struct, frozen=True):
    """A message for the model."""

    role: str
    content: str


class RenderedPack(msgspec.Struct, frozen=True):
    """The pack as messages for a chat-completions call."""

    messages: list[RenderedMessage]

    def to_openai(self) -> list[dict[str, str]]:
        """Messages for a chat-completions call; the last one is the question."""
        return [{"role": message.role, "content": message.content} for message in self.messages]

    def to_anthropic(self) -> dict[str, Any]:
        """`system` and `messages` for a messages call: turns of one speaker that follow each other are one."""
        said = self.messages
        system = "\n\n".join(message.content for message in said if message.role == "system")
        turns: list[dict[str, str]] = []
        for message in said:
            if message.role == "system":
                continue
            if turns and turns[-1]["role"] == message.role:
                turns[-1]["content"] += f"\n\n{message.content}"
            elif turns or message.role == "user":  # that API wants a user first
                turns.append({"role": message.role, "content": message.content})
            else:
                system += f"\n\nThe assistant said before: {message.content}"
        return {"system": system, "messages": turns}


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A time that the question names."""

    from_: datetime = msgspec.field(name="from")
    to: datetime


class TracedCandidate(msgspec.Struct, frozen=True):
    """A message that was considered, with the parts of its score."""

    message_id: str
    score: float
    parts: dict[str, float]


class Trace(msgspec.Struct, frozen=True):
    """How the order of the hits came about: for people who ask why."""

    policy_version: str
    recipe: str
    language: str
    traits: list[str]
    periods: list[Period]
    stores: list[str]
    wordings: list[str]
    message_count: int
    timings_ms: dict[str, float]
    candidates: list[TracedCandidate]
    ranking_version: int | None = None


class Passage(msgspec.Struct, frozen=True):
    """A passage of a corpus in a pack."""

    corpus: str
    document_id: str | None
    record_id: str | None
    chunk_id: int | None
    title: str
    text: str
    citation: str


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """What is ready to send to a model."""

    rendered: RenderedPack

    def to_openai(self) -> list[dict[str, str]]:
        """Messages for a chat-completions call; the last one is the question."""
        return self.rendered.to_openai()

    def to_anthropic(self) -> dict[str, Any]:
        """`system` and `messages` for a messages call: turns of one speaker that follow each other are one."""
        return self.rendered.to_anthropic()


class Pack(Rendered, frozen=True):
    """A context pack: what one reply needs. `to_openai` and `to_anthropic` are ready to send."""

    directives: list[Directive]
    facts: list[PackFact]
    unverified: list[Unproven]
    adaptive_items: list[Unproven]
    episode_cards: list[Card]
    recent_messages: list[RecentMessage]
    pending_raw: list[PendingMessage]
    summary_blocks: list[dict[str, Any]]
    entity_slots: list[dict[str, Any]]
    knowledge: list[Passage]
    budget: Budget
    degraded_reasons: list[str]
    language: str
    receipt_id: str
    trace: Trace | None = None


class SearchResults(msgspec.Struct, frozen=True):
    """Hits, best first."""

    results: list[Card]
    degraded_reason: str | None
    receipt_id: str | None
    trace: Trace | None = None


class ReceiptCandidate(msgspec.Struct, frozen=True):
    """A message that was considered."""

    message_id: str
    candidate_score: float
    decision_reason: str
    context_position: int | None
    sanitiser_outcome: str | None


class ReceiptFact(msgspec.Struct, frozen=True):
    """A fact that was in the pack."""

    fact_id: str
    decision_reason: str | None
    context_position: int
    sanitiser_outcome: str | None


class ReceiptLine(msgspec.Struct, frozen=True):
    """A message of which the summaries showed one sentence, or had no room for it."""

    message_id: str
    episode_id: str | None
    decision_reason: str | None
    context_position: int | None
    sanitiser_outcome: str | None


class ReceiptChunk(msgspec.Struct, frozen=True):
    """A passage of knowledge that was considered."""

    chunk_id: int
    decision_reason: str | None
    context_position: int | None


class ReceiptEntity(msgspec.Struct, frozen=True):
    """A name, a date or an amount of the entity slots, by the first message that said it."""

    kind: str
    message_id: str
    decision_reason: str
    context_position: int | None


class Sanitised(msgspec.Struct, frozen=True):
    """A part of a pack that the sanitiser changed."""

    id: str
    outcome: str


class LeftOutFact(msgspec.Struct, frozen=True):
    """A fact that was stored then and was not in the pack."""

    fact_id: str
    decision_reason: str


class AnswerFinding(msgspec.Struct, frozen=True):
    """One thing in a reply that its pack forbids (SPEC P-6): a code, and the message or fact it is about."""

    code: str
    message_id: str | None
    fact_id: str | None


class Signal(msgspec.Struct, frozen=True):
    """What was done with a part of a pack: told in feedback, or computed from the reply."""

    signal: str
    is_computed: bool
    message_id: str | None
    fact_id: str | None
    assistant_message_id: str | None


class ReceiptSummary(msgspec.Struct, frozen=True):
    """The public fields of a receipt: ids, scores and codes; no text."""

    id: str
    kind: str
    created_at: datetime
    as_of: datetime | None
    policy_version: str
    language: str
    intent: str
    max_tokens: int | None
    mood: str
    model: str
    tokenizer: str
    ranking_version: int
    context_window: int | None
    candidates: list[ReceiptCandidate]
    facts: list[ReceiptFact]
    sanitised: list[Sanitised]
    excerpt_message_ids: list[str]
    span_message_ids: list[str]
    fact_ids: list[str]
    recent_message_ids: list[str]
    unproven_ids: list[str]
    pending_message_ids: list[str]
    guardrail_hits: list[str]
    degraded_reasons: list[str]
    stores: list[str]
    budget_allocation: dict[str, Slot]
    timings_ms: dict[str, float]
    has_layers: bool
    line_message_ids: list[str]
    episode_ids: list[str]
    chunk_ids: list[int]
    summary_lines: list[ReceiptLine]
    knowledge: list[ReceiptChunk]
    entities: list[ReceiptEntity]


class Receipt(ReceiptSummary, frozen=True):
    """A receipt with what became of its pack."""

    left_out_facts: list[LeftOutFact]
    answer_findings: list[AnswerFinding]
    signals: list[Signal]
