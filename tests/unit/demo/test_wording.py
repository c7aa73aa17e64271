"""Answers in the words of the conversation file."""

from datetime import datetime
from typing import Any

from demo.script import DUBAI
from demo.wording import compare, exclude, require, word_change, word_fact

MOMENT = datetime(2026, 3, 2, 23, 30, tzinfo=DUBAI)


def make_fact(**more: Any) -> dict[str, Any]:
    """A size, as the API shows it."""
    return {"knowledge_type": "body_params", "knowledge_key": "size", "value": "M", "expires_at": None} | more


def test_a_fact_is_one_line_and_a_disputed_one_says_so() -> None:
    assert word_fact(make_fact(), counted_from=MOMENT) == "body_params size = M"
    assert word_fact(make_fact(is_disputed=True), counted_from=MOMENT) == "body_params size = M, disputed"


def test_days_to_an_event_are_counted_on_the_calendar_of_dubai() -> None:
    event = make_fact(action="added", expires_at="2026-03-03T19:59:59+00:00")
    assert word_change(event, counted_from=MOMENT) == "added body_params size = M, in 1 days"


def test_lists_are_compared_without_order_and_with_repeats() -> None:
    assert compare("facts", expected=["a", "b"], found=["b", "a"]) == []
    assert compare("facts", expected=["a"], found=["a", "a"]) == ["facts: not expected 'a'"]
    assert compare("facts", expected=["a", "b"], found=["b", "c"]) == [
        "facts: missing 'a'",
        "facts: not expected 'c'",
    ]


def test_what_must_and_must_not_be_there_is_named() -> None:
    assert require("found", wanted=["a", "b"], found=["b"]) == ["found: missing 'a'"]
    assert exclude("found", unwanted=["a", "b"], found=["b"]) == ["found: must not hold 'b'"]
