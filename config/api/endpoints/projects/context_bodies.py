"""What a caller sends to get contexts of projects, and to write answers back."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, RequestBody
from config.api.describing import about
from config.api.endpoints.projects.bodies import AsOf, Budget, KnownAt, Question

Corpora = Annotated[list[ExternalId], Meta(max_length=20, description="Corpora whose excerpts are to come along.")]
Language = Annotated[str, Meta(max_length=16, description="Of instructions and questions: `en`, `ru` or `ar`.")]


class SnapshotBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A snapshot."""

    user_id: Annotated[ExternalId, about("Who asks. What others said in threads that are not shared is not quoted.")]
    query: Annotated[str, Meta(max_length=20_000, description="What it is for. Empty: the project as a whole.")] = ""
    budget_tokens: Budget | None = None
    as_of: AsOf = None
    known_at: KnownAt = None


class ProjectContextBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A context for one reply."""

    user_id: Annotated[ExternalId, about("Who asks. Passages come from this user's threads and from shared ones.")]
    query: Question
    budget_tokens: Budget | None = None
    corpora: Corpora = []
    as_of: AsOf = None
    known_at: KnownAt = None
    language: Language | None = None


Citation = Annotated[str, Meta(max_length=2_000, description="A mark, or the id of a source or a fact.")]


class CitedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source as a context gave it; other fields are ignored."""

    id: Annotated[str | None, about("The id of the source or the fact.")] = None
    source_id: Annotated[str | None, about("The id of the source.")] = None
    fact_id: Annotated[str | None, about("The id of the fact.")] = None
    mark: Annotated[str | None, about("The mark of the source: `S1`.")] = None


class WritebackBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer that was made from a context."""

    user_id: Annotated[ExternalId, about("Whose answer it is.")]
    answer: Annotated[str, Meta(min_length=1, max_length=100_000, description="The answer, with its marks: `[S1]`.")]
    citations: Annotated[
        list[Citation | CitedSource],
        Meta(max_length=200, description="What it cites: marks (`S1`), ids of sources or facts, or whole sources."),
    ] = []
    snapshot_id: Annotated[str | None, about("The snapshot that it was made from.")] = None


class NormaliseBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to be understood."""

    query: Question
    user_id: Annotated[ExternalId | None, about("Who asks.")] = None
    conversation_id: Annotated[ExternalId | None, about("Where it was asked. Goes with `user_id`.")] = None
    corpora: Corpora = []
