"""Works whose worker has gone are found over all tenants, by the worker's role alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from memory.withdrawals.jobs import request_closing
from memory.withdrawals.running import claim_jobs
from tests.cast import Chatter

pytestmark = pytest.mark.django_db(transaction=True)


def test_workers_find_works_of_all_tenants_once_and_again_when_their_worker_has_gone(
    alice: Chatter, as_role: Callable[[str], None]
) -> None:
    now = timezone.now()
    job = request_closing(tenant_id=alice.tenant.id, rule="any", versions=[1], requested_by="staff:1", now=now)
    with pytest.raises(ProgrammingError), transaction.atomic():
        claim_jobs(now=now, limit=1)
    as_role("worker")
    assert (alice.tenant.id, job.id) in claim_jobs(now=now, limit=100)
    assert (alice.tenant.id, job.id) not in claim_jobs(now=now, limit=100)
    assert (alice.tenant.id, job.id) in claim_jobs(now=now + timedelta(hours=1), limit=100)
