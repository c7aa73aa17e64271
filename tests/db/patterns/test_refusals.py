"""Refusals are counted in the process and written together, by tenant, day, rule and reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest

from patterns.selectors import list_refusal_counts
from patterns.services.refusals import flush_refusals, note_refusals
from patterns.types import Rejection
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_waits() -> None:
    flush_refusals()


def test_counts_of_several_writings_add_up() -> None:
    tenant_id = uuid4()
    refused = [Rejection("a-rule", "question", 0, 4), Rejection("a-rule", "question", 5, 9)]
    for _ in range(2):
        note_refusals(tenant_id=tenant_id, refusals=refused, now=NOW)
        flush_refusals()
    (row,) = list_refusal_counts(tenant_id=tenant_id, since=date(2026, 3, 1))
    assert row == {"day": date(2026, 3, 2), "rule": "a-rule", "reason": "question", "total": 4}


def test_a_tenant_sees_its_own_counts_alone() -> None:
    note_refusals(tenant_id=uuid4(), refusals=[Rejection("a-rule", "question", 0, 4)], now=NOW)
    flush_refusals()
    assert list_refusal_counts(tenant_id=uuid4(), since=date(2026, 3, 1)) == []


def test_what_a_message_is_refused_for_is_counted(
    alice: Chatter, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        alice.say("is my sister allergic to nickel?")
    flush_refusals()
    rows = list_refusal_counts(tenant_id=alice.tenant.id, since=date(2026, 1, 1))
    assert rows
    assert all(row["total"] >= 1 for row in rows)
