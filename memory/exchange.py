"""Several statements in one exchange with the database: a wait, and a process woken on each side, is saved for each.

Django sends one statement at a time and waits for its answer. Here BEGIN, statements and COMMIT leave together in
libpq's pipeline mode, each prepared once a connection like Django's own; when one fails, those after it are not run.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from types import NoneType
from typing import Any, Final, cast
from uuid import UUID
from weakref import WeakSet

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from msgspec import Struct
from msgspec.json import encode
from psycopg import Connection, OperationalError, generators
from psycopg._preparing import Prepare
from psycopg._queries import PostgresQuery
from psycopg.abc import Transformer as Adapter
from psycopg.adapt import Dumper, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.types.json import JsonbBinaryLoader
from psycopg_pool import ConnectionPool

from memory.reading_json import read_json

Rows = list[tuple[Any, ...]]

_PLAIN: Final = frozenset({UUID, str, int, datetime, bytes, NoneType})
"""Values that are told apart as they are: to write them out takes several times as long."""

FREE_SECONDS: Final = 0.005  # what a second connection may be waited for; the pool makes one for the next time

GRACE_SECONDS: Final = 1.0  # beyond its time limit, until a connection that says nothing is given up

_equipped: Final[WeakSet[Connection[Any]]] = WeakSet()
_helpers: Final = ThreadPoolExecutor(max_workers=8, thread_name_prefix="apart")  # made as they are needed


class Binary(bytes):
    """A value in the binary form of whatever type the statement gives it."""


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = 0  # the server knows from the statement

    def dump(self, obj: Binary) -> bytes:
        return obj


class _JsonbLoader(JsonbBinaryLoader):
    _loads = staticmethod(read_json)


class AnswerLate(OperationalError):
    """The server did not even say in time that a statement passed its time limit; the connection is closed."""


class Joint(Struct, frozen=True):
    """How statements of one kind are asked as one: `text` takes the rows of all of them, with a `place` each, as one
    JSON text, and begins each row of its answer with the place.
    """

    text: str
    row: Mapping[str, Any]


class Statement(Struct, frozen=True):
    """SQL with its values as psycopg takes them. `is_binary`: the answer's bytes come as they are, not as text."""

    text: str
    values: Mapping[str, Any] | Sequence[Any] = ()
    is_binary: bool = True
    joint: Joint | None = None

    @property
    def name(self) -> Hashable:
        """Equal for statements that ask the same."""
        is_plain = isinstance(self.values, list) and _PLAIN.issuperset(map(type, self.values))
        return (self.text, *self.values) if is_plain else (self.text, repr(self.values))


@dataclass(frozen=True, slots=True)
class _Sent:
    """A statement on its way; `new_name` if it is prepared on the way."""

    query: PostgresQuery
    new_name: bytes | None = None


def send_together(
    statements: Sequence[Statement], *, commits: bool = False, using: str = DEFAULT_DB_ALIAS
) -> list[Rows]:
    """The rows of each statement, all sent at once; BEGIN goes before them where a transaction is due.

    `commits` ends the transaction behind the last one: for the outermost scope alone. Raises what Django raises.
    """
    wrapper = connections[using]
    wrapper.validate_thread_sharing()
    wrapper.validate_no_broken_transaction()
    wrapper.close_if_health_check_failed()
    wrapper.ensure_connection()
    driver = cast("Connection[Any]", wrapper.connection)
    _equip(driver)
    began = time.monotonic()
    with wrapper.wrap_database_errors, driver.lock:
        answers = driver.wait(_converse(driver, statements, commits))
    if wrapper.queries_logged:
        _log(wrapper, statements, seconds=time.monotonic() - began)
    return answers


def join_statements(statements: Sequence[Statement]) -> list[tuple[list[int], Statement]]:
    """The statements to send for these, each with the places of those that it stands for: one of a kind for many."""
    kinds: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        kinds.setdefault(statement.joint.text if statement.joint else f"{place}", []).append(place)
    return [
        (places, _join([statements[place] for place in places]) if len(places) > 1 else statements[places[0]])
        for places in kinds.values()
    ]


def _join(statements: Sequence[Statement]) -> Statement:
    joints = [statement.joint for statement in statements if statement.joint]
    rows = [{"place": place, **joint.row} for place, joint in enumerate(joints)]
    return Statement(joints[0].text, [encode(rows).decode()])


def separate_rows(rows: Rows, count: int) -> list[Rows]:
    """The rows of a joint statement, for each of the statements that it stands for."""
    separate: list[Rows] = [[] for _ in range(count)]
    for row in rows:
        separate[row[0]].append(row[1:])
    return separate


def send_apart(
    statements: Sequence[Statement], *, limit_seconds: float | None = None, using: str = DEFAULT_DB_ALIAS
) -> Future[list[Rows]] | None:
    """The rows of statements that run at the same time as whatever comes next: on another connection of the pool, in a
    transaction of their own that ends with them. They are to read: what this thread has not committed they do not see.

    None where no connection is to be had at once. The future raises what psycopg raises, and AnswerLate when the server
    is silent for `limit_seconds` and a second more: whatever happens, the connection goes back.
    """
    pool = connections[using].pool if hasattr(connections[using], "pool") else None
    if pool is None:
        return None
    try:
        driver = pool.getconn(timeout=FREE_SECONDS)
    except OperationalError:  # none is free, or the pool is closed: whoever asks reads by itself, and hears why
        return None
    try:
        return _helpers.submit(_run_apart, pool, driver, statements, limit_seconds)
    except RuntimeError:  # the process is ending
        pool.putconn(driver)
        return None


