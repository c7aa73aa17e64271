"""An import that goes on is ended from the list of imports."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.imports.models import ImportRun
from memory.imports.requests import accept_import
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef, UserRef
from tests.imports import carry_out

pytestmark = pytest.mark.django_db

LIST = "admin:imports_importrun_changelist"
FILE = b'{"role": "user", "content": "hello", "created_at": "2026-01-01T10:00:00Z", "conversation_id": "c1"}\n'


@pytest.fixture
def cancel_url(known: UserRef, tenant: TenantRef) -> str:
    """Where the import of a file that waits is cancelled."""
    made = accept_import(
        tenant=tenant, user_external_id="alice", data=FILE, file_format="jsonl", actor="key:test", now=timezone.now()
    )
    return reverse("console:cancel_import", args=[made.id])


def read_state(tenant: TenantRef) -> list[tuple[str, str]]:
    with tenant_scope(tenant.id):
        return list(ImportRun.objects.filter(tenant_id=tenant.id).values_list("status", "failure"))


def test_an_operator_cancels_an_import_after_a_page_that_says_what_stays(
    operator: Client, cancel_url: str, tenant: TenantRef
) -> None:
    assert f'href="{cancel_url}"' in operator.get(reverse(LIST)).content.decode()
    asked = operator.get(cancel_url).content.decode()
    assert "What is stored already stays" in asked
    assert "Keep importing" in asked
    assert read_state(tenant) == [("waiting", "")]

    done = operator.post(cancel_url, follow=True).content.decode()
    assert "The import is cancelled" in done
    assert cancel_url not in done
    assert read_state(tenant) == [("failed", "import_cancelled")]
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.filter(tenant_id=tenant.id, action="import.cancel").count() == 1


def test_an_import_that_is_over_by_then_is_said_to_be_over(
    operator: Client, cancel_url: str, tenant: TenantRef
) -> None:
    assert carry_out(tenant.id) == ["succeeded"]
    assert cancel_url not in operator.get(reverse(LIST)).content.decode()
    assert "is over. It cannot be cancelled" in operator.post(cancel_url, follow=True).content.decode()
    assert read_state(tenant) == [("succeeded", "")]


def test_who_only_audits_sees_imports_and_cancels_none(
    log_in: Callable[[Role], Client], cancel_url: str, tenant: TenantRef
) -> None:
    auditor = log_in(Role.AUDITOR)
    assert cancel_url not in auditor.get(reverse(LIST)).content.decode()
    assert auditor.post(cancel_url).status_code == 403
    assert read_state(tenant) == [("waiting", "")]
