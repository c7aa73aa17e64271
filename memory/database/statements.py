"""Short ways to run one statement. Many rows go in one, as arrays or as rows of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable

from memory.errors import CodedError

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


@contextmanager
def busy_means(busy: type[CodedError]) -> Iterator[None]:
    """Turn a lock timeout of the block into `busy`; any other failure of the database is left to bubble up."""
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise busy from None
        raise


def lock_row(statement: str, values: Values, *, busy: type[CodedError], timeout_ms: int) -> Any:
    """The row that `SELECT ... FOR UPDATE` finds, locked until the transaction ends; None where there is none.

    The time limit holds for the rest of the transaction. Raises `busy` when it is over.
    """
    with busy_means(busy):
        execute("SELECT set_config('lock_timeout', %s, true)", [f"{timeout_ms}ms"])
        return fetch_row(statement, values)
