"""A pause and the record of visits go where a memory goes; nothing of them opens anything there (D-38, SPEC M-7)."""

import json
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from memory.errors import MemoryPaused
from memory.imports.running import import_memory
from memory.imports.types import ImportOutcome
from memory.models import User
from memory.rebuild.running import compare_user, rebuild_user
from memory.services.exports import export_user
from memory.services.pauses import pause_memory
from memory.tenants.models import ApiKey, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key
from memory.tenants.types import Scope
from memory.types import TenantRef
from memory.visits.models import Visit
from memory.visits.services import make_link, open_link
from memory.visits.types import LinkInput
from tests.cast import Chatter

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def export(person: Chatter) -> bytes:
    return b"".join(export_user(user=person.ref, now=timezone.now()))


def read_in(person: Chatter, data: bytes) -> ImportOutcome:
    return import_memory(
        tenant=person.tenant,
        user_external_id=person.name,
        data=data,
        file_format="unde",
        actor="key:test",
        now=timezone.now(),
    )


def visit(person: Chatter) -> None:
    create_key(tenant=Tenant.objects.get(id=person.tenant.id), name="app", scopes=[Scope.READ], actor=SYSTEM, now=NOW)
    with tenant_scope(person.tenant.id):
        key = ApiKey.objects.get()
        wanted = LinkInput(
            permissions=("read",), locale="ru", theme="dark", return_url="", expires_at=NOW + timedelta(hours=1)
        )
        secret = make_link(user=person.ref, key_id=key.id, wanted=wanted, now=NOW)
        make_link(user=person.ref, key_id=key.id, wanted=wanted, now=NOW)
    open_link(secret=secret, now=NOW)


@pytest.mark.parametrize("keeps", [True, False])
def test_both_arrive_once_and_survive_a_rebuild(alice: Chatter, other_tenant: TenantRef, keeps: bool) -> None:
    alice.say("my size is M")
    visit(alice)
    pause_memory(user=alice.ref, keeps_messages=keeps, now=NOW)
    data, there = export(alice), Chatter(other_tenant, "alice")
    assert b"undev_" not in data and b"hash" not in b"".join(one for one in data.splitlines() if b'"visit"' in one)
    assert read_in(there, data).failed == 0
    again = read_in(there, data)
    assert (again.failed, again.accounts) == (0, 0)
    rebuild_user(tenant=there.tenant, user=there.ref, now=timezone.now())
    assert compare_user(tenant=there.tenant, user=there.ref).differences == []
    with tenant_scope(other_tenant.id):
        row = User.objects.get()
        assert (row.paused_at, row.pause_keeps) == (NOW, keeps)
        found = Visit.objects.order_by("id")
        assert [(one.locale, one.opened_at, one.session_hash) for one in found] == [
            ("ru", NOW, None),
            ("ru", None, None),
        ]
    if keeps:
        assert there.say("my budget is 500 dirhams").is_new
    else:
        with pytest.raises(MemoryPaused):
            there.say("my budget is 500 dirhams")


def test_lines_that_cannot_be_are_refused_by_themselves(alice: Chatter) -> None:
    stamp = NOW.isoformat()
    whole = {"kind": "visit", "permissions": ["read"], "created_at": stamp, "link_expires_at": stamp}
    lines = [
        {**whole, "id": "01a221a9-c5bc-74f2-a1a7-83a71f98e801", "permissions": ["everything"]},
        {**whole, "id": "01a221a9-c5bc-74f2-a1a7-83a71f98e802", "opened_at": stamp},
        {**whole, "id": "01a221a9-c5bc-74f2-a1a7-83a71f98e803", "opened_at": stamp, "expires_at": stamp},
        {**whole, "id": "01a221a9-c5bc-74f2-a1a7-83a71f98e804", "ended_at": stamp},
        {"kind": "pause", "paused_at": "yesterday", "keeps_messages": True},
        {**whole, "id": "01a221a9-c5bc-74f2-a1a7-83a71f98e805"},
    ]
    outcome = read_in(alice, b"\n".join(json.dumps(line).encode() for line in lines))
    assert (outcome.failed, outcome.accounts) == (5, 1)
    with tenant_scope(alice.tenant.id):
        assert User.objects.get().paused_at is None
    with pytest.raises(DatabaseError, match="no_session"), tenant_scope(alice.tenant.id):
        Visit.objects.update(session_hash=b"x" * 32, opened_at=NOW, expires_at=NOW + timedelta(hours=1))
