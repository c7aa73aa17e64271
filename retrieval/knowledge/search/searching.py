"""Asking a corpus: read the question, decide, walk the graph or search the texts (SPEC N-3, N-4, D-46).

plan -> entities -> follow-up -> decision -> graph query, or words and PageRank -> chunks
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.graph.queries import UNKNOWN, GraphResult, query_graph
from retrieval.knowledge.models import Corpus
from retrieval.knowledge.planning.deciding import Decision, Switches, decide
from retrieval.knowledge.planning.followups import NEW_TOPIC, FollowUp, find_follow_up
from retrieval.knowledge.planning.plans import CorpusPlan, find_singles, get_plan
from retrieval.knowledge.planning.reading import Hit, Reading, read_question, take_entity, take_intent
from retrieval.knowledge.planning.wording import find_language
from retrieval.knowledge.search.chunks import (
    choose_chunks,
    list_chunks_about,
    list_next_chunks,
    read_first_hits,
    read_hits,
    read_places,
)
from retrieval.knowledge.search.graphs import STALE, get_graph
from retrieval.knowledge.search.lexical import score_texts
from retrieval.knowledge.search.ranking import rank_chunks
from retrieval.knowledge.search.recipe import DEFAULT, SearchRecipe
from retrieval.knowledge.search.types import ChunkHit, CorpusQuery, Found

MAX_TOP_K: Final = 100
FOLLOW_UP: Final = "follow_up"  # the step that says so
RANKED: Final = 600  # looked at for the limit of one chunk a document, before texts are read
OWN_FIRST: Final = 1.0  # added to the rank of an entity's own texts where it alone is asked about


def ask_corpus(
    corpus: Corpus,
    query: CorpusQuery,
    *,
    switches: Switches,
    now: datetime,
    plan: CorpusPlan | None = None,
    recipe: SearchRecipe = DEFAULT,
) -> Found:
    """What the corpus has for a question. Reads only; inside a tenant scope.

    A graph intent is answered by the graph alone, also when there is nothing (D-46); everything else by text search.
    """
    started = time.perf_counter()
    plan = plan or get_plan(corpus)
    reading, follow_up, decision = read_and_decide(corpus, query, switches=switches, plan=plan)
    planned = time.perf_counter()
    result: GraphResult | None = None
    hits: tuple[ChunkHit, ...] = ()
    reasons: list[str] = []
    if decision.tool == "graph":
        result = run_graph(corpus, decision, query=query, plan=plan, now=now)
        hits = _list_item_hits(corpus.id, result, top_k=min(query.top_k, MAX_TOP_K))
    else:
        decision, hits, reasons = search_texts(corpus, query, decision=decision, switches=switches, recipe=recipe)
    timings = {
        "plan": round((planned - started) * 1000, 3),
        decision.tool: round((time.perf_counter() - planned) * 1000, 3),
    }
    return Found(decision, reading, follow_up, result, hits, plan.version, tuple(reasons), timings)


def read_and_decide(
    corpus: Corpus, query: CorpusQuery, *, switches: Switches, plan: CorpusPlan
) -> tuple[Reading, FollowUp, Decision]:
    """The question as it was read, what it takes from the last topic, and what to do about it."""
    singles = find_singles(corpus_id=corpus.id, types=plan.only_types)
    reading = read_question(
        query.text,
        hits=resolve_texts(corpus_id=corpus.id, texts=[query.text], version=corpus.version)[0],
        plan=plan.compiled,
        language=find_language(query.text),
        owner_ids=frozenset(single.entity_id for single in singles.values()),
        type_stems=plan.type_stems,
    )
    follow_up = NEW_TOPIC
    if switches.conversation_memory and switches.router:
        follow_up = find_follow_up(reading, query.topic, intents=plan.intents)
    read = reading
    if follow_up.entity is not None:
        read = take_entity(reading, follow_up.entity)
    elif follow_up.intent:
        read = take_intent(reading, plan.compiled, follow_up.intent)
    decision = decide(read, singles=singles, switches=switches)
    if decision.policy == "strict" and decision.tool == "text" and not plan.types:
        # Where every title is an entity, a name in a question is a way in and no fence.
        decision = replace(decision, policy="boost").note("no_types")
    return reading, follow_up, decision.note(FOLLOW_UP) if follow_up.is_follow_up else decision


def run_graph(
    corpus: Corpus, decision: Decision, *, query: CorpusQuery, plan: CorpusPlan, now: datetime
) -> GraphResult:
    """The items of a decision for the graph; UNKNOWN where it names nothing that is known."""
    if decision.is_unknown:
        return UNKNOWN
    return query_graph(
        corpus_id=corpus.id,
        intents=decision.alternatives,
        start_ids=[start.entity_id for start in decision.starts],
        as_of=query.as_of,
        now=now,
        types=plan.types,
    )


def search_texts(
    corpus: Corpus, query: CorpusQuery, *, decision: Decision, switches: Switches, recipe: SearchRecipe
) -> tuple[Decision, tuple[ChunkHit, ...], list[str]]:
    """Chunks for a question: by words, and by what is near its entities. Strict: only what is about the entity."""
    history = query.history if switches.conversation_memory else ()
    weights = weigh_entities(query.text, decision, recipe, has_types=bool(corpus.schema.get("types")))
    texts = score_texts(
        corpus_id=corpus.id,
        chunks=corpus.chunks,
        query=query.text,
        history=history,
        kept=recipe.history_of_named if weights and FOLLOW_UP not in decision.steps else 1.0,
        recipe=recipe,
    )
    reasons = ["rare_words_only"] if texts.is_capped else []
    ranked = list(zip(texts.chunks.tolist(), texts.scores.tolist(), strict=True))
    if switches.router and weights:
        corpus_graph = get_graph(corpus, recipe=recipe)
        reasons += [STALE] if corpus_graph.is_stale else []
        chunks, scores = rank_chunks(corpus_graph.graph, texts=texts, entities=weights, recipe=recipe)
        ranked = _raise_next(corpus.id, list(zip(chunks.tolist(), scores.tolist(), strict=True)), weights, recipe)
    ranked.sort(key=lambda one: (-one[1], one[0]))
    if decision.policy == "strict":
        kept = _keep_about(corpus.id, ranked, decision.starts or decision.entities)
        decision = decision if kept else replace(decision, policy="boost").note("strict_found_nothing")
        ranked = kept or ranked
    ranked = ranked[:RANKED]
    chosen = choose_chunks(
        ranked,
        read_places(corpus.id, [chunk_id for chunk_id, _ in ranked]),
        top_k=min(query.top_k, MAX_TOP_K),
        per_document=query.per_document,
        types=query.types,
    )
    return decision, read_hits(corpus.id, chosen), reasons


def _raise_next(
    corpus_id: int, ranked: Sequence[tuple[int, float]], known: Collection[int], recipe: SearchRecipe
) -> list[tuple[int, float]]:
    """Of chunks, best first: those about something that the first one names rank higher. `known` is what the question
    itself names."""
    if not ranked:
        return []
    ahead = list_next_chunks(corpus_id, ranked[0][0], known=known)
    return [(chunk_id, score * (1 + recipe.next_gain * (chunk_id in ahead))) for chunk_id, score in ranked]


def weigh_entities(text: str, decision: Decision, recipe: SearchRecipe, *, has_types: bool) -> dict[int, float]:
    """The entities of a question: those named as written or in a form of it. Only where there are none, and names are
    few, those that another script or an abbreviation may stand for."""
    hits = (*decision.starts, *decision.entities)
    near = [hit for hit in hits if hit.match.can_link]
    if not near and has_types:
        return {hit.entity_id: recipe.far_seed for hit in hits}
    plain = {hit.entity_id for hit in near if text[hit.start : hit.end].islower()}
    if not {hit.entity_id for hit in near} - plain:
        plain = set()
    return {hit.entity_id: recipe.plain_seed if hit.entity_id in plain else 1.0 for hit in near}


def _keep_about(corpus_id: int, ranked: Sequence[tuple[int, float]], starts: Sequence[Hit]) -> list[tuple[int, float]]:
    """Chunks about the first entity, its own before others, each part by rank; those without a rank at the end."""
    if not starts:
        return []
    about = list_chunks_about(corpus_id, starts[0].entity_id)
    scores = dict(ranked)
    best = max(scores.values(), default=1.0) or 1.0
    kept = [
        (chunk_id, scores.get(chunk_id, 0.0) / best + (OWN_FIRST if distance == 0 else 0.0))
        for chunk_id, distance in about.items()
    ]
    return sorted(kept, key=lambda one: (-one[1], one[0]))


def _list_item_hits(corpus_id: int, result: GraphResult, *, top_k: int) -> tuple[ChunkHit, ...]:
    """The texts behind the items of an answer, in their order; an item without a text stands for itself."""
    items = result.items[:top_k]
    texts = read_first_hits(corpus_id, {item.entity_id for item in items})
    hits = []
    for item in items:
        hit = texts.get(item.entity_id)
        own = item.record_ids[0] if item.record_ids else None
        hits.append(hit or ChunkHit(None, own, None, item.text, item.text, 1.0, item.type))
    return tuple(hits)
