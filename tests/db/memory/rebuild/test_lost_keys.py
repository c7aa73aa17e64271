"""A lost key store loses what was sealed, and the messages teach again what they taught (D-15)."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.facts.reading import list_facts
from memory.models import FactRow
from memory.rebuild.lost_keys import list_users_with_lost_key
from memory.rebuild.running import compare_user
from memory.sealing import keystore
from memory.sealing.errors import UserKeyLost
from memory.services.fact_inputs import FactInput
from memory.services.facts import FactAct, put_facts, retract_fact
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import Fact, UserRef
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_places(settings: Any, tmp_path: Path) -> None:
    """A key store and a journal of this test's own: it loses the one and keeps the other."""
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    settings.UNDE_TOMBSTONE_DIR = tmp_path / "tombstones"


def lose_keys(settings: Any) -> None:
    """An empty key store, and no process that remembers the old one."""
    settings.UNDE_KEY_DIR = settings.UNDE_KEY_DIR.with_name("empty")
    keystore._build_key_store.cache_clear()


def list_all(person: Chatter) -> dict[tuple[str, str], Fact]:
    with tenant_scope(person.tenant.id):
        found = list_facts(user=person.ref, include_inactive=True, now=timezone.now(), limit=100)
    return {fact.slot: fact for fact in found}


def rebuild_with_lost_keys(person: Chatter) -> str:
    said = StringIO()
    slug = Tenant.objects.get(id=person.tenant.id).slug
    call_command("rebuild", tenant=slug, lost_keys=True, stdout=said, stderr=said)
    return said.getvalue()


def test_without_its_key_nothing_opens_and_no_new_key_is_made(alice: Chatter, settings: Any) -> None:
    alice.say("my size is M")
    lose_keys(settings)
    with pytest.raises(UserKeyLost):
        list_all(alice)
    assert list_users_with_lost_key() == [UserRef(id=alice.ref.id, tenant_id=alice.tenant.id)]
    assert not list(settings.UNDE_KEY_DIR.rglob("*"))


def test_facts_come_back_from_messages_under_their_old_ids_and_what_was_retracted_stays_so(
    alice: Chatter, settings: Any
) -> None:
    alice.say("my size is M")
    alice.say("I'm allergic to nickel and wool")
    put_facts(
        tenant=alice.tenant,
        user_external_id=alice.name,
        facts=[FactInput(knowledge_type="budget", value=300, source="onboarding")],
        actor="key:test",
        now=timezone.now(),
    )
    before = list_all(alice)
    wool = before["allergy", "wool"]
    retract_fact(FactAct(user=alice.ref, fact_id=wool.id, actor="key:test", now=timezone.now(), reason="no"))
    lose_keys(settings)

    assert "4 facts could not be opened" in rebuild_with_lost_keys(alice)
    after = list_all(alice)
    assert set(after) == set(before) - {("budget", "general")}  # a form's words were sealed, no message says them
    assert {slot: fact.id for slot, fact in after.items()} == {slot: before[slot].id for slot in after}
    assert {slot for slot, fact in after.items() if not fact.is_active} == {("allergy", "wool")}
    assert not list_users_with_lost_key()
    assert compare_user(tenant=alice.tenant, user=alice.ref).has_drift is False
    assert alice.say("now my size is L").changes[0].superseded_id == after["body_params", "size"].id


def test_the_restore_check_counts_users_whose_key_is_lost_and_not_those_who_were_erased(
    alice: Chatter, charlie: Chatter, settings: Any
) -> None:
    alice.say("my size is M")
    charlie.say("my size is L")
    carry_out(charlie, ask(charlie))
    lose_keys(settings)
    out = StringIO()
    call_command("restore_check", journal=settings.UNDE_TOMBSTONE_DIR, stdout=out)
    assert "1 users have facts that no key decrypts" in out.getvalue()


def test_with_the_keys_there_nothing_is_lost(alice: Chatter) -> None:
    alice.say("my size is M")
    before = list_all(alice)
    assert "could not be opened" not in rebuild_with_lost_keys(alice)
    assert list_all(alice) == before


def test_without_the_flag_a_user_whose_key_is_lost_is_skipped_and_named(alice: Chatter, settings: Any) -> None:
    alice.say("my size is M")
    lose_keys(settings)
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    said = StringIO()
    with pytest.raises(CommandError, match="1 users were skipped"):
        call_command("rebuild", tenant=slug, stdout=said, stderr=said)
    assert "skipped (user_key_lost)" in said.getvalue()
    with tenant_scope(alice.tenant.id):
        assert FactRow.objects.filter(user_id=alice.ref.id).count() == 1
