"""Many numbers to the database and back: the driver takes a hundred times as long over them one by one. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def write_numbers(numbers: Iterable[int]) -> str:
    """Numbers as the database writes an array; the statement casts it (`::bigint[]`)."""
    return "{" + ",".join(map(str, numbers)) + "}"


def unpack_numbers(packed: bytes) -> list[int]:
    """Numbers of `string_agg(int8send(...), ''::bytea)`."""
    return [number for (number,) in struct.iter_unpack(">q", packed)]
