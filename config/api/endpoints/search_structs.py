"""Request and response structs of searches and packs."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, RequestBody
from config.api.describing import FactId, MessageId, Moment, about, one_of
from config.api.endpoints.fact_structs import VALUE, FactExcerptView, SpanMessageView
from config.api.endpoints.structs import Limit, MemoryType, Role
from memory.types import EPISTEMIC_TYPES, EXTRACTED_FROM, KNOWLEDGE_TYPES, PROVENANCES
from retrieval.pack.budget import INTENT_DEPTHS

Question = Annotated[str, Meta(min_length=1, max_length=8000, description="What the user asks, as it was written.")]
Trace = Annotated[bool, about("Answer `trace` too: how the order came about.")]
AS_OF = about("Answer as it would have been at this moment: nothing that was said later takes part.")


class SearchFiltersBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Conditions that a hit must meet."""

    roles: Annotated[list[Role] | None, about("Only messages of these roles.")] = None
    memory_types: Annotated[list[MemoryType] | None, about("Only messages of these kinds.")] = None
    created_from: Annotated[Instant | None, about("Only what was said at this time or later.")] = None
    created_to: Annotated[Instant | None, about("Only what was said before this time.")] = None
    metadata: (
        Annotated[
            dict[str, Any],
            Meta(
                description=(
                    'Conditions on the metadata of messages: `{"key": value}`, or `{"key": {"eq" | "ne" | "in" |'
                    ' "contains" | "exists" | "gt" | "gte" | "lt" | "lte": ...}}`, joined by `AND`, `OR` (lists) and'
                    " `NOT`; at most 5 levels and 50 conditions. A key that is missing fits `ne`, `exists: false` and"
                    " what stands under `NOT`."
                )
            ),
        ]
        | None
    ) = None


class SearchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to one user's messages."""

    user_id: ExternalId
    query: Question
    top_k: Limit = 8
    conversation_id: Annotated[ExternalId | None, about("Only messages of this conversation.")] = None
    filters: Annotated[SearchFiltersBody, about("Conditions that a hit must meet.")] = SearchFiltersBody()
    as_of: Annotated[Instant | None, AS_OF] = None
    trace: Trace = False


class ContextBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The request for a context pack."""

    user_id: ExternalId
    conversation_id: ExternalId
    query: Question
    max_tokens: (
        Annotated[int, Meta(ge=1, le=1_000_000, description="How many tokens the pack may take at most.")] | None
    ) = None
    intent: Annotated[
        str,
        Meta(
            max_length=40,
            description="What kind of reply is wanted: it decides how many tokens cards may take. Empty: not said.",
            extra_json_schema={"enum": ["", *INTENT_DEPTHS]},
        ),
    ] = ""
    mood: Annotated[
        str, Meta(max_length=40, description="The mood of the user: memories of that mood rank higher.")
    ] = ""
    model: Annotated[
        str,
        Meta(
            max_length=100,
            description=(
                "Name of the model that will reply. It chooses the tokenizer and bounds the budget by the model's"
                " context window; `budget.context_window` says which was used."
            ),
        ),
    ] = ""
    as_of: Annotated[Instant | None, AS_OF] = None
    trace: Trace = False
    corpora: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=128)]],
        Meta(max_length=5, description="Your ids of corpora whose passages the pack may hold; needs `knowledge:read`."),
    ] = []
    layers: Annotated[
        bool | None,
        about(
            "Whether episodes take part: `summary_blocks` and `entity_slots`, and less room for cards where tokens are"
            " few. Left out: as the tenant has set it. What a search finds is the same either way."
        ),
    ] = None
    allow_without_facts: Annotated[
        bool,
        about(
            "Where the facts cannot be read, answer a pack without them instead of 503 `facts_unavailable`."
            " Its first directive tells the model that sizes, allergies and bans are unknown."
        ),
    ] = False


class PassageView(msgspec.Struct, frozen=True):
    """A passage of a corpus. It is the product's knowledge, and no word of the user's."""

    corpus: Annotated[str, about("Your id of the corpus.")]
    document_id: Annotated[str | None, about("Your id of its document.")]
    record_id: Annotated[str | None, about("Your id of its record.")]
    chunk_id: Annotated[int | None, about("Our number of the chunk. Null for an item without a text.")]
    title: Annotated[str, about("The title of its document, or the name of its record.")]
    text: Annotated[str, about("The passage.")]
    citation: Annotated[str, about("What a reply names it by, unique in the pack.")]


class EpisodeCardView(msgspec.Struct, frozen=True, omit_defaults=True):
    """One hit. The snippet is a label and is never trusted; the raw excerpt is what was said (SPEC T-3)."""

    message_id: MessageId
    client_id: Annotated[str | None, about("Your own id of the message.")]
    conversation_id: Annotated[str, about("Your id of its conversation.")]
    role: Annotated[str, one_of(Role.__args__, "Who spoke.")]
    created_at: Annotated[Moment, about("When it was said.")]
    score: Annotated[float, about("How well it answers, for comparing hits of one search. It has no upper bound.")]
    snippet: Annotated[str, about("A short label made by a model, for people who look through hits. Often empty.")]
    raw_excerpt: Annotated[str, about("What was said, word for word; of a long message its beginning and its end.")]
    span_context: Annotated[list[SpanMessageView], about("The messages beside it that are needed to understand it.")]
    trace: Annotated[dict[str, float], about("Only with `trace`: the parts of the score by name.")] = {}


class PeriodView(msgspec.Struct, frozen=True):
    """A time that the question names."""

    from_: Annotated[Moment, about("Its beginning.")] = msgspec.field(name="from")
    to: Annotated[Moment, about("Its end, which is not part of it.")]


class TracedCandidate(msgspec.Struct, frozen=True):
    """A message that was considered, with the parts of its score."""

    message_id: MessageId
    score: Annotated[float, about("Its score.")]
    parts: Annotated[dict[str, float], about("The parts of the score by name.")]


class TraceView(msgspec.Struct, frozen=True, omit_defaults=True):
    """An explanation of the order of the hits."""

    policy_version: Annotated[str, about("Names recipe, word keys, rules and embedder, and a digest of the settings.")]
    recipe: Annotated[str, about("The recipe that joins the features of a message to its score.")]
    language: Annotated[str, about("The language of the question.")]
    traits: Annotated[list[str], about("What was recognised about the question.")]
    periods: Annotated[list[PeriodView], about("The times that the question names.")]
    stores: Annotated[list[str], about("Which indexes took part: `full_text`, `vectors`.")]
    wordings: Annotated[list[str], about("Other wordings of the question that were searched for too.")]
    message_count: Annotated[int, about("How many messages were considered.")]
    timings_ms: Annotated[dict[str, float], about("Milliseconds by stage.")]
    candidates: Annotated[list[TracedCandidate], about("The best candidates, best first.")]
    ranking_version: Annotated[
        int | None, about("Only of packs: the nightly version of usefulness that was used; 0 for none.")
    ] = None


class SearchAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Hits, best first."""

    results: Annotated[list[EpisodeCardView], about("The hits, best first.")]
    degraded_reason: Annotated[str | None, about("What did not take part in the search, as codes. Null: all did.")]
    receipt_id: Annotated[UUID | None, about("The receipt of this search. Null for a user who is unknown.")]
    trace: Annotated[TraceView | None, about("Only with `trace`: how the order came about.")] = None


class DirectiveView(msgspec.Struct, frozen=True):
    """A rule for the model."""

    name: Annotated[str, about("Its name.")]
    language: Annotated[str, about("The language it is written in.")]
    version: Annotated[str, about("The version of its template.")]
    text: Annotated[str, about("The rule.")]


