"""The work list: claimed once, given back by the dead, watched by the clock, closed to the web role."""

import subprocess
import sys
import threading
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.utils import timezone

from memory.erasure.queue import count_overdue_erasures, count_pending_erasures, raise_alert
from memory.erasure.worker import recheck_erasure
from memory.errors import CodedError, UserBusy, UserErased
from memory.fence.tombstones import ErasedPeriod
from memory.models import ErasureRequest, Message, User
from memory.registries import erasers
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out, look_at

pytestmark = pytest.mark.django_db(transaction=True)

CLAIM = "SELECT erasure_id FROM claim_erasures_v2(%s, interval '15 minutes', 10)"


def test_an_erasure_is_claimed_by_one_worker_until_its_lease_is_over(
    charlie: Chatter, worker_connection: psycopg.Connection
) -> None:
    charlie.say("hello")
    erasure = ask(charlie)
    now = timezone.now()
    assert worker_connection.execute(CLAIM, [now]).fetchall() == [(erasure.id,)]
    assert worker_connection.execute(CLAIM, [now + timedelta(minutes=14)]).fetchall() == []
    assert worker_connection.execute(CLAIM, [now + timedelta(minutes=16)]).fetchall() == [(erasure.id,)]


def test_what_is_completed_is_never_claimed(charlie: Chatter, worker_connection: psycopg.Connection) -> None:
    charlie.say("hello")
    carry_out(charlie, ask(charlie))
    assert worker_connection.execute(CLAIM, [timezone.now() + timedelta(days=1)]).fetchall() == []


def test_the_web_role_claims_nothing(charlie: Chatter) -> None:
    from django.db.utils import ProgrammingError

    with pytest.raises(ProgrammingError), connection.cursor() as cursor:
        cursor.execute(CLAIM, [timezone.now()])


def test_alerts_come_once_a_level_and_the_overdue_is_escalated(
    charlie: Chatter, worker_connection: psycopg.Connection
) -> None:
    charlie.say("hello")
    erasure = ask(charlie)
    user = UserRef(erasure.user_id, charlie.tenant.id)
    with tenant_scope(charlie.tenant.id):
        row = ErasureRequest.objects.get()
    due = "SELECT erasure_id FROM claim_erasure_alerts_v1(%s, 10)"
    assert worker_connection.execute(due, [row.warning_at - timedelta(seconds=1)]).fetchall() == []
    for moment, level in ((row.warning_at, "warning"), (row.critical_at, "critical"), (row.deadline_at, "overdue")):
        assert worker_connection.execute(due, [moment]).fetchall() == [(erasure.id,)]
        assert raise_alert(user=user, erasure_id=erasure.id, now=moment) == level
        assert worker_connection.execute(due, [moment]).fetchall() == []
    history = [(event.status, event.code) for event in look_at(charlie, erasure).history][-3:]
    assert history == [
        ("queued", "deadline_warning"),
        ("queued", "deadline_critical"),
        ("escalated", "deadline_over"),
    ]
    assert (count_pending_erasures(), count_overdue_erasures()) == (1, 1)
    assert carry_out(charlie, erasure).status == "completed"
    assert (count_pending_erasures(), count_overdue_erasures()) == (0, 0)


DIE_AFTER = """
import os, signal, sys, uuid
import django
django.setup()
from django.utils import timezone
from memory.erasure.worker import run_erasure
from memory.types import UserRef
tenant_id, user_id, erasure_id, deadly = sys.argv[1:]
def die(step):
    if step == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
run_erasure(user=UserRef(uuid.UUID(user_id), uuid.UUID(tenant_id)), erasure_id=uuid.UUID(erasure_id),
            clock=timezone.now, after_step=die)
"""
RUN_TASKS = """
import django
django.setup()
from memory.erasure.tasks import recheck_erasures, run_erasures, watch_erasures
print(run_erasures(), watch_erasures(), recheck_erasures())
"""


