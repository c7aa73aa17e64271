"""Senders of one message at a time who come together are stored together, and nobody's trouble is another's."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.db.models import QuerySet
from django.utils import timezone

from memory.models import Message, User
from memory.services import joining, messages
from memory.storing.types import TenantRef
from memory.tenants import proof
from memory.tenants.models import ApiKey
from memory.tenants.scope import tenant_scope
from memory.tenants.services.keys import revoke_key
from memory.tenants.types import Actor, ActorType
from tests.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

SECONDS = 10.0  # more than any of this takes


@pytest.fixture
def other_writer() -> Iterator[psycopg.Connection[Any]]:
    """Somebody else with a connection of its own."""
    values = connection.get_connection_params()
    where = {name: values[name] for name in ("host", "port", "dbname", "user", "password") if values.get(name)}
    with psycopg.connect(**where, autocommit=True) as other:
        yield other


class Senders:
    """Messages sent at the same time, each by a thread of its own."""

    def __init__(self, api: Caller, tenant: TenantRef, other_writer: psycopg.Connection[Any]) -> None:
        self.api = api
        self._tenant = tenant
        self._other = other_writer
        self._pool = ThreadPoolExecutor(16)

    def start(self, user: str, content: str = "hello", **more: Any) -> Future[Any]:
        return self._pool.submit(self._run, lambda: self.api.send(content, user_id=user, **more))

    def hold(self, user: str) -> None:
        """Nobody else writes for the user until `release`."""
        self._other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 20260221))", [self._find_id(user)])

    def release(self, user: str) -> None:
        self._other.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 20260221))", [self._find_id(user)])

    def _find_id(self, user: str) -> str:
        with tenant_scope(self._tenant.id):
            return str(User.objects.get(external_id=user).id)

    def start_behind(
        self, *starts: Callable[[], Future[Any]], meanwhile: Callable[[], None] = lambda: None
    ) -> list[Future[Any]]:
        """Start them while a first sender is kept waiting, so that they go together once it is done."""
        self.api.send(user_id="first")
        self.hold("first")
        first = self.start("first")
        wait_until(self._is_somebody_kept_waiting)
        started: list[Future[Any]] = []
        for start in starts:
            started.append(start())
            wait_until(lambda: count_waiting() == len(started))
        meanwhile()
        self.release("first")
        assert first.result(SECONDS).status_code == 201
        return started

    def _is_somebody_kept_waiting(self) -> bool:
        row = self._other.execute(
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted"
        ).fetchone()
        return row == (1,)

    @staticmethod
    def _run(send: Callable[[], Any]) -> Any:
        try:
            return send()
        finally:
            connections.close_all()

    def close(self) -> None:
        self._other.execute("SELECT pg_advisory_unlock_all()")
        self._pool.shutdown(wait=True)


@pytest.fixture
def senders(
    api: Caller, tenant: TenantRef, other_writer: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Senders]:
    monkeypatch.setattr(joining, "LATE_SECONDS", SECONDS)
    found = Senders(api, tenant, other_writer)
    yield found
    found.close()


def count_working() -> int:
    return sum(len(crowd._working) for crowd in list(joining._crowds.values()))


def count_waiting() -> int:
    return sum(len(crowd._waiting) for crowd in list(joining._crowds.values()))


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def count_transactions(tenant: TenantRef, *users: str) -> int:
    """How many transactions stored these users' messages."""
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT m.xmin::text) FROM memory_message m JOIN memory_user u ON u.id = m.user_id"
            " WHERE u.external_id = ANY(%s)",
            [list(users)],
        )
        return int(cursor.fetchone()[0])


def list_stored(prefix: str) -> QuerySet[Message]:
    """The messages of users whose names begin like this."""
    return Message.objects.filter(user_id__in=User.objects.filter(external_id__startswith=prefix).values("id"))


def test_messages_that_wait_at_the_same_time_share_a_transaction(senders: Senders, tenant: TenantRef):
    users = [f"user-{i}" for i in range(6)]
    texts = ["my size is M", "hello", "I'm allergic to wool", "мой размер L", "thanks!", "مقاسي S"]
    started = senders.start_behind(
        *(
            lambda user=user, text=text: senders.start(user, text, id=f"m-{user}")
            for user, text in zip(users, texts, strict=True)
        )
    )
    answers = [one.result(SECONDS) for one in started]
    assert [answer.status_code for answer in answers] == [201] * 6
    assert [answer.json()["client_id"] for answer in answers] == [f"m-{user}" for user in users]
    assert [len(answer.json()["facts"]) for answer in answers] == [1, 0, 1, 1, 0, 1]
    assert count_transactions(tenant, *users) == 1


def test_one_users_messages_stay_in_their_order(senders: Senders, tenant: TenantRef):
    started = senders.start_behind(*(lambda i=i: senders.start("alice", f"text {i}") for i in range(4)))
    assert all(one.result(SECONDS).status_code == 201 for one in started)
    with tenant_scope(tenant.id):
        rows = list_stored("alice").order_by("seq")
        assert [(row.seq, row.content) for row in rows] == [(i + 1, f"text {i}") for i in range(4)]


def test_one_refused_message_loses_no_other(senders: Senders, tenant: TenantRef):
    senders.api.send("something else", user_id="user-1", id="m-1")
    started = senders.start_behind(*(lambda i=i: senders.start(f"user-{i}", "hello", id=f"m-{i}") for i in range(3)))
    assert [one.result(SECONDS).status_code for one in started] == [201, 409, 201]
    with tenant_scope(tenant.id):
        assert list_stored("user-").count() == 3


