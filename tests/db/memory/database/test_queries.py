"""Exchanges with the database that go wrong on the way: what is lost is never taken for done, no connection is lost."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import DataError, OperationalError, connection, connections
from django.db.utils import ConnectionHandler

from memory.database import queries as exchange
from memory.database.queries import Query, send_apart, send_together
from memory.tenants.database_errors import OutcomeUnknown
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope

TENANT = UUID("0190a11c-0000-7000-8000-000000000001")
SHOWS_BACKEND = Query("SELECT pg_backend_pid()")
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


def test_a_connection_lost_during_commit_is_an_unknown_outcome(line: Line) -> None:
    """Every statement was answered, and nobody knows whether COMMIT was carried out (D-37)."""
    Tenant.objects.create(id=TENANT, slug="alices", name="first")
    with pytest.raises(OutcomeUnknown), tenant_scope(TENANT, using="far"):
        send_together([Query("UPDATE tenant SET name = %s", ["second"])], using="far")
        line.is_cut = True


def test_a_connection_lost_before_commit_is_a_plain_failure(line: Line) -> None:
    """Nothing can be stored then."""
    Tenant.objects.create(id=TENANT, slug="alices", name="first")
    with pytest.raises(OperationalError), tenant_scope(TENANT, using="far"):
        line.is_cut = True
        send_together([Query("UPDATE tenant SET name = %s", ["second"])], using="far")
    assert Tenant.objects.get(id=TENANT).name == "first"


def test_of_statements_sent_together_none_runs_after_one_that_fails(line: Line) -> None:
    Tenant.objects.create(id=TENANT, slug="alices", name="first")
    rename = Query("UPDATE tenant SET name = %s", ["second"])
    with pytest.raises(DataError), tenant_scope(TENANT):
        send_together([Query("SELECT 1 / %s::int", [0]), rename])
    assert Tenant.objects.get(id=TENANT).name == "first"


def test_what_is_done_meanwhile_is_done_while_the_database_works(line: Line) -> None:
    waits = Query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted")
    seen = []

    def free_when_waited_for() -> None:
        for _ in range(100):
            seen.append(send_together([waits], using="far")[0][0][0])
            if seen[-1]:
                break
            time.sleep(0.02)
        send_together([Query("SELECT pg_advisory_unlock(7)")], using="far")

    send_together([Query("SELECT pg_advisory_lock(7)::text")], using="far")
    with tenant_scope(TENANT, statement_timeout_ms=9_000):
        asked = [Query("SELECT pg_advisory_xact_lock(7)::text"), Query("SELECT 2")]
        assert send_together(asked, meanwhile=free_when_waited_for) == [[("",)], [(2,)]]
    assert seen[-1] == 1


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


@pytest.mark.django_db
def test_jsonb_in_binary_is_read_as_the_standard_library_reads_it():
    content = '{"a": [1, -2.5, 12345678901234567890123, "م", null, true], "b": {}}'
    assert send_together([Query("SELECT %s::jsonb, NULL::jsonb", [content])]) == [[(json.loads(content), None)]]
