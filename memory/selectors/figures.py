"""Numbers of a tenant for its start page: one statement each, inside the tenant, with a time limit of its own.

A table of messages has no index by day. Ids are UUIDv7, made when a row arrives, so "since that moment" is a range of
ids, and the index that serves a bare id serves it too (D-10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError

from memory.database.statements import fetch_rows
from memory.ids import get_first_id
from memory.tenants.scope import tenant_scope

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DayCount:
    """Messages received on one day of the tenant's calendar."""

    day: date
    user: int
    assistant: int

    @property
    def total(self) -> int:
        return self.user + self.assistant


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Active facts of one type, and how many of them are disputed."""

    knowledge_type: str
    active: int
    disputed: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A work list: how much is waiting and since when (for forgets: until when the first can be undone)."""

    name: str
    waiting: int
    since: datetime | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class QueueQuestion:
    """How a work list of a tenant is counted: a statement for how many wait, since when, and how many were given up.

    `note` says in words what became of the last.
    """

    name: str
    statement: str
    note: str = ""


def read_figure(tenant_id: UUID, read: Callable[[], T]) -> T | None:
    """What `read` returns, or None when it takes longer than a start page may wait for it."""
    try:
        with tenant_scope(tenant_id, statement_timeout_ms=settings.UNDE_TUNING.FIGURE_TIMEOUT_MS):
            return read()
    except DatabaseError:
        return None


def get_day_start(now: datetime, zone: ZoneInfo, *, days_ago: int = 0) -> datetime:
    """Midnight in the tenant's time zone, today or some days ago."""
    local = now.astimezone(zone).date() - timedelta(days=days_ago)
    return datetime(local.year, local.month, local.day, tzinfo=zone)


def count_messages_by_day(*, tenant_id: UUID, zone: ZoneInfo, now: datetime, days: int) -> list[DayCount]:
    """Messages received on each of the last `days` days, the oldest first; days without any are there with zeros."""
    since = get_day_start(now, zone, days_ago=days - 1)
    rows = fetch_rows(
        "SELECT (received_at AT TIME ZONE %s)::date, count(*) FILTER (WHERE role = 'user'),"
        " count(*) FILTER (WHERE role <> 'user') FROM memory_message WHERE id >= %s AND tenant_id = %s GROUP BY 1",
        [zone.key, get_first_id(since), tenant_id],
    )
    found = {row[0]: DayCount(*row) for row in rows}
    listed = [since.date() + timedelta(days=i) for i in range(days)]
    return [found.get(day, DayCount(day, 0, 0)) for day in listed]


def count_new_rows(*, table: str, tenant_id: UUID, zone: ZoneInfo, now: datetime) -> tuple[int, int]:
    """Rows of a table whose id is a UUIDv7, made today and yesterday."""
    today, yesterday = (get_first_id(get_day_start(now, zone, days_ago=ago)) for ago in (0, 1))
    rows = fetch_rows(
        f"SELECT count(*) FILTER (WHERE id >= %s), count(*) FILTER (WHERE id < %s) FROM {table}"
        " WHERE id >= %s AND tenant_id = %s",
        [today, today, yesterday, tenant_id],
    )
    return rows[0][0], rows[0][1]


def count_facts_by_type(*, tenant_id: UUID) -> list[TypeCount]:
    """Active facts by type, the most frequent first."""
    rows = fetch_rows(
        "SELECT knowledge_type, count(*), count(*) FILTER (WHERE is_disputed) FROM user_knowledge"
        " WHERE is_active AND tenant_id = %s GROUP BY 1 ORDER BY 2 DESC, 1",
        [tenant_id],
    )
    return [TypeCount(*row) for row in rows]


QUEUES: Final = (
    QueueQuestion(
        "Messages waiting for extraction",
        "SELECT coalesce(sum(pending_count), 0)::bigint, min(pending_since), 0 FROM memory_conversation"
        " WHERE pending_count > 0 AND tenant_id = %s",
    ),
    QueueQuestion(
        "Forget requests that can be undone",
        "SELECT count(*), min(done_at), 0 FROM memory_forget_batch WHERE status = 'done' AND tenant_id = %s",
    ),
    QueueQuestion(
        "Erasures in progress",
        "SELECT count(*), min(requested_at), 0 FROM erasure_request WHERE status <> 'completed' AND tenant_id = %s",
    ),
)


def list_queues(*, tenant_id: UUID, questions: Iterable[QueueQuestion]) -> list[Queue]:
    """Work lists of the tenant, each with its length and its oldest entry."""
    queues = []
    for question in questions:
        waiting, since, given_up = fetch_rows(question.statement, [tenant_id])[0]
        note = question.note.format(given_up) if given_up else ""
        queues.append(Queue(question.name, waiting, since, note))
    return queues
