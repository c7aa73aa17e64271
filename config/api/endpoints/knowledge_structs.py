"""Request and response structs of questions to a corpus."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, RequestBody
from config.api.describing import about

QueryText = Annotated[str, Meta(min_length=1, max_length=4_000)]
TypeName = Annotated[str, Meta(min_length=1, max_length=64)]
PathStep = Annotated[str, Meta(min_length=1, max_length=80)]
History = Annotated[
    list[QueryText], Meta(max_length=50, description="Earlier questions of the same person, oldest first.")
]
AsOf = Annotated[Instant | None, about("Only edges that were valid at this moment.")]
Policy = Annotated[
    Literal["strict", "boost", "none"],
    about("One certain entity (strict), several or an unsure one (boost), or no entity."),
]
Tool = Annotated[Literal["graph", "text"], about("Whether the graph answered or text search.")]
Degraded = Annotated[str | None, about("What was left out or is out of date, as codes; null when nothing is.")]


class EntityReference(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entity by its key, or by a name as people write it."""

    type: Annotated[TypeName | None, about("The type, where several have the key or name.")] = None
    key: Annotated[str, Meta(min_length=1, max_length=200, description="Its key.")] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=500, description="A name of it, in any spelling.")] | None = None


class GraphBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An intent of the plan, or a path of edge kinds."""

    intent: (
        Annotated[str, Meta(min_length=1, max_length=80, description="The name of an intent of the plan.")] | None
    ) = None
    path: (
        Annotated[
            list[PathStep], Meta(max_length=6, description='Edge kinds in order; "<" before one for the way back.')
        ]
        | None
    ) = None
    entity: Annotated[EntityReference | None, about("Where to start; not needed for an intent of the only one.")] = None
    as_of: AsOf = None


class SourceView(msgspec.Struct, frozen=True):
    """A document or a record, and the chunk of it where there is one."""

    document_id: Annotated[str | None, about("Your id of the document.")]
    record_id: Annotated[str | None, about("Your id of the record.")]
    chunk_id: Annotated[int | None, about("The chunk of it; null for a record as a whole.")] = None
    title: Annotated[str, about("What it is called.")] = ""


class ItemView(msgspec.Struct, frozen=True):
    """One thing of a complete list, and the records that say so."""

    text: Annotated[str, about("The name of the record, or the value of its field.")]
    type: Annotated[str, about("The type of the entity.")]
    key: Annotated[str, about("The key of the entity.")]
    sources: Annotated[list[SourceView], about("Its own record, then those whose edges lead to it.")]


class NamedView(msgspec.Struct, frozen=True):
    """An entity that a question names, and how surely it is meant."""

    type: Annotated[str, about("The type of the entity.")]
    key: Annotated[str, about("The key of the entity.")]
    name: Annotated[str, about("The name of the entity.")]
    start: Annotated[int, about("Where it stands in the question, in code points.")]
    end: Annotated[int, about("Where it ends; as `start` when it was taken from the last topic.")]
    match: Annotated[str, about("How it was found: exact, folded, stem, morph, skeleton, acronym or fuzzy.")]
    strict: Annotated[bool, about("Whether it is meant for certain.")]


class GraphAnswer(msgspec.Struct, frozen=True):
    """All that was asked for and only that."""

    found: Annotated[bool, about("Whether there is an item.")]
    items: Annotated[list[ItemView], about("Every item, in the order of the records.")]
    sources: Annotated[list[SourceView], about("The records of all items, each once, at most 200.")]
    confidence: Annotated[float, about("1 for a certain entity, also when the list is empty; 0 for an unknown one.")]
    total: Annotated[int, about("How many items there are.")]
    truncated: Annotated[bool, about("Whether there are more than the 10,000 that are answered.")]


class CorpusSearchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to a corpus."""

    query: Annotated[QueryText, about("The question.")]
    top_k: Annotated[int, Meta(ge=1, le=100, description="How many results at most.")] = 10
    per_document: Annotated[int, Meta(ge=1, le=100, description="Chunks of one document or record at most.")] = 1
    history: History = []
    types: Annotated[list[TypeName], Meta(max_length=50, description="Only texts of these types.")] | None = None
    as_of: AsOf = None
    trace: Annotated[bool, about("Whether to say how the result came about.")] = False


class ChunkView(msgspec.Struct, frozen=True):
    """A piece of a document or of a record's text."""

    document_id: Annotated[str | None, about("Your id of the document.")]
    record_id: Annotated[str | None, about("Your id of the record.")]
    chunk_id: Annotated[int | None, about("Our id of the chunk; null for a record without a text.")]
    title: Annotated[str, about("The title of the document, or the name of the record.")]
    text: Annotated[str, about("The words of the chunk.")]
    score: Annotated[float, about("Its rank; comparable within one answer only.")]


class CorpusSearchAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The results, and how the question was understood."""

    results: Annotated[list[ChunkView], about("Chunks, best first; for the graph the texts of its items.")]
    entities: Annotated[list[NamedView], about("Entities that the question names.")]
    intent: Annotated[str, about("The intent of the plan, GENERAL for none.")]
    policy: Policy
    tool: Tool
    found: Annotated[bool, about("Whether there is anything.")]
    degraded_reason: Degraded
    trace: Annotated[Any, about("How it came about: steps, path, starts, timings. With `trace` only.")] = msgspec.UNSET


class AskBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to a corpus, to be answered in words."""

    corpus: ExternalId
    query: Annotated[QueryText, about("The question.")]
    user_id: Annotated[ExternalId | None, about("Who asks; without it nothing is kept and `history` counts.")] = None
    conversation_id: Annotated[ExternalId | None, about("Follow-ups are looked for in this conversation.")] = None
    history: History = []
    style_hint: Annotated[
        Literal["auto", "list", "text"], about("Lines, or one sentence; auto: lines from two items on.")
    ] = "auto"
    stream: Annotated[bool, about("Server-sent events `delta`, `answer`, `error` instead of JSON.")] = False
    model: Annotated[str, Meta(max_length=120, description="A model of the endpoint; `none`: by template.")] | None = (
        None
    )
    as_of: AsOf = None


class FollowUpView(msgspec.Struct, frozen=True):
    """Whether the question goes on with the last topic."""

    is_follow_up: Annotated[bool, about("Whether it takes something from the last question.")]
    entity: Annotated[NamedView | None, about("The entity that it is about then.")] = None


class AskAnswer(msgspec.Struct, frozen=True):
    """An answer in words, with its sources."""

    answer: Annotated[str, about("The words.")]
    items: Annotated[list[ItemView], about("Every item, also those that the words leave out by the list limit.")]
    found: Annotated[bool, about("Whether there is an answer.")]
    sources: Annotated[list[SourceView], about("The records of the items, or the chunks that text search found.")]
    entities: Annotated[list[NamedView], about("Entities that the question names.")]
    intent: Annotated[str, about("The intent of the plan, GENERAL for none.")]
    policy: Policy
    tool: Tool
    follow_up: Annotated[FollowUpView, about("What it takes from the last question.")]
    confidence: Annotated[float, about("1 for a complete list; for texts the share of the asked words in them.")]
    total: Annotated[int, about("How many items there are.")]
    degraded_reason: Degraded
    receipt_id: Annotated[UUID | None, about("The account of this answer.")]
