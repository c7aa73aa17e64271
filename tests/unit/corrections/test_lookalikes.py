"""What sounds like a correction and is none: polite noes, stock, things for an event, how to go there, emphasis."""

from __future__ import annotations

from pathlib import Path

import pytest

from corrections.evaluation.corpus import LabelledCase, judge_cases, read_cases
from patterns.rules.ruleset import RuleSet
from tests.unit.corrections.conftest import Reply, describe, make_fact

DATA = Path(__file__).resolve().parents[2] / "data" / "corrections" / "lookalikes.jsonl"
TURNS = {
    "size": "Your size is {}, right?|Your size is {}.|У тебя размер {}, верно?|Помню твой размер {}.|مقاسك {} صح؟|maqasich {}",
    "height": "Your height is {}.|Твой рост {}?|طولج {}",
    "budget": "Your budget is {}.|Твой бюджет {}?|ميزانيتك {}",
    "allergy": "You're allergic to {}, right?|You told me you are allergic to {}.",
    "hard_ban": "You never wear {}, right?|You said no {}.",
    "wedding": "Your sister's wedding is soon, right?|Your brother's wedding.|Скоро свадьба подруги?|عرس أختج قريب",
    "graduation": "Your graduation is soon.|Скоро выпускной?|تخرجج قريب",
}


def _list_turns(case: LabelledCase) -> list[str | None]:
    fact = case.facts[0]
    names = (fact.knowledge_key.split("_")[0], fact.knowledge_type)
    words = str(fact.value).replace("_", " ")
    return [None, *(turn.format(words) for name in names for turn in TURNS.get(name, "").split("|") if turn)]


def test_nearly_every_line_does_exactly_what_it_asks_for_and_no_idle_one_does_anything(rule_set: RuleSet) -> None:
    verdict = judge_cases(read_cases(DATA), rule_set=rule_set)
    assert verdict.rate >= 0.98
    assert [case.id for case, outcomes in verdict.mistakes if not case.outcomes] == []


def test_no_idle_line_does_anything_after_any_turn_about_its_fact(reply: Reply) -> None:
    idle = [case for case in read_cases(DATA) if not case.outcomes]
    wrong = [
        (turn, case.reply, done)
        for case in idle
        for turn in _list_turns(case)
        if (done := describe(reply(turn, case.reply, *case.facts)))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("slot", "value", "turn", "words"),
    [
        ("body_params/size", "M", "Your size is M, right?", "No worries, M it is as always"),
        ("body_params/size", "44", "Your size is 44, right?", "No worries, 44 it is as always"),
        ("body_params/size", "M", "Your size is M.", "The M in this dress is not available"),
        (
            "life_event/wedding_sister",
            None,
            "For your sister's wedding?",
            "I don't have a dress for my sister's wedding",
        ),
        ("life_event/wedding_sister", None, "Свадьба сестры скоро!", "на свадьбу сестры я не хочу идти в чёрном"),
        ("allergy/nickel", None, "You are allergic to nickel.", "I can't wear nickel, not even a little"),
        ("allergy/nickel", None, "You are allergic to nickel.", "not even a little nickel"),
    ],
)
def test_true_facts_are_not_closed_by_what_strangers_said(
    reply: Reply, slot: str, value: str | None, turn: str, words: str
) -> None:
    assert describe(reply(turn, words, make_fact(slot, value))) == []


def test_not_going_at_all_closes_an_event_and_not_going_in_heels_does_not(reply: Reply) -> None:
    event = make_fact("life_event/graduation")
    turn = "Your graduation is soon."
    assert describe(reply(turn, "I'm not going to my graduation", event)) == ["deactivate life_event/graduation"]
    assert describe(reply(turn, "I'm not going to my graduation in heels", event)) == []


def test_a_size_that_is_not_ones_own_is_closed_and_one_that_is_not_in_stock_is_not(reply: Reply) -> None:
    size = make_fact("body_params/size", "M")
    assert describe(reply("Your size is M.", "M is not my size", size)) == ["deactivate body_params/size"]
    assert describe(reply("Your size is M.", "M is not in stock", size)) == []
