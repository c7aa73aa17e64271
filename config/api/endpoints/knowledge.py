"""Asking corpora: graph queries, search, and answers in words (SPEC 12, API.md Knowledge)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec
from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.knowledge_structs import (
    AskAnswer,
    AskBody,
    ChunkView,
    CorpusSearchAnswer,
    CorpusSearchBody,
    FollowUpView,
    GraphAnswer,
    GraphBody,
    ItemView,
    NamedView,
    SourceView,
)
from config.api.rendering import EventStream, write_event
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import InvalidRequest
from memory.fence.user_lock import enter_user
from memory.tenants.types import Scope
from retrieval.knowledge.answers.asking import check_answer, find_answer, keep_answer, word_answer
from retrieval.knowledge.answers.modelling import find_model
from retrieval.knowledge.answers.types import AskQuery, Outcome
from retrieval.knowledge.graph.lookups import GraphQuery, answer_graph_query
from retrieval.knowledge.graph.queries import GraphResult, Item
from retrieval.knowledge.planning.plans import open_corpus
from retrieval.knowledge.planning.reading import Hit
from retrieval.knowledge.planning.switches import read_switches
from retrieval.knowledge.search.searching import ask_corpus
from retrieval.knowledge.search.types import ChunkHit, CorpusQuery, Found

SHOWN_SOURCES: Final = 200
CORPUS_PATH: Final = {"corpus": "Your id of the corpus."}


class CorpusGraph(ApiView):
    """`POST /v1/corpora/{corpus}/graph`."""

    scopes = {"POST": Scope.KNOWLEDGE_READ}

    @describe(
        summary="Everything that an intent or a path leads to from an entity: complete, and nothing else",
        description=(
            "Walks a path of typed edges from an entity. The list is complete up to 10,000 items and has nothing else. "
            "An unknown entity is no error: `found` is false, `confidence` 0. A path never comes back to its start."
        ),
        tag="knowledge",
        body=GraphBody,
        path=CORPUS_PATH,
        answers={200: GraphAnswer},
        errors=(404,),
    )
    def post(self, request: Request, corpus: str) -> Response:
        body = self.read_body(GraphBody)
        if (body.intent is None) == (body.path is None):
            raise InvalidRequest(fields={"intent": "either intent or path is required"})
        entity = body.entity
        query = GraphQuery(
            intent=body.intent,
            path=tuple(body.path) if body.path is not None else None,
            type=entity.type if entity else None,
            key=entity.key if entity else None,
            name=entity.name if entity else None,
            as_of=body.as_of,
        )
        with self.in_tenant(opens_with_statement=True):
            found = open_corpus(tenant_id=self.caller.tenant_id, external_id=corpus)
            result = answer_graph_query(found, query, now=timezone.now())
        return Response(show_graph(result))


class CorpusSearch(ApiView):
    """`POST /v1/corpora/{corpus}/search`."""

    scopes = {"POST": Scope.KNOWLEDGE_READ}

    @describe(
        summary="What a corpus has for a question: chunks, best first, and how the question was taken",
        description=(
            "Reads the question against the plan of the corpus. A question that a path answers gets the texts of its "
            "items; every other gets chunks by words and by what is near the entities that it names."
        ),
        tag="knowledge",
        body=CorpusSearchBody,
        path=CORPUS_PATH,
        answers={200: CorpusSearchAnswer},
        errors=(404,),
    )
    def post(self, request: Request, corpus: str) -> Response:
        body = self.read_body(CorpusSearchBody)
        query = CorpusQuery(
            text=body.query,
            top_k=body.top_k,
            per_document=body.per_document,
            history=tuple(body.history),
            types=tuple(body.types or ()),
            as_of=body.as_of,
        )
        with self.in_tenant(opens_with_statement=True):
            row = open_corpus(tenant_id=self.caller.tenant_id, external_id=corpus)
            found = ask_corpus(row, query, switches=read_switches(row), now=timezone.now())
        decision = found.decision
        return Response(
            CorpusSearchAnswer(
                results=[show_chunk(hit) for hit in found.hits],
                entities=show_entities(found),
                intent=decision.intent,
                policy=decision.policy,
                tool=decision.tool,
                found=found.found,
                degraded_reason=", ".join(found.degraded_reasons) or None,
                trace=found.trace() if body.trace else msgspec.UNSET,
            )
        )


class Ask(ApiView):
    """`POST /v1/ask`."""

    scopes = {"POST": Scope.ASK_READ}

    @describe(
        summary="An answer in words from a corpus; with `stream` as server-sent events `delta`, `answer`, `error`",
        description=(
            "As search, and puts what was found into words: by templates, or by the model of the installation, whose "
            "answer is checked against the items. A question that points back takes the entity of the last one."
        ),
        tag="knowledge",
        body=AskBody,
        answers={200: AskAnswer},
        errors=(404, 409),
        streamed='event: delta\ndata: {"text":"- Rewrote three services"}\n\nevent: answer\ndata: {"answer":"..."}\n\n',
    )
    def post(self, request: Request) -> HttpResponseBase:
        body = self.read_body(AskBody)
        outcome = self.answer(body, timezone.now())
        answer = show_answer(outcome)
        if not body.stream:
            return Response(answer)
        return EventStream(stream_answer(answer))

    def answer(self, body: AskBody, now: datetime) -> Outcome:
        """Find and draft in one transaction, let the model word it in none, check and keep in another; where no model
        is asked, all in one."""
        tenant_id = self.caller.tenant_id
        model, name = find_model(body.model or "")
        with self.in_tenant(opens_with_statement=True):
            corpus = open_corpus(tenant_id=tenant_id, external_id=body.corpus)
            user = enter_user(tenant_id=tenant_id, external_id=body.user_id, now=now) if body.user_id else None
            query = AskQuery(
                text=body.query,
                user=user,
                conversation=body.conversation_id or "",
                history=tuple(body.history),
                style=body.style_hint,
                model=body.model or "",
                as_of=body.as_of,
            )
            switches = read_switches(corpus)
            asked = find_answer(corpus, query, switches=switches, now=now)
            if model is None:
                return keep_answer(asked, word_answer(asked, model=None), switches=switches, now=now)
        worded = word_answer(asked, model=model, model_name=name)
        with self.in_tenant():
            return keep_answer(asked, check_answer(asked, worded), switches=switches, now=now)


def stream_answer(answer: AskAnswer) -> Iterator[bytes]:
    """The events of an answer: its words line by line, then all of it.

    Words go out after they were checked: a list that has to be repaired must not be seen before.
    """
    for line in answer.answer.splitlines(keepends=True):
        yield write_event("delta", {"text": line})
    yield write_event("answer", answer)


def show_graph(result: GraphResult) -> GraphAnswer:
    """A graph result as callers see it."""
    return GraphAnswer(
        found=result.found,
        items=[show_item(item) for item in result.items],
        sources=show_item_sources(result),
        confidence=result.confidence,
        total=max(result.total, len(result.items)),
        truncated=result.is_truncated,
    )


def show_answer(outcome: Outcome) -> AskAnswer:
    """An answer as callers see it."""
    draft, found = outcome.draft, outcome.draft.found
    decision, result = found.decision, found.result
    reasons = [*found.degraded_reasons, *outcome.degraded_reasons]
    return AskAnswer(
        answer=outcome.text,
        items=[show_item(item) for item in result.items] if result else [],
        found=draft.is_found,
        sources=show_item_sources(result) if result else [show_source(hit) for hit in found.hits],
        entities=show_entities(found),
        intent=decision.intent,
        policy=decision.policy,
        tool=decision.tool,
        follow_up=show_follow_up(found),
        confidence=draft.confidence,
        total=max(result.total, len(result.items)) if result else 0,
        degraded_reason=", ".join(reasons) or None,
        receipt_id=outcome.receipt_id,
    )


def show_follow_up(found: Found) -> FollowUpView:
    """What a question took from the last topic: of an entity alone that one is named."""
    follow_up = found.follow_up
    if not follow_up.is_follow_up:
        return FollowUpView(is_follow_up=False)
    starts = found.decision.starts
    entity = follow_up.entity or (starts[0] if starts else None)
    return FollowUpView(is_follow_up=True, entity=show_named(entity) if entity else None)


def show_entities(found: Found) -> list[NamedView]:
    """The entities that a question names or takes, each once a place."""
    return [show_named(hit) for hit in dict.fromkeys((*found.decision.entities, *found.decision.starts))]


def show_named(hit: Hit) -> NamedView:
    """An entity with its place in the question."""
    return NamedView(hit.type, hit.key, hit.name, hit.start, hit.end, hit.match.word, hit.is_strict)


def show_item(item: Item) -> ItemView:
    """An item with its records."""
    return ItemView(item.text, item.type, item.key, [SourceView(None, record) for record in item.record_ids])


def show_item_sources(result: GraphResult) -> list[SourceView]:
    """The records of all items, each once, at most so many."""
    return [SourceView(None, record) for record in result.record_ids[:SHOWN_SOURCES]]


def show_source(hit: ChunkHit) -> SourceView:
    """Where a hit is from."""
    return SourceView(hit.document_id, hit.record_id, hit.chunk_id, hit.title)


def show_chunk(hit: ChunkHit) -> ChunkView:
    """A hit of text search."""
    return ChunkView(hit.document_id, hit.record_id, hit.chunk_id, hit.title, hit.text, round(hit.score, 6))
