"""Skills: what can be done for a person beside talking. They come as packages and register by entry point.

    [project.entry-points."unde.skills"]
    sizes = "my_package.sizes:SizeSkill"

Without any the conversation works all the same (SPEC B-4).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, Final, Protocol, runtime_checkable

import structlog

from config.chat.understanding import Understanding

GROUP: Final = "unde.skills"
LEAST_FIT: Final = 0.3  # BRAIN 2.5: below it a skill is no candidate

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SkillCall:
    """What a skill is given: who asks, what was understood, and the pack. No database, no key."""

    user_id: str
    conversation_id: str
    text: str
    understanding: Understanding
    pack: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What a skill did: its reply, and a receipt of ids and codes."""

    reply: str
    receipt: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Skill(Protocol):
    """One skill. `name` and `capabilities` say what it is; a caller may allow some by name."""

    name: str
    capabilities: Sequence[str]

    def can_handle(self, understanding: Understanding) -> float:
        """How well it fits, 0 to 1."""
        ...

    def check(self) -> str:
        """Empty when its tools are there, else a code of what is missing."""
        ...

    def run(self, call: SkillCall) -> SkillResult:
        """Do it. May raise: that is a failed execution."""
        ...


@dataclass(frozen=True, slots=True)
class Execution:
    """The receipt of an execution: which skill, how it ended, how long it took, and what it gave back."""

    name: str
    status: str
    """done, failed, unavailable"""
    duration_ms: int = 0
    code: str = ""
    receipt: Mapping[str, Any] = field(default_factory=dict)


def list_skills() -> list[Skill]:
    """The installed skills by name. One that cannot be loaded is left out and logged."""
    skills: list[Skill] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        try:
            skill = entry.load()()
        except Exception as error:
            log.warning("skill_not_loaded", skill=entry.name, error=type(error).__name__)
            continue
        if isinstance(skill, Skill):
            skills.append(skill)
    return skills


def find_skill(understanding: Understanding, *, allowed: Sequence[str] | None, skills: Sequence[Skill]) -> Skill | None:
    """The skill that fits best, at least LEAST_FIT, of those that the caller allows (None: all)."""
    fits = [(skill.can_handle(understanding), skill) for skill in skills if allowed is None or skill.name in allowed]
    best = max(fits, key=lambda each: each[0], default=(0.0, None))
    return best[1] if best[0] >= LEAST_FIT else None


def run_skill(skill: Skill, call: SkillCall) -> tuple[str | None, Execution]:
    """Its reply, None when it gave none, and the receipt. Never raises."""
    missing = skill.check()
    if missing:
        return None, Execution(skill.name, "unavailable", code=missing)
    started = time.monotonic()
    try:
        result = skill.run(call)
    except Exception as error:
        log.warning("skill_failed", skill=skill.name, error=type(error).__name__)
        return None, Execution(skill.name, "failed", _count_ms(started), code="skill_failed")
    return result.reply, Execution(skill.name, "done", _count_ms(started), receipt=result.receipt)


def _count_ms(started: float) -> int:
    return int((time.monotonic() - started) * 1000)
