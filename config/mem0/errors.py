"""Errors in mem0's own form: its clients read `error` and `detail`. Our code stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.errors import CodedError


class Mem0Error(Exception):
    """An answer that ends a request: a status and what it says."""

    def __init__(self, status: int, text: str, *, code: str = "", retry_after: str | None = None) -> None:
        super().__init__(code or str(status))
        self.status, self.text, self.code, self.retry_after = status, text, code, retry_after

    @property
    def body(self) -> dict[str, Any]:
        """What the client reads."""
        return {"error": self.text, "detail": self.text, **({"code": self.code} if self.code else {})}


class MemoryNotFound(Mem0Error):
    """No such memory."""

    def __init__(self) -> None:
        super().__init__(404, "Memory not found!", code="not_found")


class BadRequest(Mem0Error):
    """The request is not what mem0 takes."""

    def __init__(self, text: str) -> None:
        super().__init__(400, text, code="invalid_request")


def to_mem0(error: CodedError) -> Mem0Error:
    """A coded error in mem0's form."""
    return from_body(error.status, error.to_dict(), retry_after=str(error.retry_after_seconds or "") or None)


def from_body(status: int, body: Mapping[str, Any], *, retry_after: str | None = None) -> Mem0Error:
    """An error of the API in mem0's form: the sentence, and which fields it is about."""
    fields = "; ".join(f"{name} {reason}" for name, reason in dict(body.get("fields") or {}).items())
    text = str(body.get("message", ""))
    text = f"{text} ({fields})" if fields and fields not in text else text
    return Mem0Error(status, text, code=str(body.get("code", "")), retry_after=retry_after)
