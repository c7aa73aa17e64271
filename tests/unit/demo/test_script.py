"""The conversation file of the demo, read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from config.launch import paths
from demo.script import DUBAI, ScriptError, Step, load_scenes

CONVERSATION = paths.ROOT / "demo" / "conversation.yaml"
INSTANT_TYPES = {"body_params", "budget", "allergy", "hard_ban", "life_event"}
CHANGES = {"added", "superseded", "disputed", "restored", "deactivated", "stored_inactive"}


def list_steps(now: datetime) -> list[Step]:
    """Every step of the shipped conversation, in order."""
    return [step for scene in load_scenes(CONVERSATION, now=now) for step in scene.steps]


def write_scene(folder: Path, *lines: str) -> Path:
    """A conversation file of one scene with these steps."""
    path = folder / "conversation.yaml"
    steps = "".join(f"      - {line}\n" for line in lines)
    path.write_text(f"scenes:\n  - title: One\n    days_ago: 1\n    at: '10:00'\n    steps:\n{steps}")
    return path


def test_the_conversation_shows_every_instant_type_and_everything_that_can_happen_to_a_fact() -> None:
    lines = [
        line.split()
        for step in list_steps(datetime.now(UTC))
        if step.action in ("say", "import")
        for line in step.expect.get("facts", [])
    ]
    assert {line[1] for line in lines} == INSTANT_TYPES
    assert {line[0] for line in lines} == CHANGES


@pytest.mark.parametrize("hour", [0, 12, 20, 23])
def test_nothing_is_said_in_the_future_at_any_hour_and_time_never_runs_backwards(hour: int) -> None:
    now = datetime(2026, 3, 2, hour, 5, tzinfo=UTC)
    said = [step.said_at for step in list_steps(now)]
    assert max(said) <= now
    assert said == sorted(said)


def test_a_scene_of_the_past_begins_at_its_clock_time_of_dubai(tmp_path: Path) -> None:
    now = datetime(2026, 3, 2, 21, 0, tzinfo=UTC)  # 3 March there
    steps = load_scenes(write_scene(tmp_path, "{hear: a}", "{hear: b}"), now=now)[0].steps
    assert steps[0].said_at == datetime(2026, 3, 2, 10, 0, tzinfo=DUBAI)
    assert steps[1].said_at - steps[0].said_at == timedelta(minutes=1)


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("{say: a, hear: b, why: c}", "needs one of"),
        ("{shout: a}", "needs one of"),
        ("{say: a}", "says no reason"),
    ],
)
def test_a_step_that_cannot_be_understood_is_refused_with_its_scene(tmp_path: Path, step: str, complaint: str) -> None:
    with pytest.raises(ScriptError, match=f"^One: .*{complaint}"):
        load_scenes(write_scene(tmp_path, step), now=datetime.now(UTC))


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="'a'"):
        load_scenes(write_scene(tmp_path, "{hear: x, name: a}", "{hear: y, name: a}"), now=datetime.now(UTC))
