"""What the readers hand to the merge: drafts of readings, and refusals, in token positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from msgspec import Struct

from patterns.matching.triggers import Trigger
from patterns.rule import Rule


class Draft(Struct, frozen=True, gc=False):
    """One fact before the merge; tokens [start, end) say it."""

    knowledge_type: str
    key: str
    value: str | int
    start: int
    end: int
    rule: Rule
    expires_on: date | None = None


class Refusal(Struct, frozen=True, gc=False):
    """A trigger that a step turned down; `reason` is a stable code, `signs` are what spoke against a doubtful one."""

    rule: Rule
    reason: str
    start: int
    end: int
    signs: tuple[str, ...] = ()


class Fired(Struct, frozen=True, gc=False):
    """A trigger with its token range [start, end)."""

    trigger: Trigger
    start: int
    end: int

    @property
    def rule(self) -> Rule:
        """The rule that fired."""
        return self.trigger.rule

    @property
    def groups(self) -> dict[str, str]:
        """Named captures of the pattern; a number at the end of a name (cm2) only tells alternatives apart."""
        return {name.rstrip("0123456789"): text for name, text in self.trigger.groups}


@dataclass(slots=True)
class Findings:
    """Where readers collect. `today`: the day of the message. `taken`: tokens whose meaning is settled (a limit to pay
    is never a ban)."""

    today: date
    drafts: list[Draft] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    named_allergens: set[int] = field(default_factory=set)  # tokens that an allergy is about: no ban of their own

    def refuse(self, fired: Fired, reason: str) -> None:
        """Note that a step turned the trigger down."""
        self.refusals.append(Refusal(fired.rule, reason, fired.start, fired.end))
