"""Which exception an answer of the service is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unde_memory.errors import bases, codes
from unde_memory.errors.bases import UndeError

BY_STATUS: Final[Mapping[int, type[UndeError]]] = {
    400: bases.BadRequest,
    401: bases.Unauthenticated,
    403: bases.Forbidden,
    404: bases.NotFound,
    405: bases.BadRequest,
    409: bases.Conflict,
    410: bases.Gone,
    413: bases.BadRequest,
    422: bases.Unprocessable,
    429: bases.Unavailable,
    500: bases.ServerFault,
    503: bases.Unavailable,
}
BY_CODE: Final[Mapping[str, type[UndeError]]] = {
    kind.code: kind
    for kind in (*vars(bases).values(), *vars(codes).values())
    if isinstance(kind, type) and issubclass(kind, UndeError) and kind.code
}


def make_error(
    *, status: int, code: str, message: str, fields: Mapping[str, str] | None = None, retry_after: float | None = None
) -> UndeError:
    """The exception for an answer of the service."""
    nearest = BY_STATUS.get(status, bases.ServerFault if status >= 500 else bases.BadRequest)
    kind = BY_CODE.get(code, nearest)
    return kind(message, code=code, status=status, fields=fields, retry_after=retry_after)
