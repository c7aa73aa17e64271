"""Index rows belong to messages, vectors to index rows and models: each test tries to break that."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import errors

from config.launch import paths
from memory.ids import new_id
from tests.cast import Chatter

pytestmark = pytest.mark.django_db(transaction=True)  # other connections see what is stored

PATIENCE = 20.0
VECTOR_OF_ANOTHER = """
INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)
SELECT tenant_id, user_id, %s, %s, dimensions, embedding FROM message_embedding WHERE user_id = %s LIMIT 1
"""
INDEX_ROW_OF_ANOTHER = """
INSERT INTO message_index (tenant_id, user_id, message_id, conversation_id, seq, session_no, role, memory_type, len, created_at,
  received_at, tokeniser, lexemes)
SELECT tenant_id, user_id, %s, conversation_id, seq + 1000, 1, role, memory_type, len, created_at, received_at, tokeniser, lexemes
FROM message_index WHERE user_id = %s LIMIT 1
"""
TOMBSTONE = """
INSERT INTO memory_tombstone (tenant_id, user_id, id, subject_hmac, scope, erased_up_to, created_at)
VALUES (%s, %s, %s, 'x', 'all', %s, %s)
"""


class Shelf:
    """A person of two messages, and the owner of the tables, whom no policy holds back."""

    def __init__(self, person: Chatter, owner: psycopg.Connection) -> None:
        self.first, self.second = (person.say(text).message_id for text in ("saffron", "cardamom"))
        self.user = person.ref
        self.owner = owner
        self.model = owner.execute("SELECT id FROM embedding_model").fetchone()[0]

    def add_vector(self, message_id: UUID, *, by: psycopg.Connection | None = None, model: int | None = None) -> None:
        values = [self.model if model is None else model, message_id, self.user.id]
        (by or self.owner).execute(VECTOR_OF_ANOTHER, values)

    def delete(self, table: str, *, by: psycopg.Connection | None = None) -> None:
        key = "id" if table == "memory_message" else "message_id"
        values = [self.user.id, self.second]
        (by or self.owner).execute(f"DELETE FROM {table} WHERE user_id = %s AND {key} = %s", values)

    def bury(self) -> None:
        now = datetime.now(UTC)
        self.owner.execute(TOMBSTONE, [self.user.tenant_id, self.user.id, new_id(), now, now])

    def list_stored(self, table: str) -> set[UUID]:
        query = f"SELECT message_id FROM {table} WHERE user_id = %s"
        return {row[0] for row in self.owner.execute(query, [self.user.id])}


@pytest.fixture
def shelf(alice: Chatter, owner_connection: psycopg.Connection) -> Shelf:
    owner_connection.execute("SET lock_timeout = '20s'")
    return Shelf(alice, owner_connection)


@pytest.fixture
def other(shelf: Shelf, database_name: str) -> Iterator[psycopg.Connection]:
    """A second connection of the owner."""
    with psycopg.connect(paths.database_url("owner", database=database_name), autocommit=True) as connection:
        yield connection


def is_waiting(connection: psycopg.Connection, watcher: psycopg.Connection) -> bool:
    query = "SELECT cardinality(pg_blocking_pids(%s)) > 0"
    return bool(watcher.execute(query, [connection.info.backend_pid]).fetchone()[0])


def start_and_wait(work: Any, connection: psycopg.Connection, watcher: psycopg.Connection) -> Future[None]:
    """Run `work`, which uses `connection`, beside this thread, up to where it waits for a lock."""
    future = ThreadPoolExecutor(max_workers=1).submit(work)
    deadline = monotonic() + PATIENCE
    while not is_waiting(connection, watcher):
        assert monotonic() < deadline and not future.done()
        sleep(0.002)
    return future


def test_a_vector_of_no_indexed_message_is_refused_by_name(shelf: Shelf):
    with pytest.raises(errors.ForeignKeyViolation) as refused:
        shelf.add_vector(new_id())
    assert refused.value.diag.constraint_name == "a_vector_belongs_to_an_indexed_message"


def test_a_vector_of_an_unknown_model_is_refused_by_name(shelf: Shelf):
    with pytest.raises(errors.ForeignKeyViolation) as refused:
        shelf.add_vector(shelf.first, model=32000)
    assert refused.value.diag.constraint_name == "message_embedding_model_id_fkey"


def test_an_index_row_of_no_message_is_refused_by_name(shelf: Shelf):
    with pytest.raises(errors.ForeignKeyViolation) as refused:
        shelf.owner.execute(INDEX_ROW_OF_ANOTHER, [new_id(), shelf.user.id])
    assert refused.value.diag.constraint_name == "an_index_row_belongs_to_a_message"


def test_one_orphan_among_many_rows_is_refused(shelf: Shelf):
    shelf.delete("message_embedding")
    with pytest.raises(errors.ForeignKeyViolation):
        shelf.owner.execute(
            "INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)"
            " SELECT tenant_id, user_id, model_id, named, dimensions, embedding FROM message_embedding,"
            " unnest(%s::uuid[]) named WHERE user_id = %s AND message_id = %s",
            [[shelf.second, new_id()], shelf.user.id, shelf.first],
        )
    assert shelf.list_stored("message_embedding") == {shelf.first}


def test_a_message_takes_its_index_row_and_vector_along(shelf: Shelf):
    shelf.bury()
    shelf.delete("memory_message")
    assert shelf.list_stored("message_index") == shelf.list_stored("message_embedding") == {shelf.first}


def test_an_index_row_deleted_by_the_service_takes_its_vector_along(
    shelf: Shelf, worker_connection: psycopg.Connection
):
    with worker_connection.transaction():
        worker_connection.execute("SELECT set_config('app.tenant_id', %s, true)", [str(shelf.user.tenant_id)])
        shelf.delete("message_index", by=worker_connection)
    assert shelf.list_stored("message_embedding") == {shelf.first}


@pytest.mark.parametrize("table", ["message_index", "message_embedding"])
def test_a_row_keeps_what_it_belongs_to(shelf: Shelf, table: str):
    with pytest.raises(errors.ForeignKeyViolation):
        shelf.owner.execute(f"UPDATE {table} SET message_id = %s WHERE message_id = %s", [new_id(), shelf.first])


@pytest.mark.parametrize("change", ["DELETE FROM embedding_model", "UPDATE embedding_model SET id = id + 100"])
def test_a_model_stays_under_its_number(shelf: Shelf, change: str):
    with pytest.raises(errors.ForeignKeyViolation):
        shelf.owner.execute(change)


def test_who_deletes_an_index_row_waits_for_its_new_vector_and_takes_it_along(shelf: Shelf, other: psycopg.Connection):
    shelf.delete("message_embedding")
    with shelf.owner.transaction():
        shelf.add_vector(shelf.second)
        deleting = start_and_wait(lambda: shelf.delete("message_index", by=other), other, shelf.owner)
    deleting.result(PATIENCE)
    assert shelf.list_stored("message_index") == shelf.list_stored("message_embedding") == {shelf.first}


def test_a_vector_waits_for_who_deletes_its_index_row_and_is_refused(shelf: Shelf, other: psycopg.Connection):
    shelf.delete("message_embedding")
    with shelf.owner.transaction():
        shelf.delete("message_index")
        adding = start_and_wait(lambda: shelf.add_vector(shelf.second, by=other), other, shelf.owner)
    with pytest.raises(errors.ForeignKeyViolation):
        adding.result(PATIENCE)


def test_a_vector_is_stored_when_its_index_row_stays_after_all(shelf: Shelf, other: psycopg.Connection):
    shelf.delete("message_embedding")
    with shelf.owner.transaction(force_rollback=True):
        shelf.delete("message_index")
        adding = start_and_wait(lambda: shelf.add_vector(shelf.second, by=other), other, shelf.owner)
    adding.result(PATIENCE)
    assert shelf.list_stored("message_embedding") == {shelf.first, shelf.second}


def test_who_deletes_a_message_waits_for_its_new_index_row_and_takes_it_along(shelf: Shelf, other: psycopg.Connection):
    shelf.bury()
    shelf.delete("message_index")
    with shelf.owner.transaction():
        shelf.owner.execute(INDEX_ROW_OF_ANOTHER, [shelf.second, shelf.user.id])
        deleting = start_and_wait(lambda: shelf.delete("memory_message", by=other), other, shelf.owner)
    deleting.result(PATIENCE)
    assert shelf.list_stored("message_index") == {shelf.first}


def test_an_index_row_waits_for_who_deletes_its_message_and_is_refused(shelf: Shelf, other: psycopg.Connection):
    shelf.bury()
    shelf.delete("message_index")
    with shelf.owner.transaction():
        shelf.delete("memory_message")
        adding = start_and_wait(
            lambda: other.execute(INDEX_ROW_OF_ANOTHER, [shelf.second, shelf.user.id]), other, shelf.owner
        )
    with pytest.raises(errors.ForeignKeyViolation):
        adding.result(PATIENCE)


def test_a_row_of_the_same_transaction_is_no_parent_once_its_savepoint_is_taken_back(shelf: Shelf):
    shelf.delete("message_index")
    with shelf.owner.transaction(), pytest.raises(errors.ForeignKeyViolation), shelf.owner.transaction():
        with shelf.owner.transaction(force_rollback=True):
            shelf.owner.execute(INDEX_ROW_OF_ANOTHER, [shelf.second, shelf.user.id])
            shelf.add_vector(shelf.second)
        shelf.add_vector(shelf.second)
    assert shelf.list_stored("message_embedding") == {shelf.first}


def test_every_foreign_key_is_enforced(shelf: Shelf):
    query = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT conenforced"
    assert shelf.owner.execute(query).fetchone()[0] == 0
