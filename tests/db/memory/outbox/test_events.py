"""Events are written with the change, numbered without a gap, and hold no word (SPEC A-2, D-55)."""

import json
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from psycopg import errors

from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.erasure.worker import run_erasure
from memory.ids import new_id
from memory.outbox.models import Event, EventCounter
from memory.outbox.selectors import EventsExpired, list_events
from memory.outbox.services.events import drop_events, number_events, record_event
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def list_types(person: Chatter) -> list[str]:
    with tenant_scope(person.tenant.id):
        return list(Event.objects.filter(user_id=person.ref.id).order_by("user_seq").values_list("type", flat=True))


def read_feed(tenant: TenantRef, *, after: int = 0) -> list[Any]:
    number_events(tenant_id=tenant.id, limit=100)
    with tenant_scope(tenant.id):
        return list_events(tenant_id=tenant.id, after=after, limit=100)


def test_what_a_message_does_to_facts_is_told_with_it(alice: Chatter) -> None:
    first = alice.say("my size is M")
    second = alice.say("my size is L")
    assert list_types(alice) == ["fact.added", "fact.superseded"]
    with tenant_scope(alice.tenant.id):
        added, superseded = Event.objects.filter(user_id=alice.ref.id).order_by("user_seq")
    assert added.data == {"fact_id": str(first.changes[0].fact.id), "cause": "instant"}
    assert superseded.data["superseded_id"] == str(first.changes[0].fact.id)
    assert superseded.message_id == second.message_id
    assert (added.user_seq, superseded.user_seq) == (1, 2)


def test_a_message_without_facts_is_no_event(alice: Chatter) -> None:
    alice.say("hello there")
    assert list_types(alice) == []


def test_a_correction_is_told_with_what_it_did(alice: Chatter) -> None:
    alice.say("I am allergic to wool")
    alice.say("I am not allergic to wool, you are wrong")
    assert list_types(alice) == ["fact.added", "fact.deactivated", "correction.recorded"]


def test_a_forget_and_its_undo_are_told(alice: Chatter) -> None:
    message = alice.say("my size is M")
    now = timezone.now()
    batch = forget_messages(user=alice.ref, message_ids=[message.message_id], actor="key:test", now=now)
    restore_forget(user=alice.ref, batch_id=batch.batch_id, actor="key:test", now=now)
    assert list_types(alice) == [
        "fact.added", "fact.deactivated", "messages.forgotten", "fact.restored", "messages.restored",
    ]  # fmt: skip


def test_no_event_holds_a_word(alice: Chatter) -> None:
    alice.say("I am allergic to wool, zanzibarmarker")
    alice.say("no, that is wrong, I am not allergic to wool, zanzibarmarker")
    rows = read_feed(alice.tenant)
    told = json.dumps([row.event.data for row in rows])
    assert rows
    assert "wool" not in told
    assert "zanzibarmarker" not in told


def test_a_change_that_is_rolled_back_is_not_told(alice: Chatter) -> None:
    alice.say("my size is M")
    with pytest.raises(ZeroDivisionError), tenant_scope(alice.tenant.id):
        record_event("candidate.waiting", tenant_id=alice.tenant.id, user=alice.ref, data={})
        raise ZeroDivisionError
    alice.say("I am allergic to wool")
    with tenant_scope(alice.tenant.id):
        numbers = list(
            Event.objects.filter(user_id=alice.ref.id).order_by("user_seq").values_list("user_seq", flat=True)
        )
    assert numbers == [1, 2]


def test_an_unknown_type_is_refused(tenant: TenantRef) -> None:
    with pytest.raises(ValueError, match="no event type"), tenant_scope(tenant.id):
        record_event("fact.guessed", tenant_id=tenant.id, data={})


def test_the_feed_numbers_each_tenant_from_one(alice: Chatter, tenant: TenantRef, other_tenant: TenantRef) -> None:
    stranger = Chatter(other_tenant, "alice")
    for person in (alice, stranger):
        person.say("my size is M")
        person.say("I am allergic to wool")
    assert [row.event.number for row in read_feed(tenant)] == [1, 2]
    assert [row.event.number for row in read_feed(other_tenant)] == [1, 2]
    assert {row.user_id for row in read_feed(tenant)} == {"alice"}


