"""Links that work once, and the sessions that they become."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from memory.tenants.models import ApiKey, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from memory.visits.models import Visit
from memory.visits.services import LinkOver, open_link
from tests.api.me.conftest import Visitor, make_link
from tests.caller import Caller, get_error

pytestmark = pytest.mark.django_db


def test_a_link_works_once_and_its_session_is_a_cookie_that_scripts_do_not_see(api: Caller) -> None:
    path, client = make_link(api), Client()
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, "/memory/?entered=1")
    cookie = answer.cookies["unde_visit"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["secure"]) == (True, "Lax", "/", "")
    assert client.get("/memory/").status_code == 200
    other = Client().get(path)
    assert (other.status_code, other.cookies) == (410, {})
    assert client.get(path).status_code == 302  # the browser that has its session comes back to the page


def test_over_tls_the_cookie_is_partitioned_and_of_this_host_alone(api: Caller) -> None:
    client = Client()
    cookie = client.get(make_link(api), secure=True).cookies["__Host-unde-visit"]
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=None", "Partitioned"} <= set(cookie.OutputString().split("; "))
    assert cookie["domain"] == ""
    assert client.get("/memory/", secure=True).status_code == 200


def test_neither_secret_is_stored(api: Caller, tenant: TenantRef) -> None:
    path, client = make_link(api), Client()
    client.get(path)
    with tenant_scope(tenant.id):
        row = Visit.objects.get()
    assert path.rpartition("/")[2].encode() not in bytes(row.link_hash)
    assert client.cookies["unde_visit"].value.encode() not in bytes(row.session_hash or b"")
    assert (len(row.link_hash), len(row.session_hash or b"")) == (32, 32)


@pytest.mark.parametrize("headers", [{"Sec-Purpose": "prefetch"}, {"Purpose": "prefetch"}])
def test_a_browser_that_looks_ahead_uses_nothing_up(api: Caller, headers: dict[str, str]) -> None:
    path = make_link(api)
    assert Client().get(path, headers=headers).status_code == 204
    assert Client().head(path).status_code == 204
    assert Client().get(path).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_a_link_at_once_one_gets_in(api: Caller) -> None:
    secret = make_link(api).rpartition("/")[2]
    start, opened = threading.Barrier(6), []

    def run() -> None:
        start.wait()
        try:
            opened.append(open_link(secret=secret, now=timezone.now()))
        except LinkOver:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1


def test_a_link_that_is_too_old_opens_nothing(api: Caller, tenant: TenantRef) -> None:
    path = make_link(api, ttl_seconds=60)
    with tenant_scope(tenant.id):
        Visit.objects.update(link_expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(path).status_code == 410


def test_a_session_has_an_end(visitor: Visitor, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT expires_at - opened_at FROM visit")
        assert cursor.fetchone()[0] == timedelta(hours=1)
    assert visitor.send("/memory/leave").status_code == 200
    assert visitor.get("/memory/").status_code == 401


def test_an_opened_visit_is_not_changed(visitor: Visitor, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        for change in ({"expires_at": timezone.now() + timedelta(days=9)}, {"permissions": ["erase"]}):
            with pytest.raises(DatabaseError), transaction.atomic():
                Visit.objects.update(**change)


@pytest.mark.parametrize(
    "change",
    [{"permissions": []}, {"permissions": ["everything"]}, {"session_hash": b"short"}, {"ended_at": timezone.now()}],
)
def test_a_visit_that_makes_no_sense_is_refused(api: Caller, tenant: TenantRef, change: dict[str, Any]) -> None:
    make_link(api)
    with tenant_scope(tenant.id), pytest.raises(DatabaseError), transaction.atomic():
        Visit.objects.update(**change)


def test_a_session_ends_with_the_key_that_made_its_link(visitor: Visitor, api: Caller, tenant: TenantRef) -> None:
    path = make_link(api)
    with tenant_scope(tenant.id):
        ApiKey.objects.update(revoked_at=timezone.now())
    assert visitor.get("/memory/").status_code == 401
    assert Client().get(path).status_code == 410


def test_a_session_ends_with_its_user(visitor: Visitor, api: Caller) -> None:
    path = make_link(api)
    assert api.post("/v1/users/alice/erasure").status_code == 202
    assert visitor.get("/memory/").status_code == 401
    assert Client().get(path).status_code == 410


def test_a_link_allows_no_more_than_its_key(make_api: Callable[..., Caller]) -> None:
    narrow = make_api(Scope.READ, Scope.EPISODES_READ, Scope.STORE_READ, Scope.EXPORT)
    client = Client()
    client.get(make_link(narrow))
    assert client.get("/v1/me").json()["permissions"] == ["export", "read"]
    refused = narrow.post("/v1/users/alice/page-links", {"permissions": ["read", "erase"]})
    assert get_error(refused, 403, "missing_scope") == {"scope": "erase"}


@pytest.mark.parametrize(
    "url", ["https://evil.example/", "https://app.example.evil.example/", "javascript:alert(1)", "//evil.example", "x"]
)
def test_the_page_leads_back_to_sites_of_the_tenant_alone(api: Caller, tenant: TenantRef, url: str) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"page_origins": ["https://app.example"]})
    get_error(api.post("/v1/users/alice/page-links", {"return_url": url}), 400, "invalid_request")
    client = Client()
    client.get(make_link(api, return_url="https://app.example/chat?x=1"))
    token = client.get("/v1/me").json()["form_token"]
    assert client.post("/memory/leave", {"form_token": token})["Location"] == "https://app.example/chat?x=1"


def test_the_sites_of_the_tenant_alone_may_embed_the_page(visitor: Visitor, tenant: TenantRef) -> None:
    page = visitor.get("/memory/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    Tenant.objects.filter(id=tenant.id).update(settings={"page_origins": ["https://app.example"]})
    page = visitor.get("/memory/")
    policy = page["Content-Security-Policy"]
    assert "frame-ancestors https://app.example;" in policy + ";" and "unsafe" not in policy
    assert ("X-Frame-Options" in page, page["Cache-Control"], page["Referrer-Policy"]) == (
        False,
        "no-store",
        "no-referrer",
    )


def test_a_script_gets_a_bearer_for_a_link_and_needs_no_form_token(api: Caller) -> None:
    api.send("my size is M")
    url = api.post("/v1/users/alice/page-links").json()["url"]
    made = api.post("/v1/me/session", {"link": url}).json()
    mine = Caller(Client(headers={"Authorization": f"Bearer {made['token']}"}, raise_request_exception=False))
    fact = mine.get("/v1/me/facts").json()["results"][0]
    assert (fact["value"], fact["words"][0]["text"]) == ("M", "my size is M")
    assert mine.post(f"/v1/me/facts/{fact['id']}/confirm").status_code == 200
    get_error(api.post("/v1/me/session", {"link": url}), 410, "link_over")
    assert mine.delete("/v1/me/session").status_code == 204
    get_error(mine.get("/v1/me"), 401, "session_over")
