"""What goes over the wire of searches, packs and their receipts (API.md), as `structs` has it for the rest."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from config.api.endpoints.structs import AnswerFindingView, FactExcerptView, Limit, MemoryType, Role
from retrieval.pack.budget import INTENT_DEPTHS


class SearchFiltersBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a hit must be."""

    roles: list[Role] | None = None
    memory_types: list[MemoryType] | None = None
    created_from: Instant | None = None
    created_to: Instant | None = None
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
    query: Annotated[str, Meta(min_length=1, max_length=8000)]
    top_k: Limit = 8
    conversation_id: ExternalId | None = None
    filters: SearchFiltersBody = SearchFiltersBody()
    as_of: Instant | None = None
    trace: bool = False


class ContextBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What should the model know for this reply?"""

    user_id: ExternalId
    conversation_id: ExternalId
    query: Annotated[str, Meta(min_length=1, max_length=8000)]
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens of the pack at most.")] | None = None
    intent: Annotated[
        str,
        Meta(
            max_length=40,
            description="What kind of reply is wanted: it decides how many tokens cards may take. Empty: not said.",
            extra_json_schema={"enum": ["", *INTENT_DEPTHS]},
        ),
    ] = ""
    mood: Annotated[str, Meta(max_length=40)] = ""
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
    as_of: Instant | None = None
    trace: bool = False
    allow_without_facts: Annotated[
        bool,
        Meta(
            description=(
                "Where the facts cannot be read, answer a pack without them instead of 503 `facts_unavailable`."
                " Its first directive tells the model that sizes, allergies and bans are unknown."
            )
        ),
    ] = False


class SpanView(msgspec.Struct, frozen=True):
    """A message beside a hit."""

    message_id: UUID
    role: str
    text: str


class EpisodeCardView(msgspec.Struct, frozen=True):
    """One hit: the snippet is an index and never trusted, the raw excerpt is what was said (SPEC T-3)."""

    message_id: UUID
    client_id: str | None
    conversation_id: str
    role: str
    created_at: datetime
    score: float
    snippet: str
    raw_excerpt: str
    span_context: list[SpanView]
    trace: dict[str, float] = {}


class SearchAnswer(msgspec.Struct, frozen=True):
    """Hits, best first."""

    results: list[EpisodeCardView]
    degraded_reason: str | None
    receipt_id: UUID | None


class RenderedPack(msgspec.Struct, frozen=True):
    """The pack as messages for a chat-completions call."""

    messages: list[dict[str, str]]


class PackFactView(msgspec.Struct, frozen=True):
    """A fact as a pack carries it: the value that was read, and the words it was read from (SPEC T-3)."""

    id: UUID
    knowledge_type: str
    knowledge_key: str
    value: Any
    confidence: Annotated[
        float, Meta(description="0.8 or more: say it; 0.5 to 0.8: tentatively; below: do not bring it up.")
    ]
    provenance: Annotated[str, Meta(description="observation, analysis or confirmed_by_user.")]
    epistemic_type: Annotated[
        str, Meta(description="fact, opinion, preference, or outdated: not said again for longer than its type holds.")
    ]
    extracted_from: Annotated[
        str, Meta(description="onboarding, instant_pattern, batch, explicit, correction, review.")
    ]
    valid_at: datetime
    expires_at: datetime | None
    is_disputed: bool
    evidence_message_ids: list[UUID]
    excerpts: Annotated[
        list[FactExcerptView],
        Meta(
            description=(
                "What the user said, word for word: of the latest two messages behind the fact, or of the latest one,"
                " shortened, where many facts share the room. Empty for onboarding and forms. `rendered` holds the same"
                " words, sanitised."
            )
        ),
    ]


class ContextAnswer(msgspec.Struct, frozen=True):
    """The context pack (SPEC P-1)."""

    directives: Annotated[
        list[dict[str, Any]],
        Meta(description="Rules for the model. Without facts the first is `facts_unknown`."),
    ]
    facts: list[PackFactView]
    unverified: list[dict[str, Any]]
    adaptive_items: list[dict[str, Any]]
    episode_cards: list[EpisodeCardView]
    recent_messages: list[dict[str, Any]]
    pending_raw: list[dict[str, Any]]
    summary_blocks: list[dict[str, Any]]
    entity_slots: list[dict[str, Any]]
    knowledge: list[dict[str, Any]]
    budget: Annotated[
        dict[str, Any],
        Meta(
            description=(
                "Each slot with the tokens it was given and took; `tokenizer` counted them; `context_window` is"
                " `{tokens, pattern, source}` of the model's window that bounded them, or null for a model that is not"
                " known or not named."
            )
        ),
    ]
    degraded_reasons: Annotated[
        list[str],
        Meta(description="Codes of what is missing; `facts_unavailable` in a pack that goes without facts."),
    ]
    language: str
    receipt_id: UUID
    rendered: RenderedPack


Outcome = Annotated[
    str | None,
    Meta(
        description=(
            "What the sanitiser took out of its text: unchanged, or invisible, markup, command, oversized, joined by +."
            " Null where it was not rendered."
        )
    ),
]


class ReceiptCandidateView(msgspec.Struct, frozen=True):
    """A message that was considered."""

    message_id: UUID
    candidate_score: float
    decision_reason: Annotated[str, Meta(description="chosen, over_density_cap or over_budget.")]
    context_position: Annotated[
        int | None,
        Meta(
            description=(
                "Its place, from 1, in the order in which the model reads what is remembered; of a search among the"
                " results. Null for what was left out."
            )
        ),
    ]
    sanitiser_outcome: Outcome


class ReceiptFactView(msgspec.Struct, frozen=True):
    """A fact that was in the pack."""

    fact_id: UUID
    decision_reason: Annotated[
        str | None,
        Meta(
            description=(
                "Why it was in: may_harm (an allergy, a ban), holds, disputed (to be asked about), outdated (not to be"
                " brought up). Null in receipts from before reasons were kept."
            )
        ),
    ]
    context_position: Annotated[int, Meta(description="Its place, from 1; facts stand before all else.")]
    sanitiser_outcome: Outcome


class LeftOutFactView(msgspec.Struct, frozen=True):
    """A fact that was stored then and was not in the pack."""

    fact_id: UUID
    decision_reason: Annotated[str, Meta(description="superseded, expired, closed or facts_unavailable.")]


class SanitisedView(msgspec.Struct, frozen=True):
    """A part of a pack that the sanitiser changed."""

    id: Annotated[UUID, Meta(description="Of a message, a fact, a candidate or an adaptive item.")]
    outcome: Annotated[str, Meta(description="invisible, markup, command, oversized, joined by +.")]


class ReceiptAnswer(msgspec.Struct, frozen=True):
    """The public fields of a receipt: ids, scores and reasons; no text."""

    id: UUID
    kind: Annotated[str, Meta(description="search or context.")]
    created_at: datetime
    degraded_reasons: list[str]
    policy_version: Annotated[
        str,
        Meta(
            description=(
                "Names recipe, word keys, rules and embedder, and ends with a digest of every setting that decides:"
                " budget, thresholds, tokenizers, deadlines, tables that ship."
            )
        ),
    ]
    context_window: Annotated[int | None, Meta(description="Tokens of the model's window that bounded the budget.")]
    candidates: Annotated[list[ReceiptCandidateView], Meta(description="Considered messages, best first.")]
    facts: Annotated[list[ReceiptFactView], Meta(description="Facts of the pack, in its order.")]
    sanitised: Annotated[list[SanitisedView], Meta(description="Every part of the pack that the sanitiser changed.")]
    excerpt_message_ids: Annotated[list[UUID], Meta(description="Messages whose words came along with the facts.")]


class SignalView(msgspec.Struct, frozen=True):
    """What became of a part of a pack: said in feedback, or computed from the reply."""

    signal: str
    is_computed: bool
    message_id: UUID | None
    fact_id: UUID | None
    assistant_message_id: UUID | None


class ReceiptWithReply(ReceiptAnswer, frozen=True):
    """A receipt with what its replies gave away and what became of its parts."""

    left_out_facts: Annotated[
        list[LeftOutFactView], Meta(description="Facts that were stored then and not in the pack, with the reason.")
    ]
    answer_findings: list[AnswerFindingView]
    signals: list[SignalView]


class ReceiptsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Receipts of one user; where a message or a fact is named, those alone that handed it out."""

    message_id: UUID | None = None
    fact_id: UUID | None = None


class ReceiptPage(msgspec.Struct, frozen=True):
    """A page of receipts."""

    results: list[ReceiptAnswer]
    next: str | None
