"""The gate of projects: what a model proposes stands on a user's words, or is refused by a reason."""

from typing import Any

import pytest

from memory.projects.modelled.proposals import Turn, keep_said, pass_proposals

TURNS = [
    Turn("m-1", "user", "The pump weighs 12 kilograms. We take the steel one."),
    Turn("m-2", "assistant", "The pump is made of gold."),
]
FACT = {
    "message_id": "m-1",
    "quote": "The pump weighs 12 kilograms",
    "subject": "pump",
    "value": "12 kilograms",
    "level": "fact",
}
DECISION = {"message_id": "m-1", "quote": "We take the steel one", "title": "take the steel one", "owner": ""}


def refuse(**change: Any) -> list[str]:
    return list(pass_proposals({"facts": [{**FACT, **change}], "decisions": []}, turns=TURNS).refusals)


def test_what_stands_on_the_users_words_passes() -> None:
    passed = pass_proposals({"facts": [FACT], "decisions": [DECISION]}, turns=TURNS)
    assert [(each.subject, each.value) for each in passed.facts] == [("pump", "12 kilograms")]
    assert [each.title for each in passed.decisions] == ["take the steel one"]
    assert passed.refusals == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"message_id": "m-9"}, "unknown_message"),
        ({"message_id": "m-2", "quote": "The pump is made of gold", "value": "gold"}, "not_the_users_words"),
        ({"quote": "The pump weighs 13 kilograms"}, "quote_not_there"),
        ({"value": "13 kilograms"}, "value_not_in_quote"),
        ({"value": "steel"}, "value_not_in_quote"),
        ({"subject": "engine"}, "subject_not_in_message"),
        ({"level": "truth"}, "malformed"),
        ({"value": {"a": 1}}, "malformed"),
        ({"quote": ""}, "malformed"),
    ],
)
def test_what_does_not_is_refused_with_a_reason(change: dict[str, Any], reason: str) -> None:
    assert refuse(**change) == [reason]


@pytest.mark.parametrize("answer", [None, [], {"facts": "all"}, {"facts": [3]}])
def test_an_answer_of_another_form_is_refused(answer: Any) -> None:
    passed = pass_proposals(answer, turns=TURNS)
    assert (passed.facts, set(passed.refusals)) == ([], {"malformed"})


def test_entities_that_are_not_in_the_request_are_counted() -> None:
    assert keep_said(["pump", "engine", "", 3], text="which pump?") == (["pump"], 1)
