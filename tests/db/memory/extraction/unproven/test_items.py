"""Adaptive items from the conversation to the pack, for tenants that want them alone (SPEC X-7); unverified candidates
in every pack (D-25)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.errors import NotFound
from memory.extraction.tasks import expire_candidates
from memory.extraction.unproven.candidates import dismiss_candidate
from memory.extraction.unproven.items import dismiss_item, list_held_items
from memory.models import AdaptiveItem, ExtractionRun
from memory.services.exports import export_user
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from retrieval.models import RetrievalReceipt
from retrieval.types import ContextPack
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.memory.extraction.conftest import extract
from tests.db.retrieval.conftest import build_pack
from tests.scripted_model import ScriptedModel, propose, read_material

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

MakeModel = Callable[..., ScriptedModel]
CUTS = propose(knowledge_type="preference", knowledge_key="style", value="minimalist cuts")
TITANIUM = propose(knowledge_key="titanium", value="titanium")


def set_policy(person: Chatter, *, is_on: bool) -> None:
    with tenant_scope(person.tenant.id):
        Tenant.objects.filter(id=person.tenant.id).update(settings={"is_adaptive_policy_on": True} if is_on else {})


@pytest.fixture
def minimalist(alice: Chatter, scripted_model: MakeModel) -> Chatter:
    """Alice, of a tenant with the policy on, has said what she likes."""
    set_policy(alice, is_on=True)
    alice.say("I love minimalist cuts", conversation_id="before")
    assert extract(alice, scripted_model({"operations": [CUTS]})).results == {"item_kept": 1}
    return alice


def get_system(pack: ContextPack) -> str:
    return str(pack.rendered[0]["content"])


def test_a_taste_is_shown_as_a_guess_with_its_words_and_is_no_fact(minimalist: Chatter) -> None:
    pack = build_pack(minimalist, "what should I look at today?")
    (item,) = pack.to_dict()["adaptive_items"]
    assert (item["value"], item["confidence"], item["provenance"]) == ("minimalist cuts", 0.5, "observation")
    assert item["raw_excerpt"] == "I love minimalist cuts"
    assert item["evidence_message_ids"] == [str(minimalist.said[0].message_id)]
    assert '<user_memory source="adaptive" type="preference"' in get_system(pack)
    assert 'tentative="true">minimalist cuts' in get_system(pack)
    assert "tentative" in [directive.name for directive in pack.directives]
    assert pack.facts == ()
    assert minimalist.list_facts() == {}
    with tenant_scope(minimalist.tenant.id):
        assert RetrievalReceipt.objects.get(id=pack.receipt_id).unproven_ids == [pack.adaptive_items[0].id]


def test_without_the_policy_nothing_is_asked_kept_or_shown(
    minimalist: Chatter, bob: Chatter, scripted_model: MakeModel
) -> None:
    set_policy(minimalist, is_on=False)
    assert build_pack(minimalist, "what should I look at today?").adaptive_items == ()
    bob.say("I love minimalist cuts")
    model = scripted_model({"operations": [CUTS]})
    assert extract(bob, model).results == {"rejected_type_not_guaranteed": 1}
    assert "current_items" not in read_material(model.requests[0])
    assert bob.read(list_held_items) == []


def test_the_run_names_the_prompt_of_the_policy_and_the_model_sees_the_items(
    minimalist: Chatter, scripted_model: MakeModel
) -> None:
    minimalist.say("hello again")
    model = scripted_model({"operations": []})
    extract(minimalist, model)
    assert read_material(model.requests[0])["current_items"] == [
        {"id": "i1", "type": "preference", "key": "style", "value": "minimalist cuts"}
    ]
    with tenant_scope(minimalist.tenant.id):
        runs = ExtractionRun.objects.filter(user_id=minimalist.ref.id)
        assert set(runs.values_list("prompt_version", flat=True)) == {"v1-adaptive"}


def test_a_new_word_on_a_matter_replaces_the_old_one_and_saying_it_again_renews_it(
    minimalist: Chatter, scripted_model: MakeModel
) -> None:
    minimalist.say("I love minimalist cuts")
    extract(minimalist, scripted_model(lambda body: {"operations": [_cite_last(body, CUTS)]}))
    (item,) = minimalist.read(list_held_items)
    assert len(item.evidence_message_ids) == 2
    minimalist.say("I prefer wide shapes now")
    wide = {**CUTS, "value": "wide shapes"}
    extract(minimalist, scripted_model(lambda body: {"operations": [_cite_last(body, wide)]}))
    assert [item.value for item in minimalist.read(list_held_items)] == ["wide shapes"]


def _cite_last(body: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    return {**operation, "evidence_message_ids": [read_material(body)["messages"][-1]["id"]]}


@pytest.mark.django_db(transaction=True)
def test_an_item_fades_out_of_packs_and_the_job_closes_it(minimalist: Chatter, as_role: Callable[[str], None]) -> None:
    pack = build_pack(minimalist, "what should I look at?", now=timezone.now() + timedelta(days=100))
    assert pack.adaptive_items[0].confidence == pytest.approx(0.3)
    assert build_pack(minimalist, "what now?", now=timezone.now() + timedelta(days=181)).adaptive_items == ()
    with tenant_scope(minimalist.tenant.id):
        AdaptiveItem.objects.filter(user_id=minimalist.ref.id).update(expires_at=timezone.now())
    as_role("worker")
    assert expire_candidates() == 1
    assert minimalist.read(list_held_items) == []


def test_forgetting_hides_an_item_and_restoring_brings_it_back(minimalist: Chatter) -> None:
    said = minimalist.said[0].message_id
    batch = forget_messages(user=minimalist.ref, message_ids=[said], actor="key:test", now=timezone.now())
    assert batch.derived["items_hidden"] == 1
    assert build_pack(minimalist, "what should I look at?").adaptive_items == ()
    restore_forget(user=minimalist.ref, batch_id=batch.batch_id, actor="key:test", now=timezone.now())
    assert [item.value for item in minimalist.read(list_held_items)] == ["minimalist cuts"]


def test_an_item_is_in_the_export_and_goes_with_its_message_and_its_user(minimalist: Chatter) -> None:
    exported = b"".join(export_user(user=minimalist.ref, now=timezone.now())).decode()
    assert '"kind":"adaptive_item"' in exported.replace(" ", "")
    erasure = ask(minimalist, scope="messages", message_ids=(minimalist.said[0].message_id,))
    assert carry_out(minimalist, erasure).status == "completed"
    with tenant_scope(minimalist.tenant.id):
        assert AdaptiveItem.objects.count() == 0


def test_a_person_may_dismiss_an_item(minimalist: Chatter) -> None:
    (item,) = minimalist.read(list_held_items)
    dismiss_item(user=minimalist.ref, item_id=item.id, actor="staff:1", now=timezone.now())
    assert build_pack(minimalist, "what should I look at?").adaptive_items == ()
    with pytest.raises(NotFound):
        dismiss_item(user=minimalist.ref, item_id=item.id, actor="staff:1", now=timezone.now())


def test_an_allergen_that_nobody_checked_is_in_every_pack_as_unverified(
    alice: Chatter, bob: Chatter, scripted_model: MakeModel
) -> None:
    said = alice.say("by the way I'm allergic to titanium", conversation_id="before")
    extract(alice, scripted_model({"operations": [TITANIUM]}))
    pack = build_pack(alice, "earrings please", max_tokens=900)
    (candidate,) = pack.to_dict()["unverified"]
    assert (candidate["knowledge_type"], candidate["value"]) == ("allergy", "titanium")
    assert candidate["raw_excerpt"] == "by the way I'm allergic to titanium"
    assert (candidate["confidence"], candidate["provenance"]) == (0.6, "observation")
    assert candidate["evidence_message_ids"] == [str(said.message_id)]
    assert 'unverified="true">titanium' in get_system(pack)
    assert "unverified" in [directive.name for directive in pack.directives]
    assert pack.facts == ()
    assert build_pack(bob_with_words(bob), "earrings please").unverified == ()
    with tenant_scope(alice.tenant.id):
        receipt = RetrievalReceipt.objects.get(id=pack.receipt_id)
    assert receipt.unproven_ids == [pack.unverified[0].id]
    assert receipt.to_public_dict()["unproven_ids"] == [candidate["id"]]


def bob_with_words(bob: Chatter) -> Chatter:
    bob.say("by the way I'm allergic to titanium", conversation_id="before")
    return bob


def test_a_dismissed_candidate_is_gone_and_a_pack_of_before_still_had_it(
    alice: Chatter, scripted_model: MakeModel
) -> None:
    alice.say("by the way I'm allergic to titanium", conversation_id="before")
    extract(alice, scripted_model({"operations": [TITANIUM]}))
    moment = timezone.now()
    (shown,) = build_pack(alice, "earrings please").unverified
    dismiss_candidate(user=alice.ref, candidate_id=shown.id, actor="staff:1", now=timezone.now())
    assert build_pack(alice, "earrings please").unverified == ()
    assert [one.id for one in build_pack(alice, "earrings please", as_of=moment).unverified] == [shown.id]
