"""Skills: what can be done for a person beside talking. They come as packages and register by entry point.

    [project.entry-points."unde.skills"]
    sizes = "my_package.sizes:SizeSkill"

Without any the conversation works all the same (SPEC B-4).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Final, Protocol, runtime_checkable

import structlog
from django.conf import settings

from config.chat.understanding import Understanding

GROUP: Final = "unde.skills"
LEAST_FIT: Final = 0.3  # BRAIN 2.5: below it a skill is no candidate
NOT_ALLOWED, FAILED, NO_REPLY = "skill_not_allowed", "skill_failed", "no_reply"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SkillCall:
    """What a skill is given: who asks, what was understood, and the pack. No database, no key."""

    user_id: str
    conversation_id: str
    text: str
    understanding: Understanding
    pack: Mapping[str, Any]
    language: str = ""
    message_id: str = ""
    """Equal for the same turn again: what must not be done twice is held against it."""


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What a skill did: its reply, and a receipt of ids and codes."""

    reply: str
    receipt: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Skill(Protocol):
    """One skill. `capabilities` are the intents it is for; a caller and a tenant may allow some skills by name.

    It may have `phrases`, a mapping of a capability to phrases: a message that holds one asks for it.
    """

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
    """done, failed, unavailable, refused"""
    duration_ms: int = 0
    code: str = ""
    receipt: Mapping[str, Any] = field(default_factory=dict)


@lru_cache(maxsize=1)
def list_skills() -> tuple[Skill, ...]:
    """The installed skills by name, made once a process. One that cannot be loaded is left out and logged."""
    skills: list[Skill] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        try:
            skill = entry.load()()
        except Exception as error:
            log.warning("skill_not_loaded", skill=entry.name, error=type(error).__name__)
            continue
        if isinstance(skill, Skill) and 0 < len(skill.name) <= settings.UNDE_TUNING.CHAT_SKILL_NAME_CHARACTERS:
            skills.append(skill)
        else:
            log.warning("skill_not_loaded", skill=entry.name, error="not_a_skill")
    return tuple(skills)


def list_abilities(skills: Sequence[Skill]) -> Mapping[str, tuple[str, ...]]:
    """The phrases that skills bring, by capability."""
    found: dict[str, tuple[str, ...]] = {}
    for skill in skills:
        phrases = getattr(skill, "phrases", {})
        for capability in skill.capabilities:
            more = tuple(str(each) for each in phrases.get(capability, ()))
            if more:
                found[capability] = (*found.get(capability, ()), *more)
    return found


def find_skill(understanding: Understanding, *, skills: Sequence[Skill]) -> Skill | None:
    """The skill that fits best of those with a capability that is asked for, at least LEAST_FIT; None: none does."""
    asked = {understanding.intent_type, *understanding.context_hints}
    fits = [(_weigh(skill, understanding), skill) for skill in skills if asked & set(skill.capabilities)]
    best = max(fits, key=lambda each: each[0], default=(0.0, None))
    return best[1] if best[0] >= LEAST_FIT else None


def run_skill(skill: Skill, call: SkillCall, *, permitted: Sequence[str] | None) -> tuple[str | None, Execution]:
    """Its reply, None when it gave none, and the receipt. `permitted` names those of the tenant. Never raises."""
    if permitted is not None and skill.name not in permitted:
        return None, Execution(skill.name, "refused", code=NOT_ALLOWED)
    started = time.monotonic()
    try:
        missing = skill.check()
        if missing:
            return None, Execution(
                skill.name, "unavailable", code=str(missing)[: settings.UNDE_TUNING.CHAT_SKILL_CODE_CHARACTERS]
            )
        result = skill.run(call)
        reply, receipt = result.reply.replace("\x00", "").strip(), dict(result.receipt)
    except Exception as error:
        log.warning("skill_failed", skill=skill.name, error=type(error).__name__)
        return None, Execution(skill.name, "failed", _count_ms(started), code=FAILED)
    if not reply:
        return None, Execution(skill.name, "failed", _count_ms(started), code=NO_REPLY)
    return reply, Execution(skill.name, "done", _count_ms(started), receipt=receipt)


def _weigh(skill: Skill, understanding: Understanding) -> float:
    """How well it says that it fits; nothing where it cannot say."""
    try:
        return float(skill.can_handle(understanding))
    except Exception as error:
        log.warning("skill_failed", skill=skill.name, error=type(error).__name__)
        return 0.0


def _count_ms(started: float) -> int:
    return int((time.monotonic() - started) * 1000)
