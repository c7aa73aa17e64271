"""What is over its age, and runs, read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from memory.database.statements import fetch_row, fetch_rows
from memory.retention.models import RetentionRun
from memory.retention.types import OverAge, RetainingTenant
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import UserRef


def list_over_age(*, tenant_id: UUID, days: int | None, at: datetime, after: UUID | None, limit: int) -> list[OverAge]:
    """Users with something over its age at a moment, by id, from one on: the dry run. In a tenant scope. Reads only.

    `days` is what the tenant says of messages; purposes of users may say less (`docs/consent-and-retention.md`).
    """
    rows = fetch_rows(
        "SELECT * FROM list_over_age_v1(%s::uuid, %s::integer, %s::timestamptz, %s::uuid, %s::integer)",
        [tenant_id, days, at, after, limit],
    )
    return [
        OverAge(UserRef(id=row[0], tenant_id=tenant_id, external_id=row[1]), row[2], row[3], row[4], row[5])
        for row in rows
    ]


def find_kept_days(*, user: UserRef) -> int | None:
    """For how many days the user's messages are kept; None: for ever. In a tenant scope. Reads only."""
    tenant = find_tenant(tenant_id=user.tenant_id)
    stored = read_settings(tenant) if tenant else None
    if stored is None or not stored.is_retention_on:
        return None
    days: int | None = fetch_row(
        "SELECT kept_days_v1(%s::uuid, %s::uuid, 'messages', %s::integer)",
        [user.tenant_id, user.id, stored.retention_days],
    )[0]
    return days


def list_runs(*, tenant_id: UUID, limit: int) -> list[RetentionRun]:
    """The latest runs of a tenant, newest first. In a tenant scope."""
    return list(RetentionRun.objects.filter(tenant_id=tenant_id).order_by("-began_at")[:limit])


def list_retaining_tenants() -> list[RetainingTenant]:
    """All tenants that let things go by age, those that waited longest first. For workers and metrics."""
    return [
        RetainingTenant(*row)
        for row in fetch_rows("SELECT tenant_id, last_began_at, since FROM list_retaining_tenants_v1()")
    ]


def read_retention() -> Iterator[Metric]:
    """How many tenants let things go by age, and for how long the slowest of them has finished no night."""
    now, tenants = timezone.now(), list_retaining_tenants()
    yield GaugeMetricFamily("unde_retention_tenants", "Tenants that erase by age.", value=len(tenants))
    waits = [max((now - each.since).total_seconds(), 0.0) for each in tenants if each.since]
    yield GaugeMetricFamily(
        "unde_retention_behind_seconds",
        "Since when the slowest tenant has finished no run of retention.",
        value=max(waits, default=0.0),
    )
