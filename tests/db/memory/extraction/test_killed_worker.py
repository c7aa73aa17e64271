"""A worker is a process of its own here, and it is killed with the answer on its way, and with the answer in hand."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from memory.extraction.runs.running import run_extraction
from memory.extraction.work_list import claim_extractions
from memory.fence.user_lock import lock_user
from memory.models import ExtractionRun
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL
from tests.scripted_model import ScriptedModel, Turn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("no_instant_step"),
]

MakeModel = Callable[..., ScriptedModel]
TASK = "import django; django.setup(); from memory.extraction.tasks import extract_pending; extract_pending()"
PATIENCE = 60.0


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it never came so far"
        time.sleep(0.05)


@contextmanager
def start_worker(model: ScriptedModel, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The task in a process of its own, as a worker runs it; whatever is left of it is killed at the end."""
    more = {"UNDE_DB_ROLE": "worker", "UNDE_LLM_URL": model.url, "UNDE_LLM_MODEL": "scripted"}
    process = subprocess.Popen([sys.executable, "-c", TASK], env={**os.environ, **environment, **more})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def kill(process: subprocess.Popen[bytes]) -> None:
    assert process.poll() is None, "it had ended before it was killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


def find_run(person: Chatter) -> ExtractionRun | None:
    with tenant_scope(person.tenant.id):
        return ExtractionRun.objects.filter(user_id=person.ref.id).order_by("-claimed_at").first()


def go_on(person: Chatter, model: ScriptedModel, as_role: Callable[[str], None]) -> str:
    """What the next worker makes of it: nothing before the lease is over, then the whole run; its status."""
    as_role("worker")
    assert claim_extractions(now=timezone.now(), limit=5) == []
    later = timezone.now() + settings.UNDE_TUNING.EXTRACTION_LEASE + timedelta(seconds=1)
    (claim,) = claim_extractions(now=later, limit=5)
    return run_extraction(claim, client=model.make_client(), clock=lambda: later).status


def say_long_ago(person: Chatter) -> None:
    long_ago = timezone.now() - timedelta(hours=3)
    person.say(ALLERGIC, created_at=long_ago, now=long_ago)


def test_a_worker_killed_while_the_model_thinks_leaves_the_user_to_the_next(
    alice: Chatter,
    scripted_model: MakeModel,
    service_environment: dict[str, str],
    as_role: Callable[[str], None],
) -> None:
    say_long_ago(alice)
    model = scripted_model(Turn({"operations": [WOOL]}, delay_seconds=45), {"operations": [WOOL]})
    with start_worker(model, service_environment) as worker:
        wait_until(lambda: bool(model.requests))
        kill(worker)
    assert alice.list_facts() == {}
    assert go_on(alice, model, as_role) == "done"
    assert alice.list_facts() == {("allergy", "wool"): "wool"}
    assert len(model.requests) == 2


def test_a_worker_killed_with_the_answer_in_hand_costs_no_second_answer(
    alice: Chatter,
    scripted_model: MakeModel,
    service_environment: dict[str, str],
    as_role: Callable[[str], None],
) -> None:
    say_long_ago(alice)
    model = scripted_model({"operations": [WOOL]})
    with start_worker(model, service_environment) as worker, tenant_scope(alice.tenant.id):
        # The answer is stored before the user's lock is asked for; whoever holds the lock stops the worker there.
        lock_user(user=alice.ref)
        wait_until(lambda: (run := find_run(alice)) is not None and run.sealed is not None)
        kill(worker)
    assert alice.list_facts() == {}
    assert go_on(alice, model, as_role) == "done"
    assert alice.list_facts() == {("allergy", "wool"): "wool"}
    assert len(model.requests) == 1
