"""The shell of every endpoint: authentication, scope, limit, body, tenant. An endpoint translates in, makes one call of
a room, translates out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.views import APIView

from config.api.authentication import ApiKeyAuthentication, HasScope
from config.api.decoding import SINGLE_BODY_LIMIT, read_body, read_query, refuse_nul
from config.api.errors import MethodNotAllowed
from config.api.rendering import AlwaysJson, JsonRenderer
from config.api.throttling import KeyRateThrottle
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller, Scope

T = TypeVar("T")

_METHODS = ("get", "post", "put", "patch", "delete")


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

    authentication_classes = [ApiKeyAuthentication]
    permission_classes = [HasScope]
    throttle_classes = [KeyRateThrottle]
    renderer_classes = [JsonRenderer]
    parser_classes: Sequence[type[BaseParser]] = ()
    content_negotiation_class = AlwaysJson

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        open_methods = [name for name in _METHODS if hasattr(cls, name) and name.upper() not in cls.scopes]
        if open_methods:
            raise ImproperlyConfigured(f"{cls.__qualname__} names no scope for {', '.join(open_methods)}.")

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before the handler: a method that is not there, the key, its scope, its limit, and NULs in the path."""
        method = (request.method or "").lower()
        if ("get" if method == "head" else method) not in _METHODS or not hasattr(self, method):
            raise MethodNotAllowed
        super().initial(request, *args, **kwargs)
        refuse_nul(kwargs)

    @property
    def caller(self) -> Caller:
        """The tenant and key behind the request."""
        caller: Caller = self.request.user
        return caller

    def read_body(self, body_type: type[T]) -> T:
        """The JSON body as `body_type`; see `config.api.decoding.read_body` for what it raises."""
        return read_body(self.request._request, body_type, limit=self.body_limit)

    def read_optional_body(self, body_type: type[T]) -> T:
        """As `read_body`; no body at all is the same as an empty object."""
        is_empty = self.request._request.META.get("CONTENT_LENGTH") in (None, "", "0")
        has_chunks = bool(self.request._request.headers.get("Transfer-Encoding"))
        return body_type() if is_empty and not has_chunks else self.read_body(body_type)

    def read_query(self, query_type: type[T]) -> T:
        """The query parameters as `query_type`; see `config.api.decoding.read_query`."""
        return read_query(self.request._request.GET, query_type)

    def in_tenant(self) -> tenant_scope:
        """The transaction of the request: this tenant's rows, with the time limit of a request on each statement."""
        return tenant_scope(self.caller.tenant_id, statement_timeout_ms=settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS)
