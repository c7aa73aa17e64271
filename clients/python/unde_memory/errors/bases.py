"""Kinds of refusal, by status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class UndeError(Exception):
    """Anything that went wrong. `code` is stable, `message` is for people, `fields` says what is wrong where."""

    code: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        status: int = 0,
        fields: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.fields = dict(fields or {})
        self.retry_after = retry_after
        self.said_code = code or self.code


class Unreachable(UndeError):
    """No answer came: the connection failed or the time was up."""

    code = "unreachable"


class UnexpectedAnswer(UndeError):
    """An answer that is none of this service: a proxy's page, or a version far from this one."""

    code = "unexpected_answer"


class BadRequest(UndeError):
    """400: correct the request; `fields` says where."""

    code = "invalid_request"


class Unauthenticated(UndeError):
    """401: the key is missing or no key."""


class Forbidden(UndeError):
    """403: the key may not do this."""

    code = "forbidden"


class NotFound(UndeError):
    """404: not there, or not of this tenant or user."""

    code = "not_found"


class Conflict(UndeError):
    """409: the request contradicts what is stored."""

    code = "conflict"


class Gone(UndeError):
    """410: it was there and is no longer kept."""


class Unprocessable(UndeError):
    """422: well-formed, and cannot be carried out."""


class ServerFault(UndeError):
    """500: nothing was stored; tell the operator."""

    code = "internal_error"


class Unavailable(UndeError):
    """503: nothing was stored (but see OutcomeUnknown); try again after `retry_after` seconds."""
