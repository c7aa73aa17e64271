"""Calls of the API from inside the process: other ways in are translations, and this is what they translate to.

So every door gives the same facts and the same pack for the same conversation (D-58), with the same checks.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.urls import resolve

from config.api.rendering import encode, render
from memory.selectors.users import find_user
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Caller

_NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Inside:
    """What a call answered: its status, its headers of interest, and its JSON (None for an empty answer)."""

    status: int
    body: Any
    retry_after: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether it was carried out."""
        return self.status < 400


def bind_caller(caller: Caller, user: str) -> Caller:
    """The caller as a key for one user: what it asks for is held against this user."""
    if caller.user == user and caller.user_id is not None:
        return caller
    with tenant_scope(caller.tenant_id):
        found = find_user(tenant_id=caller.tenant_id, external_id=user)
    return replace(caller, user=user, user_id=found.id if found else _NOBODY)


def call_inside(
    request: HttpRequest,
    caller: Caller,
    method: str,
    path: str,
    *,
    body: Any = None,
    query: Mapping[str, Any] | None = None,
) -> Inside:
    """The answer of a call under /v1 for a caller who is known. Writes what the call writes; raises nothing of it."""
    data = b"" if body is None else encode(body)
    given = {name: value for name, value in (query or {}).items() if value is not None}
    environ = {
        **request.META,
        "REQUEST_METHOD": method,
        "PATH_INFO": path.encode().decode("latin-1"),  # as WSGI hands the bytes of a path over
        "QUERY_STRING": urlencode(given),
        "CONTENT_LENGTH": str(len(data)),
        "CONTENT_TYPE": "application/json",
        "wsgi.input": io.BytesIO(data),
    }
    for left_out in ("HTTP_TRANSFER_ENCODING", "HTTP_X_UNDE_USER"):
        environ.pop(left_out, None)
    inner = WSGIRequest(environ)
    inner.unde_caller = caller  # type: ignore[attr-defined]  # Django's way to hand something on
    match = resolve(path)
    response = render(match.func(inner, *match.args, **match.kwargs))
    content = response.getvalue()
    return Inside(response.status_code, msgspec.json.decode(content) if content else None, response.get("Retry-After"))
