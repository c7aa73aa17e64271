"""The header `Idempotency-Key`: a write that has no id of its own is done once (SPEC A-1)."""

from __future__ import annotations

import re
from typing import Any, Final

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


def write_content(request: HttpRequest | Request, body: Any) -> bytes:
    """The identity of a request: method, path and decoded body."""
    return encode([request.method, request.path, body])
