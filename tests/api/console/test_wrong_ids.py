"""An address of the console that names nothing answers 404, whoever asks and however odd the name is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from memory.tenants.models import Tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.staff import grant_role
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff

pytestmark = pytest.mark.django_db

CONVERTER: Final = re.compile(r"<(?:(\w+):)?(\w+)>")
ODD: Final = (
    "0",
    "-1",
    "9" * 30,
    "x" * 3_000,
    "a%00b",
    "%ED%A0%80",  # half of a pair, as UTF-8
    "%FF%FE",
    "_00",  # a NUL as the admin quotes it
    "_ud800",
    "%F0%9F%98%80",
    "'; --",
    "..%2f..%2fetc",
)


def list_routes() -> list[str]:
    """Every pattern under /admin/ that takes something from its address."""
    return [route for route in list_all_routes() if "<" in route]


def list_all_routes() -> list[str]:
    """Every pattern under /admin/."""
    return sorted(set(_walk(get_resolver().url_patterns, "")))


def _walk(patterns: Sequence[Any], before: str) -> Iterator[str]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, route)
        elif isinstance(one, URLPattern) and route.startswith("admin/") and "(?P" not in route:
            yield route


def fill(route: str, value: str) -> str:
    return "/" + CONVERTER.sub(value.replace("\\", ""), route)


@pytest.fixture(params=Role)
def browser(request: pytest.FixtureRequest, tenant: TenantRef) -> Client:
    """A browser of each role in turn."""
    return log_in_as(tenant, request.param)


def log_in_as(tenant: TenantRef, *roles: Role) -> Client:
    """A browser of one who has these roles in the tenant, and no other."""
    user, owner = make_staff(f"visitor-{'-'.join(roles)}"), Tenant.objects.get(id=tenant.id)
    for role in roles:
        grant_role(user=user, role=role, tenant=owner, actor=SYSTEM, now=timezone.now())
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


@pytest.fixture
def root(tenant: TenantRef) -> Client:
    """The browser of one who may see everything."""
    client = Client(raise_request_exception=False)
    client.force_login(make_staff("root", is_superuser=True))
    return client


def test_the_walk_meets_the_pages_of_every_kind() -> None:
    routes = " ".join(list_routes())
    for part in ("memory/user/<path:object_id>/", "patterns/rule/<uuid:rule_id>/", "auth/user/<id>/password/"):
        assert part in routes
    assert len(list_routes()) > 100


@pytest.mark.parametrize("value", ["not-an-id", str(uuid4())], ids=["no-id", "nobodys-id"])
def test_an_id_that_is_none_or_nobodys_is_not_found(browser: Client, value: str) -> None:
    assert list_answers(browser, value, "get") == {}


@pytest.mark.parametrize("value", ["not-an-id", str(uuid4())], ids=["no-id", "nobodys-id"])
def test_a_form_sent_to_such_an_address_is_not_found_either(root: Client, value: str) -> None:
    assert list_answers(root, value, "post") == {}


@pytest.mark.parametrize("value", ODD, ids=lambda value: value[:12])
def test_a_name_that_no_row_could_have_is_not_found(root: Client, value: str) -> None:
    open_to_any = [route for route in list_routes() if "<uuid:" not in route]
    assert len(open_to_any) > 50
    assert list_answers(root, value, "get", open_to_any) == {}


def list_answers(browser: Client, value: str, method: str, routes: Sequence[str] | None = None) -> dict[str, int]:
    """What else than "not found" or "not yours" the addresses of the console answer to a name."""
    answers = {}
    for route in list_routes() if routes is None else routes:
        answer = ask(browser, method, route, fill(route, value))
        if not is_refused(route, answer):
            answers[route] = answer.status_code
    return answers


def ask(browser: Client, method: str, route: str, address: str, fields: Mapping[str, str] | None = None) -> Any:
    """What an address answers in the end."""
    return getattr(browser, method)(address, fields, follow=not is_short(route))


def is_refused(route: str, answer: Any) -> bool:
    """Whether an answer is "not found" or "not yours", or sends to the page of a row, by which the walk comes anyway."""
    is_sent_on = is_short(route) and answer.status_code == 302 and answer.url.endswith("/change/")
    return is_sent_on or answer.status_code in (403, 404, 405)


def is_short(route: str) -> bool:
    """Whether it is the short address of a row in the admin, which leads to that of its page."""
    return route.endswith("/<path:object_id>/") and not route.startswith("admin/r/")


def test_the_page_that_a_short_address_leads_to_is_one_of_the_walk() -> None:
    routes = list_routes()
    short = [route for route in routes if is_short(route)]
    assert len(short) > 20
    assert [route for route in short if f"{route}change/" not in routes] == []


@pytest.mark.parametrize("verb", ["accept", "dismiss"])
def test_a_candidate_of_nobody_is_not_found(root: Client, verb: str) -> None:
    address = f"/admin/review/candidates/{uuid4()}/{uuid4()}/{verb}/"
    assert root.post(address).status_code == 404
