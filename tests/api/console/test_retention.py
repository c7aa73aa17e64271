"""The page of retention: a look changes nothing, and switching on asks first."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.models import ErasureRequest
from memory.retention.services import go_on
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.tenants import read_settings
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def test_what_would_go_is_seen_before_it_is_switched_on(operator: Client, alice: Chatter) -> None:
    alice.say("a secret of long ago", created_at=timezone.now() - timedelta(days=40))
    page, switch = reverse("console:retention"), reverse("console:switch_retention")
    shown = operator.get(page).content.decode()
    assert "Everything is kept until somebody erases it." in shown and str(alice.ref.id) not in shown
    shown = operator.get(page, {"days": "30"}).content.decode()
    assert str(alice.ref.id) in shown and "a secret" not in shown
    assert str(alice.ref.id) not in operator.get(page, {"days": "30", "after": str(alice.ref.id)}).content.decode()
    for odd in ({"days": "x"}, {"days": "0"}, {"days": "99999999999"}, {"after": "x"}):
        assert operator.get(page, odd).status_code == 200
    asked = operator.post(switch, {"to": "on", "days": "30"}).content.decode()
    assert "1 messages and 0 items of 1 users" in asked
    row = Tenant.objects.get(id=alice.tenant.id)
    assert not read_settings(row).is_retention_on
    assert operator.post(switch, {"to": "on", "days": "30", "sure": "yes"}).status_code == 302
    row.refresh_from_db()
    assert (read_settings(row).is_retention_on, read_settings(row).retention_days) == (True, 30)
    later = timezone.now()
    go_on(tenant=row, clock=lambda: later, is_over=lambda: False, after_user=lambda user_id: None)
    assert "Messages are kept for 30 days." in operator.get(page).content.decode()
    assert operator.post(switch, {"to": "off", "days": "30", "sure": "yes"}).status_code == 302
    with tenant_scope(alice.tenant.id):
        assert ErasureRequest.objects.get().reason == "retention"
        actions = AuditEvent.objects.filter(action__startswith="retention.").order_by("happened_at")
        assert [one.action for one in actions] == ["retention.switch_on", "retention.switch_off"]
