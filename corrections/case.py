"""A reply with everything that is asked of it worked out once. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from corrections.mentions import kind_of
from corrections.reading import Text
from corrections.types import Operation
from memory.types import Fact

_FILLERS = frozenset(("hush",))


@dataclass(slots=True)
class Case:
    """One reply after one turn. `asserted`: what the turn claims or asks about; `named`: what the reply names."""

    reply: Text
    facts: tuple[Fact, ...]
    asserted: list[Fact]
    named: list[Fact]
    said_at: datetime
    has_turn: bool = True
    """Whether the assistant spoke right before."""
    is_offer: bool = False
    """The turn ends by offering something: a bare yes or no answers that."""
    is_doubt: bool = False
    """The turn asks whether memory is wrong: a bare no says that it is right."""
    reasons: list[str] = field(default_factory=list)

    @property
    def today(self) -> date:
        """The day of the reply, in the tenant's zone."""
        return self.said_at.date()

    @property
    def has_no(self) -> bool:
        """Whether the reply says no, in whatever strength."""
        return self.reply.has("denial", "plain") or self.has_firm_no or self.has_short_no or self.has_echo

    @property
    def has_ended(self) -> bool:
        """Whether the reply says that it was so once; an allergy also "goes" as an event does."""
        if self.reply.has("ended"):
            return True
        is_about_allergies = bool(self.asserted) and all(fact.knowledge_type == "allergy" for fact in self.asserted)
        return is_about_allergies and self.reply.has("over") and self.is_bare("over", "denial", "recent", "pointer")

    @property
    def has_firm_no(self) -> bool:
        """Whether the reply says that something is wrong."""
        return self.reply.has("denial", "firm")

    @property
    def has_echo(self) -> bool:
        """Whether the reply is a bare "I'm not", "I don't": a no, but agreement where the turn says what one shuns."""
        if not self.reply.has("denial", "echo") or not self.is_bare("denial", "ended", "idiom"):
            return False
        return not any(fact.knowledge_type == "hard_ban" for fact in self.asserted)

    @property
    def has_short_no(self) -> bool:
        """A particle that only says no when it stands alone or before a stop."""
        tokens = self.reply.message.tokens
        return any(
            cue.end == len(tokens) or tokens[cue.end].kind == "mark" or self._starts_denial(cue.end)
            for cue in self.reply.list("denial", "short")
        )

    def _starts_denial(self, place: int) -> bool:
        return any(cue.start == place and cue.meaning != "short" for cue in self.reply.list("denial", start=place))

    @property
    def is_protest(self) -> bool:
        """Whether the reply disputes something at all: a no, or a question where it comes from."""
        return self.has_no or self.reply.has("challenge")

    @property
    def is_recent(self) -> bool:
        """Whether the reply says that something is so now and was not before."""
        return self.reply.has("recent") or self.has_ended

    def is_bare(self, *categories: str, spans: tuple[tuple[int, int], ...] = ()) -> bool:
        """Whether these cues, fillers and spans are the whole reply."""
        return not self.reply.uncovered(_FILLERS | set(categories), spans)

    def list_of_kind(self, facts: list[Fact], start: int = 0, end: int | None = None) -> list[Fact]:
        """Those facts whose kind ("size", "budget") the reply names there; all of them when it names none."""
        kinds = {cue.meaning for cue in self.reply.list("topic", start=start, end=end)}
        chosen = [fact for fact in facts if kind_of(fact) in kinds]
        return chosen or facts

    def refuse(self, reason: str) -> None:
        """Note what was considered and turned down: a code, never words."""
        self.reasons.append(reason)


def make_operation(kind: str, fact: Fact, correction_type: str | None = None) -> Operation:
    """An operation on a stored fact."""
    return Operation(
        kind, fact.knowledge_type, fact.knowledge_key, fact=fact, value=fact.value, correction_type=correction_type
    )
