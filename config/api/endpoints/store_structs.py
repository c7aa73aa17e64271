"""Kept items over the wire, in the form of LangGraph Platform's store, so that its SDKs work against it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import RequestBody
from config.api.describing import Moment, about

Labels = Annotated[list[str], Meta(max_length=20, description="Labels from the first to the last.")]
Key = Annotated[str, Meta(min_length=1, max_length=512, description="The name of the item in its namespace.")]
Minutes = Annotated[float, Meta(gt=0, le=5_256_000, description="Minutes until the item ends by itself.")]
Index = Annotated[
    bool | list[str] | None,
    about("Paths of the fields that are searched: `title`, `parts[*].text`. Null: the whole item. False: none."),
]
MAX_OPERATIONS = 500


class PutItemBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document to keep."""

    namespace: Annotated[list[str], Meta(min_length=1, max_length=20, description="Where it stands. No dots.")]
    key: Key
    value: Annotated[dict[str, Any], about("The document.")]
    index: Index = None
    ttl: Minutes | None = None
    if_version: Annotated[
        Annotated[int, Meta(ge=0)] | None, about("Write only over this version; 0: only where there is none.")
    ] = None


class DeleteItemBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document to delete."""

    namespace: Labels = []
    key: Key


class GetItemQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which document to read."""

    namespace: Annotated[str, Meta(max_length=4_000, description="The labels of the namespace, with dots between.")]
    key: Key
    refresh_ttl: Annotated[bool | None, about("Whether its lifetime begins again. It does unless false.")] = None
    version: Annotated[Annotated[int, Meta(ge=1)] | None, about("An older version, where it is still kept.")] = None


class SearchItemsBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which documents to find."""

    namespace_prefix: Annotated[Labels, about("How their namespaces begin. Empty: all of the user.")] = []
    filter: Annotated[
        dict[str, Any] | None,
        about("Values of fields, or operators: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`. Another one is refused."),
    ] = None
    query: Annotated[
        Annotated[str, Meta(max_length=20_000)] | None, about("A question: by words and vectors, best first.")
    ] = None
    limit: Annotated[Annotated[int, Meta(ge=1, le=1000)] | None, about("How many at most; 10 when not given.")] = None
    offset: Annotated[Annotated[int, Meta(ge=0)] | None, about("How many of the first to leave out.")] = None
    refresh_ttl: Annotated[bool | None, about("Whether lifetimes begin again. They do unless false.")] = None


class NamespacesBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which namespaces to list."""

    prefix: Annotated[Labels | None, about("How they begin; `*` stands for any label.")] = None
    suffix: Annotated[Labels | None, about("How they end; `*` stands for any label.")] = None
    max_depth: Annotated[Annotated[int, Meta(ge=1)] | None, about("Cut them to so many labels.")] = None
    limit: Annotated[Annotated[int, Meta(ge=1, le=1000)] | None, about("How many at most; 100 when not given.")] = None
    offset: Annotated[Annotated[int, Meta(ge=0)] | None, about("How many of the first to leave out.")] = None


class KeptItemView(msgspec.Struct, frozen=True):
    """A document as it is kept."""

    namespace: Annotated[list[str], about("Where it stands.")]
    key: Annotated[str, about("Its name there.")]
    value: Annotated[dict[str, Any], about("The document.")]
    created_at: Annotated[Moment, about("When it was first put.")]
    updated_at: Annotated[Moment, about("When this version was put.")]
    version: Annotated[int, about("1 for the first, one more with each put.")]
    expires_at: Annotated[Moment | None, about("When it ends by itself.")]


class FoundKeptItemView(KeptItemView, frozen=True):
    """A document that was found."""

    score: Annotated[float | None, about("How well it answers the query, 0 to 1. Null without one.")]


class KeptItemsAnswer(msgspec.Struct, frozen=True):
    """Documents that were found."""

    items: Annotated[list[FoundKeptItemView], about("By score under a query, else the latest change first.")]


class NamespacesAnswer(msgspec.Struct, frozen=True):
    """Namespaces with documents in them."""

    namespaces: Annotated[list[list[str]], about("In order of their labels.")]


Operation = Literal["put", "get", "delete", "search", "namespaces"]
OPERATIONS: tuple[str, ...] = get_args(Operation)


class GetItemBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which document to read, as a step of a batch."""

    namespace: Labels
    key: Key
    refresh_ttl: Annotated[bool | None, about("Whether the lifetime of the item begins again.")] = None
    version: Annotated[Annotated[int, Meta(ge=1)] | None, about("An older version, where it is still kept.")] = None


class StoreBatchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps that are carried out in order."""

    operations: Annotated[
        list[dict[str, Any]],
        Meta(
            min_length=1,
            max_length=MAX_OPERATIONS,
            description=(
                "Each has `op` (`put`, `get`, `delete`, `search`, `namespaces`) and the fields of that call. Writes"
                " that follow each other are all done or none."
            ),
        ),
    ]


class StoreBatchAnswer(msgspec.Struct, frozen=True):
    """The answers of the steps."""

    results: Annotated[
        list[Any],
        about("In order: an item or null for `get`, items, namespaces, null for a write."),
    ]


class UserKeyBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key for one user."""

    name: Annotated[str, Meta(max_length=100, description="What the key is for; made up when empty.")] = ""
    scopes: Annotated[
        list[str] | None,
        about("What it may do: scopes that your own key has. Null: reading, writing, facts, forgetting, items."),
    ] = None
    expires_at: Annotated[Moment | None, about("When it ends; never when not given.")] = None
    requests_per_minute: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None, about("Its limit; none when not given.")
    ] = None


class UserKeyView(msgspec.Struct, frozen=True):
    """A key for one user, without its secret."""

    id: Annotated[UUID, about("Our id of the key.")]
    name: Annotated[str, about("What the key is for.")]
    prefix: Annotated[str, about("How the key begins after `unde_`.")]
    scopes: Annotated[list[str], about("What it may do.")]
    created_at: Annotated[Moment, about("When it was made.")]
    expires_at: Annotated[Moment | None, about("When it ends.")]
    last_used_at: Annotated[Moment | None, about("When it was last used, to the minute.")]


class NewUserKey(UserKeyView, frozen=True):
    """A key just made, and its secret."""

    key: Annotated[str, about("The key itself. It is shown this once.")]


class UserKeyPage(msgspec.Struct, frozen=True):
    """A page of keys."""

    results: Annotated[list[UserKeyView], about("The working keys in the order in which they were made.")]
    next: Annotated[str | None, about("Send it as `after` to read the next page. Null on the last page.")]
