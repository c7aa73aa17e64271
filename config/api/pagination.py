"""Pages by cursor: opaque, checked, good for one list of one tenant (SPEC A-1)."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings

from config.api.errors import InvalidCursor

T = TypeVar("T")
Row = TypeVar("Row")

_CHECK_BYTES: Final = 12


def encode_cursor(position: object, *, kind: str, tenant_id: UUID) -> str:
    """A cursor for `position` (e.g. a tuple of a time and an id) in the list `kind` of a tenant, about 60 characters.

    It is signed, not encrypted: put ids and times in it, no text of a user.
    """
    data = msgspec.json.encode(position)
    return base64.urlsafe_b64encode(_check(data, kind=kind, tenant_id=tenant_id) + data).decode().rstrip("=")


def decode_cursor(cursor: str, position_type: type[T], *, kind: str, tenant_id: UUID) -> T:
    """The position. Raises InvalidCursor when the cursor was changed or is of another list or tenant."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCursor(fields={"after": "is not a cursor"}) from None
    check, data = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
    if not hmac.compare_digest(check, _check(data, kind=kind, tenant_id=tenant_id)):
        raise InvalidCursor(fields={"after": "is not a cursor of this list"})
    try:
        return msgspec.json.decode(data, type=position_type)
    except msgspec.DecodeError:
        raise InvalidCursor(fields={"after": "is a cursor of an older version"}) from None


def make_page(
    rows: Sequence[Row],
    *,
    limit: int,
    position_of: Callable[[Row], object],
    kind: str,
    tenant_id: UUID,
    render: Callable[[Row], Any],
) -> dict[str, Any]:
    """`{"results", "next"}` of `rows`, fetched with a limit of `limit + 1` to see whether more follow."""
    shown = rows[:limit]
    has_more = len(rows) > limit
    cursor = encode_cursor(position_of(shown[-1]), kind=kind, tenant_id=tenant_id) if has_more and shown else None
    return {"results": [render(row) for row in shown], "next": cursor}


def _check(data: bytes, *, kind: str, tenant_id: UUID) -> bytes:
    message = kind.encode() + b"\x00" + tenant_id.bytes + data
    return hmac.digest(settings.SECRET_KEY.encode(), b"cursor" + message, "sha256")[:_CHECK_BYTES]
