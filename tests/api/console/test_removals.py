"""Staff decide about facts that feedback left hardly believed, and see why (SPEC P-9, H-1)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.facts.reading import list_active_facts
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from tests.cast import Chatter
from tests.db.corrections.quality.test_calibration import sink

pytestmark = pytest.mark.django_db
LogIn = Callable[[Role], Client]


@pytest.fixture
def reviewer(log_in: LogIn) -> Client:
    return log_in(Role.REVIEWER)


def test_a_reviewer_removes_keeps_and_undoes_by_key_and_the_pages_say_why(
    reviewer: Client, log_in: LogIn, alice: Chatter
) -> None:
    fact = sink(alice)
    page = reviewer.get(reverse("console:removals")).content.decode()
    assert "I wear size M" in page and 'data-key="1"' in page and 'data-key="2"' in page
    assert "0 of 5 uses positive" in page and "few_positive_uses" in page

    def act(verb: str, client: Client = reviewer) -> int:
        return client.post(reverse("console:decide_removal", args=[alice.ref.id, fact.id, verb])).status_code

    auditor = log_in(Role.AUDITOR)
    assert [act("remove", auditor), act("undo", auditor), act("nonsense")] == [403, 403, 404]
    answer = reviewer.post(reverse("console:decide_removal", args=[alice.ref.id, fact.id, "remove"]), follow=True)
    after = answer.content.decode()
    assert "No fact waits for a decision." in after and 'data-key="u"' in after
    assert alice.read(list_active_facts) == []
    assert act("undo") == 302 and act("keep") == 302 and act("keep") == 404
    assert [one.id for one in alice.read(list_active_facts)] == [fact.id]
    own = reviewer.get(reverse("console:user_facts", args=[alice.ref.id])).content.decode()
    assert "confidence moved from 0.95 to 0.75: 0 of 5 uses positive" in own
    quality = log_in(Role.OPERATOR).get(reverse("console:quality")).content.decode()
    assert "data-calibration" in quality and 'data-night="' in quality
    with tenant_scope(alice.tenant.id):
        names = set(AuditEvent.objects.filter(tenant_id=alice.tenant.id).values_list("action", flat=True))
    assert {"removal.view", "calibration.remove", "calibration.undo", "calibration.keep"} <= names


def test_pages_of_the_list_and_ids_that_are_none_are_harmless(reviewer: Client, alice: Chatter) -> None:
    sink(alice)
    url = reverse("console:removals")
    assert "I wear size M" in reviewer.get(url, {"user": "x", "fact": "'", "last_user": "?"}).content.decode()
    past = {"user": "ffffffff-ffff-ffff-ffff-ffffffffffff", "fact": str(uuid4())}
    assert "No fact waits" in reviewer.get(url, past).content.decode()


def test_the_command_does_a_night_and_says_what_it_did(alice: Chatter, capsys: pytest.CaptureFixture[str]) -> None:
    alice.say("I wear size M")
    with tenant_scope(alice.tenant.id):
        slug = Tenant.objects.get(id=alice.tenant.id).slug
    call_command("calibrate", "--tenant", slug)
    assert f"{slug}: night of {timezone.now():%Y-%m-%d}: 0 users, 0 facts raised" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no tenant"):
        call_command("calibrate", "--tenant", "nobody")
