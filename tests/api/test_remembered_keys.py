"""A process remembers whose a key is; whether it still works is asked in every request (SPEC A-1)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.storing.types import TenantRef
from memory.tenants import proof
from memory.tenants.models import ApiKey
from memory.tenants.scope import tenant_scope
from memory.tenants.services.keys import revoke_key
from memory.tenants.types import Actor, ActorType
from tests.caller import Caller, get_error

SEARCH = {"user_id": "alice", "query": "dress"}


@pytest.fixture
def known(api: Caller) -> Caller:
    """A caller whose key this process has seen."""
    api.send("my size is M")
    return api


def revoke(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        key = ApiKey.objects.get(tenant_id=tenant.id)
    revoke_key(tenant_id=tenant.id, key_id=key.id, actor=Actor(type=ActorType.SYSTEM, id="test"), now=timezone.now())


def test_a_known_key_is_not_looked_up_by_a_statement_of_its_own(known: Caller) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert known.post("/v1/search", SEARCH).status_code == 200
    assert not [query for query in queries if "find_api_key_v1" in query["sql"]]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/search", SEARCH),
        ("/v1/context", {**SEARCH, "conversation_id": "c-1"}),
        ("/v1/messages", {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "hello"}),
        ("/v1/search", {"query": 7}),
        ("/v1/facts/0190a11c-0000-7000-8000-000000000009/confirm", {}),
    ],
)
def test_a_revoked_key_is_refused_from_the_next_request_on(
    known: Caller, tenant: TenantRef, path: str, body: dict[str, Any]
) -> None:
    revoke(tenant)
    get_error(known.post(path, body), 401, "invalid_key")
    get_error(known.post(path, body), 401, "invalid_key")


def test_a_revoked_key_stores_nothing(known: Caller, tenant: TenantRef, api: Caller) -> None:
    revoke(tenant)
    items = [{"user_id": "mallory", "conversation_id": "c", "role": "user", "content": "x"}] * 2
    answer = known.post("/v1/messages/batch", {"messages": items})
    assert answer.status_code == 401 or all(item["error"]["code"] == "invalid_key" for item in answer.json()["results"])
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_user WHERE external_id = 'mallory'")
        assert cursor.fetchone() == (0,)


def test_a_key_that_ends_is_not_remembered_beyond_its_end(known: Caller, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        ApiKey.objects.filter(tenant_id=tenant.id).update(expires_at=timezone.now() - timedelta(seconds=1))
    proof._remembered.clear()
    get_error(known.post("/v1/search", SEARCH), 401, "invalid_key")


def test_what_else_a_key_has_is_looked_up_again_every_minute(known: Caller, tenant: TenantRef) -> None:
    now = timezone.now()
    key_hash = next(iter(proof._remembered))
    assert proof.find_remembered(key_hash, now=now) is not None
    assert proof.find_remembered(key_hash, now=now + proof.REMEMBERED_FOR) is None
