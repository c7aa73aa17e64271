"""Request and response structs of corpora."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from config.api.decoding import PageQuery, RequestBody
from config.api.describing import Moment, NextCursor, about, one_of, refer_to
from retrieval.knowledge.entities.types import Match
from retrieval.knowledge.ingest.types import MAX_ITEMS, DocumentBody, RecordBody
from retrieval.knowledge.schemas.schema import SchemaBody
from retrieval.knowledge.settings import CorpusSettings

MAX_TEXTS = 500
QueryText = Annotated[str, Meta(max_length=100_000)]


class CorpusBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A corpus. Fields that are left out do not change."""

    name: Annotated[str, Meta(min_length=1, max_length=200, description="Its name for people.")] | None = None
    schema: Annotated[
        str | SchemaBody | None,
        about("`documents` (no types), `portfolio`, or a schema of your own. Records that are stored must fit it."),
    ] = None
    settings: Annotated[CorpusSettings | None, about("What is left out has its default.")] = None


class CorpusCounts(msgspec.Struct, frozen=True):
    """How much is in a corpus."""

    documents: Annotated[int, about("Documents.")]
    records: Annotated[int, about("Typed records.")]
    chunks: Annotated[int, about("Pieces of text that are searched one by one.")]
    entities: Annotated[int, about("Nodes of the graph, bare ones included.")]
    aliases: Annotated[int, about("Names of entities.")]
    mentions: Annotated[int, about("Places in chunks that name an entity, unsure ones included.")]
    edges: Annotated[int, about("Typed edges of records.")]


class CorpusView(msgspec.Struct, frozen=True):
    """A corpus."""

    id: Annotated[str, about("Your id of the corpus.")]
    name: Annotated[str, about("Its name for people.")]
    schema_name: Annotated[str, about("`documents`, `portfolio`, or `own`.")]
    schema: Annotated[dict[str, Any], about("Types, edges and intents, written out.")]
    settings: Annotated[CorpusSettings, about("The settings, without those that have their default.")]
    version: Annotated[int, about("Grows with every change of what is in the corpus.")]
    counts: Annotated[CorpusCounts, about("How much is in it.")]
    created_at: Annotated[Moment, about("When it was made.")]
    updated_at: Annotated[Moment, about("When it changed last.")]
    last_ingest_at: Annotated[Moment | None, about("When something was sent to it last.")]


class CorpusPage(msgspec.Struct, frozen=True):
    """A page of corpora."""

    results: Annotated[list[CorpusView], about("In the order in which they were made.")]
    next: NextCursor


def _list_raw(item: type, text: str) -> Meta:
    return Meta(max_length=MAX_ITEMS, description=text, extra_json_schema={"items": refer_to(item)})


class IngestBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 500 documents and records. Each replaces an earlier one with its id."""

    named_in_schema: ClassVar[tuple[type, ...]] = (DocumentBody, RecordBody)

    # Kept as bytes: one that does not fit is refused by itself.
    documents: Annotated[list[msgspec.Raw], _list_raw(DocumentBody, "Texts that are searched.")] = []
    records: Annotated[list[msgspec.Raw], _list_raw(RecordBody, "Typed records: nodes of the graph, with edges.")] = []


class IngestWarning(msgspec.Struct, frozen=True):
    """A warning about an item that was stored."""

    code: Annotated[
        str, about("Stable: `bare_target`, `ambiguous_target`, `alias_is_a_stop_word`, `cycle` and others.")
    ]
    field: Annotated[str, about("The path of the field in the item.")]
    message: Annotated[str, about("A sentence for people.")]


class ItemError(msgspec.Struct, frozen=True):
    """The reason why an item was refused."""

    code: Annotated[str, about("Stable: `key_taken`, `unknown_type`, `unknown_edge`, `invalid_request` and others.")]
    message: Annotated[str, about("A sentence for people.")]
    fields: Annotated[dict[str, str], about("What is wrong, by the path of the field in the item.")]


class IngestResult(msgspec.Struct, frozen=True):
    """The result of one item."""

    id: Annotated[str | None, about("Your id of the item. Null where it had none.")]
    kind: Annotated[str, one_of(("document", "record"), "Which list it was in.")]
    status: Annotated[str, one_of(("added", "replaced", "unchanged", "error"), "An error leaves what was there.")]
    warnings: Annotated[list[IngestWarning], about("Empty when there is nothing to look at.")]
    error: Annotated[ItemError | None, about("Why it was not taken. Null when it was.")] = None


class IngestAnswer(msgspec.Struct, frozen=True):
    """The results of the items, all in one transaction."""

    results: Annotated[list[IngestResult], about("In the order of the items, documents first.")]
    version: Annotated[int, about("The version of the corpus now.")]


class DocumentView(msgspec.Struct, frozen=True):
    """A document of a list, without its text."""

    id: Annotated[str, about("Your id of the document.")]
    title: Annotated[str, about("Its title, or nothing.")]
    language: Annotated[str | None, about("As it was sent.")]
    url: Annotated[str | None, about("As it was sent.")]
    author: Annotated[str | None, about("As it was sent.")]
    date: Annotated[str | None, about("As it was sent.")]
    authority: Annotated[float | None, about("As it was sent.")]
    metadata: Annotated[dict[str, Any], about("As it was sent.")]
    version: Annotated[int, about("The version of the corpus since which it is so.")]
    ingested_at: Annotated[Moment, about("When it came.")]


class DocumentPage(msgspec.Struct, frozen=True):
    """A page of documents."""

    results: Annotated[list[DocumentView], about("In the order in which they came.")]
    next: NextCursor


class RecordPage(msgspec.Struct, frozen=True):
    """A page of records."""

    results: Annotated[list[RecordBody], about("As they were sent, in the order in which they came.")]
    next: NextCursor


class EntityQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which entities."""

    q: (
        Annotated[str, Meta(max_length=200, description="Those one of whose names has a word that begins so.")] | None
    ) = None
    type: Annotated[str, Meta(max_length=64, description="Those of this type.")] | None = None


class AliasAnswer(msgspec.Struct, frozen=True):
    """A name of an entity."""

    text: Annotated[str, about("The name as it was written.")]
    kind: Annotated[str, one_of(("name", "declared", "title", "person"), "Where it is from.")]
    status: Annotated[
        str,
        one_of(
            ("active", "confirmed", "refused", "ignored"),
            "`confirmed` and `refused` were decided by a person; `ignored` is a stop word, and names nothing.",
        ),
    ]


class EntityAnswer(msgspec.Struct, frozen=True):
    """An entity: a node of the graph, with its names."""

    type: Annotated[str, about("A type of the schema; `Document` for the title of documents.")]
    key: Annotated[str, about("One entity of its type.")]
    name: Annotated[str, about("Its name for people.")]
    fields: Annotated[dict[str, Any], about("Of its record.")]
    is_bare: Annotated[bool, about("Edges lead to it, and no record describes it yet.")]
    aliases: Annotated[list[AliasAnswer], about("Its names.")]
    mentions: Annotated[int, about("Places in chunks that name it for sure.")]


class EntityPage(msgspec.Struct, frozen=True):
    """A page of entities."""

    results: Annotated[list[EntityAnswer], about("In the order in which they came.")]
    next: NextCursor


class ResolveBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text, or up to 500 of them."""

    text: Annotated[QueryText | None, about("One text.")] = None
    texts: Annotated[list[QueryText], Meta(max_length=MAX_TEXTS, description="Several texts.")] | None = None


class ResolvedEntity(msgspec.Struct, frozen=True):
    """An entity that a text names."""

    type: Annotated[str, about("Its type.")]
    key: Annotated[str, about("Its key.")]
    name: Annotated[str, about("Its name for people.")]
    start: Annotated[int, about("Where its name begins in the text, in code points.")]
    end: Annotated[int, about("Where its name has ended.")]
    match: Annotated[
        str, one_of([match.word for match in Match], "How the text names it. The last three are never strict.")
    ]
    strict: Annotated[bool, about("Whether it is sure: the place names this entity and no other.")]


class ResolvedText(msgspec.Struct, frozen=True):
    """The entities of one text."""

    entities: Annotated[list[ResolvedEntity], about("By place, at most five a place, best first.")]


class ResolveAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """`entities` for `text`, `results` for `texts`."""

    entities: Annotated[list[ResolvedEntity] | None, about("By place, at most five a place, best first.")] = None
    results: Annotated[list[ResolvedText] | None, about("One for each of the texts, in order.")] = None
