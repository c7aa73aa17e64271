"""Rules in processes of their own: each takes a change up within seconds, and none takes a set that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from uuid import UUID, uuid4

import pytest

from patterns.models import Rule
from patterns.selectors import list_refusal_counts
from patterns.services.publishing import publish_rule_version, save_rule_draft
from patterns.services.versions import raise_rule_set_version
from tests.db.patterns.conftest import load_small, make_balloon_rule
from tests.packs import bring_in

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

READER = """
import sys, time, django
django.setup()
from datetime import UTC, datetime
from patterns.registry import get_rule_set
for line in sys.stdin:
    found = get_rule_set(tenant_id=None)
    readings = found.read(line, said_at=datetime(2026, 3, 2, tzinfo=UTC)).readings
    print(found.version, " ".join(reading.rule for reading in readings) or "-", flush=True)
"""
BALLOON = "i balloon up from nickel"
PATIENCE = 90.0
"""Seconds; how fast it is on a machine that does nothing else stands in docs/rule-console.md."""
PROMISED_SECONDS = 5.0


class Reader:
    """A process that reads messages by the rules in force, asked over its pipes."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", READER],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def read(self, text: str) -> tuple[int, str]:
        """The version it reads by, and the rule that read the message."""
        assert self.process.stdin and self.process.stdout
        print(text, file=self.process.stdin, flush=True)
        version, _, rule = self.process.stdout.readline().strip().partition(" ")
        return int(version), rule


@pytest.fixture
def readers(service_environment: dict[str, str]) -> Iterator[list[Reader]]:
    bring_in(load_small())
    started = [Reader(service_environment) for _ in range(2)]
    yield started
    for reader in started:
        reader.process.kill()
        reader.process.wait()


@pytest.fixture(scope="module", autouse=True)
def left_alone(service_environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that stops when its database has gone. It looks for it for ten seconds: the other tests go on beside."""
    away = {**service_environment, "DATABASE_URL": "postgres://unde_app@/gone?host=/nowhere"}
    with count_refusal(away, uuid4(), stderr=subprocess.STDOUT) as process:
        assert process.stdin is not None
        process.stdin.close()
        yield process


def wait_for(is_so: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < PATIENCE, "it never came"
        time.sleep(0.2)


def test_a_published_rule_is_read_by_every_process_within_seconds(readers: list[Reader]) -> None:
    assert [reader.read(BALLOON)[1] for reader in readers] == ["-", "-"]
    publish_rule_version(save_rule_draft(make_balloon_rule(), tenant_id=None, changed_by="staff:1"))
    wait_for(lambda: all(reader.read(BALLOON)[1] == "allergy-en-balloon" for reader in readers))


def test_a_set_that_fails_its_examples_reaches_no_process(readers: list[Reader]) -> None:
    before = [reader.read("i'm allergic to nickel") for reader in readers]
    # Past every service, as a hand at the database would do it.
    Rule.objects.filter(slug="allergy-en-word").update(positive_examples=["nothing of the kind"])
    raise_rule_set_version()
    time.sleep(PROMISED_SECONDS)
    for _ in range(3):
        time.sleep(1)
        assert [reader.read("i'm allergic to nickel") for reader in readers] == before
    assert before[0][1] == "allergy-en-word"


COUNTING = """
import sys, time, django
django.setup()
from datetime import UTC, datetime
from uuid import UUID
from patterns.services.refusals import note_refusals
from patterns.types import Rejection
note_refusals(tenant_id=UUID(sys.argv[1]), refusals=[Rejection("a-rule", "question", 0, 4)], now=datetime.now(UTC))
print("noted", flush=True)
sys.stdin.read()
"""


def test_the_last_refusal_before_a_quiet_time_is_written_by_itself(service_environment: dict[str, str]) -> None:
    tenant_id = uuid4()
    with count_refusal(service_environment, tenant_id) as process:
        deadline = time.monotonic() + PATIENCE
        while not list_refusal_counts(tenant_id=tenant_id, since=date(2026, 1, 1)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert process.poll() is None
        assert [row["total"] for row in list_refusal_counts(tenant_id=tenant_id, since=date(2026, 1, 1))] == [1]


def test_a_process_that_stops_writes_what_it_has_counted(service_environment: dict[str, str]) -> None:
    tenant_id = uuid4()
    with count_refusal(service_environment, tenant_id) as process:
        process.communicate("", timeout=PATIENCE)
    assert process.returncode == 0
    assert [row["total"] for row in list_refusal_counts(tenant_id=tenant_id, since=date(2026, 1, 1))] == [1]


def test_a_process_that_stops_after_its_database_says_so_in_a_line(left_alone: subprocess.Popen[str]) -> None:
    assert left_alone.stdout is not None
    said = left_alone.stdout.read()
    assert left_alone.wait(PATIENCE) == 0
    assert "refusals_not_written" in said
    assert json.loads(said.strip().splitlines()[-1])["rows"] == 1


@contextmanager
def count_refusal(
    environment: dict[str, str], tenant_id: UUID, *, stderr: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that has noted one refusal and lives until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", COUNTING, str(tenant_id)],
        env={**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "config.settings.base"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "noted\n"
        yield process
    finally:
        process.kill()
        process.wait()
