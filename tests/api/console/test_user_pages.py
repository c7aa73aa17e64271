"""A user's memory page: what it shows, what its buttons do, what is written down about both."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from memory.facts.reading import list_active_facts
from memory.models import Message
from memory.services.fact_inputs import FactInput
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.types import Fact, TenantRef, UserRef
from tests.api.console.conftest import MARKER, state_facts
from tests.cast import Chatter

pytestmark = pytest.mark.django_db


def get_size(user: UserRef) -> Fact:
    with tenant_scope(user.tenant_id):
        return next(fact for fact in list_active_facts(user=user) if fact.knowledge_type == "body_params")


def list_audited(tenant: TenantRef) -> list[tuple[str, list[UUID]]]:
    with tenant_scope(tenant.id):
        return list(AuditEvent.objects.filter(actor_type="staff").values_list("action", "object_ids"))


def test_facts_are_shown_opened_with_where_they_come_from(operator: Client, known: UserRef) -> None:
    page = operator.get(reverse("console:user_facts", args=[known.id])).content.decode()
    assert ">M</h3>" in page
    assert "confirmed_by_user" in page
    assert "written by onboarding" in page


def test_the_timeline_of_a_key_says_what_took_its_place(operator: Client, known: UserRef, alice: Chatter) -> None:
    state_facts(alice, FactInput("body_params", "S", "explicit"))
    page = operator.get(reverse("console:user_facts", args=[known.id])).content.decode()
    assert "2 versions" in page
    assert "replaced the previous version by explicit" in page


def test_a_retracted_fact_is_shown_as_closed(operator: Client, known: UserRef) -> None:
    operator.post(reverse("console:change_fact", args=[known.id, get_size(known).id, "retract"]))
    page = operator.get(reverse("console:user_facts", args=[known.id])).content.decode()
    assert "Inactive facts" in page
    assert "closed by retract" in page


def test_messages_are_shown_oldest_first(operator: Client, known: UserRef) -> None:
    page = operator.get(reverse("console:user_messages", args=[known.id])).content.decode()
    assert page.index(MARKER) < page.index("What size do you wear?")


def test_each_tab_that_is_opened_is_audited_with_the_users_id(
    operator: Client, known: UserRef, tenant: TenantRef
) -> None:
    for tab in ("facts", "messages", "actions", "corrections", "packs"):
        operator.get(reverse(f"console:user_{tab}", args=[known.id]))
    seen = dict(list_audited(tenant))
    assert {f"user.view_{tab}" for tab in ("facts", "messages", "actions", "corrections", "packs")} <= set(seen)
    assert seen["user.view_facts"] == [known.id]


def test_a_refused_look_is_not_audited_as_a_look(client: Client, known: UserRef, tenant: TenantRef) -> None:
    client.get(reverse("console:user_facts", args=[known.id]))
    assert list_audited(tenant) == []


@pytest.mark.parametrize(
    ("verb", "is_active", "is_disputed"), [("confirm", True, False), ("dispute", True, True), ("retract", False, False)]
)
def test_a_button_asks_first_and_then_does_it(
    operator: Client, known: UserRef, tenant: TenantRef, verb: str, is_active: bool, is_disputed: bool
) -> None:
    fact = get_size(known)
    url = reverse("console:change_fact", args=[known.id, fact.id, verb])
    assert operator.get(url).status_code == 200
    assert get_size(known) == fact
    assert operator.post(url, {"reason": "they said so"}).status_code == 302
    with tenant_scope(tenant.id):
        after = [one for one in list_active_facts(user=known) if one.id == fact.id]
    assert bool(after) == is_active
    assert bool(after and after[0].is_disputed) == is_disputed
    assert (f"fact.{verb}", [fact.id]) in list_audited(tenant)


def test_an_unknown_button_is_not_found(operator: Client, known: UserRef) -> None:
    url = reverse("console:change_fact", args=[known.id, get_size(known).id, "praise"])
    assert operator.post(url).status_code == 404


def test_a_button_for_another_users_fact_is_not_found(operator: Client, known: UserRef, bob: Chatter) -> None:
    bob.say("hello")
    url = reverse("console:change_fact", args=[bob.ref.id, get_size(known).id, "retract"])
    assert operator.post(url).status_code == 404
    assert get_size(known).is_active


def test_buttons_refuse_a_form_from_elsewhere(known: UserRef, operator: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    answer = strict.post(reverse("console:change_fact", args=[known.id, get_size(known).id, "retract"]))
    assert answer.status_code == 403
    assert get_size(known).is_active


def test_forgetting_takes_the_plan_that_was_shown_and_can_be_undone(
    operator: Client, known: UserRef, alice: Chatter, tenant: TenantRef
) -> None:
    message_id = alice.said[0].message_id
    url = reverse("console:forget_message", args=[known.id, message_id])
    plan_id = operator.get(url).context["plan_id"]
    operator.post(url, {"plan_id": str(plan_id)})
    page = operator.get(reverse("console:user_messages", args=[known.id])).content.decode()
    assert MARKER not in page
    assert "forgotten on" in page
    operator.post(reverse("console:restore_message", args=[known.id, message_id]))
    assert MARKER in operator.get(reverse("console:user_messages", args=[known.id])).content.decode()
    actions = [action for action, _ in list_audited(tenant)]
    assert "message.forget" in actions
    assert "message.restore" in actions


def test_the_list_of_messages_does_not_show_the_forgotten(operator: Client, known: UserRef, alice: Chatter) -> None:
    url = reverse("console:forget_message", args=[known.id, alice.said[0].message_id])
    operator.post(url, {"plan_id": str(operator.get(url).context["plan_id"])})
    listed = operator.get(reverse("admin:memory_message_changelist"), {"user_id": str(known.id)}).content.decode()
    assert MARKER not in listed
    assert "What size do you wear?" in listed


def test_lists_are_empty_until_a_user_is_chosen(operator: Client, known: UserRef) -> None:
    page = operator.get(reverse("admin:memory_message_changelist")).content.decode()
    assert MARKER not in page
    assert "Choose a user" in page


def test_the_list_of_facts_is_opened_for_its_page(operator: Client, known: UserRef) -> None:
    page = operator.get(reverse("admin:memory_factrow_changelist"), {"user_id": str(known.id)}).content.decode()
    assert "<b>M</b>" in page


def test_a_user_is_found_by_the_beginning_of_their_id(operator: Client, known: UserRef, bob: Chatter) -> None:
    bob.say("hello")
    page = operator.get(reverse("admin:memory_user_changelist"), {"q": "ali"}).content.decode()
    assert reverse("console:user_facts", args=[known.id]) in page
    assert reverse("console:user_facts", args=[bob.ref.id]) not in page


def test_a_user_who_is_being_erased_shows_nothing(operator: Client, known: UserRef, tenant: TenantRef) -> None:
    from django.utils import timezone

    from memory.models import User

    with tenant_scope(tenant.id):
        User.objects.filter(id=known.id).update(fenced_at=timezone.now())
    answer = operator.get(reverse("console:user_messages", args=[known.id]))
    assert answer.status_code == 410
    assert MARKER not in answer.content.decode()


def test_memory_cannot_be_changed_through_the_lists(operator: Client, known: UserRef, alice: Chatter) -> None:
    message_id = alice.said[0].message_id
    for name in ("message", "factrow", "action", "forgetbatch"):
        assert operator.get(reverse(f"admin:memory_{name}_add")).status_code == 403
    assert operator.post(reverse("admin:memory_message_delete", args=[message_id])).status_code in (302, 403)
    with tenant_scope(known.tenant_id):
        assert Message.objects.filter(user_id=known.id, id=message_id).exists()


def test_the_admins_own_history_keeps_ids_alone(client: Client, tenant: TenantRef) -> None:
    from tests.api.console.conftest import make_staff

    client.force_login(make_staff("root", is_superuser=True))
    made = client.post(
        reverse("admin:auth_user_add"),
        {
            "username": "someone-secret",
            "usable_password": "true",
            "password1": "Zq8-long-secret",
            "password2": "Zq8-long-secret",
        },
    )
    assert made.status_code == 302
    entry = LogEntry.objects.latest("id")
    assert entry.object_repr == entry.object_id
    assert "someone-secret" not in entry.change_message
