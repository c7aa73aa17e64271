"""Kept items: put, read, delete, search, namespaces, and several of these at once (SPEC A-2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import OtherUser, UserRequired, find_named_user
from config.api.decoding import BATCH_BODY_LIMIT, convert_body
from config.api.endpoints.store_structs import (
    OPERATIONS,
    DeleteItemBody,
    FoundKeptItemView,
    GetItemBody,
    GetItemQuery,
    KeptItemsAnswer,
    KeptItemView,
    NamespacesAnswer,
    NamespacesBody,
    PutItemBody,
    SearchItemsBody,
    StoreBatchAnswer,
    StoreBatchBody,
)
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import InvalidRequest
from memory.kept.filters import check_filter
from memory.kept.namespaces import check_labels, check_path
from memory.kept.reading import find_item, list_namespaces, renew_items
from memory.kept.storing import change_items
from memory.kept.types import ANY_LABEL, Condition, Delete, KeptDocument, Put
from memory.selectors.users import find_user
from memory.tenants.errors import MissingScope
from memory.tenants.types import Scope
from memory.types import UserRef
from retrieval.kept.searching import Scored, search_items
from retrieval.pipeline import prepare

FOUND = 10  # items of a search that names no limit, as LangGraph's store has it
LISTED = 100  # namespaces of a list that names no limit
BODIES: dict[str, type] = {
    "put": PutItemBody,
    "get": GetItemBody,
    "delete": DeleteItemBody,
    "search": SearchItemsBody,
    "namespaces": NamespacesBody,
}
WRITES = ("put", "delete")
assert set(BODIES) == set(OPERATIONS)


class StoreView(ApiView):
    """Base of the store's views: whose items are meant, and the five things that can be done with them."""

    scopes: ClassVar[Mapping[str, Scope]] = {}
    checks_user = True

    def find_user_of(self, namespace: Sequence[str]) -> str:
        """The tenant's own id of the user: by key, by header, or by the label of the namespace that the key names.

        Raises UserRequired, OtherUser.
        """
        named, position = find_named_user(self.request, self.caller), self.caller.user_position
        if position is None:
            if named is None:
                raise UserRequired(fields={"X-UNDE-User": "is required"})
            return named
        if len(namespace) <= position or namespace[position] == ANY_LABEL:
            raise UserRequired(fields={"namespace": f"must name the user in its label {position}"})
        if named is not None and named != namespace[position]:
            raise OtherUser(fields={"namespace": f"names another user in its label {position}"})
        return namespace[position]

    def find_user(self, namespace: Sequence[str]) -> UserRef | None:
        """The user as it is stored; None where nothing was ever stored of it."""
        return find_user(tenant_id=self.caller.tenant_id, external_id=self.find_user_of(namespace))

    def change(self, bodies: Sequence[PutItemBody | DeleteItemBody], now: datetime) -> None:
        """Carry out writes of one user, all or none. Writes."""
        changes = [to_change(body) for body in bodies]
        users = {self.find_user_of(change.namespace) for change in changes}
        if len(users) > 1:
            raise OtherUser("Writes that follow each other in a batch must be of one user.")
        change_items(tenant_id=self.caller.tenant_id, user_external_id=users.pop(), changes=changes, now=now)

    def get_item(self, body: GetItemBody, now: datetime) -> KeptItemView | None:
        """One document; its lifetime begins again unless that is declined. Writes the lifetime."""
        check_path(body.namespace, body.key)
        with self.in_tenant():
            user = self.find_user(body.namespace)
            if user is None:
                return None
            namespace = tuple(body.namespace)
            item = find_item(user=user, namespace=namespace, key=body.key, now=now, version=body.version)
            if item is not None and body.refresh_ttl is not False:
                renew_items(user=user, items=[item], now=now)
        return show_item(item) if item else None

    def search(self, body: SearchItemsBody, now: datetime) -> list[FoundKeptItemView]:
        """Documents under a prefix, by filter and question. Writes lifetimes."""
        check_labels(body.namespace_prefix, name="namespace_prefix")
        check_filter(body.filter or {})
        has_question = bool(body.query and body.query.strip())
        question = prepare(body.query or "") if has_question else None
        with self.in_tenant():
            user = self.find_user(body.namespace_prefix)
            if user is None:
                return []
            prefix = tuple(body.namespace_prefix)
            found = search_items(
                user=user,
                prefix=prefix,
                now=now,
                wanted=body.filter,
                question=question,
                start=body.offset or 0,
                limit=body.limit or FOUND,
            )
            if body.refresh_ttl is not False:
                renew_items(user=user, items=[item for item, _ in found], now=now)
        return [show_found(one) for one in found]

    def list_namespaces(self, body: NamespacesBody, now: datetime) -> list[list[str]]:
        """Namespaces that have documents."""
        wanted = {"prefix": body.prefix or [], "suffix": body.suffix or []}
        for name, labels in wanted.items():
            check_labels(labels, name=name)
        conditions = [Condition(kind, tuple(path)) for kind, path in wanted.items() if path]
        start = body.offset or 0
        with self.in_tenant():
            user = self.find_user(body.prefix or [])
            if user is None:
                return []
            found = list_namespaces(user=user, conditions=conditions, max_depth=body.max_depth, now=now)
        return [list(one) for one in found[start : start + (body.limit or LISTED)]]