def test_an_erased_user_leaves_no_event_and_the_completion_names_the_erasure_alone(charlie: Chatter) -> None:
    charlie.say("my size is S")
    user = charlie.ref
    request = request_erasure(
        tenant=charlie.tenant,
        user_external_id="charlie",
        target=ErasureTarget(),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    with tenant_scope(user.tenant_id):
        assert Event.objects.filter(user_id=user.id).latest("user_seq").type == "erasure.requested"
    assert run_erasure(user=user, erasure_id=request.id, clock=timezone.now) == "completed"
    rows = read_feed(charlie.tenant)
    assert [(row.event.type, row.event.data, row.user_id) for row in rows] == [
        ("erasure.completed", {"erasure_id": str(request.id)}, None)
    ]
    with tenant_scope(charlie.tenant.id):
        assert not EventCounter.objects.filter(owner_id=user.id).exists()


def test_a_part_erasure_takes_the_message_id_and_leaves_no_gap(alice: Chatter) -> None:
    first = alice.say("my size is M")
    alice.say("I am allergic to wool")
    request = request_erasure(
        tenant=alice.tenant,
        user_external_id="alice",
        target=ErasureTarget(scope="messages", message_ids=(first.message_id,)),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    assert run_erasure(user=alice.ref, erasure_id=request.id, clock=timezone.now) == "completed"
    with tenant_scope(alice.tenant.id):
        events = list(Event.objects.filter(user_id=alice.ref.id).order_by("user_seq"))
    assert [event.user_seq for event in events] == list(range(1, len(events) + 1))
    assert first.message_id not in [event.message_id for event in events]


def test_a_cursor_from_before_what_is_kept_is_refused(alice: Chatter) -> None:
    for text in ("my size is M", "I am allergic to wool", "I never wear fur"):
        alice.say(text)
    rows = read_feed(alice.tenant)
    with tenant_scope(alice.tenant.id):
        Event.objects.filter(tenant_id=alice.tenant.id, number__lte=2).delete()
    assert [row.event.number for row in read_feed(alice.tenant)] == [3]
    assert [row.event.number for row in read_feed(alice.tenant, after=2)] == [3]
    with pytest.raises(EventsExpired):
        read_feed(alice.tenant, after=1)
    assert len(rows) == 3


@pytest.mark.django_db(transaction=True)
def test_old_events_are_dropped_by_workers(alice: Chatter, as_role: Callable[[Any], None]) -> None:
    alice.say("my size is M")
    as_role("worker")
    assert drop_events(older_than=timezone.now(), limit=10) == 1
    assert drop_events(older_than=timezone.now(), limit=10) == 0


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_time_leave_no_gap_in_a_users_numbers(alice: Chatter) -> None:
    alice.say("hello")
    user, failures = alice.ref, []

    def write() -> None:
        try:
            for _ in range(10):
                with tenant_scope(user.tenant_id):
                    record_event("candidate.waiting", tenant_id=user.tenant_id, user=user, data={})
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
    with tenant_scope(user.tenant_id):
        numbers = sorted(Event.objects.filter(user_id=user.id).values_list("user_seq", flat=True))
    assert failures == []
    assert numbers == list(range(1, 61))


@pytest.mark.django_db(transaction=True)
def test_a_reader_never_passes_an_event_that_is_still_being_written(
    alice: Chatter, bob: Chatter, superuser_connection: psycopg.Connection
) -> None:
    """Bob's event was written first and is committed last: a reader who has seen Alice's must still get it."""
    alice.say("hello")
    bob.say("hello")
    tenant_id, bob_id = bob.tenant.id, bob.ref.id
    superuser_connection.autocommit = False
    superuser_connection.execute(
        'SELECT record_events_v1(%s, %s, \'[{"type": "candidate.waiting", "data": {}}]\')', [tenant_id, bob_id]
    )
    with tenant_scope(tenant_id):
        record_event("candidate.waiting", tenant_id=tenant_id, user=alice.ref, data={})
    seen = read_feed(alice.tenant)
    assert [row.user_id for row in seen] == ["alice"]
    superuser_connection.commit()
    assert [row.user_id for row in read_feed(alice.tenant, after=seen[-1].event.number)] == ["bob"]


@pytest.mark.parametrize(
    ("columns", "values", "error"),
    [
        ("user_id, type, data", ["%(user)s", "'fact.added'", "'{}'"], errors.CheckViolation),
        ("user_id, user_seq, type, data", ["%(user)s", "1", "'Fact Added'", "'{}'"], errors.CheckViolation),
        ("user_id, user_seq, type, data", ["%(nobody)s", "1", "'fact.added'", "'{}'"], errors.ForeignKeyViolation),
        ("user_id, user_seq, type, data", ["%(user)s", "1", "'fact.added'", "NULL"], errors.NotNullViolation),
        ("user_id, user_seq, type, data", ["%(user)s", "2", "'fact.added'", "'{}'"], errors.UniqueViolation),
    ],
)
def test_the_database_refuses_an_event_that_breaks_a_promise(
    alice: Chatter, columns: str, values: list[str], error: type[Exception]
) -> None:
    alice.say("my size is M")
    alice.say("I am allergic to wool")
    named = {"user": alice.ref.id, "nobody": new_id(), "tenant": alice.tenant.id}
    statement = f"INSERT INTO memory_event (tenant_id, {columns}) VALUES (%(tenant)s, {', '.join(values)})"
    with pytest.raises(DatabaseError) as caught, tenant_scope(alice.tenant.id), transaction.atomic():
        connection.cursor().execute(statement, named)
        connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert isinstance(caught.value.__cause__, error)
