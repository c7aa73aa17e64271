"""Request and response structs of receipts and feedback."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

import msgspec
from drf_spectacular.utils import PolymorphicProxySerializer

from config.api.decoding import PageQuery
from config.api.describing import FactId, MessageId, Moment, NextCursor, about, one_of
from config.api.endpoints.search_structs import SlotView
from config.api.endpoints.structs import AnswerFindingView
from retrieval.replies.feedback import SIGNALS

Outcome = Annotated[
    str | None,
    about(
        "What the sanitiser took out of its text: unchanged, or invisible, markup, command, oversized, joined by +."
        " Null where it was not rendered."
    ),
]


class ReceiptCandidateView(msgspec.Struct, frozen=True):
    """A message that was considered."""

    message_id: MessageId
    candidate_score: Annotated[float, about("Its score.")]
    decision_reason: Annotated[str, about("`chosen`, or why it was left out: `over_density_cap`, `over_budget`.")]
    context_position: Annotated[
        int | None,
        about(
            "Its place, from 1, in the order in which the model reads what is remembered; of a search among the"
            " results. Null for what was left out."
        ),
    ]
    sanitiser_outcome: Outcome


class ReceiptFactView(msgspec.Struct, frozen=True):
    """A fact that was in the pack."""

    fact_id: FactId
    decision_reason: Annotated[
        str | None,
        about(
            "Why it was in: `may_harm` (an allergy, a ban), `holds`, `disputed` (to be asked about), `outdated` (not"
            " to be mentioned). Null in receipts from before reasons were kept."
        ),
    ]
    context_position: Annotated[int, about("Its place, from 1; facts stand before all else.")]
    sanitiser_outcome: Outcome


PartPosition = Annotated[int | None, about("Its place, as that of `candidates`. Null for what was left out.")]


class ReceiptLineView(msgspec.Struct, frozen=True):
    """A message of which the summaries showed one sentence, or had no room for it."""

    message_id: MessageId
    episode_id: Annotated[UUID | None, about("The episode that the line stood under. Null for the running session.")]
    decision_reason: Annotated[
        str | None,
        about(
            "Why it was in: `found` (by the search), `left_window` (said in this session before the window),"
            " `latest_episode` (what the last episodes were about, or left open). `over_budget`: there was no room; the"
            " first 30 of these are named. Null in receipts from before reasons were kept."
        ),
    ]
    context_position: PartPosition
    sanitiser_outcome: Outcome


class ReceiptChunkView(msgspec.Struct, frozen=True):
    """A passage of your knowledge that was considered."""

    chunk_id: Annotated[int, about("Our number of the chunk.")]
    decision_reason: Annotated[
        str | None, about("`chosen`, or `over_budget`. Null in receipts from before reasons were kept.")
    ]
    context_position: PartPosition


class ReceiptEntityView(msgspec.Struct, frozen=True):
    """A name, a date or an amount that the running conversation spoke of. Its words are not kept."""

    kind: Annotated[str, one_of(("name", "date", "amount"), "What it is.")]
    message_id: Annotated[UUID, about("The first message of the window that said it.")]
    decision_reason: Annotated[str, one_of(("chosen", "over_budget"), "Why it was in or not: all are, or none.")]
    context_position: PartPosition


class LeftOutFactView(msgspec.Struct, frozen=True):
    """A fact that was stored then and was not in the pack."""

    fact_id: FactId
    decision_reason: Annotated[
        str, one_of(("superseded", "expired", "closed", "facts_unavailable"), "Why it was left out.")
    ]


class SanitisedView(msgspec.Struct, frozen=True):
    """A part of a pack that the sanitiser changed."""

    id: Annotated[UUID, about("Of a message, a fact, a candidate or an adaptive item.")]
    outcome: Annotated[str, about("`invisible`, `markup`, `command`, `oversized`, joined by +.")]


class ReceiptAnswer(msgspec.Struct, frozen=True):
    """The public fields of a receipt: ids, scores and codes; no text."""

    id: Annotated[UUID, about("Our id of the receipt.")]
    kind: Annotated[str, one_of(("search", "context"), "Of a search or of a pack.")]
    created_at: Annotated[Moment, about("When it was made.")]
    as_of: Annotated[Moment | None, about("The moment that was asked for. Null: as it stood then.")]
    policy_version: Annotated[
        str,
        about(
            "Names recipe, word keys, rules and embedder, and ends with a digest of every setting that decides:"
            " budget, thresholds, tokenizers, deadlines, tables that ship, the recipe of knowledge."
        ),
    ]
    language: Annotated[str, about("The language of the question; of a pack that of its rules.")]
    intent: Annotated[str, about("The intent that was named. Empty for none.")]
    max_tokens: Annotated[int | None, about("The bound that the caller named.")]
    mood: Annotated[str, about("The mood that was named. Empty after a part of the user was erased.")]
    model: Annotated[str, about("The model that was named.")]
    tokenizer: Annotated[str, about("What counted the tokens. Empty for a search.")]
    ranking_version: Annotated[int, about("The nightly version of usefulness that was used; 0 for none.")]
    context_window: Annotated[int | None, about("Tokens of the model's window that bounded the budget.")]
    candidates: Annotated[list[ReceiptCandidateView], about("Considered messages, best first.")]
    facts: Annotated[list[ReceiptFactView], about("Facts of the pack, in its order.")]
    summary_lines: Annotated[
        list[ReceiptLineView], about("Lines of the summaries in the order of the pack, then those without room.")
    ]
    knowledge: Annotated[
        list[ReceiptChunkView], about("Passages of your knowledge in the order of the pack, then those without room.")
    ]
    entities: Annotated[list[ReceiptEntityView], about("What the entity slots named, in the order of the pack.")]
    sanitised: Annotated[list[SanitisedView], about("Every part of the pack that the sanitiser changed.")]
    excerpt_message_ids: Annotated[list[UUID], about("Messages whose words came along with the facts.")]
    span_message_ids: Annotated[list[UUID], about("Messages that came along beside the cards.")]
    fact_ids: Annotated[list[UUID], about("The ids of `facts`.")]
    recent_message_ids: Annotated[list[UUID], about("The last messages of the conversation.")]
    unproven_ids: Annotated[list[UUID], about("Candidates and adaptive items.")]
    pending_message_ids: Annotated[list[UUID], about("Messages that a model had not read yet.")]
    has_layers: Annotated[bool, about("Whether episodes took part in the pack.")]
    line_message_ids: Annotated[list[UUID], about("Messages of which the pack showed a sentence in its summaries.")]
    episode_ids: Annotated[list[UUID], about("The episodes of its summaries.")]
    chunk_ids: Annotated[list[int], about("Chunks of your knowledge in the pack, in its order.")]
    guardrail_hits: Annotated[list[str], about("Why the privacy guard kept messages back, as codes.")]
    degraded_reasons: Annotated[list[str], about("Codes of what did not take part.")]
    stores: Annotated[list[str], about("Which indexes took part.")]
    budget_allocation: Annotated[dict[str, SlotView], about("The tokens of each part. Empty for a search.")]
    timings_ms: Annotated[dict[str, float], about("Milliseconds by stage.")]


class SignalView(msgspec.Struct, frozen=True):
    """The use of one part of a pack, from feedback or computed from the reply."""

    signal: Annotated[str, one_of(SIGNALS, "What was done with it.")]
    is_computed: Annotated[bool, about("Whether it was computed from the reply rather than told.")]
    message_id: Annotated[UUID | None, about("The message of the pack.")]
    fact_id: Annotated[UUID | None, about("The fact of the pack.")]
    assistant_message_id: Annotated[UUID | None, about("The reply it is about.")]


class ReceiptWithReply(ReceiptAnswer, frozen=True):
    """A receipt, with the findings about its replies and the use of its parts."""

    left_out_facts: Annotated[
        list[LeftOutFactView], about("Facts that were stored then and not in the pack, with the reason.")
    ]
    answer_findings: Annotated[list[AnswerFindingView], about("What replies made from this pack gave away.")]
    signals: Annotated[list[SignalView], about("How the parts of the pack were used.")]


class EntityKeyView(msgspec.Struct, frozen=True):
    """An entity of a corpus."""

    type: Annotated[str, about("Its type.")]
    key: Annotated[str, about("Its key.")]


class ScoredChunkView(msgspec.Struct, frozen=True):
    """A chunk that an answer could rest on."""

    chunk_id: Annotated[int, about("Our number of the chunk.")]
    score: Annotated[float, about("Its score, for comparing chunks of one answer.")]


class AskReceipt(msgspec.Struct, frozen=True):
    """The receipt of an answer of `POST /v1/ask`: ids, scores and codes; no text. What was deleted is left out."""

    id: Annotated[UUID, about("Our id of the receipt.")]
    kind: Annotated[str, one_of(("ask",), "Of an answer.")]
    created_at: Annotated[Moment, about("When it was made.")]
    corpus: Annotated[str, about("Your id of the corpus.")]
    corpus_version: Annotated[int, about("The version that was asked.")]
    plan_version: Annotated[int, about("The version of the plan; 0 for the one that came with the schema.")]
    intent: Annotated[str, about("The intent of the question.")]
    tool: Annotated[str, one_of(("graph", "text"), "What answered.")]
    policy: Annotated[str, one_of(("strict", "boost", "none"), "How entities were used.")]
    found: Annotated[bool, about("Whether there was an answer.")]
    is_follow_up: Annotated[bool, about("Whether the question went on with the last topic.")]
    confidence: Annotated[float, about("As the answer had it.")]
    outcome: Annotated[
        str, one_of(("template", "model", "repaired"), "What worded it; repaired: a model's words were not given.")
    ]
    fault: Annotated[str, about("Why a model's words were not given, as a code. Empty for none.")]
    model: Annotated[str, about("The model that was asked for words. Empty for none.")]
    language: Annotated[str, about("The language of the answer.")]
    entities: Annotated[list[EntityKeyView], about("Entities that the question named.")]
    items: Annotated[list[EntityKeyView], about("Items of a list, the first 200.")]
    chunks: Annotated[list[ScoredChunkView], about("Chunks that were found, best first.")]
    steps: Annotated[list[str], about("The steps of the plan, as codes.")]
    degraded_reasons: Annotated[list[str], about("Codes of what did not take part.")]
    timings_ms: Annotated[dict[str, float], about("Milliseconds by stage.")]


ANY_RECEIPT: Final = PolymorphicProxySerializer(
    component_name="AnyReceipt",
    serializers=[ReceiptWithReply, AskReceipt],  # type: ignore[list-item]  # structs, by `config.api.schema`
    resource_type_field_name=None,
)
"""For the document of the API: which of the two it is, `kind` says."""


class ReceiptsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Receipts of one user, optionally only those with a given message or fact."""

    message_id: Annotated[UUID | None, about("Only receipts whose search or pack held this message.")] = None
    fact_id: Annotated[UUID | None, about("Only receipts whose pack held this fact.")] = None


class ReceiptPage(msgspec.Struct, frozen=True):
    """A page of receipts."""

    results: Annotated[list[ReceiptAnswer], about("The receipts, newest first.")]
    next: NextCursor