class PackFactView(msgspec.Struct, frozen=True):
    """A fact as a pack carries it: the value that was read, and the words it was read from (SPEC T-3)."""

    id: FactId
    knowledge_type: Annotated[str, one_of(KNOWLEDGE_TYPES, "What kind of fact it is.")]
    knowledge_key: Annotated[str, about("Which fact of its type.")]
    value: Annotated[Any, VALUE]
    confidence: Annotated[float, about("0.8 or more: say it; 0.5 to 0.8: tentatively; below: do not mention it.")]
    provenance: Annotated[str, one_of(PROVENANCES, "What it rests on.")]
    epistemic_type: Annotated[
        str, one_of(EPISTEMIC_TYPES, "How to take it. `outdated`: not said again for longer than its type holds.")
    ]
    extracted_from: Annotated[str, one_of(EXTRACTED_FROM, "How it came to be known.")]
    valid_at: Annotated[Moment, about("When it was said.")]
    expires_at: Annotated[Moment | None, about("When it ends by itself.")]
    is_disputed: Annotated[bool, about("Whether the user doubted it: then ask, and do not assert it.")]
    evidence_message_ids: Annotated[list[UUID], about("The messages in which the user said it.")]
    excerpts: Annotated[
        list[FactExcerptView],
        about(
            "What the user said, word for word: of the latest two messages behind the fact, or of the latest one,"
            " shortened, where many facts share the room. Empty for onboarding and forms. `rendered` has the same"
            " words, sanitised."
        ),
    ]


class UnprovenView(msgspec.Struct, frozen=True):
    """Something that may be true and is no fact: a candidate, or a leaning that was observed."""

    id: Annotated[UUID, about("Our id of the candidate or item.")]
    knowledge_type: Annotated[str, about("What kind of thing it is.")]
    knowledge_key: Annotated[str, about("Which of its type.")]
    value: Annotated[Any, VALUE]
    confidence: Annotated[float, about("How sure it is, from 0 to 1.")]
    provenance: Annotated[str, about("Always `observation`.")]
    epistemic_type: Annotated[str, one_of(EPISTEMIC_TYPES, "How to take it.")]
    said_at: Annotated[Moment, about("When it was said.")]
    raw_excerpt: Annotated[str, about("The user's own words.")]
    evidence_message_ids: Annotated[list[UUID], about("The messages it was read from.")]


class RecentMessageView(msgspec.Struct, frozen=True):
    """One of the last messages of the conversation."""

    message_id: MessageId
    role: Annotated[str, one_of(Role.__args__, "Who spoke.")]
    speaker: Annotated[str, about("Display name of the speaker.")]
    content: Annotated[str, about("What it says.")]
    created_at: Annotated[Moment, about("When it was said.")]


class PendingMessageView(msgspec.Struct, frozen=True):
    """A message that a model has not read for facts yet."""

    message_id: MessageId
    content: Annotated[str, about("What it says.")]
    created_at: Annotated[Moment, about("When it was said.")]


class SlotView(msgspec.Struct, frozen=True):
    """The tokens of one part of a pack."""

    allotted: Annotated[int, about("How many it was given.")]
    used: Annotated[int, about("How many it took.")]


class WindowView(msgspec.Struct, frozen=True):
    """The context window of the model that was named."""

    tokens: Annotated[int, about("How many tokens the model reads and writes.")]
    pattern: Annotated[str, about("The entry of the table that fits its name.")]
    source: Annotated[str, about("Whose table: `tenant` or `installation`.")]


