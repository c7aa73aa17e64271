"""Search and context packs. Read this module first: each line of the two functions is one stage.

plan -> places and dot products (one statement) -> match words -> candidates -> fuse -> rerank -> spans ->
privacy guard -> sanitise -> budget -> assemble -> receipt -> pack (docs/retrieval.md).
Both run inside a tenant scope. The question is prepared before, so that a network embedder blocks no transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from msgspec import structs

from memory.disks import is_storage_full
from memory.episodes.accesses import note_accesses
from memory.selectors.actions import make_recent_correction_query
from memory.tenants.scope import prefetch
from memory.tracing import Attributes, traced
from retrieval.accounts import draft_pack_receipt, draft_search_receipt
from retrieval.cards.making import CardSet, make_cards, withhold_neighbours
from retrieval.cards.texts import make_card_texts_query
from retrieval.configuration import Pipeline, get_pipeline
from retrieval.index.traits import Traits
from retrieval.knowledge.search.passages import search_corpora
from retrieval.metrics import STAGING_FALLBACK, count_degraded
from retrieval.pack.assembly import Assembly, Ingredients, assemble
from retrieval.pack.background import (
    EVIDENCE_OF_A_FACT,
    Background,
    add_correction,
    add_words,
    attempt,
    gather_background,
    list_said,
)
from retrieval.pack.budget import find_density_cap
from retrieval.pack.directives import choose_language, list_directives
from retrieval.pack.fact_words import make_fact_words_query
from retrieval.pack.layers import count_lines, gather_layers, sketch_layers
from retrieval.pack.layers import write_reads as write_layer_reads
from retrieval.pack.summaries import Layers, Remembered
from retrieval.pack.token_counters import ESTIMATE, UNAVAILABLE, TokenCounter, TokenizerMisconfigured, choose_counter
from retrieval.parts import PackParts
from retrieval.receipts.levels import count_levels
from retrieval.receipts.writing import list_gaps, write_receipt
from retrieval.rewordings import add_wordings, find_rewriter
from retrieval.search.candidates import Ranking
from retrieval.search.periods import Period
from retrieval.search.questions import detect_language
from retrieval.search.ranking_state import RankingState, read_ranking_state
from retrieval.search.stages import Found, PreparedQuestion, SearchPlan, find_ranked, prepare_question
from retrieval.search.statement import UserIndex
from retrieval.search.usefulness import apply_bounds
from retrieval.types import (
    ContextPack,
    ContextQuery,
    KnowledgePassage,
    Ranked,
    SearchFilters,
    SearchQuery,
    SearchResult,
)

KNOWLEDGE_LATE = "knowledge_late"


@traced("unde.search.prepare")
def prepare(text: str, *, pipeline: Pipeline | None = None, tenant_id: UUID | None = None) -> PreparedQuestion:
    """Read and embed a question before any transaction is open. A failing embedder or model never raises.

    With `tenant_id`, other wordings are added if the tenant allows it and a model is configured (SPEC S-2).
    """
    pipeline = pipeline or get_pipeline()
    prepared = prepare_question(text=text, provider=pipeline.provider, deadline_ms=pipeline.embed_deadline_ms)
    if tenant_id is None:
        return prepared
    rewriter = find_rewriter(tenant_id=tenant_id, deadline_ms=pipeline.rewrite_deadline_ms)
    return add_wordings(prepared, client=rewriter, pipeline=pipeline) if rewriter else prepared


def _note_search(result: SearchResult) -> Attributes:
    return {"unde.receipt.id": str(result.receipt_id), "gen_ai.memory.record.count": len(result.results)}


@traced("unde.search", operation="search_memory", note=_note_search)
def search_messages(
    query: SearchQuery,
    *,
    now: datetime,
    pipeline: Pipeline | None = None,
    prepared: PreparedQuestion | None = None,
    index: UserIndex | None = None,
) -> SearchResult:
    """Find the user's messages that match a question, best first (SPEC S-1). Recency has no effect (D-17).

    Writes a receipt. Without vectors it uses full text only and sets `degraded_reason`. `index`: what was already read
    for the prepared question.
    """
    pipeline = pipeline or get_pipeline()
    prepared = prepared or prepare(query.text, pipeline=pipeline)
    plan = plan_search(query, prepared=prepared, pipeline=pipeline, now=now)
    found = find_ranked(replace(plan, index=index))
    ranked = found.ranked[: min(query.top_k, settings.UNDE_TUNING.MAX_TOP_K)]
    cards = make_cards(user=query.user, ranked=ranked, found=found, recipe=pipeline.recipe, trace=query.trace)
    draft = draft_search_receipt(query, found, cards, pipeline=pipeline, now=now)
    count_levels(draft)
    receipt_id = write_receipt(draft)
    reasons = (*found.degraded_reasons, *list_gaps())
    count_degraded("search", reasons)
    return SearchResult(
        results=tuple(cards.cards),
        degraded_reason=", ".join(reasons) or None,
        receipt_id=receipt_id,
        trace=trace_search(found, pipeline) if query.trace else None,
    )


def _note_pack(pack: ContextPack) -> Attributes:
    count = len(pack.facts) + len(pack.episode_cards)
    return {
        "unde.receipt.id": str(pack.receipt_id),
        "gen_ai.memory.record.count": count,
        "unde.degraded": ",".join(pack.degraded_reasons),
    }


@traced("unde.context", operation="search_memory", note=_note_pack)
def build_context_pack(
    query: ContextQuery,
    *,
    now: datetime,
    pipeline: Pipeline | None = None,
    prepared: PreparedQuestion | None = None,
    index: UserIndex | None = None,
) -> ContextPack:
    """Build the smallest set of evidence for one reply, within its token budget (SPEC P-1, P-2).

    Writes a receipt. A part that fails is left out and named in `degraded_reasons`; the pack is still returned (P-8).
    `index` as in `search_messages`.
    """
    pipeline = pipeline or get_pipeline()
    parts = make_parts(query, now=now, pipeline=pipeline, prepared=prepared, index=index)
    return write_pack(query, parts, pipeline=pipeline, now=now)


@traced("unde.context.parts")
def make_parts(
    query: ContextQuery,
    *,
    now: datetime,
    pipeline: Pipeline,
    prepared: PreparedQuestion | None = None,
    index: UserIndex | None = None,
) -> PackParts:
    """Make all parts of a pack, stage by stage. Writes nothing; `manage.py explain_pack` prints the result."""
    prepared = prepared or prepare(query.text, pipeline=pipeline)
    background = gather_background(query, now=now)
    plan = plan_context(query, background, prepared=prepared, pipeline=pipeline, now=now)
    found = find_ranked(replace(plan, index=index))
    ranked, state = rerank(query, found, pipeline=pipeline, now=now)
    considered = ranked[: count_considered(found, background)]
    lines = ranked.write_ids(count_lines(query.max_tokens)) if background.has_layers else []
    sketch = cache(partial(sketch_layers, question=found.question, window=background.window, zone=query.zone))
    prefetch_cards(query, background, considered, lines=lines, meanwhile=sketch)
    add_correction(query, background)
    add_words(query, background)
    cards = make_cards(
        user=query.user,
        ranked=considered,
        found=found,
        recipe=pipeline.recipe,
        mood=query.mood,
        trace=query.trace,
    )
    withhold_neighbours(cards, question=found.question)
    passages = find_passages(query, background, found, now=now)
    layers = None
    if background.has_layers:
        reads = list_layer_reads(query, background, lines)
        gather = partial(gather_layers, sketch(), **reads)
        layers = attempt(background, "episodes", gather, None)
    if layers:
        layers.hits = list(guard_lines(layers.hits, cards))
    started = time.perf_counter()
    counter = find_counter(query, background, pipeline=pipeline)
    ingredients = list_ingredients(query, background, found, cards, counter=counter, passages=passages, layers=layers)
    assembly = assemble(ingredients, policy=pipeline.policy)
    found.timings_ms["assemble"] = round((time.perf_counter() - started) * 1000, 3)
    return PackParts(background, found, cards, ingredients, assembly, ranked, state)


def find_passages(
    query: ContextQuery, background: Background, found: Found, *, now: datetime
) -> Sequence[KnowledgePassage]:
    """Passages of the corpora that the reply may rest on, and what did not take part in looking for them."""
    if not query.corpora:
        return ()
    if not query.has_search and not query.is_paused:
        background.degraded_reasons.append(KNOWLEDGE_LATE)
        return ()
    started = time.perf_counter()
    window = [one for one in background.window if one.role == "user" and one.id != background.question_id]
    said = tuple(message.content for message in window)
    passages, reasons = search_corpora(
        tenant_id=query.user.tenant_id,
        corpora=query.corpora,
        question=query.text,
        history=said,
        as_of=query.as_of,
        now=now,
    )
    background.degraded_reasons.extend(reasons)
    found.timings_ms["knowledge"] = round((time.perf_counter() - started) * 1000, 3)
    return passages


def plan_search(query: SearchQuery, *, prepared: PreparedQuestion, pipeline: Pipeline, now: datetime) -> SearchPlan:
    """A search as asked for."""
    return SearchPlan(
        user=query.user,
        prepared=prepared,
        recipe=pipeline.recipe,
        now=now,
        filters=query.filters,
        as_of=query.as_of,
        deadline_ms=pipeline.deadline_ms,
        is_skipped=not query.has_search,
    )


def plan_context(
    query: ContextQuery, background: Background, *, prepared: PreparedQuestion, pipeline: Pipeline, now: datetime
) -> SearchPlan:
    """A search over all conversations of the user; the question itself, if it is stored already, is no answer to it."""
    return SearchPlan(
        user=query.user,
        prepared=prepared,
        recipe=pipeline.recipe,
        now=now,
        filters=SearchFilters(),
        as_of=query.as_of,
        excluded_ids=(background.question_id,) if background.question_id else (),
        deadline_ms=pipeline.deadline_ms,
        is_skipped=not query.has_search,
        is_paused=query.is_paused,
    )


def rerank(query: ContextQuery, found: Found, *, pipeline: Pipeline, now: datetime) -> tuple[Ranking, RankingState]:
    """Age and usefulness within their bound, as of the latest nightly snapshot (D-17, D-22); a question that names a
    time gets neither."""
    if found.periods or Traits.TIME in found.question.traits:
        return found.ranked, RankingState()
    best = found.ranked.take(np.arange(min(settings.UNDE_TUNING.RERANKED, len(found.ranked))))
    state = read_ranking_state(user=query.user, item_ids=best.write_ids(settings.UNDE_TUNING.RERANKED), at=query.as_of)
    moment = query.as_of or now
    return apply_bounds(best, now=moment, recipe=pipeline.recipe, usefulness=state.scores), state


def prefetch_cards(
    query: ContextQuery,
    background: Background,
    considered: Sequence[Ranked],
    *,
    lines: Sequence[str],
    meanwhile: Callable[[], object],
) -> None:
    """The texts of cards and lines, the words behind facts and the user's latest correction, in one exchange.

    `meanwhile` is done while the database reads for episodes.
    """
    reads = []
    if considered:
        ids = [hit.candidate.message_id for hit in considered]
        reads.append(make_card_texts_query(user=query.user, message_ids=ids, as_of=query.as_of))
    if said := list_said(background):
        reads.append(make_recent_correction_query(user=query.user, message_ids=said))
    if words := make_fact_words_query(
        user=query.user, facts=background.facts, as_of=query.as_of, at_most=EVIDENCE_OF_A_FACT
    ):
        reads.append(words)
    if background.has_layers:
        reads += write_layer_reads(**list_layer_reads(query, background, lines))
    if reads:
        prefetch(reads, meanwhile=meanwhile if background.has_layers else None)


def guard_lines(hits: Sequence[Remembered], cards: CardSet) -> Iterator[Remembered]:
    """Messages that may have a line: none that the privacy guard keeps back.

    What is no card needs a word in common with the question, for the guard has not looked at it.
    """
    kept_back = {one.message_id for one in cards.kept_back}
    looked_at = {card.message_id for card in cards.cards}
    for hit in hits:
        if hit.message_id not in kept_back:
            yield structs.replace(hit, needs_word=False) if hit.message_id in looked_at else hit


def list_layer_reads(query: ContextQuery, background: Background, lines: Sequence[str]) -> dict[str, Any]:
    """What `gather_layers` and its reads are asked for."""
    return {
        "user": query.user,
        "message_ids": lines,
        "conversation_id": query.conversation_id,
        "window": background.window,
        "as_of": query.as_of,
    }


def count_considered(found: Found, background: Background) -> int:
    """How many hits to read: those that may be shown, those in the window anyway, and a few spare ones."""
    spare: int = settings.UNDE_TUNING.CARDS_TO_SPARE
    return find_density_cap(found.message_count).max_cards + len(background.window) + spare


def list_ingredients(
    query: ContextQuery,
    background: Background,
    found: Found,
    cards: CardSet,
    *,
    counter: TokenCounter,
    passages: Sequence[KnowledgePassage] = (),
    layers: Layers | None = None,
) -> Ingredients:
    """Everything that may go into the pack."""
    language = choose_pack_language(background, found)
    unverified = [one for one in background.unproven if one.source == "candidate"]
    adaptive = [one for one in background.unproven if one.source == "adaptive"]
    return Ingredients(
        question=query.text,
        zone=query.zone,
        directives=list_directives(
            language=language,
            has_recent_correction=background.has_recent_correction,
            has_facts=not query.facts_missing,
            has_unverified=bool(unverified),
            has_tentative=bool(adaptive),
            has_knowledge=bool(passages),
            is_brief=is_small(query, background, is_broad=layers is not None and layers.is_broad),
        ),
        facts=background.facts,
        words=background.words,
        unverified=unverified,
        adaptive=adaptive,
        knowledge=passages,
        cards=cards.cards,
        window=background.window,
        pending=background.pending,
        message_count=found.message_count,
        intent=query.intent,
        max_tokens=query.max_tokens,
        context_window=background.context_window.tokens if background.context_window else None,
        reply_share=settings.UNDE_TUNING.REPLY_SHARE,
        counter=counter,
        layers=layers,
    )


def is_small(query: ContextQuery, background: Background, *, is_broad: bool = False) -> bool:
    """Whether the standing rules in full would leave a pack of this size hardly a memory.

    For a question that many messages answer together: too few of them.
    """
    tuning = settings.UNDE_TUNING
    bound: int = tuning.BRIEF_RULES_UNDER_BROAD if is_broad else tuning.BRIEF_RULES_UNDER
    window = background.context_window.tokens if background.context_window else None
    sizes = [size for size in (query.max_tokens, window) if size is not None]
    return any(size < bound for size in sizes)


def find_counter(query: ContextQuery, background: Background, *, pipeline: Pipeline) -> TokenCounter:
    """The token counter for the model of the reply. If a tokenizer cannot be loaded, reports it and estimates."""
    try:
        return choose_counter(query.model, pipeline.tokenizers)
    except TokenizerMisconfigured:
        background.degraded_reasons.append(UNAVAILABLE)
        return ESTIMATE


def choose_pack_language(background: Background, found: Found) -> str:
    """The language of the directives: the question's, or for Arabizi and mixed text the user's previous one."""
    spoken = (detect_language(message.content) for message in reversed(background.window) if message.role == "user")
    return choose_language(question_language=found.question.language, recent_languages=spoken)


@traced("unde.context.write")
def write_pack(query: ContextQuery, parts: PackParts, *, pipeline: Pipeline, now: datetime) -> ContextPack:
    """Store the receipt and hand out the pack."""
    background, assembly = parts.background, parts.assembly
    note_unpacked(query, assembly, now=now)
    draft = draft_pack_receipt(query, parts, pipeline=pipeline, now=now)
    draft.degraded_reasons = [*draft.degraded_reasons, *list_gaps()]
    count_degraded("context", draft.degraded_reasons)
    if assembly.pending:
        STAGING_FALLBACK.inc()
    count_levels(draft)
    return ContextPack(
        directives=tuple(parts.ingredients.directives),
        facts=tuple(background.facts),
        unverified=tuple(parts.ingredients.unverified),
        adaptive_items=tuple(assembly.adaptive),
        episode_cards=tuple(assembly.cards),
        recent_messages=tuple(assembly.window),
        pending_raw=tuple(assembly.pending),
        knowledge=tuple(assembly.knowledge),
        budget=assembly.budget,
        tokenizer=parts.ingredients.counter.name,
        degraded_reasons=tuple(draft.degraded_reasons),
        receipt_id=write_receipt(draft),
        language=draft.language,
        rendered=tuple(assembly.rendered),
        words=assembly.words,
        summary_blocks=tuple(block.to_dict() for block in assembly.blocks),
        entity_slots=tuple(assembly.entities),
        context_window=background.context_window,
        trace=trace_pack(parts, pipeline) if query.trace else None,
    )


def note_unpacked(query: ContextQuery, assembly: Assembly, *, now: datetime) -> None:
    """Count an access of each episode whose summary was not enough: it has no effect before the night (D-43)."""
    unpacked = [block.episode_id for block in assembly.blocks if block.episode_id and block.is_unpacked]
    if unpacked and query.as_of is None and not is_storage_full():
        note_accesses(user=query.user, episode_ids=unpacked, now=now)


def trace_search(found: Found, pipeline: Pipeline) -> dict[str, object]:
    """Explains the order of the hits."""
    return {
        "policy_version": pipeline.policy_version,
        "recipe": pipeline.recipe.name,
        "language": found.question.language,
        "traits": [trait.name.lower() for trait in Traits if trait in found.question.traits and trait.name],
        "periods": [describe_period(period) for period in found.periods],
        "stores": list(found.stores),
        "wordings": list(found.wordings),
        "message_count": found.message_count,
        "timings_ms": dict(found.timings_ms),
        "candidates": describe_candidates(found.ranked[: settings.UNDE_TUNING.TRACED_CANDIDATES]),
    }


def describe_period(period: Period) -> dict[str, str]:
    """A time that the question names, without its words."""
    return {"from": period.start.isoformat(), "to": period.end.isoformat()}


def trace_pack(parts: PackParts, pipeline: Pipeline) -> dict[str, object]:
    """As `trace_search`, with the candidates in their order after age and usefulness."""
    candidates = describe_candidates(parts.ranked[: settings.UNDE_TUNING.TRACED_CANDIDATES])
    version = parts.ranking_state.version
    return trace_search(parts.found, pipeline) | {"ranking_version": version, "candidates": candidates}


def describe_candidates(ranked: Sequence[Ranked]) -> list[dict[str, object]]:
    """The best candidates with the parts of their scores."""
    return [
        {
            "message_id": str(hit.candidate.message_id),
            "score": round(hit.score, 6),
            "parts": {name: round(value, 6) for name, value in hit.parts.items()},
        }
        for hit in ranked
    ]
