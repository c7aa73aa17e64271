"""Corpora: made, filled, listed, resolved against, deleted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import BATCH_BODY_LIMIT, PageQuery, decode_json
from config.api.endpoints.corpora_structs import (
    AliasAnswer,
    CorpusBody,
    CorpusCounts,
    CorpusPage,
    CorpusView,
    DocumentPage,
    DocumentView,
    EntityAnswer,
    EntityPage,
    EntityQuery,
    IngestAnswer,
    IngestBody,
    IngestResult,
    IngestWarning,
    ItemError,
    RecordPage,
    ResolveAnswer,
    ResolveBody,
    ResolvedEntity,
    ResolvedText,
)
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import CodedError, InvalidRequest
from memory.tenants.types import Scope
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.entities.types import Hit
from retrieval.knowledge.ingest.types import MAX_ITEMS, DocumentBody, IngestOutcome, ItemResult, RecordBody
from retrieval.knowledge.models import Corpus, Document
from retrieval.knowledge.selectors.corpora import get_corpus, list_corpora, list_documents, list_records
from retrieval.knowledge.selectors.entities import EntityView, list_entities
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest
from retrieval.knowledge.services.removing import remove_corpus, remove_document, remove_record
from retrieval.knowledge.settings import CorpusSettings

PATH = {"corpus": "Your id of the corpus."}
Body = TypeVar("Body", DocumentBody, RecordBody)
Find = Callable[[int | None, int], Sequence[Any]]
"""Rows after a position, as many as asked for."""


class Corpora(ApiView):
    """`GET /v1/corpora`."""

    scopes = {"GET": Scope.KNOWLEDGE_READ}

    @describe(
        summary="Corpora in the order in which they were made",
        description="Every corpus of the tenant with its counts. The oldest come first.",
        operation="corpora_list",
        tag="knowledge",
        query=PageQuery,
        answers={200: CorpusPage},
    )
    def get(self, request: Request) -> Response:
        def find(after: int | None, limit: int) -> Sequence[Corpus]:
            return list_corpora(tenant_id=self.caller.tenant_id, after=after, limit=limit)

        return self.list_pages(self.read_query(PageQuery), "corpora", find, render=show_corpus, position=int)


class CorpusDetail(ApiView):
    """`GET`, `PUT` and `DELETE /v1/corpora/{corpus}`."""

    scopes = {"GET": Scope.KNOWLEDGE_READ, "PUT": Scope.KNOWLEDGE_WRITE, "DELETE": Scope.KNOWLEDGE_WRITE}

    @describe(
        summary="A corpus with its counts",
        description=(
            "Schema, settings, version and counts. The version grows with every change of what is in the corpus."
        ),
        tag="knowledge",
        path=PATH,
        answers={200: CorpusView},
        errors=(404,),
    )
    def get(self, request: Request, corpus: str) -> Response:
        with self.in_tenant():
            found = get_corpus(tenant_id=self.caller.tenant_id, external_id=corpus)
        return Response(show_corpus(found))

    @describe(
        summary="Make a corpus, or set its name, schema or settings",
        description=(
            "What is left out stays as it is. Another schema is taken only when every stored record fits it. "
            "Otherwise the answer is `schema_conflict` and nothing changes."
        ),
        tag="knowledge",
        body=CorpusBody,
        path=PATH,
        answers={200: CorpusView},
        errors=(409,),
    )
    def put(self, request: Request, corpus: str) -> Response:
        body, tenant_id = self.read_body(CorpusBody), self.caller.tenant_id
        settings = None if body.settings is None else msgspec.to_builtins(body.settings)
        with self.in_tenant():
            put_corpus(
                tenant_id=tenant_id,
                external_id=corpus,
                name=body.name,
                schema=body.schema,
                settings=settings,
                now=timezone.now(),
            )
            found = get_corpus(tenant_id=tenant_id, external_id=corpus)
        return Response(show_corpus(found))

    @describe(
        summary="Delete a corpus with everything in it",
        description="Documents, records, entities, edges and index go in one transaction.",
        tag="knowledge",
        path=PATH,
        answers={204: None},
        errors=(404,),
    )
    def delete(self, request: Request, corpus: str) -> Response:
        with self.in_tenant():
            remove_corpus(tenant_id=self.caller.tenant_id, corpus=corpus)
        return Response(status=204)


class Ingest(ApiView):
    """`POST /v1/corpora/{corpus}/ingest`."""

    scopes = {"POST": Scope.KNOWLEDGE_WRITE}
    body_limit = BATCH_BODY_LIMIT

    @describe(
        summary="Write documents and records; each takes the place of what had its id, and is found when this answers",
        description=(
            "All items are written in one transaction. One that does not fit is an error of its own and "
            "leaves what was there. References may point forward. The other end of an edge that nobody "
            "describes becomes a bare node, and a warning says so."
        ),
        tag="knowledge",
        body=IngestBody,
        path=PATH,
        answers={200: IngestAnswer},
        errors=(404,),
    )
    def post(self, request: Request, corpus: str) -> Response:
        body = self.read_body(IngestBody)
        if len(body.documents) + len(body.records) > MAX_ITEMS:
            raise InvalidRequest(fields={"documents": f"with records: at most {MAX_ITEMS}"})
        documents = [_decode(item, DocumentBody, "document") for item in body.documents]
        records = [_decode(item, RecordBody, "record") for item in body.records]
        with self.in_tenant():
            outcome = ingest(
                tenant_id=self.caller.tenant_id, corpus=corpus, documents=documents, records=records, now=timezone.now()
            )
        return Response(_show_outcome(outcome))


class Documents(ApiView):
    """`GET /v1/corpora/{corpus}/documents`."""

    scopes = {"GET": Scope.KNOWLEDGE_READ}

    @describe(
        summary="Documents of a corpus, without their texts",
        description="In the order in which they came. A replaced document counts as new.",
        tag="knowledge",
        query=PageQuery,
        path=PATH,
        answers={200: DocumentPage},
        errors=(404,),
    )
    def get(self, request: Request, corpus: str) -> Response:
        query, find = self.read_query(PageQuery), _find_in(self, corpus, list_documents)
        return self.list_pages(query, "corpus_documents", find, render=_show_document, position=int)


class Records(ApiView):
    """`GET /v1/corpora/{corpus}/records`."""

    scopes = {"GET": Scope.KNOWLEDGE_READ}

    @describe(
        summary="Records of a corpus, as they were sent",
        description="In the order in which they came. A replaced record counts as new.",
        tag="knowledge",
        query=PageQuery,
        path=PATH,
        answers={200: RecordPage},
        errors=(404,),
    )
    def get(self, request: Request, corpus: str) -> Response:
        query, find = self.read_query(PageQuery), _find_in(self, corpus, list_records)
        return self.list_pages(query, "corpus_records", find, render=attrgetter("body"), position=int)


class CorpusItem(ApiView):
    """`DELETE /v1/corpora/{corpus}/documents/{id}` and `.../records/{id}`."""

    scopes = {"DELETE": Scope.KNOWLEDGE_WRITE}
    kind: ClassVar[str] = "documents"
    removers: ClassVar[dict[str, Callable[..., None]]] = {"documents": remove_document, "records": remove_record}

    @describe(
        summary="Delete one, and what only it supported",
        description=(
            "Entities, aliases, mentions and edges that rest on nothing else go with it. An entity that "
            "other records point to stays as a bare node."
        ),
        tag="knowledge",
        path={**PATH, "item": "Your id of the document or record."},
        answers={204: None},
        errors=(404,),
    )
    def delete(self, request: Request, corpus: str, item: str) -> Response:
        with self.in_tenant():
            self.removers[self.kind](
                tenant_id=self.caller.tenant_id, corpus=corpus, external_id=item, now=timezone.now()
            )
        return Response(status=204)


class Entities(ApiView):
    """`GET /v1/corpora/{corpus}/entities`."""

    scopes = {"GET": Scope.KNOWLEDGE_READ}

    @describe(
        summary="Entities with aliases and how often they are mentioned",
        description="`q` finds entities by the beginning of a word of any of their names.",
        tag="knowledge",
        query=EntityQuery,
        path=PATH,
        answers={200: EntityPage},
        errors=(404,),
    )
    def get(self, request: Request, corpus: str) -> Response:
        query = self.read_query(EntityQuery)
        find = _find_in(self, corpus, partial(list_entities, q=query.q, type=query.type))
        return self.list_pages(query, "corpus_entities", find, render=_show_entity, position=int)


class Resolve(ApiView):
    """`POST /v1/corpora/{corpus}/resolve`."""

    scopes = {"POST": Scope.KNOWLEDGE_READ}
    body_limit = BATCH_BODY_LIMIT

    @describe(
        summary="Which entities texts name",
        description=(
            "Longer names win over shorter ones at the same place. A strict entity is the only one that its "
            "place can mean."
        ),
        tag="knowledge",
        body=ResolveBody,
        path=PATH,
        answers={200: ResolveAnswer},
        errors=(404,),
    )
    def post(self, request: Request, corpus: str) -> Response:
        body = self.read_body(ResolveBody)
        if (body.text is None) == (body.texts is None):
            raise InvalidRequest(fields={"text": "one of text and texts is required"})
        texts = [body.text] if body.text is not None else list(body.texts or ())
        with self.in_tenant():
            found = get_corpus(tenant_id=self.caller.tenant_id, external_id=corpus)
            hits = resolve_texts(corpus_id=found.id, texts=texts, version=found.version)
        answers = [[_show_hit(hit) for hit in each] for each in hits]
        if body.text is not None:
            return Response(ResolveAnswer(entities=answers[0]))
        return Response(ResolveAnswer(results=[ResolvedText(each) for each in answers]))


def show_corpus(corpus: Corpus) -> CorpusView:
    """A corpus as callers see it."""
    counts = CorpusCounts(
        corpus.documents, corpus.records, corpus.chunks, corpus.entities, corpus.aliases, corpus.mentions, corpus.edges
    )
    return CorpusView(
        id=corpus.external_id,
        name=corpus.name,
        schema_name=corpus.schema_name,
        schema=corpus.schema,
        settings=msgspec.convert(corpus.settings, CorpusSettings),
        version=corpus.version,
        counts=counts,
        created_at=corpus.created_at,
        updated_at=corpus.updated_at,
        last_ingest_at=corpus.last_ingest_at,
    )


def _find_in(view: ApiView, corpus: str, select: Callable[..., Sequence[Any]]) -> Find:
    """What `select` finds in a corpus of the tenant, page by page. Raises CorpusNotFound when it is called."""

    def find(after: int | None, limit: int) -> Sequence[Any]:
        found = get_corpus(tenant_id=view.caller.tenant_id, external_id=corpus)
        return select(corpus_id=found.id, after=after, limit=limit)

    return find


def _decode(item: msgspec.Raw, body_type: type[Body], kind: str) -> Body | ItemResult:
    """An item, or the result that refuses it under its id where it has one."""
    try:
        return decode_json(item, body_type)
    except CodedError as error:
        return ItemResult(_find_id(item), kind, "error", error=error)


def _find_id(item: msgspec.Raw) -> str | None:
    try:
        sent = msgspec.json.decode(item)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    found = sent.get("id") if isinstance(sent, dict) else None
    return found if isinstance(found, str) else None


def _show_outcome(outcome: IngestOutcome) -> IngestAnswer:
    results = [
        IngestResult(
            id=result.id,
            kind=result.kind,
            status=result.status,
            warnings=[IngestWarning(**warning) for warning in result.warnings],
            error=_show_error(result.error) if result.error else None,
        )
        for result in outcome.results
    ]
    return IngestAnswer(results=results, version=outcome.version)


def _show_error(error: CodedError) -> ItemError:
    return ItemError(error.code, error.message, error.fields)


def _show_document(document: Document) -> DocumentView:
    return DocumentView(
        id=document.external_id,
        title=document.title,
        language=document.language or None,
        url=document.url or None,
        author=document.author or None,
        date=document.dated or None,
        authority=document.authority,
        metadata=document.metadata,
        version=document.version,
        ingested_at=document.ingested_at,
    )


def _show_entity(entity: EntityView) -> EntityAnswer:
    return EntityAnswer(
        type=entity.type,
        key=entity.key,
        name=entity.name,
        fields=json.loads(entity.fields),
        is_bare=entity.is_bare,
        aliases=[AliasAnswer(alias.text, alias.kind, alias.status) for alias in entity.aliases],
        mentions=entity.mentions,
    )


def _show_hit(hit: Hit) -> ResolvedEntity:
    return ResolvedEntity(hit.type, hit.key, hit.name, hit.start, hit.end, hit.match.word, hit.is_strict)
