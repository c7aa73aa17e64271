"""Statements that are sent to the database together: the wait for one answer is saved for each but the first.

Django sends one statement at a time and waits for its answer. Here several go through psycopg's pipeline mode
(`Connection.pipeline`); when one fails, those after it are not run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime
from types import NoneType
from typing import Any, Final, cast
from uuid import UUID

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from msgspec import Struct
from psycopg import Connection, OperationalError
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg_pool import ConnectionPool

Rows = list[tuple[Any, ...]]

_PLAIN: Final = frozenset({UUID, str, int, datetime, bytes, NoneType})
"""Values that are told apart as they are: to write them out takes several times as long."""

FREE_SECONDS: Final = 0.005  # what a second connection may be waited for; the pool makes one for the next time

_helpers: Final = ThreadPoolExecutor(max_workers=8, thread_name_prefix="apart")  # made as they are needed


class Binary(bytes):
    """A value in the binary form of whatever type the statement gives it."""


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = 0  # the server knows from the statement

    def dump(self, obj: Binary) -> bytes:
        return obj


psycopg.adapters.register_dumper(Binary, _BinaryDumper)


class Query(Struct, frozen=True):
    """SQL with its values as psycopg takes them. `is_binary`: the answer's bytes come as they are, not as text."""

    text: str
    values: Mapping[str, Any] | Sequence[Any] = ()
    is_binary: bool = True

    @property
    def name(self) -> Hashable:
        """Equal for statements that ask the same."""
        is_plain = isinstance(self.values, list) and _PLAIN.issuperset(map(type, self.values))
        return (self.text, *self.values) if is_plain else (self.text, repr(self.values))


def send_together(
    statements: Sequence[Query], *, using: str = DEFAULT_DB_ALIAS, meanwhile: Callable[[], object] | None = None
) -> list[Rows]:
    """The rows of each statement, all sent at once. Raises what Django raises.

    `meanwhile` is called when they are on their way: work that asks the database nothing, done while it reads.
    """
    wrapper = connections[using]
    wrapper.ensure_connection()
    driver = cast("Connection[Any]", wrapper.connection)
    cursors = []
    with wrapper.wrap_database_errors:
        with driver.pipeline() if len(statements) > 1 else nullcontext():
            for statement in statements:
                raw: Any = driver.cursor(binary=statement.is_binary)
                cursor = wrapper.make_debug_cursor(raw) if wrapper.queries_logged else wrapper.make_cursor(raw)
                cursor.execute(statement.text, statement.values or None)
                cursors.append(cursor)
            if meanwhile:
                meanwhile()
        return [list(cursor.fetchall()) if cursor.description else [] for cursor in cursors]


def send_apart(statements: Sequence[Query], *, using: str = DEFAULT_DB_ALIAS) -> Future[list[Rows]] | None:
    """The rows of statements that run at the same time as whatever comes next: on another connection of the pool, in a
    transaction of their own. They are to read: what this thread has not committed they do not see.

    None where no connection is to be had at once. The future raises what psycopg raises.
    """
    pool = getattr(connections[using], "pool", None)
    if pool is None:
        return None
    try:
        driver = pool.getconn(timeout=FREE_SECONDS)
    except OperationalError:  # none is free, or the pool is closed: whoever asks reads by itself, and hears why
        return None
    try:
        return _helpers.submit(_run_apart, pool, driver, statements)
    except RuntimeError:  # the process is ending
        pool.putconn(driver)
        return None


def _run_apart(pool: ConnectionPool[Any], driver: Connection[Any], statements: Sequence[Query]) -> list[Rows]:
    try:
        with driver.transaction():
            cursors = []
            for statement in statements:
                cursor = driver.cursor(binary=statement.is_binary)
                cursors.append(cursor.execute(statement.text, statement.values or None))
            return [cursor.fetchall() if cursor.description else [] for cursor in cursors]
    finally:
        pool.putconn(driver)
