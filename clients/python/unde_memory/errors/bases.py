"""Kinds of refusal, by status."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar


class UndeError(Exception):
    """Anything that went wrong. `code` is stable, `message` is for people, `fields` says what is wrong where.

    The code of a class is its name as the service writes it: of `UserBusy` it is `user_busy`.
    """

    code: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Give the class its code, where it does not say one itself."""
        cls.code = vars(cls).get("code", re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower())

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


class UnexpectedAnswer(UndeError):
    """An answer that is none of this service: a proxy's page, or a version far from this one."""


class BadRequest(UndeError):
    """400: correct the request; `fields` says where."""

    code = "invalid_request"


class Unauthenticated(UndeError):
    """401: the key is missing or no key."""

    code = ""


class Forbidden(UndeError):
    """403: the key may not do this."""


class NotFound(UndeError):
    """404: not there, or not of this tenant or user."""


class Conflict(UndeError):
    """409: the request contradicts what is stored."""


class Gone(UndeError):
    """410: it was there and is no longer kept."""

    code = ""


class Unprocessable(UndeError):
    """422: well-formed, and cannot be carried out."""

    code = ""


class ServerFault(UndeError):
    """500: nothing was stored; tell the operator."""

    code = "internal_error"


class Unavailable(UndeError):
    """503: nothing was stored (but see OutcomeUnknown); try again after `retry_after` seconds."""

    code = ""
