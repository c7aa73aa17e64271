"""Erasing a user from the console."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import ErasureRequest
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import UserRef
from tests.api.console.conftest import MARKER

pytestmark = pytest.mark.django_db


def count_erasures(user: UserRef) -> int:
    with tenant_scope(user.tenant_id):
        return ErasureRequest.objects.filter(user_id=user.id).count()


def test_an_erased_user_is_invisible_at_once_and_the_erasure_has_a_page(operator: Client, known: UserRef) -> None:
    answer = operator.post(reverse("console:erase_user", args=[known.id]), {"reason": "user_request", "typed": "alice"})
    page = operator.get(answer["Location"]).content.decode()
    assert "Deadline" in page
    assert "user_request" in page
    gone = operator.get(reverse("console:user_messages", args=[known.id]))
    assert gone.status_code in (404, 410)
    assert MARKER not in gone.content.decode()


def test_another_id_erases_nobody(operator: Client, known: UserRef) -> None:
    answer = operator.post(reverse("console:erase_user", args=[known.id]), {"reason": "user_request", "typed": "alise"})
    assert "This does not match the user" in answer.content.decode()
    assert count_erasures(known) == 0


def test_a_reason_is_one_of_the_codes(operator: Client, known: UserRef) -> None:
    operator.post(reverse("console:erase_user", args=[known.id]), {"reason": "she moved", "typed": "alice"})
    assert count_erasures(known) == 0


def test_a_reviewer_erases_nobody(log_in: Callable[[Role], Client], known: UserRef) -> None:
    url = reverse("console:erase_user", args=[known.id])
    assert log_in(Role.REVIEWER).post(url, {"reason": "user_request", "typed": "alice"}).status_code == 403
    assert count_erasures(known) == 0


def test_the_list_of_erasures_names_no_user_by_their_own_id(operator: Client, known: UserRef) -> None:
    operator.post(reverse("console:erase_user", args=[known.id]), {"reason": "user_request", "typed": "alice"})
    page = operator.get(reverse("admin:memory_erasurerequest_changelist")).content.decode()
    assert "user_request" in page
    assert "alice" not in page
