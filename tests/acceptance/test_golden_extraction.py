"""Golden cases of extraction by name, through the whole program: said, read by a model over real HTTP, held in facts and
packs. The models here are careless on purpose: what they propose is what a case forbids."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.extraction.golden import Case, load_cases
from memory.extraction.unproven.candidates import list_open_candidates
from memory.facts.reading import list_active_facts
from retrieval.replies.cases import AnswerCase, list_problems, load_answer_cases
from retrieval.types import ContextPack
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import extract
from tests.db.retrieval.conftest import build_pack
from tests.scripted_model import ScriptedModel, propose, read_material

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parent.parent / "data" / "golden"
CASES = {case.name: case for case in load_cases(GOLDEN / "extraction.yaml")}
REPLIES = {case.name: case for case in load_answer_cases(GOLDEN / "answers.yaml")}
MakeModel = Callable[..., ScriptedModel]
ZARA = {"knowledge_type": "brand_preference", "knowledge_key": "zara", "value": "zara"}


def say_all(case: Case, person: Chatter) -> None:
    """Say the messages of a case, an hour and more ago, as they lie apart there."""
    messages = list(case.material.messages.values())
    shift = timezone.now() - timedelta(hours=1) - messages[-1].created_at
    for message in messages:
        person.say(message.content, role=message.role, created_at=message.created_at + shift)


def propose_wrong(case: Case) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What a careless model makes of a case: its proposal, with every message of the user as evidence."""
    wrong = case.wrong
    assert wrong is not None

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        own = [message["id"] for message in read_material(body)["messages"] if message["role"] == "user"]
        fields = {"knowledge_type": wrong.knowledge_type, "knowledge_key": wrong.knowledge_key, "value": wrong.value}
        return {"operations": [propose(**fields, evidence_message_ids=own)]}

    return answer


def get_system(pack: ContextPack) -> str:
    return str(pack.rendered[0]["content"])


@pytest.mark.parametrize("name", ["K5", "K7", "K8", "K9", "K23", "K24"])
def test_what_a_case_forbids_is_no_fact_whatever_the_model_proposes(
    name: str, alice: Chatter, scripted_model: MakeModel
) -> None:
    say_all(CASES[name], alice)
    model = scripted_model(propose_wrong(CASES[name]))
    outcome = extract(alice, model)
    assert (outcome.status, outcome.applied, len(model.requests)) == ("done", 0, 1)
    assert alice.read(list_active_facts) == []
    assert alice.read(list_open_candidates) == []


def test_k9_a_good_meal_and_a_bad_one_are_both_in_the_pack_in_their_order(
    alice: Chatter, scripted_model: MakeModel
) -> None:
    now = timezone.now()
    alice.say("Поел хорошо", created_at=now - timedelta(hours=20), conversation_id="before")
    alice.say("было плохо", created_at=now - timedelta(hours=2), conversation_id="before")
    extract(alice, scripted_model(propose_wrong(CASES["K9"])))
    pack = build_pack(alice, "и как мне?", conversation="before")
    assert [message.content for message in pack.recent_messages] == ["Поел хорошо", "было плохо"]
    assert pack.facts == ()


@pytest.fixture
def brand_lover(alice: Chatter, scripted_model: MakeModel) -> Chatter:
    """Alice has praised a brand on two days: the one soft type that may become a fact (F-1)."""
    now = timezone.now()
    alice.say("I love Zara", created_at=now - timedelta(days=9))
    alice.say("for work I always buy Zara, it just fits me", created_at=now - timedelta(days=1))
    both = propose(**ZARA, evidence_message_ids=["m1", "m2"])
    assert extract(alice, scripted_model({"operations": [both]})).applied == 1
    alice.hear("Ты же любишь Zara!")
    return alice


def test_k12_a_denied_brand_is_closed_and_the_pack_apologises(brand_lover: Chatter) -> None:
    brand_lover.say("Нет!")
    assert brand_lover.list_facts() == {}
    pack = build_pack(brand_lover, "Нет!")
    assert pack.directives[0].name == "apology"
    assert "brand_preference" not in get_system(pack)


def test_k12b_a_challenged_brand_is_disputed_and_not_closed(brand_lover: Chatter) -> None:
    brand_lover.say("С чего ты взял?")
    (fact,) = brand_lover.read(list_active_facts)
    assert (fact.knowledge_key, fact.is_disputed) == ("zara", True)
    assert 'disputed="true">zara' in get_system(build_pack(brand_lover, "С чего ты взял?"))


def test_k12_a_model_does_not_bring_a_denied_brand_back(brand_lover: Chatter, scripted_model: MakeModel) -> None:
    brand_lover.say("Нет!")
    extract(brand_lover, scripted_model({"operations": [propose(**ZARA, evidence_message_ids=["m1", "m2"])]}))
    assert brand_lover.list_facts() == {}


def test_k5_wishes_against_a_stored_style_reach_the_model_together_with_the_rule_to_ask(
    alice: Chatter, scripted_model: MakeModel
) -> None:
    say_all(CASES["K5"], alice)
    extract(alice, scripted_model(propose_wrong(CASES["K5"])))
    system = get_system(build_pack(alice, "покажи платья на выходные с принтом", conversation="new"))
    assert 'source="episode"' in system
    assert "принт" in system
    assert "не угадывай" in system


def reply_to(pack: ContextPack, model: ScriptedModel) -> str:
    """What a chat model says to the pack as it is sent, over HTTP."""
    return model.make_client().chat(pack.rendered).text


@pytest.mark.parametrize("name", ["K14", "K27"])
def test_a_reply_to_a_real_pack_is_held_to_the_rules(name: str, alice: Chatter, scripted_model: MakeModel) -> None:
    case: AnswerCase = REPLIES[name]
    for place, card in enumerate(case.cards):
        alice.say(card.raw_excerpt, conversation_id="before", created_at=timezone.now() - timedelta(days=90 - place))
    pack = build_pack(alice, case.question)
    assert {directive.language for directive in pack.directives} == {case.language}
    quoting = scripted_model(lambda body: _quote(body, case))
    problems = list_problems(reply_to(pack, quoting), case)
    assert "quotes_memory" in problems
    told = scripted_model("أقترح بنطلون كتان مريح" if case.language == "ar" else "A dark blazer would look sharp.")
    assert list_problems(reply_to(pack, told), case) == []


def _quote(body: dict[str, Any], case: AnswerCase) -> str:
    """A model that reads a memory out loud: only what it was really sent."""
    system = body["messages"][0]["content"]
    return next((card.raw_excerpt for card in case.cards if card.raw_excerpt in system), case.cards[0].raw_excerpt)
