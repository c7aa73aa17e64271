"""Calls about corpora: knowledge of the product, which no user owns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory.sync_sending import Sending
from unde_memory.transport import (
    UNSET,
    UnsetType,
    fill,
    operation,
)
from unde_memory.types import (
    Ask,
    Corpus,
    CorpusSearch,
    Document,
    Entity,
    Graph,
    Ingested,
    Page,
    Record,
    Resolved,
)


class KnowledgeCalls(Sending):
    """Calls about corpora: knowledge of the product, which no user owns."""

    @operation("GET /v1/corpora")
    def list_corpora(
        self, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[Corpus]:
        """Corpora in the order in which they were made."""
        return self.request("GET", "/v1/corpora", Page[Corpus], query={"after": after, "limit": limit})

    @operation("GET /v1/corpora/{corpus}")
    def get_corpus(self, corpus: str) -> Corpus:
        """A corpus with its counts."""
        return self.request("GET", fill("/v1/corpora/{corpus}", corpus=corpus), Corpus)

    @operation("PUT /v1/corpora/{corpus}")
    def put_corpus(
        self,
        corpus: str,
        *,
        name: str | UnsetType | None = UNSET,
        schema: str | Mapping[str, Any] | UnsetType | None = UNSET,
        settings: Mapping[str, Any] | UnsetType | None = UNSET,
    ) -> Corpus:
        """Make a corpus, or set its name, schema or settings."""
        return self.request(
            "PUT",
            fill("/v1/corpora/{corpus}", corpus=corpus),
            Corpus,
            body={"name": name, "schema": schema, "settings": settings},
        )

    @operation("DELETE /v1/corpora/{corpus}")
    def delete_corpus(self, corpus: str) -> None:
        """Delete a corpus with everything in it."""
        self.request("DELETE", fill("/v1/corpora/{corpus}", corpus=corpus), None)

    @operation("GET /v1/corpora/{corpus}/documents")
    def list_documents(
        self, corpus: str, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[Document]:
        """Documents of a corpus, without their texts."""
        return self.request(
            "GET",
            fill("/v1/corpora/{corpus}/documents", corpus=corpus),
            Page[Document],
            query={"after": after, "limit": limit},
        )

    @operation("DELETE /v1/corpora/{corpus}/documents/{item}")
    def delete_document(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""
        self.request("DELETE", fill("/v1/corpora/{corpus}/documents/{item}", corpus=corpus, item=item), None)

    @operation("GET /v1/corpora/{corpus}/entities")
    def list_entities(
        self,
        corpus: str,
        *,
        after: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        q: str | UnsetType | None = UNSET,
        type: str | UnsetType | None = UNSET,
    ) -> Page[Entity]:
        """Entities with aliases and how often they are mentioned."""
        return self.request(
            "GET",
            fill("/v1/corpora/{corpus}/entities", corpus=corpus),
            Page[Entity],
            query={"after": after, "limit": limit, "q": q, "type": type},
        )

    @operation("POST /v1/corpora/{corpus}/ingest")
    def ingest(
        self,
        corpus: str,
        *,
        documents: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
        records: Sequence[Mapping[str, Any]] | UnsetType = UNSET,
    ) -> Ingested:
        """Write documents and records; each takes the place of what had its id, and is found when this answers."""
        return self.request(
            "POST",
            fill("/v1/corpora/{corpus}/ingest", corpus=corpus),
            Ingested,
            body={"documents": documents, "records": records},
        )

    @operation("GET /v1/corpora/{corpus}/records")
    def list_records(
        self, corpus: str, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[Record]:
        """Records of a corpus, as they were sent."""
        return self.request(
            "GET",
            fill("/v1/corpora/{corpus}/records", corpus=corpus),
            Page[Record],
            query={"after": after, "limit": limit},
        )

    @operation("DELETE /v1/corpora/{corpus}/records/{item}")
    def delete_record(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""
        self.request("DELETE", fill("/v1/corpora/{corpus}/records/{item}", corpus=corpus, item=item), None)

    @operation("POST /v1/corpora/{corpus}/resolve")
    def resolve(
        self, corpus: str, *, text: str | UnsetType | None = UNSET, texts: Sequence[str] | UnsetType | None = UNSET
    ) -> Resolved:
        """Which entities texts name."""
        return self.request(
            "POST", fill("/v1/corpora/{corpus}/resolve", corpus=corpus), Resolved, body={"text": text, "texts": texts}
        )

    @operation("POST /v1/ask")
    def ask(
        self,
        *,
        corpus: str,
        query: str,
        user_id: str | UnsetType | None = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        history: Sequence[str] | UnsetType = UNSET,
        style_hint: Literal["auto", "list", "text"] | UnsetType = UNSET,
        stream: bool | UnsetType = UNSET,
        model: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
    ) -> Ask:
        """An answer in words from a corpus; with `stream` as server-sent events `delta`, `answer`, `error`."""
        return self.request(
            "POST",
            "/v1/ask",
            Ask,
            body={
                "corpus": corpus,
                "query": query,
                "user_id": user_id,
                "conversation_id": conversation_id,
                "history": history,
                "style_hint": style_hint,
                "stream": stream,
                "model": model,
                "as_of": as_of,
            },
        )

    @operation("POST /v1/corpora/{corpus}/graph")
    def query_graph(
        self,
        corpus: str,
        *,
        intent: str | UnsetType | None = UNSET,
        path: Sequence[str] | UnsetType | None = UNSET,
        entity: Mapping[str, Any] | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
    ) -> Graph:
        """Everything that an intent or a path leads to from an entity: complete, and nothing else."""
        return self.request(
            "POST",
            fill("/v1/corpora/{corpus}/graph", corpus=corpus),
            Graph,
            body={"intent": intent, "path": path, "entity": entity, "as_of": as_of},
        )

    @operation("POST /v1/corpora/{corpus}/search")
    def search_corpus(
        self,
        corpus: str,
        *,
        query: str,
        top_k: int | UnsetType = UNSET,
        per_document: int | UnsetType = UNSET,
        history: Sequence[str] | UnsetType = UNSET,
        types: Sequence[str] | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        trace: bool | UnsetType = UNSET,
    ) -> CorpusSearch:
        """What a corpus has for a question: chunks, best first, and how the question was taken."""
        return self.request(
            "POST",
            fill("/v1/corpora/{corpus}/search", corpus=corpus),
            CorpusSearch,
            body={
                "query": query,
                "top_k": top_k,
                "per_document": per_document,
                "history": history,
                "types": types,
                "as_of": as_of,
                "trace": trace,
            },
        )
