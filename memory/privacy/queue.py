"""Claiming what is due across tenants. The functions return ids; whoever claims enters the tenant then."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from memory.database.statements import fetch_rows


def claim_due(function: str, *, now: datetime, lease_seconds: int, limit: int) -> list[tuple[UUID, UUID]]:
    """Tenant and id of rows that are due, held for the lease. `function` is one of `0002_claims.sql`. Writes."""
    return fetch_rows(
        f"SELECT tenant_id, id FROM {function}(%s, %s, %s)", [now, now + timedelta(seconds=lease_seconds), limit]
    )
