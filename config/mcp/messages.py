"""What a body must be before the SDK sees it: one message of JSON-RPC 2.0. The SDK's sentences repeat the body."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import msgspec
from django.http import HttpResponse

from config.api.rendering import encode


class Code(IntEnum):
    """Codes of JSON-RPC 2.0. The SDK has them too, and takes a second to load."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600


def find_fault(content_type: str, data: bytes) -> HttpResponse | None:
    """The refusal of what is no message; None for one. Pure."""
    if content_type != "application/json":
        return _refuse(415, Code.INVALID_REQUEST, "Content-Type must be application/json.")
    try:
        message = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return _refuse(400, Code.PARSE_ERROR, "The body is not JSON.")
    if isinstance(message, list):
        return _refuse(400, Code.INVALID_REQUEST, "A request holds one message: batches are not part of this protocol.")
    if not isinstance(message, Mapping) or not _is_message(message):
        return _refuse(400, Code.INVALID_REQUEST, "The body is not a message of JSON-RPC 2.0.")
    return None


def _is_message(message: Mapping[str, Any]) -> bool:
    id, params = message.get("id", 0), message.get("params", {})
    has_id = isinstance(id, str | int) and not isinstance(id, bool)
    says = isinstance(message.get("method"), str) or "result" in message or "error" in message
    return message.get("jsonrpc") == "2.0" and has_id and says and isinstance(params, Mapping)


def _refuse(status: int, code: Code, text: str) -> HttpResponse:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}}
    return HttpResponse(encode(body), status=status, content_type="application/json")
