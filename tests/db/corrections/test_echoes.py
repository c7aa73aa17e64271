"""The echo guard of instant facts: what the assistant said and a user passes back confirms nothing new (M-5, D-23)."""

from typing import Any

import pytest
from django.utils import timezone

from memory.facts.reading import list_active_facts
from memory.rebuild.running import compare_user
from memory.services.drafts import make_draft
from memory.storing.messages import store_messages
from memory.types import Fact
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack

pytestmark = pytest.mark.django_db

WOOL, SIZE, NICKEL = ("allergy", "wool"), ("body_params", "size"), ("allergy", "nickel")


def get_fact(person: Chatter, slot: tuple[str, str]) -> Fact:
    facts: Any = person.read(list_active_facts, now=timezone.now())
    return next(fact for fact in facts if fact.slot == slot)


@pytest.mark.parametrize(
    ("turn", "passed_back"),
    [
        ("Noted: size L, allergy to wool.", "Noted: size L, allergy to wool."),
        ("Size: L. Allergy: wool.", "Size: L. Allergy: wool. Where does this come from?"),
        ("Мои заметки: размер L, аллергия на шерсть.", "Мои заметки: размер L, аллергия на шерсть"),
        ("ملاحظاتي: مقاس لارج، حساسية من الصوف.", "ملاحظاتي: مقاس لارج، حساسية من الصوف"),
        ("mula7athat: mgas large, 7asasiya min el souf.", "mula7athat: mgas large, 7asasiya min el souf"),
    ],
)
def test_a_claim_of_the_assistant_that_is_passed_back_is_no_fact(alice: Chatter, turn: str, passed_back: str) -> None:
    alice.hear(turn)
    assert alice.say(passed_back).changes == []
    assert alice.list_facts() == {}


@pytest.mark.parametrize(
    "said",
    [
        "your notes say my size is L",
        "according to my profile I am allergic to wool",
        "you have me down as size L",
        "у тебя записано, что мой размер L",
        "в моём профиле указано: у меня аллергия на шерсть",
        "مكتوب عندج إن مقاسي لارج",
        "maktoob 3indich enni mgasi large",
    ],
)
def test_what_memory_is_named_as_the_source_of_is_no_new_statement(alice: Chatter, said: str) -> None:
    assert alice.say(said).changes == []


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("you have me as S but I'm M", SIZE, "M"),
        ("not L, as your notes say, my size is M", SIZE, "M"),
        ("your notes are wrong, my size is M", SIZE, "M"),
        ("у тебя записано S, а мой размер M", SIZE, "M"),
    ],
)
def test_who_sets_memory_right_states_a_fact(alice: Chatter, said: str, slot: tuple[str, str], value: str) -> None:
    alice.say(said)
    assert alice.list_facts()[slot] == value


def test_the_source_may_lie_further_back_in_the_conversation(alice: Chatter) -> None:
    alice.hear("Noted: size L, allergy to wool.")
    for number in range(8):
        alice.say(f"and something else, number {number}")
    assert alice.say("size L, allergy to wool").changes == []


def test_the_message_that_is_answered_by_name_is_looked_at_wherever_it_is(alice: Chatter) -> None:
    heard = alice.hear("Noted: size L, allergy to wool.", conversation_id="old")
    assert alice.say("size L, allergy to wool", reply_to_id=heard.message_id, conversation_id="old").changes == []
    for number in range(25):
        alice.say(f"and something else, number {number}", conversation_id="old")
    late = alice.say("size L, allergy to wool", reply_to_id=heard.message_id, conversation_id="old")
    assert late.changes == []