class BudgetView(msgspec.Struct, frozen=True):
    """Where the tokens went."""

    system: Annotated[SlotView, about("Rules for the model.")]
    facts: Annotated[SlotView, about("Facts. This slot is never cut.")]
    personal: Annotated[SlotView, about("Episode cards.")]
    pending_raw: Annotated[SlotView, about("Messages that a model has not read yet.")]
    knowledge: Annotated[SlotView, about("Passages of a corpus.")]
    entities: Annotated[SlotView, about("Named things.")]
    summaries: Annotated[SlotView, about("Summaries of episodes.")]
    window: Annotated[SlotView, about("The last messages of the conversation.")]
    input: Annotated[SlotView, about("The question.")]
    generation: Annotated[SlotView, about("Room that is left for the reply.")]
    tokenizer: Annotated[str, about("What counted the tokens.")]
    context_window: Annotated[
        WindowView | None,
        about("The model's window that bounded the budget. Null for a model that is not known or not named."),
    ]


class RenderedMessage(msgspec.Struct, frozen=True):
    """A message for the model."""

    role: Annotated[str, one_of(("system", "user", "assistant"), "Its role in the call.")]
    content: Annotated[str, about("Its text.")]


class RenderedPack(msgspec.Struct, frozen=True):
    """The pack as messages for a chat-completions call."""

    messages: Annotated[list[RenderedMessage], about("The messages in order; the last one is the question.")]


class SummaryBlockView(msgspec.Struct, frozen=True):
    """An episode in a few sentences: one of each message that bears on the question, or that orients."""

    episode_id: Annotated[UUID | None, about("Our id of the episode. Null: the session goes on and is not cut yet.")]
    layer: Annotated[str, one_of(("hot", "warm", "cold"), "How present it is.")]
    headline: Annotated[str, about("What it is about. Empty for one that stands far down among the hits.")]
    text: Annotated[str, about("The sentences, a line each, word for word.")]
    message_ids: Annotated[list[UUID], about("Of each line, our id of its message.")]
    is_unpacked: Annotated[
        bool, about("Whether its stored summary was not enough, so that its messages were read. Noted as an access.")
    ]


class EntitySlotView(msgspec.Struct, frozen=True):
    """A name, a date or an amount that the running conversation speaks of."""

    kind: Annotated[str, one_of(("name", "date", "amount"), "What it is, by how it is written.")]
    text: Annotated[str, about("As it was written.")]
    message_ids: Annotated[list[UUID], about("Our ids of the messages that say it.")]


class ContextAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The context pack (SPEC P-1)."""

    directives: Annotated[
        list[DirectiveView],
        about(
            "Rules for the model. Without facts the first is `facts_unknown`. A pack of under 2,000 tokens has the"
            " standing ones in brief, as the rule `brief`."
        ),
    ]
    facts: Annotated[list[PackFactView], about("What is known, most important first.")]
    unverified: Annotated[list[UnprovenView], about("Possible allergies and the like that nobody has checked yet.")]
    adaptive_items: Annotated[list[UnprovenView], about("Leanings that were observed, where the tenant wants them.")]
    episode_cards: Annotated[list[EpisodeCardView], about("Earlier messages that answer the question, best first.")]
    recent_messages: Annotated[list[RecentMessageView], about("The last messages of the conversation, oldest first.")]
    pending_raw: Annotated[list[PendingMessageView], about("Messages that a model has not read for facts yet.")]
    summary_blocks: Annotated[list[SummaryBlockView], about("Episodes in a few sentences each, oldest first.")]
    entity_slots: Annotated[
        list[EntitySlotView],
        about("Names, dates and amounts of the running conversation."),
    ]
    knowledge: Annotated[list[PassageView], about("Passages of the corpora that were named, as far as they fit.")]
    budget: Annotated[BudgetView, about("Where the tokens went.")]
    degraded_reasons: Annotated[
        list[str], about("Codes of what is missing; `facts_unavailable` in a pack that goes without facts.")
    ]
    language: Annotated[str, about("The language of the rules.")]
    receipt_id: Annotated[UUID, about("The receipt of this pack. Send it with the reply that is made from it.")]
    rendered: Annotated[RenderedPack, about("The pack, ready to send to a model.")]
    trace: Annotated[TraceView | None, about("Only with `trace`: how the order of the cards came about.")] = None