class StoreItems(StoreView):
    """`PUT`, `GET` and `DELETE /v1/store/items`."""

    scopes = {"GET": Scope.STORE_READ, "PUT": Scope.STORE_WRITE, "DELETE": Scope.STORE_WRITE}

    @describe(
        summary="Keep a document of a user under a namespace and a key",
        description=(
            "An item that is there gets a new version. The user is named by the key, by the header `X-UNDE-User`, or"
            " by the label of the namespace that is set on the key. No fact is ever read from an item."
        ),
        tag="store",
        body=PutItemBody,
        answers={204: None},
        errors=(409, 422),
    )
    def put(self, request: Request) -> Response:
        self.change([self.read_body(PutItemBody)], timezone.now())
        return Response(status=204)

    @describe(
        summary="A kept document, or null when there is none",
        description="The newest version, or the one that is asked for while it is kept.",
        operation="store_items_get",
        tag="store",
        query=GetItemQuery,
        answers={200: KeptItemView},
        is_nullable=True,
    )
    def get(self, request: Request) -> Response:
        query = self.read_query(GetItemQuery)
        namespace = query.namespace.split(".") if query.namespace else []
        body = GetItemBody(namespace=namespace, key=query.key, refresh_ttl=query.refresh_ttl, version=query.version)
        item = self.get_item(body, timezone.now())
        return Response(msgspec.Raw(b"null") if item is None else item)

    @describe(
        summary="Delete a kept document with all of its versions",
        description="An item that is not there is no error.",
        tag="store",
        body=DeleteItemBody,
        answers={204: None},
        errors=(409,),
    )
    def delete(self, request: Request) -> Response:
        self.change([self.read_body(DeleteItemBody)], timezone.now())
        return Response(status=204)


class StoreSearch(StoreView):
    """`POST /v1/store/items/search`."""

    scopes = {"POST": Scope.STORE_READ}

    @describe(
        summary="Find kept documents under a namespace, by filter and by question",
        description=(
            "With a query by words and vectors, best first; documents that are not indexed are then left out. Without"
            " one the latest change comes first."
        ),
        tag="store",
        body=SearchItemsBody,
        answers={200: KeptItemsAnswer},
    )
    def post(self, request: Request) -> Response:
        return Response(KeptItemsAnswer(self.search(self.read_body(SearchItemsBody), timezone.now())))


class StoreNamespaces(StoreView):
    """`POST /v1/store/namespaces`."""

    scopes = {"POST": Scope.STORE_READ}

    @describe(
        summary="Namespaces that have documents in them",
        description="By beginning and end, where `*` stands for any label, cut to a depth.",
        tag="store",
        body=NamespacesBody,
        answers={200: NamespacesAnswer},
    )
    def post(self, request: Request) -> Response:
        return Response(NamespacesAnswer(self.list_namespaces(self.read_body(NamespacesBody), timezone.now())))


class StoreBatch(StoreView):
    """`POST /v1/store/batch`."""

    scopes = {"POST": Scope.STORE_READ}
    body_limit = BATCH_BODY_LIMIT

    @describe(
        summary="Several calls of the store in one request, in order",
        description=(
            "Writes that follow each other are all done or none; a refused step ends the batch with its error, and"
            " what came before it stays. Writes need the scope `store:write` too."
        ),
        tag="store",
        body=StoreBatchBody,
        answers={200: StoreBatchAnswer},
        errors=(409, 422),
    )
    def post(self, request: Request) -> Response:
        steps = [read_step(step, place) for place, step in enumerate(self.read_body(StoreBatchBody).operations)]
        if any(op in WRITES for op, _ in steps) and Scope.STORE_WRITE not in self.caller.scopes:
            raise MissingScope(fields={"scope": Scope.STORE_WRITE.value})
        results: list[Any] = []
        writes: list[Any] = []
        for op, body in steps:
            if op in WRITES:
                writes.append(body)
                continue
            self.write(writes, results)
            results.append(self.read(op, body))
        self.write(writes, results)
        return Response(StoreBatchAnswer(results))

    def write(self, writes: list[Any], results: list[Any]) -> None:
        """Carry out the writes that are waiting, a null for each. Writes."""
        if writes:
            self.change(writes, timezone.now())
            results.extend([None] * len(writes))
            writes.clear()

    def read(self, op: str, body: Any) -> Any:
        """The answer of a step that reads."""
        now = timezone.now()
        if op == "get":
            return self.get_item(body, now)
        return self.search(body, now) if op == "search" else self.list_namespaces(body, now)


def read_step(step: dict[str, Any], place: int) -> tuple[str, Any]:
    """The name and the body of one step. Raises InvalidRequest."""
    op = step.get("op")
    if op not in BODIES:
        known = ", ".join(OPERATIONS)
        raise InvalidRequest(fields={f"operations[{place}].op": f"must be one of: {known}"})
    fields = {name: value for name, value in step.items() if name != "op"}
    return op, convert_body(fields, BODIES[op], at=f"operations[{place}]")


def to_change(body: PutItemBody | DeleteItemBody) -> Put | Delete:
    """The body as what the room takes."""
    if isinstance(body, DeleteItemBody):
        return Delete(namespace=tuple(body.namespace), key=body.key)
    return Put(
        namespace=tuple(body.namespace),
        key=body.key,
        value=body.value,
        index=_list_paths(body.index),
        ttl_seconds=None if body.ttl is None else max(1, round(body.ttl * 60)),
        if_version=body.if_version,
    )


def _list_paths(index: bool | list[str] | None) -> Sequence[str] | None:
    if isinstance(index, bool):
        return None if index else ()
    return index


def show_item(item: KeptDocument) -> KeptItemView:
    """A document as the API shows it."""
    return KeptItemView(
        namespace=list(item.namespace),
        key=item.key,
        value=dict(item.value),
        created_at=item.created_at,
        updated_at=item.updated_at,
        version=item.version,
        expires_at=item.expires_at,
    )


def show_found(found: Scored) -> FoundKeptItemView:
    """A document with its score."""
    item, score = found
    shown = show_item(item)
    return FoundKeptItemView(**{name: getattr(shown, name) for name in shown.__struct_fields__}, score=score)
