"""A text on which the rules fail is stored all the same, and loses no other: what was said is kept word for word (T-1)."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

import corrections.steps
from memory.metrics import READING_FAILURES
from patterns.rules.ruleset import RuleSet
from tests.api.conftest import Caller

SECRET = "zzbroken"


@pytest.fixture(autouse=True)
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules with a fault that one word brings out, its exception telling the word."""
    run = RuleSet._run_readers

    def run_readers(rules: RuleSet, followed: Sequence[Any]) -> None:
        for one in followed:
            if SECRET in one.message.normal.text:
                raise KeyError(one.message.normal.text)
        run(rules, followed)

    monkeypatch.setattr(RuleSet, "_run_readers", run_readers)


def make_item(content: str) -> dict[str, Any]:
    return {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": content}


def count_failures(step: str) -> float:
    return READING_FAILURES.labels(step)._value.get()  # type: ignore[no-any-return]


def test_it_is_stored_counted_and_not_logged(api: Caller, caplog: pytest.LogCaptureFixture):
    before = count_failures("facts")
    with caplog.at_level(logging.ERROR):
        answer = api.send(f"my size is M {SECRET}")
    assert (answer.status_code, answer.json()["facts"]) == (201, [])
    assert count_failures("facts") == before + 1
    assert "a text could not be read" in caplog.text
    assert SECRET not in caplog.text + repr([record.__dict__ for record in caplog.records])


def test_the_others_of_its_batch_are_stored_and_read(api: Caller):
    texts = ("I'm allergic to wool", f"my size is M {SECRET}", "my budget is 500")
    results = api.post("/v1/messages/batch", {"messages": [make_item(text) for text in texts]}).json()["results"]
    assert [[fact["value"] for fact in result["facts"]] for result in results] == [["wool"], [], [500]]


def test_a_reply_that_corrections_fail_on_is_stored_and_changes_nothing(api: Caller, monkeypatch: pytest.MonkeyPatch):
    def fail(*given: Any, **named: Any) -> None:
        raise IndexError

    api.send("my size is M")
    api.send("Here is a dress in size M", role="assistant")
    monkeypatch.setattr(corrections.steps, "detect", fail)
    answer = api.send("no")
    assert (answer.status_code, answer.json()["facts"]) == (201, [])
    assert [fact["value"] for fact in api.get("/v1/users/alice/facts").json()["results"]] == ["M"]
