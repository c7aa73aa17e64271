"""What a receipt says of a search or a pack: of each part whether it is in, where, and why (SPEC P-4)."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.epistemics import OUTDATED
from memory.types import Fact
from retrieval.cards.making import CardSet
from retrieval.configuration import Pipeline
from retrieval.pack.assembly import Assembly
from retrieval.pack.rendering import order_entities
from retrieval.parts import PackParts
from retrieval.reasons import CHOSEN
from retrieval.receipts.writing import ReceiptDraft
from retrieval.search.stages import Found
from retrieval.types import ContextQuery, SearchQuery

HARMFUL: Final = ("allergy", "hard_ban")
MAY_HARM, HOLDS, DISPUTED = "may_harm", "holds", "disputed"


def explain_fact(fact: Fact) -> str:
    """Why a fact is in a pack, as a code. All that holds is in; the code says what it is there for."""
    if fact.is_disputed:
        return DISPUTED
    if fact.knowledge_type in HARMFUL:
        return MAY_HARM
    return OUTDATED if fact.epistemic_type == OUTDATED else HOLDS


def list_outcomes(parts: PackParts) -> dict[UUID, str]:
    """What the sanitiser took out of each part that went in, by its id; parts that it left alone are not there."""
    outcomes = parts.ingredients.outcomes.items()
    lines = {line.message.message_id for block in parts.assembly.blocks for line in block.lines}
    shown = parts.assembly.places.items.keys() | lines
    return {one: "+".join(sorted(codes)) for one, codes in outcomes if one in shown}


def draft_pack_receipt(query: ContextQuery, parts: PackParts, *, pipeline: Pipeline, now: datetime) -> ReceiptDraft:
    """The receipt of a pack: every card considered with the reason why it is in or not, and every other part by ids."""
    background, found, assembly = parts.background, parts.found, parts.assembly
    draft = draft_receipt(query, found, parts.cards, pipeline=pipeline, now=now)
    draft.conversation_id, draft.intent = query.conversation_id, query.intent
    draft.max_tokens, draft.mood, draft.reply_model = query.max_tokens, query.mood, query.model
    draft.tokenizer, draft.ranking_version = parts.ingredients.counter.name, parts.ranking_state.version
    draft.language = parts.ingredients.directives[0].language
    draft.chosen = [(card.message_id, card.score, assembly.reasons[card.message_id]) for card in parts.cards.cards]
    taken = {card.message_id for card in assembly.cards}
    draft.context_positions = [
        assembly.places.items[message_id] if message_id in taken else None for message_id, _, _ in draft.chosen
    ]
    draft.span_ids = [message.message_id for card in assembly.cards for message in card.span_context]
    draft.fact_ids = [fact.id for fact in background.facts]
    draft.fact_reasons = [explain_fact(fact) for fact in background.facts]
    draft.excerpt_ids = list(dict.fromkeys(each.message_id for words in assembly.words.values() for each in words))
    draft.sanitised = list_outcomes(parts)
    draft.context_window = background.context_window.tokens if background.context_window else None
    draft.unproven_ids = [one.id for one in (*parts.ingredients.unverified, *assembly.adaptive)]
    draft.recent_ids = [message.id for message in assembly.window]
    draft.pending_ids = [message.id for message in assembly.pending]
    draft.has_layers = background.has_layers
    add_lines(draft, assembly)
    add_knowledge(draft, assembly)
    add_entities(draft, assembly)
    draft.degraded_reasons = [*background.degraded_reasons, *found.degraded_reasons, *assembly.degraded_reasons]
    draft.log_position = background.log_position
    draft.budget = {name: {"allotted": use.allotted, "used": use.used} for name, use in assembly.budget.items()}
    draft.rendered = assembly.rendered
    draft.stores = [*found.stores, *background.stores]
    return draft


def add_lines(draft: ReceiptDraft, assembly: Assembly) -> None:
    """The lines of summaries: of which message and episode each is, where it stands and why; which had no room."""
    lines = [line for block in assembly.blocks for line in block.lines]
    draft.line_ids = [line.message.message_id for line in lines]
    draft.line_positions = list(assembly.places.lines)
    draft.line_reasons = [line.reason for line in lines]
    draft.line_episode_ids = [line.message.episode_id for line in lines]
    draft.left_out_line_ids = assembly.left_out.lines
    draft.episode_ids = [block.episode_id for block in assembly.blocks if block.episode_id]


def add_knowledge(draft: ReceiptDraft, assembly: Assembly) -> None:
    """The chunks of knowledge, with their places, and those that had no room. Other parts have no number."""
    placed = zip(assembly.knowledge, assembly.places.passages, strict=True)
    chunks = [(one.chunk_id, place) for one, place in placed if one.chunk_id is not None]
    draft.chunk_ids = [chunk_id for chunk_id, _ in chunks]
    draft.chunk_positions = [place for _, place in chunks]
    draft.left_out_chunk_ids = [one.chunk_id for one in assembly.left_out.knowledge if one.chunk_id is not None]


def add_entities(draft: ReceiptDraft, assembly: Assembly) -> None:
    """Kinds of entities, each with the first message that says it: their words are not kept. All are in, or none."""
    entities = order_entities(assembly.entities or assembly.left_out.entities)
    draft.entity_kinds = [one["kind"] for one in entities]
    draft.entity_message_ids = [UUID(one["message_ids"][0]) for one in entities]
    draft.entity_positions = list(assembly.places.entities) or [None] * len(entities)


def draft_search_receipt(
    query: SearchQuery, found: Found, cards: CardSet, *, pipeline: Pipeline, now: datetime
) -> ReceiptDraft:
    """The receipt of a search: everything found was handed out."""
    draft = draft_receipt(query, found, cards, pipeline=pipeline, now=now)
    draft.conversation_id = query.filters.conversation_id
    draft.chosen = [(card.message_id, card.score, CHOSEN) for card in cards.cards]
    draft.context_positions = list(range(1, len(cards.cards) + 1))
    draft.span_ids = [message.message_id for card in cards.cards for message in card.span_context]
    return draft


def draft_receipt(
    query: SearchQuery | ContextQuery, found: Found, cards: CardSet, *, pipeline: Pipeline, now: datetime
) -> ReceiptDraft:
    """What the receipts of searches and packs have in common."""
    return ReceiptDraft(
        user=query.user,
        kind="search" if isinstance(query, SearchQuery) else "context",
        question=query.text,
        created_at=now,
        policy_version=pipeline.policy_version,
        as_of=query.as_of,
        language=found.question.language,
        model_name=found.vector.model_name if found.vector else "",
        dimensions=found.vector.dimensions if found.vector else 0,
        candidate_ids=found.ranked.write_ids(settings.UNDE_TUNING.RECEIPT_CANDIDATES),
        candidate_scores=found.ranked.scores[: settings.UNDE_TUNING.RECEIPT_CANDIDATES].tolist(),
        guardrail_hits=cards.guardrail_hits,
        degraded_reasons=found.degraded_reasons,
        stores=found.stores,
        timings_ms=found.timings_ms,
    )
