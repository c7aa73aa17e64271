"""Imports in the background without a worker: the role of the app may not claim, so the test does it by hand."""

from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from memory.imports.models import ImportRun
from memory.imports.worker import run_import
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def carry_out(tenant_id: UUID) -> list[str]:
    """Carry out what waits of a tenant, as a worker does; what became of each."""
    with tenant_scope(tenant_id):
        rows = ImportRun.objects.filter(tenant_id=tenant_id, status="waiting")
        waiting = [(UserRef(id=user_id, tenant_id=tenant_id), id) for user_id, id in rows.values_list("user_id", "id")]
        held_until = timezone.now() + settings.UNDE_TUNING.IMPORT_LEASE
        rows.update(status="running", claimed_until=held_until, attempts=F("attempts") + 1)
    return [run_import(user=user, import_id=id, clock=timezone.now) for user, id in waiting]
