"""Who is calling: an API key in `Authorization: Bearer`, and what it may do (SPEC A-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memory.tenants.errors import InvalidKey, MissingScope
from memory.tenants.selectors import get_caller
from memory.tenants.services.keys import note_key_use
from memory.tenants.types import Caller

if TYPE_CHECKING:
    # Django REST framework imports this module while it is making APIView.
    from rest_framework.views import APIView

MAX_KEY_CHARACTERS = 256


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` is the Caller. Binds tenant and key id to the log lines of the request."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        """The caller of the key, its use noted. Raises InvalidKey when there is none or it is not good."""
        now = timezone.now()
        caller = get_caller(secret=read_bearer(request.headers.get("Authorization", "")), now=now)
        structlog.contextvars.bind_contextvars(tenant_id=str(caller.tenant_id), key_id=str(caller.key_id))
        note_key_use(caller=caller, now=now)
        return caller, None


class HasScope(BasePermission):
    """The view says which scope a method needs: `scopes = {"POST": Scope.WRITE}`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or MissingScope naming the scope."""
        method = "GET" if request.method == "HEAD" else request.method
        scope = getattr(view, "scopes", {}).get(method)
        if scope is not None and scope not in request.user.scopes:
            raise MissingScope(fields={"scope": scope.value})
        return True


def read_bearer(header: str) -> str:
    """The key in an Authorization header. Raises InvalidKey when it holds none."""
    scheme, _, key = header.partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key or len(key) > MAX_KEY_CHARACTERS:
        raise InvalidKey
    try:
        # WSGI hands headers over as Latin-1; a key made up by hand may hold other letters.
        return key.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise InvalidKey from None
