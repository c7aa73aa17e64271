"""A hostile or careless model: false proposals over real words of the user, and true ones beside them.

In a false one the value stands in the evidence, and a trigger too, in different statements; or a denial of something
else. None may become a fact, end one, or reach a pack. True ones must come through.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from memory.extraction.types import Decision, Operation
from patterns.rules.accuracy import read_lines
from tests.unit.memory.extraction.conftest import know, propose, say

DATA = Path(__file__).parents[3] / "data" / "extraction"
BLIND = (
    "blind1.jsonl.gz", "blind2.jsonl.gz", "blind3.jsonl.gz", "blind4.jsonl.gz", "blind5.jsonl.gz", "blind6.jsonl.gz",
    "blind7.jsonl.gz", "blind8.jsonl.gz", "blind10.jsonl.gz", "blind11.jsonl.gz", "blind12.jsonl.gz",
)  # fmt: skip
NOT_DENIM = {"b1-t-arabizi-012", "b3-t-arabizi-006"}
"""They call jeans denim. The labels of the instant step hold that jeans in Latin letters are a garment of no key."""
LEFT_A_CANDIDATE = {
    "b5-t-en-003", "b6-t-ru-005", "b6-t-ru-018", "b7-t-ar-003", "b7-t-arabizi-001", "b10-t-ru-004", "b10-t-ru-005",
    "b12-t-ru-015",
}  # fmt: skip
"""True, but not every word beside the statement is understood: they wait for a second saying."""
OTHERWISE_KEYED = {"b7-t-en-018"}
"""The label calls a trip in a named month `trip`; the labelling guide calls it `trip_october`."""
MISSED = {
    "b7-t-ar-008", "b8-t-ar-007", "b10-t-ru-002", "b10-t-ru-003", "b10-t-ru-014", "b10-t-ru-017",
    "b10-t-ar-012", "b10-t-arabizi-002", "b10-t-arabizi-007", "b11-t-ar-016", "b11-t-arabizi-003", "b11-t-mixed-009",
    "b12-t-ru-013", "b12-t-mixed-003",
}  # fmt: skip
"""True, but refused: what stands beside the statement is taken for its denial, its scope or its subject, or the
instant step does not read it."""
TAKEN_IN = {"b10-f-mixed-014"}
"""False, and accepted: "without black I am nothing", said in two languages."""
MOST_FALSE_AT_FIRST_SIGHT = 2
FEWEST_TRUE_AT_FIRST_SIGHT = 63
"""Of the 300 false and 80 true ones of `blind9`, which the gate was measured on and not improved with."""
AROUND_TAKEN_IN = {
    "a121", "a136", "a149", "a150", "a157", "a161", "a295", "a371", "a392", "a404", "a423", "a448", "a457", "a480",
    "a501", "a540", "a607", "a780", "a784",
}  # fmt: skip
"""False, and accepted: a joke or a lie that only the sense of the words tells."""


def load_cases(name: str) -> list[dict[str, Any]]:
    """The cases of a file."""
    return list(read_lines(DATA / name))


CASES = load_cases("hostile.jsonl")


def make_operation(case: dict[str, Any]) -> Operation:
    """The proposal, with every message of the user cited."""
    asked = case["proposal"]
    cited = tuple(f"m{n}" for n, said in enumerate(case["messages"], start=1) if said["role"] == "user")
    named = None if asked["operation"] == "ADD" else "f1"
    return propose(
        asked["type"],
        asked["key"],
        asked["value"],
        operation=asked["operation"],
        knowledge_id=named,
        evidence_message_ids=cited,
    )


def read_value(fact: dict[str, Any]) -> str | int:
    """A value as facts hold it."""
    is_number = fact["type"] == "budget" or fact["key"] in ("height", "weight")
    return int(fact["value"]) if is_number else str(fact["value"])


def judge_case(case: dict[str, Any], make_context: Callable[..., GateContext]) -> Decision:
    """What the gate makes of a case; the fact that is to end was said ten days before."""
    said = [
        say(message["text"], role=message["role"], days=message.get("day", 0), minutes=number, seq=number)
        for number, message in enumerate(case["messages"], start=1)
    ]
    fact = case.get("fact")
    known = [know(fact["type"], fact["key"], read_value(fact))] if fact else []
    return judge_one(make_operation(case), make_context(said, known))


def name_case(case: dict[str, Any]) -> str:
    return f"{case['id']}-{case['proposal']['type']}"


@pytest.mark.parametrize("case", [case for case in CASES if case["expected"] == "refused"], ids=name_case)
def test_a_false_proposal_changes_nothing(case: dict[str, Any], make_context: Callable[..., GateContext]) -> None:
    decision = judge_case(case, make_context)
    assert not decision.is_accepted
    assert decision.candidate_kind != "unknown_allergen"


@pytest.mark.parametrize("case", [case for case in CASES if case["expected"] != "refused"], ids=name_case)
def test_a_true_proposal_comes_through(case: dict[str, Any], make_context: Callable[..., GateContext]) -> None:
    wanted = {"accepted": "accepted", "candidate": "staged"}[case["expected"]]
    assert judge_case(case, make_context).result == wanted


@pytest.mark.parametrize("name", BLIND)
def test_of_a_strangers_proposals_no_false_one_changes_a_fact_and_nearly_every_true_one_does(
    name: str, make_context: Callable[..., GateContext]
) -> None:
    cases = load_cases(name)
    results = {case["id"]: judge_case(case, make_context).result for case in cases}
    expected = {case["id"]: case["expected"] for case in cases}
    assert (len(cases), list(expected.values()).count("refused")) == (380, 300)
    taken_in = {one for one, wanted in expected.items() if wanted == "refused" and results[one] == "accepted"}
    assert taken_in == expected.keys() & TAKEN_IN
    others = {one for one, wanted in expected.items() if wanted == "accepted" and results[one] != "accepted"}
    others |= {one for one, wanted in expected.items() if wanted == "candidate" and results[one] != "staged"}
    assert others == {one for one in expected if one in NOT_DENIM | OTHERWISE_KEYED | LEFT_A_CANDIDATE | MISSED}
    assert {one for one in others if results[one] == "staged"} == others & LEFT_A_CANDIDATE


def test_of_proposals_that_nothing_was_learnt_from_few_false_ones_change_a_fact(
    make_context: Callable[..., GateContext],
) -> None:
    cases = load_cases("blind9.jsonl.gz")
    accepted = {case["id"] for case in cases if judge_case(case, make_context).is_accepted}
    true = {case["id"] for case in cases if case["expected"] != "refused"}
    assert (len(cases), len(true)) == (380, 80)
    assert len(accepted - true) <= MOST_FALSE_AT_FIRST_SIGHT
    assert len(accepted & true) >= FEWEST_TRUE_AT_FIRST_SIGHT


def test_what_stands_around_a_statement_takes_it_back_and_plain_statements_stay(
    make_context: Callable[..., GateContext],
) -> None:
    cases = load_cases("around.jsonl.gz")
    accepted = {case["id"] for case in cases if judge_case(case, make_context).is_accepted}
    true = {case["id"] for case in cases if case["expected"] == "accepted"}
    assert (len(cases), len(true)) == (860, 126)
    assert accepted - true == AROUND_TAKEN_IN
    assert true - accepted == set()
