"""A certificate that anybody changed, took away or slipped in does not hold."""

import base64
from typing import Any

import psycopg
import pytest

from memory.erasure.certificates import find_broken_certificate
from memory.erasure.types import TRANSITIONS
from memory.models import ErasureCertificate
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out

pytestmark = pytest.mark.django_db(transaction=True)


def find_fault(tenant: Any) -> str | None:
    with tenant_scope(tenant.id):
        fault = find_broken_certificate(tenant_id=tenant.id)
    return fault.fault if fault else None


@pytest.fixture
def erased(alice: Chatter, bob: Chatter, charlie: Chatter) -> Any:
    """A tenant with three certificates."""
    for person in (alice, bob, charlie):
        person.say("hello")
        carry_out(person, ask(person))
    return charlie.tenant


def test_each_certificate_carries_the_hash_of_the_one_before(erased: Any) -> None:
    assert find_fault(erased) is None
    with tenant_scope(erased.id):
        assert list(ErasureCertificate.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE erasure_certificate SET body = replace(body, 'destroyed', 'kept')  WHERE number = 2", "signature"),
        ("DELETE FROM erasure_certificate WHERE number = 2", "chain"),
        ("DELETE FROM erasure_certificate WHERE number = 1", "chain"),
    ],
)
def test_a_change_behind_the_services_back_is_found(
    erased: Any, superuser_connection: psycopg.Connection, change: str, fault: str
) -> None:
    superuser_connection.execute("SET session_replication_role = replica")
    superuser_connection.execute(change)
    assert find_fault(erased) == fault


def test_a_certificate_signed_under_a_key_that_is_not_listed_says_so(erased: Any, settings: Any) -> None:
    settings.UNDE_MASTER_KEYS = "other:" + base64.b64encode(b"another-master-key-another-maste").decode()
    assert find_fault(erased) == "key_missing"


@pytest.mark.parametrize("table", ["erasure_request", "erasure_event", "erasure_certificate", "memory_tombstone"])
def test_the_record_of_erasures_cannot_be_taken_away(
    erased: Any, owner_connection: psycopg.Connection, table: str
) -> None:
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        owner_connection.execute(f"DELETE FROM {table}")


def test_an_erasure_cannot_jump_or_be_opened_again(erased: Any, owner_connection: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation):
        owner_connection.execute("UPDATE erasure_request SET status = 'queued', completed_at = NULL")


def test_database_and_service_know_the_same_states(erased: Any, superuser_connection: psycopg.Connection) -> None:
    def try_move(source: str, target: str) -> bool:
        completed = {"completed": "now()"}
        superuser_connection.execute("SET session_replication_role = replica")
        superuser_connection.execute(
            f"UPDATE erasure_request SET status = '{source}', completed_at = {completed.get(source, 'NULL')}"
        )
        superuser_connection.execute("SET session_replication_role = origin")
        try:
            superuser_connection.execute(
                f"UPDATE erasure_request SET status = '{target}', completed_at = {completed.get(target, 'NULL')}"
            )
        except psycopg.errors.IntegrityConstraintViolation:
            return False
        return True

    allowed = {
        source: {target for target in TRANSITIONS if target != source and try_move(source, target)}
        for source in TRANSITIONS
    }
    assert allowed == {source: set(targets) - {source} for source, targets in TRANSITIONS.items()}
