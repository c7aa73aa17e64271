from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from memory.errors import InvalidRequest, NotFound
from memory.tenants.errors import InvalidKey, KeyExists
from memory.tenants.models import ApiKey, AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_caller
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key, note_key_use, revoke_key
from memory.tenants.types import NewKey, Scope

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def alices(db: None) -> Tenant:
    return Tenant.objects.create(slug=f"alices-{uuid4().hex[:8]}", name="Alice's")


@pytest.fixture
def key(alices: Tenant, now: datetime) -> NewKey:
    return create_key(tenant=alices, name="web", scopes=[Scope.READ, Scope.WRITE], actor=SYSTEM, now=now)


def test_a_key_is_found_by_its_secret_before_the_tenant_is_known(alices: Tenant, key: NewKey, now: datetime) -> None:
    caller = get_caller(secret=key.secret, now=now)
    assert caller.tenant_id == alices.id
    assert caller.key_id == key.key_id
    assert caller.scopes == {Scope.READ, Scope.WRITE}
    assert caller.timezone == "Asia/Dubai"


def test_a_key_names_its_prefix_and_hides_256_bits(key: NewKey) -> None:
    start, prefix, secret = key.secret.split("_", 2)
    assert (start, prefix) == ("unde", key.prefix)
    assert len(secret) == 43


def test_the_database_does_not_hold_the_key(alices: Tenant, key: NewKey) -> None:
    with tenant_scope(alices.id):
        row = ApiKey.objects.filter(id=key.key_id).values().get()
    assert len(bytes(row["key_hash"])) == 32
    assert key.secret.split("_", 2)[2] not in str(row)


@pytest.mark.parametrize("secret", ["", "unde_", "unde_00000000_x", "\x00", "ключ"])
def test_an_unknown_key_is_invalid(db: None, secret: str, now: datetime) -> None:
    with pytest.raises(InvalidKey):
        get_caller(secret=secret, now=now)


def test_a_revoked_key_is_invalid_from_then_on(alices: Tenant, key: NewKey, now: datetime) -> None:
    assert revoke_key(tenant_id=alices.id, key_id=key.key_id, actor=SYSTEM, now=now) is True
    assert revoke_key(tenant_id=alices.id, key_id=key.key_id, actor=SYSTEM, now=now) is False
    with pytest.raises(InvalidKey):
        get_caller(secret=key.secret, now=now)


def test_an_expired_key_is_invalid(alices: Tenant, now: datetime) -> None:
    made = create_key(
        tenant=alices, name="short", scopes=[Scope.READ], actor=SYSTEM, now=now, expires_at=now + timedelta(hours=1)
    )
    assert get_caller(secret=made.secret, now=now + timedelta(minutes=59)).key_id == made.key_id
    with pytest.raises(InvalidKey):
        get_caller(secret=made.secret, now=now + timedelta(hours=1))


def test_a_name_has_one_working_key_and_can_be_used_again_after_revocation(
    alices: Tenant, key: NewKey, now: datetime
) -> None:
    with pytest.raises(KeyExists):
        create_key(tenant=alices, name="web", scopes=[Scope.READ], actor=SYSTEM, now=now)
    revoke_key(tenant_id=alices.id, key_id=key.key_id, actor=SYSTEM, now=now)
    again = create_key(tenant=alices, name="web", scopes=[Scope.READ], actor=SYSTEM, now=now)
    with tenant_scope(alices.id):
        assert [found.id for found in ApiKey.objects.filter(revoked_at=None)] == [again.key_id]


def test_a_secret_of_ones_own_works_and_belongs_to_one_key(alices: Tenant, now: datetime) -> None:
    create_key(tenant=alices, name="dev", scopes=list(Scope), actor=SYSTEM, now=now, secret="ключ для разработки")
    assert get_caller(secret="ключ для разработки", now=now).scopes == set(Scope)
    with pytest.raises(KeyExists):
        create_key(tenant=alices, name="dev2", scopes=[Scope.READ], actor=SYSTEM, now=now, secret="ключ для разработки")


def test_a_key_without_scopes_is_refused(alices: Tenant, now: datetime) -> None:
    with pytest.raises(InvalidRequest):
        create_key(tenant=alices, name="none", scopes=[], actor=SYSTEM, now=now)


def test_another_tenants_key_cannot_be_revoked(key: NewKey, now: datetime) -> None:
    bobs = Tenant.objects.create(slug=f"bobs-{uuid4().hex[:8]}", name="Bob's")
    with pytest.raises(NotFound):
        revoke_key(tenant_id=bobs.id, key_id=key.key_id, actor=SYSTEM, now=now)
    assert get_caller(secret=key.secret, now=now).key_id == key.key_id


def test_the_use_of_a_key_is_noted_once_a_minute(alices: Tenant, key: NewKey, now: datetime) -> None:
    caller = get_caller(secret=key.secret, now=now)
    assert note_key_use(caller=caller, now=now) is True
    assert note_key_use(caller=caller, now=now + timedelta(seconds=59)) is False
    assert note_key_use(caller=caller, now=now + timedelta(seconds=60)) is True
    with tenant_scope(alices.id):
        assert ApiKey.objects.latest("created_at").last_used_at == now + timedelta(seconds=60)


def test_making_and_revoking_a_key_is_in_the_audit_trail_as_ids(alices: Tenant, key: NewKey, now: datetime) -> None:
    revoke_key(tenant_id=alices.id, key_id=key.key_id, actor=SYSTEM, now=now)
    with tenant_scope(alices.id):
        events = list(AuditEvent.objects.order_by("id").values_list("action", "object_type", "object_ids"))
    assert events == [("key.create", "api_key", [key.key_id]), ("key.revoke", "api_key", [key.key_id])]
