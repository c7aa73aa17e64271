"""Exchanges with the database that go wrong on the way: what is lost is never taken for done, no connection is lost."""

import json
import socket
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import OperationalError, connection, connections
from django.db.utils import ConnectionHandler

from memory import exchange
from memory.exchange import AnswerLate, Statement, send_apart, send_together
from memory.tenants.models import Tenant
from memory.tenants.scope import run_alone

TENANT = UUID("0190a11c-0000-7000-8000-000000000001")
SHOWS_BACKEND = Statement("SELECT pg_backend_pid()")
READY_FOR_QUERY = b"Z"


class Line:
    """A line to the server that can be cut before the answer that says a pipeline has ended."""

    def __init__(self, *, host: str, port: int) -> None:
        self.is_cut = False
        self._host, self._server_port = host, port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._open, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _open(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = self._reach_server()
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _reach_server(self) -> socket.socket:
        if not self._host.startswith("/"):
            return socket.create_connection((self._host, self._server_port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{self._host}/.s.PGSQL.{self._server_port}")
        return server

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            while data := client.recv(65536):
                server.sendall(data)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with server.makefile("rb") as answers:
            while head := answers.read(5):
                if head[:1] == READY_FOR_QUERY and self.is_cut:
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(head + answers.read(int.from_bytes(head[1:]) - 4))


@pytest.fixture
def line(transactional_db: None) -> Iterator[Line]:
    """The alias `far`, reached over a line."""
    connection.ensure_connection()
    server = connection.connection.info
    line = Line(host=server.host, port=server.port)
    place = connection.settings_dict
    options = {**place["OPTIONS"], "sslmode": "disable", "gssencmode": "disable", "connect_timeout": 10}
    far = {**place, "HOST": "127.0.0.1", "PORT": line.port, "OPTIONS": options}
    connections["far"] = ConnectionHandler({"default": far, "far": far})["far"]
    yield line
    connections["far"].close()
    del connections["far"]
    line.close()


def rename(name: str) -> list[Any]:
    return run_alone([Statement("UPDATE tenant SET name = %s RETURNING name", [name])], tenant_id=TENANT, using="far")


def test_a_connection_lost_before_the_end_of_the_pipeline_is_never_taken_for_success(line: Line) -> None:
    """Every statement was answered; without COMMIT it is the end alone that says they are stored."""
    Tenant.objects.create(id=TENANT, slug="alices", name="first")
    assert rename("second") == [[("second",)]]
    line.is_cut = True
    with pytest.raises(OperationalError, match="closed the connection"):
        rename("third")
    assert connections["far"].connection.closed


def test_answers_without_the_end_of_the_pipeline_are_no_success(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the driver hears of a loss without an error of its own."""
    receive = exchange._receive

    def receive_without_end(driver: Any) -> Generator[Any, Any, tuple[Any, bool]]:
        results, _ = yield from receive(driver)
        return results, False

    Tenant.objects.create(id=TENANT, slug="alices", name="first")
    monkeypatch.setattr(exchange, "_receive", receive_without_end)
    with pytest.raises(OperationalError, match="was lost"):
        rename("second")
    assert connections["far"].connection.closed


def test_nothing_is_sent_apart_by_a_pool_that_is_closed(pooled: Any) -> None:
    pooled.pool.close()
    assert send_apart([SHOWS_BACKEND], using="pooled") is None


def test_a_connection_goes_back_when_the_process_is_ending(pooled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ThreadPoolExecutor()
    ended.shutdown()
    with monkeypatch.context() as patch:
        patch.setattr(exchange, "_helpers", ended)
        for _ in range(3):
            assert send_apart([SHOWS_BACKEND], using="pooled") is None
    assert send_apart([SHOWS_BACKEND], using="pooled").result(10)[0][0][0] > 0


def test_a_server_that_is_silent_beyond_the_limit_is_given_up_and_its_connection_closed(
    pooled: Any, superuser_connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "GRACE_SECONDS", 0.0)
    backends = {send_apart([SHOWS_BACKEND], using="pooled").result(10)[0][0][0] for _ in range(4)}
    silent = [Statement("SELECT pg_sleep(60)")]
    for _ in backends:
        with pytest.raises(AnswerLate):
            send_apart(silent, limit_seconds=0.05, using="pooled").result(30)
    pooled.pool.wait(10)
    with closing(pooled), pooled.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone()[0] not in backends
    # What they were asked goes on without us, and its snapshot would keep alive what later tests erase.
    superuser_connection.execute("SELECT pg_terminate_backend(pid, 10000) FROM unnest(%s) AS pid", [list(backends)])


@pytest.mark.django_db
def test_jsonb_in_binary_is_read_as_the_standard_library_reads_it():
    content = '{"a": [1, -2.5, 12345678901234567890123, "م", null, true], "b": {}}'
    assert send_together([Statement("SELECT %s::jsonb, NULL::jsonb", [content])]) == [[(json.loads(content), None)]]
