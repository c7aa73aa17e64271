"""The golden cases of before that still held a user's words are gone after the migration (D-27)."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from corrections.models import CorrectionLog, GoldenCase
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter

pytestmark = pytest.mark.django_db(transaction=True)

retold = import_module("corrections.migrations.0009_retold_cases")


def keep_case(person: Chatter, correction_id: Any, reply: str) -> None:
    GoldenCase.objects.create(
        id=new_id(),
        tenant_id=person.tenant.id,
        correction_id=correction_id,
        language="en",
        content={"language": "en", "user": reply, "facts": [{"type": "allergy", "key": "wool", "value": "wool"}]},
        written_by="staff:1",
        written_at=timezone.now(),
    )


def test_cases_with_words_of_users_and_cases_of_nobody_go(alice: Chatter, as_role: Callable[[str], None]) -> None:
    corrections = []
    for metal in ("nickel", "silver"):
        alice.say(f"I am allergic to {metal}")
        corrections += alice.say(f"no, I am not allergic to {metal} at all").corrections
    with tenant_scope(alice.tenant.id):
        ids = list(CorrectionLog.objects.filter(user_id=alice.ref.id).order_by("id").values_list("id", flat=True))
        keep_case(alice, ids[0], "wool? I am not that sensitive")
        keep_case(alice, ids[1], "wool was never a problem")
        keep_case(alice, new_id(), "of a correction that was erased")
        CorrectionLog.objects.filter(user_id=alice.ref.id).update(golden_status="accepted")
    as_role("owner")
    retold.drop_unretold(apps, SimpleNamespace(connection=connection))
    with tenant_scope(alice.tenant.id):
        kept = GoldenCase.objects.filter(tenant_id=alice.tenant.id).values_list("correction_id", flat=True)
        assert list(kept) == [ids[1]]
        states = (
            CorrectionLog.objects.filter(user_id=alice.ref.id).order_by("id").values_list("golden_status", flat=True)
        )
        assert list(states) == ["candidate", "accepted"]
