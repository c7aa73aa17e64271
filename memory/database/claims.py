"""What is due across tenants, taken for a worker (D-14).

The functions in SQL return ids, no text; whoever claims enters the tenant then. The name of a function comes from
code, never from a request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.utils import timezone

from memory.database.statements import fetch_rows
from memory.errors import CodedError
from memory.types import UserRef

log = structlog.get_logger(__name__)


def claim_users(function: str, *, now: datetime, limit: int) -> list[UserRef]:
    """Users, of any tenant, for whom something is due. Writes as the function does."""
    return [user for (user,) in claim_of_users(f"{function}(%s::timestamptz, %s::integer)", [now, limit])]


def work_on_users(function: str, work: Callable[..., int], *, limit: int) -> int:
    """Claim users and do something for each; the sum of the counts. A user who is busy is left for the next run."""
    total = 0
    for user in claim_users(function, now=timezone.now(), limit=limit):
        try:
            total += work(user=user, now=timezone.now())
        except CodedError as error:
            log.warning("claimed_user_skipped", claim=function, user_id=str(user.id), code=error.code)
    return total


def claim_of_users(call: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows of users of any tenant: the UserRef, then what else the function returns. Writes as the function does."""
    return [(UserRef(id=row[1], tenant_id=row[0]), *row[2:]) for row in fetch_rows(f"SELECT * FROM {call}", values)]


def claim_rows(function: str, *, now: datetime, until: datetime, limit: int) -> list[tuple[UUID, UUID]]:
    """Tenant and id of rows that are due, held until then. Writes."""
    return fetch_rows(f"SELECT * FROM {function}(%s, %s, %s)", [now, until, limit])
