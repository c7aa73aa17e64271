"""Whatever somebody types behind the question mark of an address of the console, no page breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.api.console.test_wrong_ids import CONVERTER, list_all_routes
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

# As they stand in an address. The last but one is half of a pair of surrogates, as UTF-8 would have it.
ODD: Final = ("abc", "-1", "0", "", "9" * 30, "1e400", "a%00b", quote("'; --"), "%FF%FE", "%ED%A0%80", "x" * 3_000)
# Names that pages of ours ask for. Of lists of the admin come the filters and what all of them know.
ASKED: Final = (
    "after", "all", "batch", "before", "before_seq", "conversation", "conversation_id", "copy", "day", "days", "fact",
    "fact_id", "item", "kind", "language", "message", "message_id", "page", "person", "q", "query", "reason", "rule",
    "scope", "source", "state", "type", "user_id", "verb", "version",
)  # fmt: skip
TYPED: Final = (
    "aliases", "canonical", "category", "count", "daily_tokens", "judged", "legal_profile", "messages", "milliseconds",
    "model_windows", "name", "negative", "note", "pattern", "percent", "positive", "reviewers_per_item", "slug", "tenant",
    "text", "token", "turn", "value", "verdict", "when", "action",
)  # fmt: skip
LISTS: Final = ("o", "p", "q", "all", "e", "_popup", "_to_field", "_facets", "_changelist_filters")
ALONE: Final = ("a%00b", "9" * 30, "abc", "-1", "1,2")
ENDS_A_SESSION: Final = ("admin/logout/", "admin/jsi18n/")


@pytest.fixture
def root(tenant: TenantRef, alice: Chatter) -> Client:
    """The browser of one who may see everything, in a tenant with somebody who has said something."""
    alice.say("my size is M")
    alice.hear("Noted.")
    client = Client(raise_request_exception=False)
    client.force_login(make_staff("root", is_superuser=True))
    client.post(reverse("console:switch_tenant"), {"tenant": str(tenant.id)})
    return client


def list_pages(person: Chatter) -> Iterator[str]:
    """Every page that needs no id, and those of one user."""
    for route in list_all_routes():
        is_of_users = {match[1] for match in CONVERTER.findall(route)} <= {"user_id"}
        if is_of_users and not route.endswith("/add/") and route not in ENDS_A_SESSION:
            yield "/" + CONVERTER.sub(str(person.ref.id), route)


def list_broken(browser: Client, addresses: Iterator[str]) -> list[tuple[str, int]]:
    answers = ((address, browser.get(address).status_code) for address in addresses)
    return [(address[:200], status) for address, status in answers if status >= 500]


def test_no_page_breaks_at_odd_values_of_all_that_it_may_be_asked(root: Client, alice: Chatter) -> None:
    queries = ["&".join(f"{name}={value}" for name in ASKED) for value in ODD]
    repeated = "&".join(f"{name}={value}" for name in ASKED for value in ("1", "abc", "-1"))
    pages = list(list_pages(alice))
    assert len(pages) > 40
    assert list_broken(root, (f"{page}?{query}" for page in pages for query in [*queries, repeated])) == []


def test_no_form_breaks_at_odd_values(root: Client, alice: Chatter) -> None:
    broken = []
    for page in list_pages(alice):
        for value in ("a%00b", "9" * 5_000, quote("²"), "%ED%A0%80"):
            body = "&".join(f"{name}={value}" for name in (*ASKED, *TYPED))
            if root.post(page, body, content_type="application/x-www-form-urlencoded").status_code >= 500:
                broken.append((page, value[:9]))
    assert broken == []


def test_no_list_breaks_at_an_odd_value_of_one_of_its_filters(root: Client, alice: Chatter) -> None:
    def list_addresses() -> Iterator[str]:
        for model, page in admin.site._registry.items():
            address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            filters = [one for one in page.list_filter if isinstance(one, str)]
            lookups = [f"{name}{end}" for name in filters for end in ("__exact", "__in", "__isnull", "__no_such")]
            for name in (*LISTS, *lookups, "id__exact", "tenant_id", "no_such_field"):
                for value in ALONE:
                    yield f"{address}?user_id={alice.ref.id}&{name}={value}"

    assert list_broken(root, list_addresses()) == []
