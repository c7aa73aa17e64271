"""Short ways to run one statement. Many rows go in one, as arrays or as rows of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

Values = Mapping[str, Any] | Sequence[Any]


def fetch_rows(statement: str, values: Values | None = None) -> list[tuple[Any, ...]]:
    """The rows that a statement answers."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall()) if cursor.description else []


def fetch_row(statement: str, values: Values | None = None) -> Any:
    """The first row that a statement answers, None where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def execute(statement: str, values: Values | None = None) -> int:
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
