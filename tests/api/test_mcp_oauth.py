"""Tokens of the tenant's own authorization server, which answers over real HTTP on loopback."""

import hmac
import json
import time
from collections.abc import Iterator
from io import StringIO
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import call_command
from django.test import Client

from config.mcp.oauth import tokens
from config.mcp.oauth.keys import KeyStore
from memory.tenants.models import Tenant
from memory.types import TenantRef
from tests.caller import Caller, get_error
from tests.scripted_authorization import RESOURCE, ScriptedAuthorizationServer

pytestmark = pytest.mark.django_db
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


@pytest.fixture
def login(tenant: TenantRef, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedAuthorizationServer]:
    settings.UNDE_WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setattr(tokens.read_caller, "__kwdefaults__", {"keys": KeyStore()})
    made = ScriptedAuthorizationServer()
    open_door(tenant, made)
    yield made
    made.stop()


def open_door(tenant: TenantRef, server: ScriptedAuthorizationServer, *more: str) -> None:
    said = ["--issuer", server.issuer, "--resource", RESOURCE]
    call_command("set_authorization_server", get_slug(tenant), *said, *more, stdout=StringIO())


def get_slug(tenant: TenantRef) -> str:
    return Tenant.objects.get(id=tenant.id).slug


def use(tenant: TenantRef, token: str | None, tool: str = "list_facts", arguments: Any = None, **headers: str) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments or {}}}
    named = {"Authorization": f"Bearer {token}"} if token is not None else {}
    client = Client(raise_request_exception=False)
    path = f"/mcp/oauth/{get_slug(tenant)}"
    return client.post(path, body, content_type="application/json", headers={**HEADERS, **named, **headers})


def test_a_token_means_the_user_that_it_names(
    login: ScriptedAuthorizationServer, tenant: TenantRef, api: Caller
) -> None:
    said = api.send("I am allergic to nickel").json()
    answer = use(tenant, login.make_token())
    assert answer.json()["result"]["structuredContent"]["facts"][0]["value"] == "nickel"
    assert use(tenant, login.make_token(sub="bob")).json()["result"]["structuredContent"] == {"facts": []}
    for id, word in ((said["id"], "I am allergic to nickel"), (said["facts"][0]["id"], "nickel")):
        found = use(tenant, login.make_token(), "fetch", {"id": id}).json()["result"]
        assert word in found["structuredContent"]["text"]
        assert use(tenant, login.make_token(sub="bob"), "fetch", {"id": id}).json()["result"]["isError"]
    get_error(use(tenant, login.make_token(), **{"X-UNDE-User": "bob"}), 403, "other_user")
    note = use(tenant, login.make_token(sub="newcomer"), "add_memory", {"text": "likes tea"}).json()["result"]
    assert note["structuredContent"]["provenance"] == "observation"
    assert [row["content"] for row in api.get("/v1/users/newcomer/messages").json()["results"]] == ["likes tea"]


