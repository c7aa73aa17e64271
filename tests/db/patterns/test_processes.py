"""Rules in processes of their own: each takes a change up within seconds, and none takes a set that fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from patterns.models import Rule
from patterns.services.packs import import_pack
from patterns.services.rules import save_rule
from patterns.services.versions import raise_rule_set_version
from tests.db.patterns.conftest import load_small, make_balloon_rule

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
    import_pack(load_small())
    started = [Reader(service_environment) for _ in range(2)]
    yield started
    for reader in started:
        reader.process.kill()
        reader.process.wait()


def wait_for(is_so: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < PATIENCE, "it never came"
        time.sleep(0.2)


def test_a_published_rule_is_read_by_every_process_within_seconds(readers: list[Reader]) -> None:
    assert [reader.read(BALLOON)[1] for reader in readers] == ["-", "-"]
    save_rule(make_balloon_rule(), tenant_id=None, changed_by="staff:1")
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
