"""The start page: what is going on, with and without anything going on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from memory.services.fact_inputs import FactInput
from memory.tenants.types import Role
from memory.types import UserRef
from tests.api.console.conftest import MARKER, state_facts
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def test_an_empty_tenant_is_told_how_to_post_a_message(operator: Client) -> None:
    page = operator.get("/admin/").content.decode()
    assert "No messages yet" in page
    assert "curl http://testserver/v1/messages" in page


def test_messages_of_today_are_counted_by_who_said_them(operator: Client, known: UserRef) -> None:
    context = operator.get("/admin/").context
    assert context["tiles"][0].today == 2
    assert context["tiles"][0].change == "+2"
    assert [part.count for part in context["message_bars"][-1].parts] == [1, 1]
    assert len(context["message_bars"]) == 14
    assert not context["is_first_run"]


def test_facts_are_counted_by_type(operator: Client, known: UserRef, alice: Chatter) -> None:
    state_facts(alice, FactInput("allergy", "nickel", "explicit"), FactInput("allergy", "latex", "explicit"))
    bars = {bar.label: bar.total for bar in operator.get("/admin/").context["fact_bars"]}
    assert bars == {"allergy": 2, "body params": 1}


def test_queues_say_how_much_waits_and_since_when(operator: Client, known: UserRef) -> None:
    queues = {queue.name: queue for queue in operator.get("/admin/").context["queues"]}
    assert queues["Messages waiting for extraction"].waiting == 2
    assert queues["Messages waiting for extraction"].since is not None
    assert queues["Erasures in progress"].waiting == 0


def test_extraction_without_a_model_is_said_to_be_off(operator: Client, settings: object) -> None:
    settings.UNDE_LLM_URL = settings.UNDE_LLM_MODEL = ""  # type: ignore[attr-defined]
    assert "Extraction is off" in operator.get("/admin/").content.decode()


def test_another_tenants_messages_are_not_counted(operator: Client, other_tenant: object) -> None:
    Chatter(other_tenant, "alice").say("hello")  # type: ignore[arg-type]
    assert operator.get("/admin/").context["tiles"][0].today == 0


def test_a_look_is_no_change(operator: Client, known: UserRef) -> None:
    for path in ("projects/", f"memory/user/{known.id}/"):
        assert operator.get(f"/admin/{path}", follow=True).status_code == 200
    assert {event.action for event in operator.get("/admin/").context["events"]} == {"staff.grant_role"}


def test_a_list_without_rows_says_whether_a_filter_is_why(operator: Client) -> None:
    url = "/admin/imports/importrun/"
    page = operator.get(url).content.decode()
    assert "Nothing here yet" in page
    assert "Show all rows" not in page
    assert "Show all rows" in operator.get(url, {"status__exact": "failed"}).content.decode()


def test_the_box_of_the_sidebar_finds_the_pages_that_one_may_open(log_in: Callable[[Role], Client]) -> None:
    reviewer, operator = log_in(Role.REVIEWER), log_in(Role.OPERATOR)
    assert 'href="/admin/review/queue/"' in reviewer.get("/admin/search/", {"s": "Queue"}).content.decode()
    assert 'href="/admin/settings/"' in operator.get("/admin/search/", {"s": "settings"}).content.decode()
    assert reviewer.get("/admin/search/", {"s": "settings"}).content.decode().strip() == ""
    assert "Find a page" in reviewer.get("/admin/").content.decode()


def test_no_users_words_are_on_the_start_page(operator: Client, known: UserRef) -> None:
    assert MARKER not in operator.get("/admin/").content.decode()
