"""Asking for an erasure: what is gone at once, what is refused, and what the same request again answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.errors import InvalidRequest, NotFound, UserErased
from memory.fence.tombstones import ErasedPeriod
from memory.models import ErasureRequest, Message, User
from memory.selectors.users import UserNotFound, find_user
from memory.services.fact_inputs import FactInput
from memory.services.facts import put_facts
from memory.tenants.scope import tenant_scope
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask

pytestmark = pytest.mark.django_db


def test_a_whole_user_is_invisible_from_the_request_on(charlie: Chatter) -> None:
    charlie.say("my size is M")
    erasure = ask(charlie)
    assert erasure.status == "queued"
    assert [event.status for event in erasure.history] == ["requested", "verified", "tombstoned", "queued"]
    with tenant_scope(charlie.tenant.id):
        assert find_user(tenant_id=charlie.tenant.id, external_id=charlie.name) is None


def test_nothing_is_written_for_a_user_behind_the_fence(charlie: Chatter) -> None:
    charlie.say("my size is M")
    ask(charlie)
    with pytest.raises(UserErased):
        charlie.say("hello again", created_at=timezone.now())
    with pytest.raises(UserErased):
        put_facts(
            tenant=charlie.tenant,
            user_external_id=charlie.name,
            facts=[FactInput(knowledge_type="allergy", value="nickel", source="explicit")],
            actor="key:test",
            now=timezone.now(),
        )
    with tenant_scope(charlie.tenant.id):
        assert Message.objects.count() == 1


def test_the_same_request_again_answers_the_same_erasure(charlie: Chatter) -> None:
    charlie.say("hello")
    assert ask(charlie).id == ask(charlie).id
    with tenant_scope(charlie.tenant.id):
        assert ErasureRequest.objects.count() == 1


def test_a_part_of_a_user_behind_the_fence_is_not_taken_on(charlie: Chatter) -> None:
    charlie.say("hello")
    ask(charlie)
    with pytest.raises(UserErased):
        ask(charlie, scope="conversation", conversation_external_id="chat")


def test_a_user_who_never_was_cannot_be_erased(charlie: Chatter) -> None:
    with pytest.raises(UserNotFound):
        ask(charlie)


def test_another_tenant_cannot_erase_the_user(charlie: Chatter, other_tenant: Any) -> None:
    charlie.say("hello")
    with pytest.raises(UserNotFound):
        ask(Chatter(other_tenant, charlie.name))


def test_a_conversation_is_invisible_at_once_and_the_others_stay(alice: Chatter) -> None:
    alice.say("a secret", conversation_id="private")
    alice.say("hello", conversation_id="public")
    ask(alice, scope="conversation", conversation_external_id="private")
    with tenant_scope(alice.tenant.id):
        visible = Message.objects.filter(forgotten_at=None).values_list("content", flat=True)
        assert list(visible) == ["hello"]


def test_an_erased_conversation_cannot_be_imported_again_and_goes_on_with_new_words(alice: Chatter) -> None:
    alice.say("a secret", conversation_id="private")
    ask(alice, scope="conversation", conversation_external_id="private")
    with pytest.raises(ErasedPeriod) as refused:
        alice.say("a secret", conversation_id="private")
    assert refused.value.fields == {"conversation_id": "is within an erased period"}
    assert alice.say("a new start", conversation_id="private", created_at=timezone.now()).is_new
    assert alice.say("hello", conversation_id="public").is_new


def test_an_erased_message_is_refused_under_its_own_id_alone(alice: Chatter) -> None:
    said = alice.say("a secret", client_id="m-1")
    ask(alice, scope="messages", message_ids=(said.message_id,))
    with pytest.raises(ErasedPeriod):
        alice.say("a secret", client_id="m-1")
    assert alice.say("another", client_id="m-2").is_new


def test_an_erased_range_takes_nothing_in_and_its_neighbours_do(alice: Chatter) -> None:
    start = timezone.now() - timedelta(days=10)
    alice.say("before", created_at=start - timedelta(hours=1))
    alice.say("within", created_at=start + timedelta(hours=1))
    ask(alice, scope="range", said_from=start, said_to=start + timedelta(days=1))
    with pytest.raises(ErasedPeriod):
        alice.say("within", created_at=start + timedelta(hours=2))
    assert alice.say("on the edge", created_at=start + timedelta(days=1)).is_new
    with tenant_scope(alice.tenant.id):
        visible = Message.objects.filter(forgotten_at=None).order_by("created_at").values_list("content", flat=True)
        assert list(visible) == ["before", "on the edge"]


def test_in_a_batch_only_the_erased_item_is_refused(alice: Chatter) -> None:
    from memory.services.drafts import make_draft
    from memory.storing.messages import store_messages

    alice.say("a secret", conversation_id="private")
    ask(alice, scope="conversation", conversation_external_id="private")
    drafts = [
        make_draft(
            user_id=alice.name,
            conversation_id=name,
            role="user",
            content="hello",
            now=timezone.now(),
            created_at=alice.clock,
        )
        for name in ("private", "public")
    ]
    refused, stored = store_messages(tenant=alice.tenant, drafts=drafts, actor="key:test", now=timezone.now())
    assert isinstance(refused, ErasedPeriod)
    assert getattr(stored, "is_new", False)


def test_unknown_messages_and_conversations_are_said_to_be_unknown(alice: Chatter, bob: Chatter) -> None:
    alice.say("hello")
    of_bob = bob.say("hello").message_id
    with pytest.raises(NotFound):
        ask(alice, scope="messages", message_ids=(of_bob,))
    with pytest.raises(NotFound):
        ask(alice, scope="conversation", conversation_external_id="nowhere")


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ({"scope": "everything"}, "scope"),
        ({"scope": "all", "conversation_external_id": "chat"}, "conversation_id"),
        ({"scope": "conversation"}, "conversation_id"),
        ({"scope": "messages"}, "message_ids"),
        ({"scope": "range"}, "from"),
    ],
)
def test_a_scope_says_exactly_what_it_covers(alice: Chatter, target: dict[str, Any], field: str) -> None:
    alice.say("hello")
    with pytest.raises(InvalidRequest) as refused:
        ask(alice, **target)
    assert set(refused.value.fields) == {field}


def test_a_reason_in_words_is_refused(alice: Chatter) -> None:
    alice.say("hello")
    with pytest.raises(InvalidRequest) as refused:
        request_erasure(
            tenant=alice.tenant,
            user_external_id=alice.name,
            target=ErasureTarget(),
            reason="She asked me on the phone",
            actor="key:test",
            now=timezone.now(),
        )
    assert set(refused.value.fields) == {"reason"}


def test_a_user_without_tombstones_pays_for_none(alice: Chatter, django_assert_num_queries: Any) -> None:
    from memory.fence.user_lock import enter_user

    alice.say("hello")
    with tenant_scope(alice.tenant.id), django_assert_num_queries(1):
        enter_user(tenant_id=alice.tenant.id, external_id=alice.name, now=timezone.now())


def test_a_fence_hides_no_other_user(alice: Chatter, bob: Chatter) -> None:
    alice.say("hello")
    bob.say("hello")
    ask(alice)
    assert bob.say("still here").is_new
    with tenant_scope(bob.tenant.id):
        assert User.objects.get(external_id="bob").fenced_at is None


@pytest.mark.parametrize(("profile", "days"), [("calendar_30", 30), ("calendar_45", 45)])
def test_the_deadline_is_that_of_the_tenants_legal_profile(alice: Chatter, profile: str, days: int) -> None:
    from memory.tenants.models import Tenant
    from memory.tenants.services.audit import SYSTEM
    from memory.tenants.services.tenants import change_settings
    from memory.tenants.types import TenantSettings

    change_settings(
        tenant=Tenant.objects.get(id=alice.tenant.id),
        settings=TenantSettings(legal_profile=profile),
        actor=SYSTEM,
        now=timezone.now(),
    )
    alice.say("hello")
    left = (
        ask(alice).deadline_at.astimezone(alice.tenant.zone).date()
        - timezone.now().astimezone(alice.tenant.zone).date()
    )
    assert left == timedelta(days=days + 1)  # the end of the last day is the beginning of the next


def test_an_erasure_is_in_the_audit_trail_with_ids_alone(alice: Chatter) -> None:
    from memory.tenants.models import AuditEvent

    alice.say("hello")
    erasure = ask(alice)
    with tenant_scope(alice.tenant.id):
        event = AuditEvent.objects.get(action="erasure.request")
    assert event.object_ids == [erasure.id, erasure.user_id]
    assert (event.actor_type, event.actor_id) == ("api_key", "test")
