"""Work that is due without being asked for."""

from __future__ import annotations

from datetime import timedelta

import structlog
from celery import shared_task
from django.utils import timezone

from memory.tenants.selectors import list_tenants
from memory.tenants.services.audit import seal_audit_day
from memory.tenants.types import INSTALLATION_ID

logger = structlog.get_logger(__name__)


@shared_task(name="memory.tenants.tasks.seal_audit_trail")
def seal_audit_trail() -> int:
    """Seal the audit events of every tenant and of the installation up to the end of yesterday, UTC (D-29)."""
    yesterday = timezone.now().date() - timedelta(days=1)
    tenant_ids = [INSTALLATION_ID, *(tenant.id for tenant in list_tenants())]
    sealed = sum(seal_audit_day(tenant_id=tenant_id, day=yesterday) for tenant_id in tenant_ids)
    logger.info("audit_trail_sealed", events=sealed, day=yesterday)
    return sealed