def _run_apart(
    pool: ConnectionPool[Any], driver: Connection[Any], statements: Sequence[Statement], limit_seconds: float | None
) -> list[Rows]:
    try:
        _equip(driver)
        # Without BEGIN: what goes through a pipeline up to its end is one transaction.
        talk = _converse(driver, statements, False)
        with driver.lock:
            return driver.wait(talk if limit_seconds is None else _end_in_time(talk, limit_seconds + GRACE_SECONDS))
    finally:
        pool.putconn(driver)


def _end_in_time(talk: Generator[Any, Any, list[Rows]], seconds: float) -> Generator[Any, Any, list[Rows]]:
    """The same talk, broken off when the server has been silent beyond its time; psycopg looks ten times a second."""
    ends = time.monotonic() + seconds
    try:
        wanted = next(talk)
        while True:
            ready = yield wanted
            late = not ready and time.monotonic() > ends
            wanted = talk.throw(AnswerLate("no answer in time")) if late else talk.send(ready)
    except StopIteration as end:
        rows: list[Rows] = end.value
        return rows


def _equip(driver: Connection[Any]) -> None:
    if driver not in _equipped:
        driver.adapters.register_dumper(Binary, _BinaryDumper)
        # Of binary answers, which are ours; Django's own cursors ask for text and are left as they are.
        driver.adapters.register_loader("jsonb", _JsonbLoader)
        _equipped.add(driver)


def _converse(
    driver: Connection[Any], statements: Sequence[Statement], commits: bool
) -> Generator[Any, Any, list[Rows]]:
    pgconn = driver.pgconn
    yield from driver._prepared.maintain_gen(driver)
    begins = not driver.autocommit and pgconn.transaction_status == TransactionStatus.IDLE
    pgconn.enter_pipeline_mode()
    try:
        if begins:
            pgconn.send_query_params(b"BEGIN", None)
        # One for all: it looks up once how each type of value is written and read.
        transformer = Transformer(driver)
        sent = [_send(driver, statement, transformer) for statement in statements]
        if commits:
            pgconn.send_query_params(b"COMMIT", None)
        pgconn.pipeline_sync()
        results, is_ended = yield from _receive(driver)
    except BaseException:
        # Nobody knows what is still on its way: the pool takes a closed connection out.
        pgconn.finish()
        raise
    pgconn.exit_pipeline_mode()
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result, encoding=pgconn._encoding)
    expected = begins + sum(1 + (one.new_name is not None) for one in sent) + commits
    # Without BEGIN and COMMIT the end of the pipeline is what commits.
    if len(results) != expected or not (is_ended or commits):
        pgconn.finish()
        raise OperationalError("the connection was lost before every statement was answered")
    return _read(driver, results[begins:], sent, transformer)


def _send(driver: Connection[Any], statement: Statement, transformer: Adapter) -> _Sent:
    """Queue one statement, and its preparation where this connection has not seen it."""
    pgconn = driver.pgconn
    query = PostgresQuery(transformer)
    query.convert(statement.text, statement.values or None)
    shape = Format.BINARY if statement.is_binary else Format.TEXT
    # psycopg's own book of what is prepared: it drops everything after a rollback.
    state, name = driver._prepared.get(query, prepare=True)
    if state is Prepare.NO:
        pgconn.send_query_params(query.query, query.params, query.types, query.formats, shape)
        return _Sent(query)
    if state is Prepare.SHOULD:
        pgconn.send_prepare(name, query.query, query.types)
    pgconn.send_query_prepared(name, query.params, query.formats, shape)
    return _Sent(query, name if state is Prepare.SHOULD else None)


def _receive(driver: Connection[Any]) -> Generator[Any, Any, tuple[list[PGresult], bool]]:
    """What came back, in order, up to the end of the pipeline, and whether that was reached."""
    results: list[PGresult] = []
    fetched = yield from generators.execute(driver.pgconn)
    while not fetched or fetched[0].status != ExecStatus.PIPELINE_SYNC:
        if driver.pgconn.status == ConnStatus.BAD and not fetched:
            return results, False
        results.extend(fetched)
        fetched = yield from generators.fetch_many(driver.pgconn)
    return results, True


def _read(
    driver: Connection[Any], results: Iterable[PGresult], sent: Sequence[_Sent], transformer: Adapter
) -> list[Rows]:
    answers: list[Rows] = []
    rest = iter(results)
    for one in sent:
        if one.new_name is not None:
            next(rest)
        result = next(rest)
        if one.new_name is not None:
            key = driver._prepared.maybe_add_to_cache(one.query, Prepare.SHOULD, one.new_name)
            if key is not None:
                driver._prepared.validate(key, Prepare.SHOULD, one.new_name, [result])
        transformer.set_pgresult(result)
        answers.append(transformer.load_rows(0, result.ntuples, tuple) if result.nfields else [])
    return answers


def _log(wrapper: BaseDatabaseWrapper, statements: Sequence[Statement], *, seconds: float) -> None:
    # As Django's cursors do where queries are noted, as in tests; the first bears the time of all.
    for place, statement in enumerate(statements):
        wrapper.queries_log.append({"sql": statement.text, "time": f"{0 if place else seconds:.3f}"})
