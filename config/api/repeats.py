"""The header `Idempotency-Key`: a write that has no id of its own is done once (SPEC A-1)."""

from __future__ import annotations

import hmac
import re
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from config.api.rendering import encode
from memory.errors import InvalidRequest

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


def find_key(request: HttpRequest | Request) -> str | None:
    """The key that the request carries, None for none. Raises InvalidRequest for one that cannot be a key."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidRequest(fields={HEADER: "must have 1 to 255 printable ASCII characters without spaces"})
    return key


def make_own_id(request: HttpRequest | Request, *, tenant_id: UUID, user: str | None) -> str | None:
    """An id for what a request makes, the same for the same key: made once, found again. None without a key.

    For things that keep the id of whoever sent them and belong to no user. Users whose keys are for them alone do not
    meet under one key. A digest tells nothing of it. Raises InvalidRequest.
    """
    key = find_key(request)
    if key is None:
        return None
    message = encode(["own id", str(tenant_id), user, request.path, key])
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256")[:16].hex()


def write_content(request: HttpRequest | Request, body: Any) -> bytes:
    """The identity of a request: method, path and decoded body."""
    return encode([request.method, request.path, body])