def run_child(code: str, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("deadly", ["key", "message_index", "messages", "verify"])
def test_a_process_killed_in_the_middle_leaves_the_rest_to_the_next(
    charlie: Chatter, service_environment: dict[str, str], deadly: str
) -> None:
    charlie.say("my size is M")
    erasure = ask(charlie)
    child = run_child(
        DIE_AFTER, service_environment, str(charlie.tenant.id), str(erasure.user_id), str(erasure.id), deadly
    )
    assert child.returncode == -9, child.stderr
    assert look_at(charlie, erasure).status == "processing"
    with pytest.raises((UserErased, ErasedPeriod)):
        charlie.say("may I?")
    assert carry_out(charlie, erasure).status == "completed"


@pytest.mark.slow
def test_a_worker_does_what_is_due_under_its_own_role(charlie: Chatter, service_environment: dict[str, str]) -> None:
    charlie.say("my size is M")
    erasure = ask(charlie)
    child = run_child(RUN_TASKS, {**service_environment, "UNDE_DB_ROLE": "worker"})
    assert child.stdout.splitlines()[-1:] == ["1 0 0"], child.stderr
    assert look_at(charlie, erasure).status == "completed"


def test_writers_that_race_with_an_erasure_leave_nothing_behind(charlie: Chatter) -> None:
    charlie.say("hello", created_at=timezone.now())
    user_id, tenant = charlie.ref.id, charlie.tenant
    refused: list[str] = []
    is_over = threading.Event()

    def write(name: str) -> None:
        person = Chatter(tenant, "charlie", conversation=name)
        while not is_over.is_set():
            try:
                person.say("still here", created_at=timezone.now())
            except CodedError as error:
                refused.append(type(error).__name__)
        connections.close_all()

    writers = [threading.Thread(target=write, args=(f"c-{number}",)) for number in range(3)]
    for writer in writers:
        writer.start()
    try:
        erasure = ask(charlie)
        done = carry_out(charlie, erasure)
        while done.status != "completed":
            done = carry_out(charlie, erasure)
    finally:
        is_over.set()
        for writer in writers:
            writer.join()
    assert set(refused) <= {UserErased.__name__, ErasedPeriod.__name__, UserBusy.__name__}
    assert refused
    with tenant_scope(tenant.id):
        assert not Message.objects.filter(user_id=user_id).exists()
        assert not User.objects.filter(id=user_id).exists()
    assert recheck_erasure(user=UserRef(user_id, tenant.id), erasure_id=erasure.id, now=timezone.now()) == 0


def test_a_receipt_that_lands_late_goes_at_the_second_look(
    charlie: Chatter, superuser_connection: psycopg.Connection
) -> None:
    charlie.say("hello")
    erasure = carry_out(charlie, ask(charlie))
    superuser_connection.execute(
        "INSERT INTO retrieval_receipt (tenant_id, user_id, id, kind, created_at, query_hash, policy_version)"
        " VALUES (%s, %s, %s, 'search', now(), 'x', 'test')",
        [charlie.tenant.id, erasure.user_id, erasure.id],
    )
    user = UserRef(erasure.user_id, charlie.tenant.id)
    completed = "SELECT completed_lsn FROM erasure_request WHERE id = %s"
    before = superuser_connection.execute(completed, [erasure.id]).fetchone()
    assert recheck_erasure(user=user, erasure_id=erasure.id, now=timezone.now()) == 1
    # Files that were rewritten before this hold it still.
    assert superuser_connection.execute(completed, [erasure.id]).fetchone() != before
    history = look_at(charlie, erasure).history
    assert (history[-1].status, history[-1].code) == ("completed", "late_rows_erased")
    with tenant_scope(charlie.tenant.id):
        assert ErasureRequest.objects.get().rechecked_at is not None


def test_erasers_are_ordered_so_that_what_rests_on_a_row_goes_before_it() -> None:
    names: list[str] = [eraser.name for eraser in sorted(erasers, key=lambda eraser: eraser.stage)]

    def comes_before(first: str, second: str) -> Any:
        return names.index(first) < names.index(second)

    assert comes_before("facts", "actions")
    assert comes_before("actions", "forgets")
    assert comes_before("vectors", "messages")
    assert comes_before("messages", "conversations")
    assert names[-1] == "user"
