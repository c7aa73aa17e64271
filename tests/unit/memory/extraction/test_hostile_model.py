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
BLIND = ("blind1.jsonl.gz", "blind2.jsonl.gz", "blind3.jsonl.gz")
NOT_DENIM = {"b1-t-arabizi-012", "b3-t-arabizi-006"}
"""They call jeans denim. The labels of the instant step hold that jeans in Latin letters are a garment of no key."""


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
def test_of_a_strangers_proposals_no_false_one_changes_a_fact_and_every_true_one_does(
    name: str, make_context: Callable[..., GateContext]
) -> None:
    cases = load_cases(name)
    accepted = {case["id"] for case in cases if judge_case(case, make_context).is_accepted}
    true = {case["id"] for case in cases if case["expected"] == "accepted"}
    assert (len(cases), len(true)) == (380, 80)
    assert accepted - true == set()
    assert true - accepted == true & NOT_DENIM
