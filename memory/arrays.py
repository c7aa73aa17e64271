"""Columns of many rows as arrays in the binary form that PostgreSQL receives: nothing is quoted, looked up or parsed.

Read them together: `unnest(%s::uuid[], %s::text[], ...)`; an array that is None is a column of NULLs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar
from uuid import UUID

from memory.exchange import Binary

BYTEA, INT2, INT4, TEXT, TIMESTAMPTZ, UUIDS = 17, 21, 23, 25, 1184, 2950  # what pg_type calls them, in every database

T = TypeVar("T")

_NULL: Final = (-1).to_bytes(4, signed=True)
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_DAY, _SECOND = 86_400, 1_000_000  # of seconds, of microseconds


def pack_array(kind: int, values: Sequence[bytes | None]) -> Binary | None:
    """An array of values of this type, each in its binary form. None where all are None, or there are none."""
    nulls = values.count(None)
    if nulls == len(values):
        return None
    parts = [_make_head(kind, len(values), has_nulls=nulls > 0)]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            parts += (len(value).to_bytes(4), value)
    return Binary(b"".join(parts))


def pack_uuids(values: Sequence[UUID]) -> Binary | None:
    """A uuid[]."""
    return _pack_fixed(UUIDS, _pack_each(values, _pack_uuid))


def pack_optional_uuids(values: Sequence[UUID | None]) -> Binary | None:
    """A uuid[] some of whose values may be missing."""
    return pack_array(UUIDS, [None if value is None else value.bytes for value in values])


def pack_texts(values: Sequence[str | None]) -> Binary | None:
    """A text[]."""
    return pack_array(TEXT, [None if value is None else value.encode() for value in values])


def pack_smallints(values: Sequence[int]) -> Binary | None:
    """A smallint[]."""
    return _pack_fixed(INT2, [value.to_bytes(2, signed=True) for value in values])


def pack_integers(values: Sequence[int]) -> Binary | None:
    """An integer[]."""
    return _pack_fixed(INT4, [value.to_bytes(4, signed=True) for value in values])


def pack_times(values: Sequence[datetime]) -> Binary | None:
    """A timestamptz[], of aware times."""
    return _pack_fixed(TIMESTAMPTZ, _pack_each(values, _pack_time))


def _pack_each(values: Sequence[T], pack: Callable[[T], bytes]) -> list[bytes]:
    """The values in their binary form. Rows side by side are of one user or moment for the most part: packed once."""
    packed: list[bytes] = []
    last: T | None = None
    form = b""
    for value in values:
        if value is not last:
            last, form = value, pack(value)
        packed.append(form)
    return packed


def _pack_uuid(value: UUID) -> bytes:
    return value.bytes


def _pack_time(value: datetime) -> bytes:
    since = value - _EPOCH
    microseconds = (since.days * _DAY + since.seconds) * _SECOND + since.microseconds  # dividing takes twice as long
    return microseconds.to_bytes(8, signed=True)


def _pack_fixed(kind: int, values: Sequence[bytes]) -> Binary | None:
    """As `pack_array`, of values that are all of one length."""
    if not values:
        return None
    length = len(values[0]).to_bytes(4)
    return Binary(_make_head(kind, len(values), has_nulls=False) + length + length.join(values))


def _make_head(kind: int, length: int, *, has_nulls: bool) -> bytes:
    return b"".join(number.to_bytes(4) for number in (1, has_nulls, kind, length, 1))  # dimensions, ..., first place
