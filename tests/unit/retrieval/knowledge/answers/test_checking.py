"""A model's answer is given only when it says all of the items and nothing else."""

import pytest

from retrieval.knowledge.answers.checking import find_fault, mark_lines

ITEMS = ["Rewrote three services", "Launched notifications", "Cut costs by 30%"]
GOOD = "- Rewrote three services.\n- Launched notifications\n- Cut costs by 30%"


def find(answer: str, *, names: tuple[str, ...] = ()) -> str:
    allowed = "What are the achievements on ALOR? " + " ".join(ITEMS)
    return find_fault(answer, items=ITEMS, allowed_text=allowed, names=names, allowed_names=("alor",))


def test_all_items_and_nothing_else_pass() -> None:
    assert find(GOOD) == ""
    assert find(GOOD.replace("- ", "* "), names=("alor",)) == ""


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("- Rewrote three services\n- Launched notifications", "left_out"),
        (f"{GOOD}\n- Won a prize", "added_line"),
        (f"{GOOD}\nThat saved 12 people.", "added_number"),
        (f"{GOOD} [1]", "technical"),
        (f"{GOOD} (confidence: high)", "technical"),
        ("  ", "empty"),
    ],
)
def test_a_fault_is_named(answer: str, fault: str) -> None:
    assert find(answer) == fault


def test_an_entity_that_was_not_given_is_an_addition() -> None:
    assert find(GOOD, names=("alor", "skio")) == "added_name"


def test_lines_get_one_mark() -> None:
    assert mark_lines("1. one\n* two") == "- one\n- two"
