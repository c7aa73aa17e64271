"""A reply with everything that is asked of it worked out once. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime

from corrections.recognition.copies import Span
from corrections.recognition.mentions import kind_of, list_events, list_people, list_values
from corrections.recognition.texts import Text
from corrections.recognition.types import Operation
from memory.types import Fact
from patterns.matching.phrases import Cue
from patterns.statements.reports import is_reported

_FILLERS = frozenset(("hush",))
_OPENERS = ("hush", "affirm", "denial", "idiom", "challenge", "pointer", "praise", "why", "it")
_SPOKEN = (
    "size_letter", "size_system", "number", "weekday", "month", "day_word", "date_phrase", "dual", "period", "within",
    "currency", "half", "approximately", "conj", "next",
)  # fmt: skip


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
    copied: Sequence[Span] = ()
    """What of the reply stands word for word in the turn."""
    tastes: Set[str] = frozenset()
    """Keys that are colours and brands: an item is told by them, so one never takes the place of a material."""
    reasons: list[str] = field(default_factory=list)

    @property
    def today(self) -> date:
        """The day of the reply, in the tenant's zone."""
        return self.said_at.date()

    @property
    def is_copy(self) -> bool:
        """Whether the whole reply is a piece of the turn."""
        if not self.copied:
            return False
        tokens = self.reply.message.tokens
        return all(token.kind == "mark" or self._is_copied(place) for place, token in enumerate(tokens))

    def is_passed_back(self, place: int) -> bool:
        """Whether a word is quoted or copied, so that the user does not say it."""
        message = self.reply.message
        return message.quoted[place] or self._is_copied(place) or is_reported(message, place, place + 1)

    def _is_copied(self, place: int) -> bool:
        token = self.reply.message.tokens[place]
        start, end = self.reply.message.normal.raw_span(token.start, token.end)
        return any(span.start <= start and end <= span.end for span in self.copied)

    @property
    def has_no(self) -> bool:
        """Whether the reply says no to the turn, in whatever strength."""
        return self.find_no() is not None or self.has_firm_no or self.has_short_no or self.has_echo

    def find_no(self) -> int | None:
        """Where the first plain no to the turn stands."""
        cues = self.reply.list_cues("denial", "plain")
        return next((c.start for c in cues if self._opens_segment(c.start) and not self._forbids(c)), None)

    def _opens_segment(self, place: int) -> bool:
        """Whether only fillers stand before a place in its segment: "I said no" is no answer."""
        start, _ = self.reply.message.segment(place)
        known = self.reply.covered(_OPENERS)
        tokens = self.reply.message.tokens
        return all(index in known or tokens[index].kind == "mark" for index in range(start, place))

    def _forbids(self, cue: Cue) -> bool:
        """ "No velvet", "لا تقترحين": the no belongs to what follows it, as a ban."""
        tokens = self.reply.message.tokens
        if cue.end >= len(tokens) or tokens[cue.end].kind == "mark":
            return False
        if any(match.start == cue.end for match in list_values(self.reply)):
            return True
        return cue.language not in ("en", "ru") and cue.end not in self._known_places()

    def _known_places(self) -> set[int]:
        """Tokens that are cues or values; a word that is neither may be the verb of a ban."""
        names = set(self.reply.cues) - {"worn", "allow", "shut", "taste", "ban_word"}
        known = self.reply.covered(names)
        matches = [*list_values(self.reply), *list_events(self.reply), *list_people(self.reply)]
        for match in matches:
            known.update(range(match.start, match.end))
        marks = self.reply.message.marks
        for name in _SPOKEN:
            for match in marks.get(name, ()):
                known.update(range(match.start, match.end))
        return known | {i for i, token in enumerate(self.reply.message.tokens) if token.kind == "number"}

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
            (cue.end == len(tokens) or tokens[cue.end].kind == "mark" or self._starts_denial(cue.end))
            and (cue.start == 0 or tokens[cue.start - 1].kind == "mark" or self._ends_denial(cue.start))
            for cue in self.reply.list_cues("denial", "short")
        )

    def _starts_denial(self, place: int) -> bool:
        return any(cue.start == place and cue.meaning != "short" for cue in self.reply.list_cues("denial", start=place))

    def _ends_denial(self, place: int) -> bool:
        return any(cue.end == place for cue in self.reply.list_cues("denial", end=place))

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

    def list_of_kind(self, facts: list[Fact]) -> list[Fact]:
        """Those facts whose kind ("size", "budget") the reply names; all of them when it names no kind."""
        kinds = {cue.meaning for cue in self.reply.list_cues("topic")}
        return [fact for fact in facts if kind_of(fact) in kinds] if kinds else facts

    def refuse(self, reason: str) -> None:
        """Note what was considered and turned down: a code, never words."""
        self.reasons.append(reason)


def make_operation(kind: str, fact: Fact, correction_type: str | None = None) -> Operation:
    """An operation on a stored fact."""
    return Operation(
        kind, fact.knowledge_type, fact.knowledge_key, fact=fact, value=fact.value, correction_type=correction_type
    )
