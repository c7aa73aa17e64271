"""A worker is given as many rows of a queue as it asked for, whatever plan the database makes."""

import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from config.launch import paths
from memory.database.claims import claim_rows
from memory.privacy.requests import take_request
from memory.privacy.types import Asked
from memory.types import TenantRef

ROOMS = ("config", "memory", "retrieval", "corrections", "patterns")


def list_statements() -> Iterator[tuple[str, str]]:
    """Where rows are locked and others' passed by: functions of the database, and statements of modules."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ 'SKIP LOCKED'"
        )
        yield from cursor.fetchall()
    for room in ROOMS:
        for path in sorted((paths.ROOT / room).rglob("*.py")):
            for text in re.findall(r'"""(.*?)"""', path.read_text("utf-8"), re.S):
                if "SKIP LOCKED" in text:
                    yield path.stem, text


def read_before_select(text: str, at: int) -> str:
    """What stands before the parenthesis around the SELECT that a place of `text` belongs to; nothing without one."""
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth > 0:
            return text[:place].rstrip()
    return ""


@pytest.mark.django_db
def test_rows_are_locked_in_a_part_of_the_statement_that_is_read_once() -> None:
    found, read_again = 0, []
    for name, text in list_statements():
        for lock in re.finditer("SKIP LOCKED", text):
            found += 1
            before = read_before_select(text, lock.start())
            if before and not re.search(r"\bAS( MATERIALIZED)?$", before):
                read_again.append(name)
    assert found > 12
    assert read_again == []


@pytest.mark.django_db(transaction=True)
def test_one_row_is_claimed_where_the_planner_expects_no_other(tenant: TenantRef, as_role: Any) -> None:
    """The statistics of a table that held one row made the planner read the locking part once a row."""
    now = timezone.now()

    def ask() -> None:
        asked = Asked(uuid.uuid4(), "access", "gdpr", "alice", now, ())
        take_request(tenant=tenant, asked=asked, actor="key:k", now=now - timedelta(days=1))

    ask()
    as_role("owner")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE privacy_request")
    as_role("app")
    ask()
    as_role("worker")
    until = now + timedelta(seconds=60)
    claims = [claim_rows("claim_privacy_requests_v2", now=now, until=until, limit=1) for _ in range(3)]
    assert [len(each) for each in claims] == [1, 1, 0]
