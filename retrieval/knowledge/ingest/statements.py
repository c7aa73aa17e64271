"""Short ways to run the statements of a write. They take lists as arrays: one round trip for any number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection


def fetch(statement: str, values: Mapping[str, Any] | Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows that a statement answers."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall()) if cursor.description else []


def run(statement: str, values: Mapping[str, Any] | Sequence[Any]) -> int:
    """How many rows a statement touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)
