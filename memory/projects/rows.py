"""Short ways to run statements. Many rows go in one statement, as arrays or as rows of JSON."""

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


def insert_all(table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of one table, all in one exchange."""
    if not rows:
        return
    places = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", [list(row) for row in rows])
