"""What is over its age goes at night, as an erasure of that time, and a look beforehand says exactly what (D-54)."""

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest

from memory.consents.services import record_consents
from memory.erasure.worker import run_erasure
from memory.errors import CodedError, InvalidRequest
from memory.fence.tombstones import ErasedPeriod
from memory.kept.models import KeptItem
from memory.kept.storing import change_items
from memory.kept.types import Put
from memory.models import ErasureRequest, Message
from memory.retention.models import RetentionRun
from memory.retention.selectors import list_over_age, read_retention
from memory.retention.services import go_on, switch_retention
from memory.retention.tasks import run_night
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import SYSTEM
from memory.types import TenantRef
from tests.cast import Chatter
from tests.db.memory.consents.purposes import put

pytestmark = pytest.mark.django_db
NOW = timezone.now() + timedelta(days=1)
"""Later than anything the tests store: an erasure is of what was received before it."""


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def turn(tenant: TenantRef, *, is_on: bool = True, days: int | None = 30) -> Tenant:
    row = Tenant.objects.get(id=tenant.id)
    switch_retention(tenant=row, is_on=is_on, days=days, actor=SYSTEM, now=NOW)
    return row


def look(tenant: TenantRef, days: int | None, *, at: datetime = NOW) -> list[tuple[str, int, int]]:
    with tenant_scope(tenant.id):
        found = list_over_age(tenant_id=tenant.id, days=days, at=at, after=None, limit=100)
    return sorted((one.user.external_id, one.messages, one.items) for one in found)


def list_said(person: Chatter) -> list[str]:
    with tenant_scope(person.tenant.id):
        rows = Message.objects.filter(user_id=person.ref.id, forgotten_at=None).order_by("created_at")
        return list(rows.values_list("content", flat=True))


def run_to_end(row: Tenant, *, now: datetime = NOW, **more: Any) -> RetentionRun:
    values: dict[str, Any] = {"is_over": lambda: False, "after_user": lambda user_id: None, **more}
    return go_on(tenant=row, clock=lambda: now, **values)


def test_what_is_older_goes_with_all_that_rests_on_it_and_cannot_come_back(alice: Chatter, bob: Chatter) -> None:
    alice.say("my size is M", created_at=ago(40))
    alice.say("my budget is 500 dirhams", created_at=ago(10))
    bob.say("my size is S", created_at=ago(5))
    assert look(alice.tenant, 30) == [("alice", 1, 0)]
    assert list_said(alice) == ["my size is M", "my budget is 500 dirhams"]  # a look changes nothing
    run = run_to_end(turn(alice.tenant))
    assert (run.users, run.messages, run.skipped, run.finished_at is not None) == (1, 1, 0, True)
    assert (list_said(alice), set(alice.list_facts())) == (["my budget is 500 dirhams"], {("budget", "general")})
    with tenant_scope(alice.tenant.id):
        erasure = ErasureRequest.objects.get()
        assert (erasure.scope, erasure.reason, erasure.actor) == ("range", "retention", "system")
    assert run_erasure(user=alice.ref, erasure_id=erasure.id, clock=timezone.now) == "completed"
    with pytest.raises(ErasedPeriod):
        alice.say("my size is M", created_at=ago(40))
    assert look(alice.tenant, 30) == []
    assert list_said(bob) == ["my size is S"]


def test_an_interrupted_run_goes_on_with_the_next_user_and_asks_nobody_twice(tenant: TenantRef) -> None:
    people = [Chatter(tenant, f"user-{n}") for n in range(3)]
    for person in people:
        person.say("old", created_at=ago(40))
    row, seen = turn(tenant), []
    half = run_to_end(row, is_over=lambda: len(seen) == 2, after_user=seen.append)
    assert (half.users, half.finished_at) == (2, None)

    class Killed(Exception):
        pass

    def die(user_id: object) -> None:
        raise Killed

    with pytest.raises(Killed):
        run_to_end(row, after_user=die)
    run = run_to_end(row)
    assert (run.id, run.users, run.messages) == (half.id, 3, 3)
    with tenant_scope(tenant.id):
        assert ErasureRequest.objects.count() == 3
    again = run_to_end(row, now=NOW + timedelta(days=1))
    assert (again.id != run.id, again.users) == (True, 0)  # they wait for the eraser: not asked for again


