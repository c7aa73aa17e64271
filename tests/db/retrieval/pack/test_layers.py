"""Episodes in packs: switched off nothing differs, a search never notices, what leaves the window is not lost (L-3)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from config.settings import tuning
from memory.episodes.cutting import cut_user
from memory.episodes.models import EpisodeAccess
from memory.selectors.messages import list_messages_by_id
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from retrieval.models import RetrievalReceipt
from retrieval.pack.assembly import assemble
from retrieval.pack.layers import gather_layers, sketch_layers
from retrieval.pipeline import prepare
from retrieval.receipts.reading import list_receipts_using
from retrieval.types import ContextPack
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack
from tests.unit.memory.episodes.talks import DRESS, TRIP

pytestmark = pytest.mark.django_db

QUESTION = "what did we settle about the hotel in Lisbon?"


@pytest.fixture
def told(alice: Chatter) -> Chatter:
    alice.clock = timezone.now() - timedelta(days=2)
    for text in (*TRIP, *DRESS):
        alice.say(text[2:].strip(), role="user" if text.startswith("u:") else "assistant", conversation_id="before")
    cut_user(user=alice.ref, now=timezone.now())
    alice.clock = timezone.now() - timedelta(minutes=50)
    return alice


def list_text(pack: ContextPack) -> str:
    return "\n".join(block["text"] for block in pack.summary_blocks)


def strip(pack: ContextPack) -> dict[str, Any]:
    return {name: value for name, value in pack.to_dict().items() if name not in ("receipt_id", "trace")}


def test_blocks_carry_sentences_of_the_messages_that_cards_do_not_show(told: Chatter) -> None:
    pack = build_pack(told, QUESTION, layers=True, max_tokens=1_300)
    (block, *_) = pack.summary_blocks
    assert block["headline"] == TRIP[0][3:]
    assert "Lisbon" in list_text(pack) or any("Lisbon" in card.raw_excerpt for card in pack.episode_cards)
    said = {str(each.message_id) for each in told.said}
    assert {message_id for each in pack.summary_blocks for message_id in each["message_ids"]} <= said
    assert all(line in pack.rendered[0]["content"] for line in list_text(pack).splitlines())
    with tenant_scope(told.tenant.id):
        receipt = RetrievalReceipt.objects.get(id=pack.receipt_id)
    assert receipt.has_layers
    assert [str(each) for each in receipt.episode_ids] == [
        each["episode_id"] for each in pack.summary_blocks if each["episode_id"]
    ]


def test_a_receipt_gives_every_part_its_place_in_the_order_in_which_the_model_reads_it(told: Chatter) -> None:
    told.say("I'm allergic to nickel", conversation_id="before")
    told.say("we meet Anna Petrova on 12 May and it costs $120")
    told.say("good morning")
    pack = build_pack(told, QUESTION, layers=True, max_tokens=2_500)
    with tenant_scope(told.tenant.id):
        receipt = RetrievalReceipt.objects.get(id=pack.receipt_id)
    public = receipt.to_public_dict()
    text = "\n".join(message["content"] for message in pack.rendered)
    lines = [one for one in public["summary_lines"] if one["context_position"]]
    shown = {str(card.message_id): card.raw_excerpt for card in pack.episode_cards}
    said = [line for block in pack.summary_blocks for line in block["text"].splitlines()]
    assert len(said) == len(lines) > 0 and len(public["entities"]) == len(pack.entity_slots) > 2
    assert {one["kind"] for one in public["entities"]} == {slot["kind"] for slot in pack.entity_slots}
    block = text.index('<user_memory source="episodes"')
    places = {one["context_position"]: text.index(line, block) for one, line in zip(lines, said, strict=True)}
    places |= {
        one["context_position"]: text.rindex(shown[one["message_id"]])  # spans of other cards have the words before
        for one in public["candidates"]
        if one["context_position"] and one["message_id"] in shown
    }
    first_entity = text.index('<user_memory source="entities">')
    places |= {one["context_position"]: first_entity + place for place, one in enumerate(public["entities"])}
    places |= {one["context_position"]: text.index("nickel") for one in public["facts"]}
    assert [places[place] for place in sorted(places)] == sorted(places.values())
    assert {one["decision_reason"] for one in lines} <= {"found", "left_window", "latest_episode"}
    assert {one["episode_id"] for one in lines} - {None} == {str(one) for one in receipt.episode_ids}
    assert "Petrova" not in str(public) and "Lisbon" not in str(public)


def test_a_pack_of_a_few_hundred_tokens_is_for_memories_alone(told: Chatter) -> None:
    small = build_pack(told, QUESTION, layers=True, max_tokens=500)
    assert (small.summary_blocks, small.entity_slots) == ((), ())
    assert small.episode_cards
    assert build_pack(told, QUESTION, layers=True, max_tokens=800).summary_blocks


def test_lines_and_entities_without_room_are_left_out_with_the_reason(
    told: Chatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "LAYERS_FROM", 0)
    told.say("we meet Anna Petrova on 12 May and it costs $120")
    pack = build_pack(told, QUESTION, layers=True, max_tokens=420)
    with tenant_scope(told.tenant.id):
        public = RetrievalReceipt.objects.get(id=pack.receipt_id).to_public_dict()
    left_out = [one for one in public["summary_lines"] if one["context_position"] is None]
    assert left_out and {one["decision_reason"] for one in left_out} == {"over_budget"}
    assert {one["message_id"] for one in left_out} <= {str(each.message_id) for each in told.said}
    shown = {one["message_id"] for one in public["candidates"] if one["context_position"]}
    hidden = next(UUID(one["message_id"]) for one in left_out if one["message_id"] not in shown)
    with tenant_scope(told.tenant.id):
        assert list_receipts_using(user=told.ref, message_id=hidden, limit=9) == []
    assert pack.entity_slots == ()
    assert {(one["decision_reason"], one["context_position"]) for one in public["entities"]} == {("over_budget", None)}


def test_what_left_the_window_since_the_latest_episode_is_remembered_and_nothing_older(told: Chatter) -> None:
    told.clock = timezone.now() - timedelta(days=1)  # after the episodes of the same conversation
    late = [told.say(f"The ferry number {place} leaves at nine", conversation_id="before") for place in range(5)]
    with tenant_scope(told.tenant.id):
        window = list(list_messages_by_id(user=told.ref, message_ids=[late[-1].message_id]).values())
        layers = gather_layers(
            sketch_layers(question=prepare("the ferry").question, window=window), user=told.ref, message_ids=[],
            conversation_id=window[0].conversation_id, window=window, as_of=None,
        )  # fmt: skip
    assert [each.message_id for each in layers.overflow] == [each.message_id for each in late[-2::-1]]


def test_switched_off_a_pack_is_what_it_was_before_there_were_episodes(
    told: Chatter, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = build_pack(told, QUESTION, layers=False)
    assert (off.summary_blocks, off.entity_slots) == ((), ())
    assert (off.budget["summaries"].used, off.budget["entities"].used) == (0, 0)
    seen: list[Any] = []
    monkeypatch.setattr("retrieval.pipeline.assemble", lambda *a, **k: seen.append(a[0]) or assemble(*a, **k))
    again = build_pack(told, QUESTION, layers=False)
    assert seen[0].layers is None
    assert strip(again) == strip(off)


def test_switched_off_a_pack_has_the_same_bytes_before_and_after_its_user_has_episodes(alice: Chatter) -> None:
    alice.clock = timezone.now() - timedelta(days=2)
    for text in (*TRIP, *DRESS):
        alice.say(text[2:].strip(), role="user" if text.startswith("u:") else "assistant", conversation_id="before")

    def write_packs() -> list[str]:
        bounds = (None, 900, 2_000)
        return [repr(strip(build_pack(alice, QUESTION, layers=False, max_tokens=bound))) for bound in bounds]

    before = write_packs()
    with_switch = repr(strip(build_pack(alice, QUESTION, layers=True, max_tokens=2_000)))
    cut_user(user=alice.ref, now=timezone.now())
    assert write_packs() == before
    assert repr(strip(build_pack(alice, QUESTION, layers=True, max_tokens=2_000))) != with_switch


def test_the_tenant_decides_where_the_caller_does_not_say(told: Chatter) -> None:
    assert build_pack(told, QUESTION).summary_blocks
    Tenant.objects.filter(id=told.tenant.id).update(settings={"has_layers": False})
    assert build_pack(told, QUESTION).summary_blocks == ()
    assert build_pack(told, QUESTION, layers=True).summary_blocks


def test_what_has_left_the_window_is_a_block_of_the_running_session(told: Chatter) -> None:
    told.say("my flight to Porto leaves at nine in the morning")
    for place in range(11):
        told.hear(f"Here is option number {place} for your evening walk.")
    pack = build_pack(told, "and what should I do before my flight?", layers=True)
    running = [block for block in pack.summary_blocks if block["episode_id"] is None]
    shown = [card.raw_excerpt for card in pack.episode_cards] + [block["text"] for block in running]
    assert any("flight to Porto" in text for text in shown)


def test_a_question_about_a_detail_notes_an_access_and_one_about_the_whole_does_not(told: Chatter) -> None:
    build_pack(told, "what colour suits a wedding?", layers=True)
    with tenant_scope(told.tenant.id):
        before = EpisodeAccess.objects.count()
    build_pack(told, "how was the hotel on 5 May?", layers=True)
    with tenant_scope(told.tenant.id):
        assert EpisodeAccess.objects.count() > before


def test_names_dates_and_amounts_of_the_running_conversation_are_slots(told: Chatter) -> None:
    told.say("we meet Anna Petrova on 12 May and it costs $120")
    pack = build_pack(told, "what was that again?", layers=True)
    assert {(slot["kind"], slot["text"]) for slot in pack.entity_slots} >= {
        ("name", "Anna Petrova"),
        ("date", "12 May"),
        ("amount", "$120"),
    }


def test_a_pack_keeps_to_its_bound_with_episodes(told: Chatter) -> None:
    for tokens in (900, 1_200, 2_000):
        pack = build_pack(told, QUESTION, layers=True, max_tokens=tokens)
        assert sum(use.used for use in pack.budget.values()) <= tokens


def test_a_message_that_the_guard_keeps_back_is_no_line_either(alice: Chatter) -> None:
    alice.say("мы с мужем разводимся, я всю ночь плакала и никому об этом не говорила", conversation_id="before")
    alice.say("беру синее платье", conversation_id="before")
    question = "какое платье я решила взять на вечеринку?"
    without, pack = (build_pack(alice, question, layers=has_layers) for has_layers in (False, True))
    assert "разводимся" not in list_text(pack)
    assert ("разводимся" in pack.rendered[0]["content"]) == ("разводимся" in without.rendered[0]["content"])