def test_a_busy_user_keeps_nobody_waiting_for_long(senders: Senders, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(joining, "LATE_SECONDS", 0.05)
    senders.api.send(user_id="busy")
    senders.hold("busy")
    busy = senders.start("busy")
    wait_until(lambda: count_working() == 1)
    assert senders.start("alice").result(SECONDS).status_code == 201
    assert not busy.done()
    senders.release("busy")
    assert busy.result(SECONDS).status_code == 201


def test_who_is_busy_in_a_group_is_waited_for_alone(senders: Senders):
    senders.api.send(user_id="user-1")
    senders.hold("user-1")
    started = senders.start_behind(*(lambda i=i: senders.start(f"user-{i}") for i in range(3)))
    assert [started[i].result(SECONDS).status_code for i in (0, 2)] == [201, 201]
    assert not started[1].done()
    senders.release("user-1")
    assert started[1].result(SECONDS).status_code == 201


def test_a_lost_connection_is_told_to_each_of_the_group(senders: Senders, tenant: TenantRef, superuser_connection: Any):
    with superuser_connection.transaction():
        superuser_connection.execute("LOCK TABLE user_knowledge IN SHARE MODE")
        started = senders.start_behind(*(lambda i=i: senders.start(f"user-{i}", "my size is M") for i in range(3)))
        wait_until(lambda: end_blocked_backends(superuser_connection) == 1)
    answers = [one.result(SECONDS) for one in started]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(503, "database_unavailable")] * 3
    with tenant_scope(tenant.id):
        assert list_stored("user-").count() == 0


def test_what_may_be_stored_is_not_stored_again(senders: Senders, tenant: TenantRef, monkeypatch: pytest.MonkeyPatch):
    def fail(ingests: Any) -> None:
        if len(ingests) > 1:
            raise OSError("after COMMIT")

    monkeypatch.setattr(messages, "_count_stored", fail)
    started = senders.start_behind(*(lambda i=i: senders.start(f"user-{i}") for i in range(3)))
    assert sorted(one.result(SECONDS).status_code for one in started) == [500, 503, 503]
    with tenant_scope(tenant.id):
        assert list_stored("user-").count() == 3


def test_a_correction_in_a_group_finds_what_was_stated_in_it(senders: Senders):
    started = senders.start_behind(
        lambda: senders.start("alice", "my size is M"), lambda: senders.start("alice", "no, my size is L")
    )
    assert [one.result(SECONDS).status_code for one in started] == [201, 201]
    facts = senders.api.get("/v1/users/alice/facts").json()["results"]
    assert [fact["value"] for fact in facts] == ["L"]


def test_an_edit_goes_alone(senders: Senders):
    old = senders.api.send("my size is M").json()["id"]
    senders.api.send(user_id="first")
    senders.hold("first")
    first = senders.start("first")
    wait_until(lambda: count_working() == 1)
    edited = senders.start("alice", "my size is L", replaces_id=old).result(SECONDS)
    assert [(fact["value"], fact["action"]) for fact in edited.json()["facts"]][-1] == ("L", "added")
    senders.release("first")
    assert first.result(SECONDS).status_code == 201


def test_of_two_replies_sent_at_once_one_takes_the_place_of_the_other(senders: Senders):
    asked = senders.api.send("what shall I wear").json()["id"]
    senders.api.send(user_id="first")
    senders.hold("first")
    first = senders.start("first")
    wait_until(lambda: count_working() == 1)  # a group would wait for it
    replies = ("linen trousers", "velvet trousers")
    started = [senders.start("alice", text, role="assistant", reply_to_id=asked) for text in replies]
    assert [one.result(SECONDS).status_code for one in started] == [201, 201]
    found = senders.api.post("/v1/search", {"user_id": "alice", "query": "trousers"}).json()["results"]
    assert len({hit["message_id"] for hit in found} & {one.result().json()["id"] for one in started}) == 1
    senders.release("first")
    assert first.result(SECONDS).status_code == 201


def test_who_comes_later_leads_and_does_not_overtake():
    crowd = joining._Crowd()
    first, second, third = (joining._Message(None, timezone.now(), None) for _ in range(3))
    working = crowd.enter(first)
    assert (crowd.enter(second), crowd.try_again(second)) == (None, None)
    crowd.leave(working)
    assert crowd.enter(third).messages == [second, third]
    assert crowd.try_again(second) is None


@pytest.mark.parametrize("is_remembered", [True, False], ids=["all-remember-the-key", "the-first-looked-it-up"])
def test_a_key_revoked_while_they_wait_stores_nothing(senders: Senders, tenant: TenantRef, is_remembered: bool):
    def start_first() -> Future[Any]:
        if not is_remembered:
            proof._remembered.clear()
        return senders.start("user-0")

    started = senders.start_behind(
        start_first, lambda: senders.start("user-1"), meanwhile=lambda: revoke_keys_of(tenant)
    )
    assert [one.result(SECONDS).status_code for one in started] == [401, 401]
    with tenant_scope(tenant.id):
        assert not list_stored("user-").exists()


def end_blocked_backends(connection: psycopg.Connection[Any]) -> int:
    """End those who wait for the facts' table, and say how many there were."""
    rows = connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'user_knowledge'::regclass AND NOT granted"
    )
    return len(rows.fetchall())


def revoke_keys_of(tenant: TenantRef) -> None:
    actor = Actor(type=ActorType.SYSTEM, id="test")
    with tenant_scope(tenant.id):
        ids = list(ApiKey.objects.filter(tenant_id=tenant.id).values_list("id", flat=True))
    for key_id in ids:
        revoke_key(tenant_id=tenant.id, key_id=key_id, actor=actor, now=timezone.now())
