"""Calls about corpora: knowledge of the product, which no user owns."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory.calling import Calls, Opt, OptNone, delete, get, post, put
from unde_memory.types import Ask, Corpus, CorpusSearch, Document, Entity, Graph, Ingested, Page, Record, Resolved
from unde_memory.writing import UNSET


class KnowledgeCalls(Calls):
    """Calls about corpora: knowledge of the product, which no user owns."""

    @get("/v1/corpora")
    def list_corpora(self, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET) -> Page[Corpus]:
        """Corpora in the order in which they were made."""

    @get("/v1/corpora/{corpus}")
    def get_corpus(self, corpus: str) -> Corpus:
        """A corpus with its counts."""

    @put("/v1/corpora/{corpus}")
    def put_corpus(
        self,
        corpus: str,
        *,
        name: OptNone[str] = UNSET,
        schema: OptNone[str | Mapping[str, Any]] = UNSET,
        settings: OptNone[Mapping[str, Any]] = UNSET,
    ) -> Corpus:
        """Make a corpus, or set its name, schema or settings."""

    @delete("/v1/corpora/{corpus}")
    def delete_corpus(self, corpus: str) -> None:
        """Delete a corpus with everything in it."""

    @get("/v1/corpora/{corpus}/documents")
    def list_documents(self, corpus: str, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET) -> Page[Document]:
        """Documents of a corpus, without their texts."""

    @delete("/v1/corpora/{corpus}/documents/{item}")
    def delete_document(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""

    @get("/v1/corpora/{corpus}/entities")
    def list_entities(
        self,
        corpus: str,
        *,
        after: OptNone[str] = UNSET,
        limit: Opt[int] = UNSET,
        q: OptNone[str] = UNSET,
        type: OptNone[str] = UNSET,
    ) -> Page[Entity]:
        """Entities with aliases and how often they are mentioned."""

    @post("/v1/corpora/{corpus}/ingest")
    def ingest(
        self,
        corpus: str,
        *,
        documents: Opt[Sequence[Mapping[str, Any]]] = UNSET,
        records: Opt[Sequence[Mapping[str, Any]]] = UNSET,
    ) -> Ingested:
        """Write documents and records; each takes the place of what had its id, and is found when this answers."""

    @get("/v1/corpora/{corpus}/records")
    def list_records(self, corpus: str, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET) -> Page[Record]:
        """Records of a corpus, as they were sent."""

    @delete("/v1/corpora/{corpus}/records/{item}")
    def delete_record(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""

    @post("/v1/corpora/{corpus}/resolve")
    def resolve(self, corpus: str, *, text: OptNone[str] = UNSET, texts: OptNone[Sequence[str]] = UNSET) -> Resolved:
        """Which entities texts name."""

    @post("/v1/ask")
    def ask(
        self,
        *,
        corpus: str,
        query: str,
        user_id: OptNone[str] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        history: Opt[Sequence[str]] = UNSET,
        style_hint: Opt[Literal["auto", "list", "text"]] = UNSET,
        model: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
    ) -> Ask:
        """An answer in words from a corpus. As a stream: `stream_ask`."""

    @post("/v1/corpora/{corpus}/graph")
    def query_graph(
        self,
        corpus: str,
        *,
        intent: OptNone[str] = UNSET,
        path: OptNone[Sequence[str]] = UNSET,
        entity: OptNone[Mapping[str, Any]] = UNSET,
        as_of: OptNone[datetime] = UNSET,
    ) -> Graph:
        """Everything that an intent or a path leads to from an entity: complete, and nothing else."""

    @post("/v1/corpora/{corpus}/search")
    def search_corpus(
        self,
        corpus: str,
        *,
        query: str,
        top_k: Opt[int] = UNSET,
        per_document: Opt[int] = UNSET,
        history: Opt[Sequence[str]] = UNSET,
        types: OptNone[Sequence[str]] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        trace: Opt[bool] = UNSET,
    ) -> CorpusSearch:
        """What a corpus has for a question: chunks, best first, and how the question was taken."""