def test_each_user_is_kept_as_long_as_what_they_agreed_to(alice: Chatter, bob: Chatter) -> None:
    tenant = alice.tenant
    put(tenant, "advice", "messages", "items", is_granted_by_default=True, kept_days=30)
    put(tenant, "research", "messages", kept_days=90)
    for person in (alice, bob):
        person.say("old", created_at=ago(40))
        person.say("older", created_at=ago(70))
        item = Put(namespace=("a",), key="k", value={"x": 1})
        change_items(tenant_id=tenant.id, user_external_id=person.name, changes=[item], now=ago(35))
    yes = {"research": True}
    record_consents(
        tenant=tenant, user_external_id="bob", choices=yes, actor="key:test", now=timezone.now(), may_erase=True
    )
    assert look(tenant, None) == [("alice", 2, 1), ("bob", 0, 1)]
    assert look(tenant, 60) == [("alice", 2, 1), ("bob", 1, 1)]  # the tenant's days are an upper bound
    run = run_to_end(turn(tenant, days=None))
    assert (run.users, run.messages, run.items) == (2, 2, 2)
    assert (list_said(alice), list_said(bob)) == ([], ["older", "old"])
    with tenant_scope(tenant.id):
        assert KeptItem.objects.count() == 0


def test_a_night_works_for_those_who_switched_it_on_once(alice: Chatter, other_tenant: TenantRef) -> None:
    there = Chatter(other_tenant, "alice")
    for person in (alice, there):
        person.say("old", created_at=ago(40))
    turn(alice.tenant)
    assert (run_night(now=NOW, max_seconds=50), run_night(now=NOW, max_seconds=50)) == (1, 0)
    assert (list_said(alice), list_said(there)) == ([], ["old"])
    with tenant_scope(alice.tenant.id):
        assert RetentionRun.objects.count() == 1
        assert AuditEvent.objects.filter(action="retention.switch_on").count() == 1
    alice.say("next", created_at=ago(30))  # a night counts from midnight: 29.5 days are too few after noon
    assert run_night(now=NOW + timedelta(days=1), max_seconds=50) == 1
    turn(alice.tenant, is_on=False)
    assert run_night(now=NOW + timedelta(days=2), max_seconds=50) == 0


def test_a_user_who_is_busy_is_left_to_the_next_night(alice: Chatter, monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy(CodedError):
        code = "user_busy"

    def refuse(**arguments: object) -> None:
        raise Busy

    alice.say("old", created_at=ago(40))
    row = turn(alice.tenant)
    monkeypatch.setattr("memory.retention.services.lock_user", refuse)
    assert (run := run_to_end(row)).skipped == 1 and run.users == 0
    monkeypatch.undo()
    assert run_to_end(row, now=NOW + timedelta(days=1)).users == 1


def read_behind() -> float:
    registry = CollectorRegistry()
    registry.register(type("Reader", (), {"collect": staticmethod(read_retention)})())
    lines = generate_latest(registry).decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("unde_retention_behind_seconds ")))


def test_figures_say_when_no_night_has_come_to_its_end(alice: Chatter) -> None:
    assert read_behind() == 0
    alice.say("old", created_at=ago(40))
    row = turn(alice.tenant)
    run_to_end(row, now=ago(5), is_over=lambda: True)
    assert read_behind() > 2 * 86400
    run_to_end(row)
    assert read_behind() < 3600


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_days_that_cannot_be_are_refused(tenant: TenantRef, days: int) -> None:
    with pytest.raises(InvalidRequest):
        turn(tenant, days=days)


def call(**options: Any) -> str:
    out = StringIO()
    call_command("apply_retention", stdout=out, **options)
    return out.getvalue()


def test_the_command_looks_and_carries_out(alice: Chatter) -> None:
    alice.say("old", created_at=ago(40))
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    with pytest.raises(CommandError, match="is off"):
        call(tenant=slug)
    said = call(tenant=slug, dry_run=True, days=30)
    assert f"{alice.ref.id}: 1 messages, 0 items" in said and "1 messages and 0 items of 1 users" in said
    assert "of 0 users" in call(tenant=slug, dry_run=True)
    for wrong in ({"days": 30}, {"days": 0, "dry_run": True}):
        with pytest.raises(CommandError):
            call(tenant=slug, **wrong)
    with pytest.raises(CommandError, match="no tenant"):
        call(tenant="nobody")
    turn(alice.tenant)
    assert "went: 1 messages and 0 items of 1 users; 0 users were busy" in call(tenant=slug)
    assert list_said(alice) == []
