"""A model that proposes every value it sees, for every type: what the gate lets through of 700 labelled messages.

The labels are those of the instant step. What is accepted must be a fact by them; nothing else can harm a user.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memory.extraction.judging.clauses import MessageReader
from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from memory.extraction.judging.values import CATEGORIES
from memory.extraction.types import Operation
from patterns.kinds.body.size_values import find_size
from patterns.kinds.budget.amounts import read_amount
from patterns.rules.accuracy import load_corpus
from patterns.steps.message import Message
from patterns.steps.numbers import find_number
from tests.unit.memory.extraction.conftest import propose

LABELLED = Path(__file__).parents[3] / "data" / "instant" / "proof"


def propose_all(message: Message) -> set[Operation]:
    """One proposal for each value that stands in the message, under each key that might take it."""
    return {
        propose(kind, key, value)
        for kind, key, value in (*list_words(message), *list_numbers(message), *list_events(message))
    }


def list_words(message: Message) -> Iterator[tuple[str, str, Any]]:
    for kind, categories in CATEGORIES.items():
        for category in categories:
            for match in message.marks.get(category, ()):
                yield kind, match.canonical, match.canonical


def list_numbers(message: Message) -> Iterator[tuple[str, str, Any]]:
    end = len(message.tokens)
    for start in range(end):
        if size := find_size(message, start, end):
            yield "body_params", "size", size.value
        if amount := read_amount(message, start, end):
            yield "budget", "general", str(amount.value)
        if number := find_number(message, start, end=end):
            yield "body_params", "height", str(int(number.value))
            yield "body_params", "weight", str(int(number.value))


def list_events(message: Message) -> Iterator[tuple[str, str, Any]]:
    relations = {match.canonical for match in message.marks.get("relation", ())}
    for category in ("event", "work_party"):
        for match in message.marks.get(category, ()):
            for key in (match.canonical, *(f"{match.canonical}_{relation}" for relation in relations)):
                yield "life_event", key, match.canonical


def is_labelled(operation: Operation, labelled: dict[str, Any]) -> bool:
    """Whether the label says so, or does not mind."""
    for fact in (*labelled["expect"], *labelled.get("optional", ())):
        if (fact["type"], fact["key"]) == (operation.knowledge_type, operation.knowledge_key):
            is_exact = operation.knowledge_type in ("body_params", "budget") and fact in labelled["expect"]
            return not is_exact or str(fact["value"]) == operation.value
    return False


def test_almost_nothing_wrong_comes_through_of_all_that_might_be_said(make_context: Callable[..., GateContext]) -> None:
    counted: Counter[str] = Counter()
    for labelled in load_corpus(LABELLED)[::2]:
        context = make_context([labelled["text"]])
        reader: MessageReader = context.read(context.material.messages["m1"])
        for operation in propose_all(reader.message):
            is_right = is_labelled(operation, labelled)
            counted["right" if is_right else "wrong"] += 1
            if judge_one(operation, context).is_accepted:
                counted["accepted right" if is_right else "accepted wrong"] += 1
    assert counted["wrong"] > 1_000
    assert counted["accepted wrong"] <= counted["wrong"] * 0.001
    assert counted["accepted right"] >= counted["right"] * 0.88
