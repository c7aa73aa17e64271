"""The shell of every endpoint: authentication, scope, limit, body, tenant. An endpoint translates in, makes one call of
a room, translates out.

REST framework does the work through its own hooks (docs/decisions/0002-rest-framework-as-it-is.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.api.authentication import ApiKeyAuthentication, HasScope, read_caller
from config.api.belonging import TenantKeyNeeded, check_body, check_path
from config.api.decoding import NO_FIELD, SINGLE_BODY_LIMIT, PageQuery, read_body, read_query, refuse_nul
from config.api.pagination import decode_cursor, make_page
from config.api.rendering import AlwaysJson, JsonRenderer
from config.api.repeats import REPLAYED, find_key, write_content
from config.api.throttling import KeyThrottle, check_room
from memory.errors import InvalidRequest
from memory.services.answered_requests import Done, answer_once
from memory.services.answered_requests import Request as WantedOnce
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Scope
from memory.types import UserRef

T = TypeVar("T")
Row = TypeVar("Row")

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")


class ApiView(APIView):
    """Base of the views under /v1. `scopes` says which scope each method needs; a method without one is a fault.

    class Messages(ApiView):
        scopes = {"POST": Scope.WRITE}

        def post(self, request: Request) -> Response:
            body = self.read_body(RecordMessage)
            with self.in_tenant():
                ...
            return Response(answer, status=201)
    """

    scopes: ClassVar[Mapping[str, Scope]] = {}
    body_limit: ClassVar[int] = SINGLE_BODY_LIMIT
    checks_user: ClassVar[bool] = False
    """Whether the view itself holds what it is asked for against the user of the key (`config.api.belonging`)."""

    http_method_names = [name.lower() for name in _METHODS]
    authentication_classes = [ApiKeyAuthentication]
    permission_classes = [HasScope]
    throttle_classes = [KeyThrottle]
    renderer_classes = [JsonRenderer]
    parser_classes: Sequence[type[BaseParser]] = ()
    content_negotiation_class = AlwaysJson

    request: Request
    caller: Caller
    """The tenant and key behind the request."""
    is_named = False
    """Whether the path says whose memory is meant, as a key for one user needs."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        methods = [name for name in _METHODS if name != "HEAD" and hasattr(cls, name.lower())]
        open_methods = [name for name in methods if name not in cls.scopes]
        if open_methods:
            raise ImproperlyConfigured(f"{cls.__qualname__} names no scope for {', '.join(open_methods)}.")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Key, scope and limit as REST framework asks for them, then disk, path and user; before them, the method."""
        method = request.method or ""
        if method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        super().initial(request, *args, **kwargs)
        check_room(method, scope=self.get_scope(method))
        refuse_nul(kwargs)
        self._check_query(method)
        self._check_user(method, kwargs)

    def perform_authentication(self, request: Request) -> None:
        """The key is looked at first; what it stands for is the view's `caller`."""
        super().perform_authentication(request)
        self.caller = read_caller(request)

    def get_scope(self, method: str) -> Scope:
        """The scope that a method needs."""
        return self.scopes["GET" if method == "HEAD" else method]

    @classmethod
    def name_need(cls, method: str) -> str:
        """What the OpenAPI document says of who may call."""
        return f"Scope of the key: `{cls.scopes[method].value}`."

    def _check_query(self, method: str) -> None:
        """A method that is described without query parameters takes none: what is sent in vain is an error."""
        handler = getattr(self, "get" if method == "HEAD" else method.lower())
        if self.request.GET and not getattr(handler, "has_query", True):
            raise InvalidRequest(fields=dict.fromkeys(self.request.GET, NO_FIELD))

    def _check_user(self, method: str, path: Mapping[str, Any]) -> None:
        if self.caller.user is None or self.checks_user:
            self.is_named = True
            return
        self.is_named = check_path(self.caller, path=path, scope=self.get_scope(method))
        if not self.is_named and method in ("GET", "HEAD", "DELETE"):
            raise TenantKeyNeeded

    def read_body(self, body_type: type[T]) -> T:
        """The JSON body as `body_type`; see `config.api.decoding.read_body` for what it raises.

        Under a key for one user it must be about this user (`config.api.belonging`).
        """
        body = read_body(self.request, body_type, limit=self.body_limit)
        if not self.checks_user:
            check_body(self.caller, body, is_named=self.is_named)
        return body

    def read_optional_body(self, body_type: type[T]) -> T:
        """As `read_body`; no body at all is the same as an empty object."""
        is_empty = self.request.META.get("CONTENT_LENGTH") in (None, "", "0")
        has_chunks = bool(self.request.headers.get("Transfer-Encoding"))
        return body_type() if is_empty and not has_chunks else self.read_body(body_type)

    def read_query(self, query_type: type[T]) -> T:
        """The query parameters as `query_type`; see `config.api.decoding.read_query`."""
        return read_query(self.request.GET, query_type)

    def read_after(self, query: PageQuery, kind: str, position: type[T]) -> T | None:
        """Where the page before ended in a list of this kind; None for the first page. Raises InvalidCursor."""
        return decode_cursor(query.after, position, kind=kind, tenant_id=self.caller.tenant_id) if query.after else None

    def answer_page(
        self,
        query: PageQuery,
        kind: str,
        rows: Sequence[Row],
        *,
        render: Callable[[Row], Any],
        position_of: Callable[[Row], object] = attrgetter("id"),
    ) -> Response:
        """A page of rows that were asked for with one more than the limit. The next begins after `position_of`."""
        tenant_id = self.caller.tenant_id
        return Response(
            make_page(rows, limit=query.limit, position_of=position_of, kind=kind, tenant_id=tenant_id, render=render)
        )

    def list_pages(
        self,
        query: PageQuery,
        kind: str,
        find: Callable[[Any, int], Sequence[Row]],
        *,
        render: Callable[[Row], Any],
        position: type = UUID,
        position_of: Callable[[Row], object] = attrgetter("id"),
    ) -> Response:
        """A page of what `find` answers, in the tenant: rows after a position, at most so many."""
        after = self.read_after(query, kind, position)
        with self.in_tenant():
            rows = find(after, query.limit + 1)
            return self.answer_page(query, kind, rows, render=render, position_of=position_of)

    def once(self, body: Any, perform: Callable[[], Done], *, find_user: Callable[[], UserRef]) -> Response:
        """The answer of `perform`; of a write under an Idempotency-Key that was done before, the same answer again.

        `find_user` says whose memory was changed; it is asked when there is a key. Raises as `answer_once` does.
        """
        key = find_key(self.request)
        if key is None:
            done = perform()
        else:
            content = write_content(self.request, body)
            wanted = WantedOnce(tenant_id=self.caller.tenant_id, key=key, content=content, now=timezone.now())
            done = answer_once(wanted, perform, find_user=find_user)
        answer = msgspec.Raw(done.answer) if done.answer else None
        return Response(answer, status=done.status, headers={REPLAYED: "true"} if done.is_replayed else None)

    def in_tenant(self, *, opens_with_statement: bool = False) -> tenant_scope:
        """The transaction of the request: this tenant's rows, with the time limit of a request on each statement.

        With `opens_with_statement` its first statement has to be a `run_in_scope`, which then brings the tenant along.
        """
        limit_ms = settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS
        return tenant_scope(
            self.caller.tenant_id, statement_timeout_ms=limit_ms, opens_with_statement=opens_with_statement
        )
