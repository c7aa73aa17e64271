"""Hashes in receipts confirm no guess: they are under the user's key, and go with a part of what they may speak of."""

import hashlib
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.ids import new_id
from memory.sealing.keystore import get_key_store
from memory.sealing.text_hashes import hash_text
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from retrieval.models import RetrievalReceipt
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out, learn
from tests.db.retrieval.conftest import build_pack, search

ASKED = "where are my pearls from?"


def get_only_receipt(person: Chatter) -> RetrievalReceipt:
    """The one receipt of this person."""
    with tenant_scope(person.tenant.id):
        return RetrievalReceipt.objects.get(user_id=person.ref.id)


def test_a_hash_of_a_rendering_is_not_the_one_that_anybody_can_make(alice: Chatter):
    alice.say("My pearls are from Bahrain", conversation_id="old")
    pack = build_pack(alice, ASKED)
    receipt = get_only_receipt(alice)
    guessed = json.dumps(list(pack.rendered), ensure_ascii=False, sort_keys=True).encode()
    assert receipt.rendering_hash is not None and receipt.query_hash is not None
    assert bytes(receipt.rendering_hash) != hashlib.sha256(guessed).digest()


def test_two_users_with_the_same_words_have_other_hashes(alice: Chatter, bob: Chatter):
    for person in (alice, bob):
        person.say("My pearls are from Bahrain", conversation_id="old")
        build_pack(person, ASKED)
    with tenant_scope(alice.tenant.id):
        hashes = RetrievalReceipt.objects.values_list("query_hash", "rendering_hash")
        assert len({bytes(each) for pair in hashes for each in pair}) == 4


@pytest.mark.parametrize("scope", ["messages", "conversation", "range"])
def test_a_part_erasure_takes_hashes_and_moods_of_receipts_up_to_it(scope: str, alice: Chatter):
    said = alice.say("My pearls are from Bahrain", conversation_id="old")
    build_pack(alice, ASKED, mood="sad")
    target = {
        "messages": {"message_ids": (said.message_id,)},
        "conversation": {"conversation_external_id": "old"},
        "range": {"said_from": timezone.now() - timedelta(days=2)},
    }[scope]
    done = carry_out(alice, ask(alice, scope=scope, **target))
    receipt = get_only_receipt(alice)
    assert done.status == "completed"
    assert (receipt.query_hash, receipt.rendering_hash, receipt.mood) == (None, None, "")
    assert done.counts["after"]["receipts"] == 0


def test_a_receipt_from_after_a_part_erasure_keeps_its_hashes(alice: Chatter):
    said = alice.say("My pearls are from Bahrain", conversation_id="old")
    carry_out(alice, ask(alice, scope="messages", message_ids=(said.message_id,)))
    build_pack(alice, ASKED, mood="sad")
    receipt = get_only_receipt(alice)
    assert receipt.query_hash and receipt.rendering_hash and receipt.mood == "sad"


@pytest.mark.parametrize("named", ["entities", "left_out_lines"])
def test_a_later_receipt_that_names_an_erased_message_loses_its_hashes(named: str, alice: Chatter):
    said = alice.say("My pearls are from Bahrain", conversation_id="old")
    build_pack(alice, ASKED)
    parts = {
        "entities": {"entity_kinds": ["name"], "entity_message_ids": [said.message_id], "entity_positions": [1]},
        "left_out_lines": {"left_out_line_ids": [said.message_id]},
    }[named]
    nothing = (
        "chosen_ids",
        "chosen_scores",
        "decision_reasons",
        "context_positions",
        "candidate_ids",
        "candidate_scores",
        "recent_ids",
    )
    later = get_only_receipt(alice)
    later.id, later.created_at = new_id(), timezone.now() + timedelta(hours=1)
    for column, value in ({name: [] for name in nothing} | parts).items():
        setattr(later, column, value)
    with tenant_scope(alice.tenant.id):
        RetrievalReceipt.objects.bulk_create([later])
    carry_out(alice, ask(alice, scope="messages", message_ids=(said.message_id,)))
    with tenant_scope(alice.tenant.id):
        assert RetrievalReceipt.objects.get(id=later.id).rendering_hash is None


def test_a_replay_says_when_it_cannot_compare(alice: Chatter):
    said = alice.say("My pearls are from Bahrain", conversation_id="old")
    pack = build_pack(alice, ASKED)
    carry_out(alice, ask(alice, scope="messages", message_ids=(said.message_id,)))
    out = StringIO()
    slug = Tenant.objects.get(id=alice.tenant.id).slug
    call_command("explain_pack", tenant=slug, receipt=pack.receipt_id, query=ASKED, stdout=out)
    assert "same rendering: can't be told" in out.getvalue()


def test_no_key_is_made_in_the_place_of_a_lost_one(alice: Chatter):
    said = alice.say("I wear XL", conversation_id="old")
    learn(alice, "XL", evidence=[said.message_id])
    store = get_key_store()
    store._entries.pop(alice.ref.id)
    store._store._get_path(alice.ref.id, ".key").unlink()
    search(alice, ASKED)
    assert store.get(alice.ref.id) is None
    assert get_only_receipt(alice).query_hash is None


def test_an_unknown_use_of_a_text_has_another_hash(alice: Chatter):
    alice.say("My pearls are from Bahrain")
    with tenant_scope(alice.tenant.id):
        assert hash_text(ASKED, use="one", user=alice.ref) != hash_text(ASKED, use="other", user=alice.ref)
    assert get_key_store().get(new_id()) is None
