"""The tenant's authorization server in the console: what is asked of it when it is saved, who may, what is said."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.mcp.oauth.checking import SENTENCES
from memory.tenants.models import AuditEvent, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import AuthorizationServer, Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.scripted_authorization import ScriptedAuthorizationServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def login(settings: Any) -> Iterator[ScriptedAuthorizationServer]:
    settings.UNDE_WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    made = ScriptedAuthorizationServer()
    yield made
    made.stop()


@pytest.fixture
def enter(tenant: TenantRef) -> Callable[[Role], Client]:
    def log_in(role: Role) -> Client:
        client = Client()
        client.force_login(make_staff(f"staff-{role.value}", tenant=tenant, role=role))
        return client

    return log_in


def fill(tenant: TenantRef, login: ScriptedAuthorizationServer, **more: Any) -> dict[str, Any]:
    slug = Tenant.objects.get(id=tenant.id).slug
    return {
        "issuer": login.issuer,
        "resource": f"https://memory.example/mcp/oauth/{slug}",
        "user_claim": "sub",
        "algorithms": ["RS256"],
        "scopes": ["read", "write"],
        "requests_per_minute": 60,
        **more,
    }


def read_server(tenant: TenantRef) -> AuthorizationServer | None:
    return read_settings(Tenant.objects.get(id=tenant.id)).authorization_server


def test_a_server_is_set_and_taken_out_again_and_audited(
    login: ScriptedAuthorizationServer, tenant: TenantRef, enter: Callable[[Role], Client]
) -> None:
    operator, url = enter(Role.OPERATOR), reverse("console:authorization")
    assert url in operator.get(reverse("console:settings")).content.decode()
    assert "off" in operator.get(url).content.decode()
    answer = operator.post(url, fill(tenant, login), follow=True).content.decode()
    assert f"Tokens of {login.issuer} are accepted; keys found: 1." in answer
    server = read_server(tenant)
    assert server is not None
    assert (server.issuer, server.algorithms, server.scopes) == (login.issuer, ("RS256",), ("read", "write"))
    again = operator.post(url, fill(tenant, login), follow=True).content.decode()
    assert "No changes." in again
    assert (
        operator.post(reverse("console:settings"), {"reviewers_per_item": 1, "legal_profile": "default"}).status_code
        == 302
    )
    assert read_server(tenant) == server  # another page of settings leaves it alone
    assert operator.post(url, {"remove": "1"}).status_code == 302
    assert read_server(tenant) is None
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.filter(action="tenant.change_settings").count() == 3


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.OPERATOR])
def test_only_an_operator_may(role: Role, tenant: TenantRef, enter: Callable[[Role], Client]) -> None:
    client, url = enter(role), reverse("console:authorization")
    assert (client.get(url).status_code, client.post(url, {"remove": "1"}).status_code) == (403, 403)


@pytest.mark.parametrize(
    ("path", "document", "status", "code"),
    [
        ("/.well-known/oauth-authorization-server/realm", {"issuer": "https://other.example"}, 200, "other_issuer"),
        ("/realm/keys", {"keys": "none"}, 200, "no_keys"),
        ("/realm/keys", {"keys": []}, 200, "no_usable_keys"),
        ("/realm/keys", {}, 500, "refused"),
    ],
)
def test_a_slip_is_said_at_its_field_in_a_sentence(
    login: ScriptedAuthorizationServer,
    tenant: TenantRef,
    enter: Callable[[Role], Client],
    path: str,
    document: dict[str, Any],
    status: int,
    code: str,
) -> None:
    login.say(path, document, status)
    page = enter(Role.OPERATOR).post(reverse("console:authorization"), fill(tenant, login))
    assert (page.status_code, read_server(tenant)) == (200, None)
    assert SENTENCES[code][1:].replace("'", "&#x27;") in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"issuer": "http://169.254.169.254/latest"}, SENTENCES["address_refused"]),
        ({"issuer": "https://10.0.0.1"}, SENTENCES["address_refused"]),
        ({"issuer": "ftp://login.example"}, "printable ASCII"),
        ({"jwks_url": "https://192.168.1.1/keys"}, SENTENCES["address_refused"]),
        ({"resource": "http://memory.example/mcp/oauth/acme"}, "https://"),
        ({"resource": "https://memory.example/mcp"}, "door"),
        ({"algorithms": ["HS256"]}, "not one of the available choices"),
        ({"required_scope": "two words"}, "One scope"),
        ({"requests_per_minute": 0}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_is_refused_before_anybody_is_asked(
    login: ScriptedAuthorizationServer,
    tenant: TenantRef,
    enter: Callable[[Role], Client],
    fields: dict[str, Any],
    said: str,
) -> None:
    page = enter(Role.OPERATOR).post(reverse("console:authorization"), fill(tenant, login, **fields))
    assert (page.status_code, read_server(tenant)) == (200, None)
    assert said[1:] in page.content.decode()
    assert not fields.keys() & {"resource", "algorithms", "required_scope"} or login.asked == []
