"""Calls about corpora: knowledge of the product, which no user owns."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory import types as t
from unde_memory.calling import Calls, delete, get, post, put
from unde_memory.writing import UNSET


class KnowledgeCalls(Calls):
    """Calls about corpora: knowledge of the product, which no user owns."""

    @get("/v1/corpora")
    def list_corpora(self, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.Corpus]:
        """Corpora in the order in which they were made."""

    @get("/v1/corpora/{corpus}")
    def get_corpus(self, corpus: str) -> t.Corpus:
        """A corpus with its counts."""

    @put("/v1/corpora/{corpus}")
    def put_corpus(self, corpus: str, *, name: str | None = UNSET, schema: str | Mapping[str, Any] | None = UNSET,
            settings: Mapping[str, Any] | None = UNSET) -> t.Corpus:
        """Make a corpus, or set its name, schema or settings."""

    @delete("/v1/corpora/{corpus}")
    def delete_corpus(self, corpus: str) -> None:
        """Delete a corpus with everything in it."""

    @get("/v1/corpora/{corpus}/documents")
    def list_documents(self, corpus: str, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.Document]:
        """Documents of a corpus, without their texts."""

    @delete("/v1/corpora/{corpus}/documents/{item}")
    def delete_document(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""

    @get("/v1/corpora/{corpus}/entities")
    def list_entities(self, corpus: str, *, after: str | None = UNSET, limit: int = UNSET, q: str | None = UNSET,
            type: str | None = UNSET) -> t.Page[t.Entity]:
        """Entities with aliases and how often they are mentioned."""

    @post("/v1/corpora/{corpus}/ingest")
    def ingest(self, corpus: str, *, documents: Sequence[Mapping[str, Any]] = UNSET,
            records: Sequence[Mapping[str, Any]] = UNSET) -> t.Ingested:
        """Write documents and records; each takes the place of what had its id, and is found when this answers."""

    @get("/v1/corpora/{corpus}/records")
    def list_records(self, corpus: str, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.Record]:
        """Records of a corpus, as they were sent."""

    @delete("/v1/corpora/{corpus}/records/{item}")
    def delete_record(self, corpus: str, item: str) -> None:
        """Delete one, and what only it supported."""

    @post("/v1/corpora/{corpus}/resolve")
    def resolve(self, corpus: str, *, text: str | None = UNSET, texts: Sequence[str] | None = UNSET) -> t.Resolved:
        """Which entities texts name."""

    @post("/v1/ask")
    def ask(self, *, corpus: str, query: str, user_id: str | None = UNSET, conversation_id: str | None = UNSET,
            history: Sequence[str] = UNSET, style_hint: Literal["auto", "list", "text"] = UNSET,
            model: str | None = UNSET, as_of: datetime | None = UNSET) -> t.Ask:
        """An answer in words from a corpus. As a stream: `stream_ask`."""

    @post("/v1/corpora/{corpus}/graph")
    def query_graph(self, corpus: str, *, intent: str | None = UNSET, path: Sequence[str] | None = UNSET,
            entity: Mapping[str, Any] | None = UNSET, as_of: datetime | None = UNSET) -> t.Graph:
        """Everything that an intent or a path leads to from an entity: complete, and nothing else."""

    @post("/v1/corpora/{corpus}/search")
    def search_corpus(self, corpus: str, *, query: str, top_k: int = UNSET, per_document: int = UNSET,
            history: Sequence[str] = UNSET, types: Sequence[str] | None = UNSET, as_of: datetime | None = UNSET,
            trace: bool = UNSET) -> t.CorpusSearch:
        """What a corpus has for a question: chunks, best first, and how the question was taken."""
