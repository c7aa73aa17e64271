from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_broken_audit_event
from memory.tenants.services.audit import SYSTEM, record_audit_event
from memory.tenants.tasks import seal_audit_trail


@pytest.mark.django_db(transaction=True)
def test_the_worker_seals_what_is_older_than_today_for_every_tenant(as_role: Any) -> None:
    now = timezone.now()
    tenants = [Tenant.objects.create(slug=f"t-{uuid4().hex[:8]}", name="A tenant") for _ in range(2)]
    for tenant in tenants:
        for days in (3, 1, 0):
            record_audit_event(tenant_id=tenant.id, actor=SYSTEM, action="a.b", now=now - timedelta(days=days))
    as_role("worker")
    assert seal_audit_trail() == 4
    assert seal_audit_trail() == 0
    for tenant in tenants:
        assert find_broken_audit_event(tenant_id=tenant.id) is None
        with tenant_scope(tenant.id):
            hashes = AuditEvent.objects.order_by("happened_at").values_list("chain_hash", flat=True)
            assert [value is not None for value in hashes] == [True, True, False]
