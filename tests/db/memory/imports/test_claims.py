"""An import that takes longer than its lease is left to the worker that is at it."""

from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from django.utils import timezone

from config.launch import paths
from memory.imports.requests import accept_import
from memory.imports.worker import claim_import, run_import
from tests.cast import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def test_nobody_claims_an_import_while_a_worker_is_at_it(as_role: Callable[[str], None], database_name: str) -> None:
    tenant, now, seen = make_tenant("first"), timezone.now(), []
    asked = {"tenant": tenant, "user_external_id": "alice", "actor": "key:test", "now": now}
    accept_import(data=b'{"kind": "conversation"}\n', file_format="unde", **asked)
    as_role("worker")
    claimed = claim_import(now=now)
    assert claimed is not None

    def look(step: str) -> None:
        with psycopg.connect(paths.database_url("worker", database=database_name)) as other:
            due = [now + timedelta(hours=1), now + timedelta(hours=2)]
            seen.append((step, other.execute("SELECT id FROM claim_imports_v2(%s, %s, 1)", due).fetchall()))
            other.rollback()

    assert run_import(user=claimed[0], import_id=claimed[1], clock=timezone.now, after_step=look) == "succeeded"
    assert seen == [("opened", [(claimed[1],)]), ("piece", [])]
