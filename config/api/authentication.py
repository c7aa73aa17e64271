"""Authentication: the API key in `Authorization: Bearer` and its scopes (SPEC A-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import structlog
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memory.tenants.errors import InvalidKey, MissingBearer, MissingKey, MissingScope
from memory.tenants.selectors import get_caller
from memory.tenants.services.keys import note_key_use
from memory.tenants.types import Caller, Scope

if TYPE_CHECKING:
    from rest_framework.views import APIView

MAX_KEY_CHARACTERS = 256


class Scoped(Protocol):
    """A view, as far as permission asks."""

    def get_scope(self, method: str) -> Scope:
        """The scope that a method needs."""
        ...


class ApiKeyAuthentication(BaseAuthentication):
    """The key of a request, as `request.auth`. There is no person behind it."""

    def authenticate(self, request: Request) -> tuple[None, Caller]:
        """Raises as `authenticate` does."""
        return None, authenticate(request)


class HasScope(BasePermission):
    """The key has the scope that the view asks for the method."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or MissingScope with its name."""
        check_scope(read_caller(request), cast("Scoped", view).get_scope(request.method or ""))
        return True


def read_caller(request: Request) -> Caller:
    """Who the key of a request stands for, once it has been looked at."""
    return cast("Caller", request.auth)


def authenticate(request: HttpRequest | Request) -> Caller:
    """The caller of the request's key, its use noted. Raises MissingKey, MissingBearer, InvalidKey.

    Binds tenant and key id to the log lines of the request.
    """
    given = getattr(request, "unde_caller", None)
    if isinstance(given, Caller):  # a call from inside (config.api.inside): another way in has looked at the key
        return given
    now = timezone.now()
    caller = get_caller(secret=read_secret(request), now=now)
    structlog.contextvars.bind_contextvars(tenant_id=str(caller.tenant_id), key_id=str(caller.key_id))
    note_key_use(caller=caller, now=now)
    return caller


def check_scope(caller: Caller, scope: Scope) -> None:
    """Raise MissingScope, naming it, unless the key has the scope."""
    if scope not in caller.scopes:
        raise MissingScope(fields={"scope": scope.value})


def read_secret(request: HttpRequest | Request) -> str:
    """The key of a request: in `Authorization: Bearer`, or in `X-API-Key` as clients of other products send it."""
    own = request.META.get("HTTP_AUTHORIZATION", "")
    other = request.META.get("HTTP_X_API_KEY", "")
    return read_bearer(own if own or not other else f"Bearer {other}")


def read_bearer(header: str) -> str:
    """The key in an Authorization header. Raises MissingKey, MissingBearer, and InvalidKey for what cannot be one."""
    if not header.strip():
        raise MissingKey
    scheme, _, key = header.partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        raise MissingBearer
    if len(key) > MAX_KEY_CHARACTERS:
        raise InvalidKey
    try:
        # WSGI hands headers over as Latin-1; a key made up by hand may hold other letters.
        return key.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise InvalidKey from None