@pytest.mark.parametrize(
    ("turn", "said", "slots"),
    [
        ("You are allergic to wool, right?", "yes, I am allergic to wool", {WOOL}),
        ("You are allergic to wool.", "I am allergic to wool", {WOOL}),
        ("Are you allergic to wool and nickel?", "allergic to wool and nickel", {WOOL, NICKEL}),
        ("You are allergic to wool.", "allergic to wool and nickel", {WOOL, NICKEL}),
        ("Is your size L?", "my size is L and I am allergic to wool", {SIZE, WOOL}),
        ("Noted.", "size L, allergy to wool", {SIZE, WOOL}),
        ("У вас аллергия на шерсть?", "да, у меня аллергия на шерсть", {WOOL}),
    ],
)
def test_what_the_user_says_is_evidence(alice: Chatter, turn: str, said: str, slots: set[tuple[str, str]]) -> None:
    alice.hear(turn)
    alice.say(said)
    assert set(alice.list_facts()) == slots


def test_a_draft_that_is_handed_back_is_no_statement_though_it_says_i(alice: Chatter) -> None:
    draft = "Hello, I would like this dress, my size is L and I am allergic to wool."
    alice.hear(f"You could write: {draft}")
    assert alice.say(f"{draft} Make it shorter please").changes == []


def test_a_fact_that_the_pack_held_is_not_renewed_by_fewer_words(alice: Chatter) -> None:
    alice.say("my size is L and I am allergic to wool")
    before = get_fact(alice, WOOL)
    pack = build_pack(alice, "what do you know of me?")
    alice.hear("For you: allergy to wool. And size L.", receipt_id=pack.receipt_id)
    assert alice.say("size L, allergy to wool: show me coats").changes == []
    after = get_fact(alice, WOOL)
    assert (after.evidence_message_ids, after.last_validated_at) == (
        before.evidence_message_ids,
        before.last_validated_at,
    )


def test_without_the_receipt_so_few_words_are_the_users_own(alice: Chatter) -> None:
    alice.say("my size is L and I am allergic to wool")
    alice.hear("For you: allergy to wool. And size L.")
    assert len(alice.say("size L, allergy to wool: show me coats").changes) == 2


def test_another_value_than_the_pack_held_is_news(alice: Chatter) -> None:
    alice.say("my size is L and I am allergic to wool")
    pack = build_pack(alice, "what do you know of me?")
    alice.hear("For you: allergy to wool. And size L.", receipt_id=pack.receipt_id)
    alice.say("size M, allergy to wool: show me coats")
    assert alice.list_facts()[SIZE] == "M"


@pytest.mark.parametrize(
    "passed_back",
    [
        "Noted: size L, allergy to wool.",
        'you wrote "allergy to wool"',
        "You said: allergy to wool",
        "It says allergy to wool",
        "Yes. Noted: size L, allergy to wool.",
    ],
)
def test_a_disputed_fact_is_not_confirmed_by_the_assistants_own_words(alice: Chatter, passed_back: str) -> None:
    alice.say("I am allergic to wool")
    alice.hear("You are allergic to wool")
    alice.say("where did you get that?")
    assert get_fact(alice, WOOL).is_disputed
    alice.hear("Yes. Noted: size L, allergy to wool.")
    alice.say(passed_back)
    assert get_fact(alice, WOOL).is_disputed
    alice.hear("So you are allergic to wool?")
    alice.say("yes, I am allergic to wool")
    assert not get_fact(alice, WOOL).is_disputed


def test_in_a_batch_a_copy_is_seen_as_it_is_alone(alice: Chatter) -> None:
    now = timezone.now()
    said = (("assistant", "Noted: size L, allergy to wool."), ("user", "thanks"), ("user", "size L, allergy to wool"))
    drafts = [make_draft(user_id="alice", conversation_id="b", role=role, content=text, now=now) for role, text in said]
    recorded = store_messages(tenant=alice.tenant, drafts=drafts, actor="key:test", now=now)
    assert [each.changes for each in recorded] == [[], [], []]


def test_a_rebuild_reads_copies_as_they_were_read(alice: Chatter) -> None:
    alice.hear("Noted: size L, allergy to wool.")
    alice.say("size L, allergy to wool")
    alice.say("my size is M")
    pack = build_pack(alice, "what do you know of me?")
    alice.hear("For you, size M then.", receipt_id=pack.receipt_id)
    alice.say("size M, nothing else today")
    assert compare_user(tenant=alice.tenant, user=alice.ref).differences == []
    assert alice.list_facts() == {SIZE: "M"}
