"""Corrections: on the user's page with the words, in the log as ids and codes, judged by reviewers."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import CorrectionLog
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import UserRef
from tests.api.console.conftest import MARKER
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


@pytest.fixture
def correction_id(known: UserRef, alice: Chatter) -> UUID:
    """A row of the log: Alice's first message corrected something the assistant said."""
    with tenant_scope(known.tenant_id):
        row = CorrectionLog.objects.create(
            id=new_id(),
            tenant_id=known.tenant_id,
            user_id=known.id,
            trigger_message_id=alice.said[0].message_id,
            corrected_message_id=alice.said[1].message_id,
            correction_type="user_denied",
            language="en",
            created_at=timezone.now(),
        )
    return row.id


def get_status(known: UserRef, correction_id: UUID) -> str:
    with tenant_scope(known.tenant_id):
        status: str = CorrectionLog.objects.values_list("golden_status", flat=True).get(
            user_id=known.id, id=correction_id
        )
    return status


def test_the_users_page_shows_both_messages(operator: Client, known: UserRef, correction_id: UUID) -> None:
    page = operator.get(reverse("console:user_corrections", args=[known.id])).content.decode()
    assert MARKER in page
    assert "What size do you wear?" in page
    assert "User denied" in page


def test_the_log_shows_ids_and_codes_alone(
    log_in: Callable[[Role], Client], known: UserRef, correction_id: UUID
) -> None:
    page = log_in(Role.AUDITOR).get(reverse("admin:corrections_correctionlog_changelist")).content.decode()
    assert str(correction_id) in page
    assert MARKER not in page


def test_a_reviewer_takes_a_correction_as_a_golden_case(
    log_in: Callable[[Role], Client], known: UserRef, correction_id: UUID
) -> None:
    url = reverse("console:judge_correction", args=[known.id, correction_id])
    assert log_in(Role.REVIEWER).post(url, {"status": "accepted"}).status_code == 302
    assert get_status(known, correction_id) == "accepted"


def test_an_operator_does_not_judge_corrections(operator: Client, known: UserRef, correction_id: UUID) -> None:
    url = reverse("console:judge_correction", args=[known.id, correction_id])
    assert operator.post(url, {"status": "accepted"}).status_code == 403
    assert get_status(known, correction_id) == "candidate"


def test_corrections_are_on_the_start_page_by_type_and_language(
    operator: Client, known: UserRef, correction_id: UUID
) -> None:
    context = operator.get("/admin/").context
    assert [(bar.label, bar.total, bar.title) for bar in context["correction_bars"]] == [("user denied", 1, "en: 1")]
    assert context["tiles"][-1].today == 1
