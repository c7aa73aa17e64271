from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError, IntegrityError

from memory.ids import new_id
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_broken_audit_event
from memory.tenants.services.audit import SYSTEM, record_audit_event

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = date(2026, 3, 1)
INSERT_EVENT = """
INSERT INTO audit_event (id, tenant_id, happened_at, actor_type, actor_id, action, object_type, object_ids)
VALUES (%s, %s, %s, 'system', 'system', 'memory.view', 'user', %s)
"""


@pytest.fixture
def tenant_id() -> UUID:
    return uuid4()


def record_day(tenant_id: UUID, *, count: int = 3) -> list[AuditEvent]:
    return [
        record_audit_event(
            tenant_id=tenant_id,
            actor=SYSTEM,
            action="memory.view",
            now=NOON + timedelta(minutes=minute),
            object_type="user",
            object_ids=[new_id()],
        )
        for minute in range(count)
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["UPDATE audit_event SET action = 'x.y'", "DELETE FROM audit_event"])
def test_the_service_cannot_change_or_delete_what_was_recorded(tenant_id: UUID, statement: str) -> None:
    record_day(tenant_id)
    with pytest.raises(DatabaseError), tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.django_db
def test_an_action_is_a_code_and_never_a_sentence(tenant_id: UUID) -> None:
    with pytest.raises(IntegrityError, match="audit_action_is_a_code"), transaction.atomic():
        record_audit_event(tenant_id=tenant_id, actor=SYSTEM, action="Alice asked for it", now=NOON)


@pytest.fixture
def sealed(tenant_id: UUID, owner_connection: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """Three events of one day, recorded and sealed within a transaction of the owner that is taken back."""
    owner_connection.autocommit = False
    for minute in range(3):
        owner_connection.execute(INSERT_EVENT, [new_id(), tenant_id, NOON + timedelta(minutes=minute), [new_id()]])
    assert owner_connection.execute("SELECT seal_audit_day_v1(%s, %s)", [tenant_id, DAY]).fetchone() == (3,)
    yield owner_connection
    owner_connection.rollback()


def find_broken(owner: psycopg.Connection, tenant_id: UUID) -> UUID | None:
    row = owner.execute("SELECT find_broken_audit_event_v1(%s)", [tenant_id]).fetchone()
    assert row is not None
    return row[0]


def test_a_sealed_day_holds_and_is_not_sealed_twice(tenant_id: UUID, sealed: psycopg.Connection) -> None:
    assert find_broken(sealed, tenant_id) is None
    assert sealed.execute("SELECT seal_audit_day_v1(%s, %s)", [tenant_id, DAY]).fetchone() == (0,)


def test_the_next_day_goes_on_with_the_chain(tenant_id: UUID, sealed: psycopg.Connection) -> None:
    sealed.execute(INSERT_EVENT, [new_id(), tenant_id, NOON + timedelta(days=1), []])
    assert sealed.execute("SELECT seal_audit_day_v1(%s, %s)", [tenant_id, DAY]).fetchone() == (0,)
    assert sealed.execute("SELECT seal_audit_day_v1(%s, %s)", [tenant_id, DAY + timedelta(days=1)]).fetchone() == (1,)
    assert find_broken(sealed, tenant_id) is None


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit_event SET actor_id = 'somebody' WHERE tenant_id = %s AND happened_at = %s",
        "DELETE FROM audit_event WHERE tenant_id = %s AND happened_at = %s",
    ],
    ids=["a changed row", "a removed row"],
)
def test_tampering_with_a_sealed_day_is_found(tenant_id: UUID, sealed: psycopg.Connection, tampering: str) -> None:
    sealed.execute("ALTER TABLE audit_event DISABLE TRIGGER audit_event_is_append_only")
    sealed.execute(tampering, [tenant_id, NOON + timedelta(minutes=1)])  # type: ignore[arg-type]
    assert find_broken(sealed, tenant_id) is not None


def test_even_the_owner_meets_the_trigger(tenant_id: UUID, sealed: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
        sealed.execute("DELETE FROM audit_event WHERE tenant_id = %s", [tenant_id])


@pytest.mark.django_db
def test_an_unsealed_trail_has_nothing_to_be_broken(tenant_id: UUID) -> None:
    record_day(tenant_id)
    assert find_broken_audit_event(tenant_id=tenant_id) is None
