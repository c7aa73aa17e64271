"""A step that leans on one without an answer is a problem of its own, not the end of the demo."""

from datetime import UTC, datetime
from typing import Any

import pytest

from demo.client import Service
from demo.replay import Replay
from demo.script import Step

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def replay() -> Replay:
    """A run in which nothing was posted; no step of these tests gets as far as the network."""
    return Replay(service=Service(url="http://127.0.0.1:1", key="key"), suffix="test", now=NOW)


def make_step(action: str, content: Any, **more: str) -> Step:
    """A step of Layla's."""
    return Step(
        action=action,
        content=content,
        name="",
        person="layla",
        expect={},
        why="",
        said_at=NOW,
        conversation="stylist",
        **more,
    )


@pytest.mark.parametrize(
    "step",
    [
        make_step("repeat", "hello"),
        make_step("forget", "hello"),
        make_step("plan", ["hello"]),
        make_step("run_plan", "hello"),
        make_step("restore", "hello"),
        make_step("receipt_of", "hello"),
        make_step("hear", "Done.", receipt="hello"),
    ],
    ids=lambda step: step.action,
)
def test_a_step_whose_earlier_step_has_no_answer_says_which(replay: Replay, step: Step) -> None:
    assert replay.run(step).problems == ["cannot be tried: hello has no answer"]


def test_users_carry_the_name_of_the_run(replay: Replay) -> None:
    assert replay.get_user_id("bob") == "bob-demo-test"
