"""An import in the background: whole or not at all, gone on with when its worker dies, and its file gone at its end."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.erasure.worker import run_erasure
from memory.errors import UserBusy
from memory.imports import worker
from memory.imports.models import ImportPart, ImportRun
from memory.imports.requests import ImportGoesOn, OperationOver, accept_import, cancel_import, find_import
from memory.imports.types import ImportView
from memory.imports.watching import count_late_imports, count_open_imports, drop_imports
from memory.imports.worker import run_import, run_imports
from memory.models import Message
from memory.selectors.users import get_user
from memory.services.exports import export_user
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from tests.cast import Chatter

SECRET = "marzipan"


class Killed(BaseException):
    """Nothing that the program catches, as a signal that ends it."""


def write_lines(count: int) -> bytes:
    rows = [
        {"role": "user", "content": f"{SECRET} {n}, my size is M", "timestamp": f"2026-01-0{1 + n}T10:00:00Z"}
        for n in range(count)
    ]
    return "\n".join(map(json.dumps, rows)).encode() + b"\nno json\n"


def accept(tenant: TenantRef, data: bytes, file_format: str = "jsonl", *, name: str = "alice") -> ImportView:
    return accept_import(
        tenant=tenant, user_external_id=name, data=data, file_format=file_format, actor="key:test", now=timezone.now()
    )


def look(tenant: TenantRef, found: ImportView) -> ImportView:
    with tenant_scope(tenant.id):
        again = find_import(tenant_id=tenant.id, import_id=found.id)
    assert again is not None
    return again


def claim(tenant: TenantRef, found: ImportView, *, now: datetime | None = None) -> tuple[UserRef, UUID]:
    claimed = worker.claim_import(now=now or timezone.now())
    assert claimed is not None and claimed[1] == found.id
    return claimed


def run(tenant: TenantRef, found: ImportView, *, now: datetime | None = None, **more: Any) -> str:
    user, import_id = claim(tenant, found, now=now)
    return run_import(user=user, import_id=import_id, clock=timezone.now, **more)


def count_rows(tenant: TenantRef) -> tuple[int, int]:
    """Messages and parts of files that the tenant has."""
    with tenant_scope(tenant.id):
        messages = Message.objects.filter(tenant_id=tenant.id).count()
        return messages, ImportPart.objects.filter(tenant_id=tenant.id).count()


def kill_at(step: str, turn: int = 1) -> Any:
    """A hook that ends the worker when it comes by for the n-th time."""
    seen = 0

    def hook(name: str) -> None:
        nonlocal seen
        seen += name == step
        if name == step and seen == turn:
            raise Killed

    return hook


@pytest.fixture(autouse=True)
def as_worker(as_role: Callable[[str], None]) -> None:
    """The role that may claim: chosen before the transaction of the test begins."""
    as_role("worker")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "MAX_BATCH_MESSAGES", 2)
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_LINES_AT_ONCE", 2)
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_PART_BYTES", 100)


LATER = timedelta(minutes=10)


def test_a_file_waits_sealed_is_taken_and_is_gone(tenant: TenantRef, other_tenant: TenantRef, small: None) -> None:
    accepted = accept(tenant, write_lines(3))
    assert (accepted.status, accepted.done, accepted.total, accepted.outcome) == ("waiting", 0, None, None)
    with tenant_scope(tenant.id):
        parts = ImportPart.objects.values_list("sealed", flat=True)
        assert len(parts) == 3 and SECRET.encode() not in b"".join(map(bytes, parts))
    with tenant_scope(other_tenant.id):
        assert find_import(tenant_id=other_tenant.id, import_id=accepted.id) is None
    assert (count_open_imports(), count_late_imports()) == (1, 0)

    assert run_imports(clock=timezone.now) == 1
    done = look(tenant, accepted)
    assert (done.status, done.done, done.total, done.failure) == ("succeeded", 3, 3, None)
    assert done.outcome is not None
    assert (done.outcome.messages, done.outcome.repeated, done.outcome.failed) == (3, 0, 1)
    assert [(each.line, each.code) for each in done.outcome.errors] == [(4, "invalid_json")]
    assert count_rows(tenant) == (3, 0)
    assert (count_open_imports(), run_imports(clock=timezone.now)) == (0, 0)

    # What is over stays as it is, and is deleted after a week.
    with pytest.raises(IntegrityError), transaction.atomic(), tenant_scope(tenant.id):
        ImportRun.objects.filter(id=accepted.id).update(status="running", finished_at=None)
    assert drop_imports(now=timezone.now(), limit=10) == 0
    assert drop_imports(now=timezone.now() + timedelta(days=8), limit=10) == 1


@pytest.mark.parametrize("turn", [1, 2])
def test_a_killed_worker_leaves_messages_where_the_next_one_goes_on(tenant: TenantRef, small: None, turn: int) -> None:
    accepted = accept(tenant, write_lines(5))
    with pytest.raises(Killed):
        run(tenant, accepted, after_step=kill_at("piece", turn))
    assert (look(tenant, accepted).status, count_rows(tenant)[0]) == ("running", 2 * turn)
    assert worker.claim_import(now=timezone.now()) is None, "its lease goes on"

    assert run(tenant, accepted, now=timezone.now() + LATER) == "succeeded"
    outcome = look(tenant, accepted).outcome
    assert outcome is not None
    assert (outcome.messages, outcome.repeated, outcome.failed) == (5, 0, 1), "counted as if nothing had happened"
    assert count_rows(tenant) == (5, 0)


def test_a_killed_worker_leaves_nothing_of_an_export_and_the_next_one_takes_all(
    alice: Chatter, other_tenant: TenantRef, small: None
) -> None:
    for size in ("M", "S", "L"):
        alice.say(f"my size is {size}")
    exported = b"".join(export_user(user=alice.ref, now=timezone.now()))
    accepted = accept(other_tenant, exported, "unde")
    with pytest.raises(Killed), transaction.atomic():
        run(other_tenant, accepted, after_step=kill_at("piece", 3))
    # The kill took the claim back here, since this test is one transaction: its worker had it all the same.
    assert count_rows(other_tenant)[0] == 0

    assert run(other_tenant, accepted, now=timezone.now() + LATER) == "succeeded"
    done = look(other_tenant, accepted)
    assert done.outcome is not None and (done.outcome.messages, done.outcome.differing_facts) == (3, 0)
    assert done.done == done.total == len(exported.splitlines())
    with tenant_scope(other_tenant.id):
        told = get_user(tenant_id=other_tenant.id, external_id="alice")
    assert sum(json.loads(line)["kind"] == "import" for line in export_user(user=told, now=timezone.now())) == 1


def test_a_worker_that_was_taken_for_dead_does_nothing_more(tenant: TenantRef, small: None) -> None:
    accepted = accept(tenant, write_lines(2))

    def meanwhile(step: str) -> None:
        if step == "opened":
            assert run(tenant, accepted, now=timezone.now() + LATER) == "succeeded"

    assert run(tenant, accepted, after_step=meanwhile) == "gone"
    assert look(tenant, accepted).outcome is not None and count_rows(tenant) == (2, 0)


def test_a_worker_that_was_taken_for_dead_does_not_put_off_what_the_next_one_is_at(
    tenant: TenantRef, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = accept(tenant, write_lines(5))

    def be_busy(**_: Any) -> None:
        raise UserBusy

    def meanwhile(step: str) -> None:
        if step == "piece":
            claim(tenant, accepted, now=timezone.now() + LATER)
            monkeypatch.setattr(worker, "lock_user", be_busy)

    assert run(tenant, accepted, after_step=meanwhile) == "gone"
    with tenant_scope(tenant.id):
        row = ImportRun.objects.get(id=accepted.id)
    assert (row.status, row.attempts, row.failure) == ("running", 2, "")


def test_an_import_that_kills_its_workers_is_given_up(tenant: TenantRef, small: None) -> None:
    accepted, now = accept(tenant, write_lines(3)), timezone.now()
    for turn in range(settings.UNDE_TUNING.IMPORT_MAX_ATTEMPTS):
        with pytest.raises(Killed):
            run(tenant, accepted, now=now + turn * LATER, after_step=kill_at("opened"))
    assert run(tenant, accepted, now=now + 10 * LATER) == "failed"
    found = look(tenant, accepted)
    assert found.failure is not None and found.failure.code == "import_interrupted"
    assert count_rows(tenant) == (0, 0)


def test_a_busy_user_is_waited_for_and_a_fault_is_tried_again_a_few_times(
    tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted, now, errors = accept(tenant, write_lines(2)), timezone.now(), iter([UserBusy(), *[ValueError()] * 4])

    def fail(**_: Any) -> None:
        raise next(errors)

    with monkeypatch.context() as broken:
        broken.setattr(worker, "lock_user", fail)
        for turn in range(5):
            assert run(tenant, accepted, now=now + turn * LATER) == "waiting"
    with tenant_scope(tenant.id):
        row = ImportRun.objects.get(id=accepted.id)
    assert (row.failure, row.attempts) == ("import_broken", 4), "to be busy does not count"
    assert run(tenant, accepted, now=now + 10 * LATER) == "failed"
    failure = look(tenant, accepted).failure
    assert failure is not None and failure.code == "import_broken" and SECRET not in failure.message


def test_what_contradicts_itself_ends_the_import_with_its_code_and_stores_nothing(tenant: TenantRef) -> None:
    line = {
        "kind": "action",
        "id": "01934a3e-0000-7000-8000-000000000000",
        "position": 1,
        "action": "explicit",
        "said_at": "2026-01-01T00:00:00Z",
        "recorded_at": "2026-01-01T00:00:00Z",
        "words": {
            "statement": {
                "knowledge_type": "life_event",
                "knowledge_key": "move",
                "value": SECRET,
                "confidence": 1.0,
                "extracted_from": "explicit",
                "said_at": "2026-01-01T00:00:00Z",
            }
        },
    }
    accepted = accept(tenant, json.dumps(line).encode(), "unde")
    assert run(tenant, accepted) == "failed"
    found = look(tenant, accepted)
    assert found.failure is not None and found.failure.code == "import_inconsistent"
    assert (found.outcome, count_rows(tenant)) == (None, (0, 0))


def test_one_file_of_a_user_is_taken_at_a_time_and_the_same_is_the_same_import(tenant: TenantRef) -> None:
    accepted = accept(tenant, write_lines(2))
    assert accept(tenant, write_lines(2)).id == accepted.id
    with pytest.raises(ImportGoesOn) as refused:
        accept(tenant, write_lines(3))
    assert refused.value.fields == {"operation_id": str(accepted.id)}
    assert accept(tenant, write_lines(3), name="bob").id != accepted.id
    assert run(tenant, accepted) == "succeeded"
    assert accept(tenant, write_lines(2)).id != accepted.id


def test_erasing_a_user_takes_the_waiting_file_along(tenant: TenantRef) -> None:
    accepted = accept(tenant, write_lines(2))
    with tenant_scope(tenant.id):
        user = get_user(tenant_id=tenant.id, external_id="alice")
    erasure = request_erasure(
        tenant=tenant,
        user_external_id="alice",
        target=ErasureTarget(),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    with tenant_scope(tenant.id):
        assert find_import(tenant_id=tenant.id, import_id=accepted.id) is None, "invisible at once"
    assert run(tenant, accepted) == "gone", "and nothing of it is taken"
    assert run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now) == "completed"
    assert count_rows(tenant) == (0, 0)
    with tenant_scope(tenant.id):
        assert not ImportRun.objects.filter(tenant_id=tenant.id).exists()


@pytest.mark.parametrize("file_format", ["jsonl", "unde"])
def test_an_erasure_of_a_part_is_certified_when_no_file_that_waited_holds_its_words(
    tenant: TenantRef, alice: Chatter, file_format: str
) -> None:
    message = alice.say(f"{SECRET} again")
    accepted = accept(tenant, write_lines(2), file_format)
    with tenant_scope(tenant.id):
        user = get_user(tenant_id=tenant.id, external_id="alice")
    erasure = request_erasure(
        tenant=tenant,
        user_external_id="alice",
        target=ErasureTarget(scope="messages", message_ids=(message.message_id,)),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    later = accept(tenant, write_lines(2), name="bob")
    assert run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now) == "completed"
    ended = look(tenant, accepted)
    assert ended.failure is not None and ended.failure.code == "import_erased"
    with tenant_scope(tenant.id):
        assert not ImportPart.objects.filter(import_id=accepted.id).exists()
        assert ImportPart.objects.filter(import_id=later.id).exists(), "another user's file waits on"


def test_a_worker_whose_import_was_ended_by_an_erasure_goes_no_further(tenant: TenantRef, alice: Chatter) -> None:
    message = alice.say("hello")
    accepted = accept(tenant, write_lines(2))
    user, import_id = claim(tenant, accepted)
    erasure = request_erasure(
        tenant=tenant,
        user_external_id="alice",
        target=ErasureTarget(scope="messages", message_ids=(message.message_id,)),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    assert run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now) == "completed"
    assert run_import(user=user, import_id=import_id, clock=timezone.now) == "gone"
    assert look(tenant, accepted).status == "failed"


def cancel(tenant: TenantRef, found: ImportView) -> bool:
    return cancel_import(tenant_id=tenant.id, import_id=found.id, now=timezone.now())


def test_an_import_is_cancelled_between_two_pieces_and_keeps_what_it_stored(
    tenant: TenantRef, other_tenant: TenantRef, small: None
) -> None:
    accepted = accept(tenant, write_lines(5))
    assert not cancel(other_tenant, accepted), "it is not theirs"

    def hook(name: str) -> None:
        if name == "piece" and look(tenant, accepted).status == "running":
            assert cancel(tenant, accepted)

    assert run(tenant, accepted, after_step=hook) == "gone"
    ended = look(tenant, accepted)
    assert ended.failure is not None and ended.outcome is not None
    assert (ended.status, ended.failure.code, ended.done, ended.total) == ("failed", "import_cancelled", 2, 5)
    assert (ended.outcome.messages, count_rows(tenant)) == (2, (2, 0))
    assert cancel(tenant, accepted), "again is no mistake"
    assert look(tenant, accepted) == ended
    again = accept(tenant, write_lines(5))
    assert run(tenant, again) == "succeeded"
    finished = look(tenant, again)
    assert finished.outcome is not None and (finished.outcome.messages, finished.outcome.repeated) == (3, 2)
    with pytest.raises(OperationOver):
        cancel(tenant, again)


def test_an_import_that_waits_is_cancelled_and_never_begun(tenant: TenantRef) -> None:
    accepted = accept(tenant, write_lines(2), "unde")
    assert cancel(tenant, accepted)
    assert (worker.claim_import(now=timezone.now()), count_rows(tenant), count_open_imports()) == (None, (0, 0), 0)
