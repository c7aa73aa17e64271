"""The conversation file as values: people, scenes, and steps with what each of them must do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

DUBAI = ZoneInfo("Asia/Dubai")
MINUTE = timedelta(minutes=1)
ACTIONS = (
    *("say", "hear", "repeat", "import"),
    *("put", "refused", "facts", "as_of", "timeline"),
    *("search", "context", "receipt_of"),
    *("plan", "run_plan", "forget", "restore", "erase", "turned_away"),
)


class ScriptError(Exception):
    """The conversation file says something that the demo does not understand; the message says where."""


@dataclass(frozen=True)
class Step:
    """One line of the demo: who does what, what must come of it, and why that is right."""

    action: str
    content: Any
    name: str
    person: str
    expect: dict[str, Any]
    why: str
    said_at: datetime
    conversation: str
    receipt: str = ""
    """Name of the context step whose pack an assistant's reply was made from."""


@dataclass(frozen=True)
class Scene:
    """A run of steps under one heading."""

    title: str
    begins_at: datetime
    steps: tuple[Step, ...]


def load_scenes(path: Path, *, now: datetime) -> list[Scene]:
    """The scenes of a conversation file, dated so that the last one ends at `now`. Raises ScriptError."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    scenes = [_make_scene(entry, now=now) for entry in content["scenes"]]
    names = [step.name for scene in scenes for step in scene.steps if step.name]
    if len(names) != len(set(names)):
        raise ScriptError(f"{path.name}: a name is used twice: {sorted({n for n in names if names.count(n) > 1})}")
    return scenes


def _make_scene(entry: dict[str, Any], *, now: datetime) -> Scene:
    begins_at = _find_begin(entry, now=now)
    said_at = begins_at
    steps = []
    for line in entry["steps"]:
        steps.append(_make_step(line, scene=entry, said_at=said_at))
        said_at += MINUTE
    return Scene(title=entry["title"], begins_at=begins_at, steps=tuple(steps))


def _find_begin(entry: dict[str, Any], *, now: datetime) -> datetime:
    """A scene of the past begins at a clock time of Dubai, one of today some minutes before now."""
    if "minutes_ago" in entry:
        return now.astimezone(DUBAI) - int(entry["minutes_ago"]) * MINUTE
    day = now.astimezone(DUBAI).date() - timedelta(days=entry["days_ago"])
    return datetime.combine(day, time.fromisoformat(entry["at"]), tzinfo=DUBAI)


def _make_step(line: dict[str, Any], *, scene: dict[str, Any], said_at: datetime) -> Step:
    found = [action for action in ACTIONS if action in line]
    if len(found) != 1:
        raise ScriptError(f"{scene['title']}: a step needs one of {', '.join(ACTIONS)}; this one has {found or 'none'}")
    action = found[0]
    if action not in ("hear", "import") and not line.get("why"):
        raise ScriptError(f"{scene['title']}: the step {line.get('name') or action} says no reason (why)")
    return Step(
        action=action,
        content=line[action],
        name=line.get("name", ""),
        person=line.get("person", scene.get("person", "layla")),
        expect=line.get("expect") or {},
        why=" ".join(line.get("why", "").split()),
        said_at=said_at,
        conversation=line.get("conversation", scene.get("conversation", "stylist")),
        receipt=line.get("receipt", ""),
    )
