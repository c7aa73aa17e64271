"""The review pages at work: any past item, filters in the address, batches by key, remarks, items for people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corrections.models import ReviewItem
from corrections.review.sampling import sample_recent
from memory.services.forgets import forget_messages
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.api.console.conftest import make_staff
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

LogIn = Callable[[Role], Client]
QUEUE = "console:review"


@pytest.fixture
def reviewer(log_in: LogIn) -> Client:
    return log_in(Role.REVIEWER)


@pytest.fixture
def spoken(alice: Chatter) -> Chatter:
    """Alice, with three facts in two languages that wait for reviewers, and a message in which nothing was found."""
    for text in ("I'm allergic to nickel", "у меня аллергия на шерсть", "My size is M", "good morning to you"):
        alice.say(text)
    now = timezone.now()
    sample_recent(tenant_id=alice.tenant.id, source="instant", count=9, since=now - timedelta(days=1), now=now)
    return alice


def send(client: Client, name: str, query: str = "", **values: Any) -> Any:
    return client.post(reverse(f"console:{name}") + query, values, headers={"HX-Request": "true"}).context


def judge(client: Client, card: Any, verdict: str, query: str = "", **more: Any) -> Any:
    values = {"item": card.item.id, "verdict": verdict, "token": card.token, "milliseconds": 900, **more}
    return send(client, "review_verdict", query, **values)


def show(client: Client, query: str = "") -> Any:
    return client.get(reverse(QUEUE) + query).context


def count_actions(tenant: TenantRef, action: str) -> int:
    with tenant_scope(tenant.id):
        return AuditEvent.objects.filter(tenant_id=tenant.id, action=action).count()


def test_a_filter_stays_from_item_to_item_and_ends_with_what_it_names(reviewer: Client, spoken: Chatter) -> None:
    page = reviewer.get(reverse(QUEUE) + "?language=ru").content.decode()
    assert "аллергия на шерсть" in page
    assert f'{reverse("console:review_verdict")}?language=ru"' in page
    context = judge(reviewer, show(reviewer, "?language=ru")["card"], "correct", "?language=ru")
    assert (context["card"], context["counts"].waiting, context["is_filtered"]) == (None, 0, True)
    assert show(reviewer)["card"].item.language == "en"


@pytest.mark.parametrize("query", ["?language=%00", "?source=nonsense", "?batch=9999", "?rule=" + "x" * 500])
def test_a_filter_without_form_breaks_nothing(reviewer: Client, spoken: Chatter, query: str) -> None:
    assert reviewer.get(reverse(QUEUE) + query).status_code == 200
    assert reviewer.get(reverse("console:review_items") + query).status_code == 200


def test_the_next_batch_comes_without_leaving_the_page(reviewer: Client, alice: Chatter) -> None:
    alice.say("good morning to you")
    empty = send(reviewer, "review_samples", source="instant")
    assert (empty["card"], "No instant facts" in empty["notice"]) == (None, True)
    context = send(reviewer, "review_samples", "?batch=50", source="message")
    assert context["card"].is_message
    assert [name for _, name, _, _ in context["verdicts"]] == ["correct", "missed_fact"]
    assert context["query"] == "?batch=50"
    assert "must be one of" in send(reviewer, "review_samples", source="gossip")["notice"]


def test_a_past_item_is_opened_with_its_verdicts_and_notes_and_judged_again(
    reviewer: Client, spoken: Chatter, tenant: TenantRef
) -> None:
    card = show(reviewer, "?knowledge_type=body_params")["card"]
    judge(reviewer, card, "false_fact", note="of a dress that she returned", value="L")
    assert ("body_params", "size") not in spoken.list_facts()
    listed = reviewer.get(reverse("console:review_items") + "?state=decided").content.decode()
    url = reverse("console:review_item", args=[card.item.id])
    assert url in listed
    assert ">note<" in listed
    assert "returned" not in listed
    page = reviewer.get(url).content.decode()
    assert "of a dress that she returned" in page
    assert "Judge again" in page
    again = send(reviewer, "review_reopen", item=card.item.id)["card"]
    assert (again.item.id, again.is_decided) == (card.item.id, False)
    assert spoken.list_facts()[("body_params", "size")] == "M"
    assert count_actions(tenant, "review.reopen") == 1
    assert count_actions(tenant, "review.view_item") >= 3


def test_an_item_whose_message_was_forgotten_is_not_shown_any_more(reviewer: Client, alice: Chatter) -> None:
    said = alice.say("I'm allergic to nickel")
    now = timezone.now()
    sample_recent(tenant_id=alice.tenant.id, source="instant", count=9, since=now - timedelta(days=1), now=now)
    card = show(reviewer)["card"]
    judge(reviewer, card, "correct")
    forget_messages(user=alice.ref, message_ids=[said.message_id], actor="key:test", now=timezone.now())
    assert reviewer.get(reverse("console:review_item", args=[card.item.id])).status_code == 404
    assert reviewer.get(reverse("console:review_item", args=[UUID(int=1)])).status_code == 404
    assert "forgotten" in send(reviewer, "review_reopen", item=card.item.id)["notice"]


def test_a_refused_verdict_keeps_what_was_typed(reviewer: Client, spoken: Chatter) -> None:
    card = show(reviewer)["card"]
    context = judge(reviewer, card, "correct", value="L", note="hm")
    assert context["card"].item.id == card.item.id
    assert (context["remark"].value, context["remark"].note) == ("L", "hm")
    assert "needs no other value" in context["notice"]


def test_the_right_value_is_what_the_golden_case_begins_with(reviewer: Client, spoken: Chatter) -> None:
    card = show(reviewer, "?knowledge_type=body_params")["card"]
    judge(reviewer, card, "false_fact", value="38")
    page = reviewer.get(reverse("console:item_case", args=[card.item.user_id, card.item.id])).content.decode()
    assert "body_params/size = 38" in page


def test_a_missed_fact_becomes_a_golden_case_of_what_was_missed(reviewer: Client, alice: Chatter) -> None:
    alice.say("my skin and cashmere are no friends")
    card = send(reviewer, "review_samples", source="message")["card"]
    judge(reviewer, card, "missed_fact", value="Cashmere", type="allergy")
    page = reviewer.get(reverse("console:item_case", args=[card.item.user_id, card.item.id])).content.decode()
    assert "allergy/cashmere = cashmere" in page
    numbers = reviewer.get(reverse("console:review_numbers"))
    assert [(one.value, one.wrong) for one in numbers.context["missed"]] == [("all", 1), ("en", 1)]
    assert "Missed facts" in numbers.content.decode()


def test_items_are_assigned_by_key_and_by_the_list(reviewer: Client, spoken: Chatter, log_in: LogIn) -> None:
    tenant = spoken.tenant
    fatima = make_staff(f"fatima-{tenant.id.hex[-8:]}", tenant=tenant, role=Role.REVIEWER)
    card = show(reviewer, "?language=en")["card"]
    context = send(reviewer, "review_assign", "?language=en", item=card.item.id, person=f"staff:{fatima.pk}")
    assert context["card"].item.id != card.item.id
    assert fatima.username in reviewer.get(reverse("console:review_items")).content.decode()
    url = reverse("console:assign_items")
    assert reviewer.post(url + "?language=ru", {"person": f"staff:{fatima.pk}", "count": "20"}).status_code == 302
    with tenant_scope(tenant.id):
        theirs = ReviewItem.objects.filter(assigned_to=f"staff:{fatima.pk}")
        assert theirs.count() == 2
    listed = reviewer.get(reverse("console:review_items") + f"?person=staff:{fatima.pk}").content.decode()
    assert listed.count('data-item="') == 2
    assert log_in(Role.AUDITOR).post(url, {"person": "", "count": "20"}).status_code == 403
    assert (
        "reviewer of this tenant"
        in reviewer.post(url, {"person": "staff:0", "count": "20"}, follow=True).content.decode()
    )


def test_only_reviewers_open_past_items(log_in: LogIn, spoken: Chatter) -> None:
    with tenant_scope(spoken.tenant.id):
        item = ReviewItem.objects.filter(tenant_id=spoken.tenant.id).first()
    assert item is not None
    for role in (Role.OPERATOR, Role.AUDITOR, Role.PATTERN_EDITOR):
        assert log_in(role).get(reverse("console:review_item", args=[item.id])).status_code == 403
