"""Texts of batches are read in turn; a message alone waits for nobody's."""

from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from memory.ingest.types import IngestStep, TenantRef
from memory.services import messages
from memory.types import Draft

SECONDS = 10
TENANT = TenantRef(id=UUID(int=1), zone=ZoneInfo("UTC"))


class SlowStep(IngestStep):
    """Reads until it is let go, and notes who has begun."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.started, self.released = Event(), Event()

    def read_drafts(self, drafts: Any, **more: Any) -> None:
        self.begun.append(len(drafts))
        self.started.set()
        if len(drafts) > 1:
            assert self.released.wait(SECONDS)


def read(count: int) -> Thread:
    # Of the assistant: what users say would be read by rules, which are in the database.
    drafts = [Draft("u", "c", "assistant", "hello", datetime(2026, 3, 2, tzinfo=UTC))] * count
    thread = Thread(
        target=messages._open_request, args=(TENANT, drafts), kwargs={"actor": "a", "now": datetime.now(UTC)}
    )
    thread.start()
    return thread


def test_batches_read_one_after_the_other_and_a_message_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step = SlowStep()
    monkeypatch.setattr(messages, "list_ingest_steps", lambda: (step,))
    first = read(messages.LONG_READING)
    assert step.started.wait(SECONDS)
    second = read(messages.LONG_READING + 1)
    read(1).join(SECONDS)
    assert step.begun == [messages.LONG_READING, 1]
    step.released.set()
    for thread in (first, second):
        thread.join(SECONDS)
    assert step.begun == [messages.LONG_READING, 1, messages.LONG_READING + 1]