def test_a_client_without_a_token_is_led_to_the_server(login: ScriptedAuthorizationServer, tenant: TenantRef) -> None:
    answer = use(tenant, None)
    get_error(answer, 401, "missing_key")
    where = "https://memory.acme.example/.well-known/oauth-protected-resource/mcp/oauth/acme"
    assert answer.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{where}"'
    metadata = Client().get(f"/.well-known/oauth-protected-resource/mcp/oauth/{get_slug(tenant)}")
    assert metadata.json() == {
        "resource": RESOURCE,
        "authorization_servers": [login.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "UNDE Memory",
    }
    assert login.asked == []  # whoever comes without a token makes us ask nobody


def test_there_is_no_such_door_without_a_server_and_none_at_the_door_for_keys(tenant: TenantRef, api: Caller) -> None:
    slug = get_slug(tenant)
    for path in (f"/mcp/oauth/{slug}", "/mcp/oauth/nobody"):
        assert Client().post(path, {}, content_type="application/json").status_code == 404
    for path in ("", "/mcp", f"/mcp/oauth/{slug}"):
        assert Client().get(f"/.well-known/oauth-protected-resource{path}").status_code == 404
    refused = Client().post("/mcp", {}, content_type="application/json")
    assert refused.status_code == 401 and "resource_metadata" not in refused.headers["WWW-Authenticate"]


def sign_by_hand(body: str, secret: bytes) -> str:
    """HS256 with a public key as its secret: the library does not help with that."""
    head = jwt.utils.base64url_encode(b'{"alg":"HS256","kid":"k-1"}').decode()
    signature = hmac.digest(secret, f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.{jwt.utils.base64url_encode(signature).decode()}"


def list_bad_tokens(server: ScriptedAuthorizationServer) -> dict[str, str]:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = server.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    now, good = int(time.time()), server.make_token()
    head, body, signature = good.split(".")
    return {
        "of another key": server.make_token(key=other),
        "of an unknown key": server.make_token(kid="k-9"),
        "for another service": server.make_token(aud="https://mail.acme.example"),
        "for nobody in particular": server.make_token(aud=None),
        "of another issuer": server.make_token(iss="https://login.evil.example"),
        "over": server.make_token(exp=now - 120),
        "without an end": server.make_token(exp=None),
        "not begun": server.make_token(nbf=now + 600),
        "unsigned": jwt.encode({"sub": "alice"}, None, algorithm="none"),
        "signed with the public key as a secret": sign_by_hand(body, public),
        "signed by an algorithm that is not pinned": server.make_token(alg="RS512"),
        "with the key inside": server.make_token(key=ec.generate_private_key(ec.SECP256R1()), alg="ES256", kid="k-1"),
        "of nobody": server.make_token(sub=None),
        "of an empty name": server.make_token(sub=""),
        "of a name too long": server.make_token(sub="a" * 129),
        "of a number": server.make_token(sub="a", aud=[1]),
        "cut": f"{head}.{body}.",
        "changed": f"{head}.{body[:-2]}AA.{signature}",
        "too long": "a." * 5_000,
        "no token": "unde_key",
    }


def test_no_other_token_opens_the_door(login: ScriptedAuthorizationServer, tenant: TenantRef, api: Caller) -> None:
    api.send("I am allergic to nickel")
    for name, token in list_bad_tokens(login).items():
        answer = use(tenant, token)
        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_token"), name
        assert answer.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token", resource_metadata='), name
        assert b"nickel" not in answer.content
    key = str(api.client.defaults["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")
    assert use(tenant, key).status_code == 401  # a key opens /mcp, not this one
    refused = Client().post("/mcp", {}, headers={"Authorization": f"Bearer {login.make_token()}", **HEADERS})
    assert refused.status_code == 401


def test_keys_are_fetched_once_and_anew_after_a_rotation(
    login: ScriptedAuthorizationServer, tenant: TenantRef, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        assert use(tenant, login.make_token()).status_code == 200
    assert login.asked == ["/.well-known/oauth-authorization-server/realm", "/realm/keys"]
    login.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    login.publish("k-2")
    for _ in range(5):  # unknown keys make nobody ask more often than once in a while
        assert use(tenant, login.make_token(kid="k-2")).status_code == 401
    assert len(login.asked) == 2
    monkeypatch.setattr(settings.UNDE_TUNING, "OAUTH_RETRY_SECONDS", 0)
    assert use(tenant, login.make_token(kid="k-2")).status_code == 200
    assert len(login.asked) == 4


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/realm/keys", 500, b"{}"),
        ("/realm/keys", 302, b""),
        ("/realm/keys", 200, b"[]"),
        ("/realm/keys", 200, b'{"keys": 1}'),
        ("/realm/keys", 200, b'{"keys": [' + b" " * 300_000 + b"]}"),
        ("/.well-known/oauth-authorization-server/realm", 200, b'{"issuer": "https://evil", "jwks_uri": "x"}'),
        ("/.well-known/oauth-authorization-server/realm", 404, b"no"),
    ],
)
def test_a_server_that_answers_something_else_lets_nobody_in(
    login: ScriptedAuthorizationServer, tenant: TenantRef, path: str, status: int, body: bytes
) -> None:
    login.answers[path] = (status, body)
    answer = use(tenant, login.make_token())
    get_error(answer, 503, "authorization_server_unavailable")
    assert answer.headers["Retry-After"] == "30"


def test_keys_inside_the_network_are_not_fetched(
    login: ScriptedAuthorizationServer, tenant: TenantRef, settings: Any
) -> None:
    settings.UNDE_WEBHOOK_NETWORKS = []
    get_error(use(tenant, login.make_token()), 503, "authorization_server_unavailable")
    assert login.asked == []


def test_the_tenant_chooses_claim_audience_scope_and_rights(
    login: ScriptedAuthorizationServer, tenant: TenantRef, api: Caller
) -> None:
    api.send("I am allergic to nickel")
    chosen = ["--user-claim", "shop_id", "--audience", "memory", "--required-scope", "memory.use", "--scopes", "write"]
    open_door(tenant, login, *chosen)
    token = login.make_token(aud=["memory", "mail"], sub="x", shop_id="alice")
    answer = use(tenant, token)
    get_error(answer, 403, "insufficient_scope")
    assert 'error="insufficient_scope", scope="memory.use"' in answer.headers["WWW-Authenticate"]
    token = login.make_token(aud="memory", shop_id="alice", scope="mail memory.use")
    assert json.loads(use(tenant, token).json()["result"]["content"][0]["text"])["code"] == "missing_scope"
    assert use(tenant, token, "add_memory", {"text": "likes tea"}).json()["result"]["structuredContent"]
    call_command("set_authorization_server", get_slug(tenant), "--remove", stdout=StringIO())
    get_error(use(tenant, token), 404, "not_found")
