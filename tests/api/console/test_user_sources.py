"""The operator sees who told us of a user, and takes back all of one client's (D-39)."""

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import Message
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.types import TOLD_BY
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def test_clients_are_listed_and_all_of_one_goes(operator: Client, alice: Chatter) -> None:
    alice.say("my size is M")
    for text in ("she likes silk", "she hates wool"):
        alice.say(text, metadata={TOLD_BY: {"via": "mcp", "client": "agent <7>"}})
    page = reverse("console:user_sources", args=[alice.ref.id])
    shown = operator.get(page).content.decode()
    assert "a model through MCP" in shown and "agent &lt;7&gt;" in shown and "the app" in shown and "silk" not in shown
    forget = reverse("console:forget_source", args=[alice.ref.id]) + "?via=mcp&client=agent%20%3C7%3E"
    assert "2 messages" in operator.get(forget).content.decode()
    assert operator.post(forget).status_code == 302
    with tenant_scope(alice.tenant.id):
        assert list(Message.objects.filter(forgotten_at=None).values_list("content", flat=True)) == ["my size is M"]
        assert AuditEvent.objects.filter(actor_type="staff", action="message.forget").exists()
    assert operator.get(forget).status_code == 404
    assert operator.get(reverse("console:forget_source", args=[alice.ref.id]) + "?via=x").status_code == 404
