"""Columns of rows as arrays in binary: what the database reads is what was packed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from memory.arrays import (
    BYTEA,
    pack_array,
    pack_integers,
    pack_optional_uuids,
    pack_smallints,
    pack_texts,
    pack_times,
    pack_uuids,
)
from memory.exchange import Binary, Statement, send_together

pytestmark = pytest.mark.django_db

_IDS = [UUID(int=1), UUID(int=2**128 - 1)]
_TIMES = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2026, 3, 29, 2, 30, 0, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
]


@pytest.mark.parametrize(
    ("kind", "pack", "values"),
    [
        ("uuid", pack_uuids, _IDS),
        ("uuid", pack_optional_uuids, [None, *_IDS, None]),
        ("text", pack_texts, ["", "ż\U0001f642\n\"'\\", "a" * 70_000]),
        ("text", pack_texts, [None, "NULL", "", None]),
        ("bytea", lambda values: pack_array(BYTEA, values), [b"", b"\x00\xff", None]),
        ("smallint", pack_smallints, [-(2**15), -1, 0, 2**15 - 1]),
        ("integer", pack_integers, [-(2**31), -1, 0, 2**31 - 1]),
        ("timestamptz", pack_times, _TIMES),
    ],
)
def test_values_arrive_as_they_left(
    kind: str, pack: Callable[[Sequence[Any]], Binary | None], values: list[Any]
) -> None:
    assert _unnest(kind, pack(values)) == values


@pytest.mark.parametrize("pack", [pack_optional_uuids, pack_texts])
def test_a_column_of_nothing_but_nulls_is_left_out(pack: Callable[[Sequence[Any]], Binary | None]) -> None:
    assert pack([None, None]) is None
    assert pack([]) is None


@pytest.mark.parametrize("pack", [pack_integers, pack_smallints, pack_times, pack_uuids])
def test_no_values_are_no_array(pack: Callable[[Sequence[Any]], Binary | None]) -> None:
    assert pack([]) is None


def test_columns_left_out_are_null_beside_others() -> None:
    statement = Statement(
        "SELECT * FROM unnest(%s::integer[], %s::text[])", [pack_integers([1, 2]), pack_texts([None, None])]
    )
    assert send_together([statement]) == [[(1, None), (2, None)]]


def _unnest(kind: str, packed: Binary | None) -> list[Any]:
    rows = send_together([Statement(f"SELECT v FROM unnest(%s::{kind}[]) AS v", [packed])])[0]
    return [row[0] for row in rows]
