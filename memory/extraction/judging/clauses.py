"""Finds where a user's message states a value, with reasons for and against it (D-24). Pure.

Reuses the grammar of the instant step: its clauses, vocabulary, numbers, triggers and vetoes. What that grammar reads
in a message is the ceiling for the values that it knows: a value that its reading leaves out stands beside the
statement and not in it ("allergic to nickel, so I only wear gold"). What it refuses, no model can talk past it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from memory.extraction.judging.around.liking import is_about_clothes, is_of_shop, is_praised_brand
from memory.extraction.judging.around.limits import find_limit, is_price
from memory.extraction.judging.around.remainders import is_said_more
from memory.extraction.judging.around.understanding import JOURNEYS, is_understood
from memory.extraction.judging.contrasts import is_contrasted, is_name
from memory.extraction.judging.endings import is_ending, is_own_words
from memory.extraction.judging.licences import is_licensed
from memory.extraction.judging.owners import is_dated_back
from memory.extraction.judging.value_places import BRAND as BRAND
from memory.extraction.judging.value_places import UNITS, Place, list_capitals, list_places
from memory.extraction.judging.values import Wanted, is_same_value
from memory.extraction.judging.word_lists import list_phrases
from memory.extraction.judging.wordings import (
    is_small_between,
    list_brand_wordings,
    list_ending_wordings,
    list_everyday_words,
    list_phrases_in,
    list_worded,
)
from patterns.kinds.ban.objects import CATEGORIES as BAN_CATEGORIES
from patterns.kinds.ban.objects import GENERAL
from patterns.kinds.event.reading import consume_relations
from patterns.matching.triggers import Trigger
from patterns.rules.ruleset import RuleSet
from patterns.statements.persons import find_subject
from patterns.statements.vetoes import find_statement_veto
from patterns.steps.message import Message
from patterns.types import Reading, ReadResult

DECLARED: Final = 3
"""The grammar reads the fact itself."""
BOUND: Final = 2
"""A trigger stands right beside the value and the grammar reads nothing else; for a brand: the writer says it of it."""
MENTIONED: Final = 1
"""The type's anchor stands in the message, and nothing ties it to the value."""
BARE: Final = 0

ANCHOR_CATEGORIES: Final = {
    "allergy": ("allergy_word",),
    "body_params": ("size_word", "garment_word", "half", "unit_length", "unit_weight"),
    "budget": ("budget_word", "limit_word"),
    "hard_ban": (),
    "life_event": ("event", "work_party"),
    "brand_preference": (),
}
"""Words of the vocabulary that anchor a type beside its triggers."""
BRIDGED_KINDS: Final = {
    "allergy": frozenset({"noun", "sensitive", "reaction", "own"}),
    "body_params": frozenset({"own", "bare", "wear", "half", "garment"}),
    "budget": frozenset({"word", "limit"}),
    "hard_ban": frozenset({"explicit", "habit", "habit_bare"}),
}
"""Kinds of triggers that say what they say also when the value does not stand right beside them. The others ("I don't
want", "no ... ever", "I am", "I have") mean it only where the grammar itself ties them to the value; a new kind joins
them until somebody puts it here."""
NO_VETO: Final = frozenset(
    {
        "not_in_vocabulary",
        "no_amount",
        "no_anchor",
        "not_a_size",
        "like",
        "pronoun",
        "no_allergy_word",
        "no_refusal",
        "says_more",
        "not_ahead",
        "doubtful",
    }
)
"""Refusals of the instant step that say "not enough here" and not "this is something else". A reason that is not listed
counts as a veto, so that a new guard is never ignored."""
NEGATION_REACH: Final = 3
"""Tokens before a value or trigger in which a "not" denies it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place that says the value. `veto` is the code of what speaks against it; `words` are those of the clause."""

    strength: int
    veto: str | None
    words: frozenset[str]
    expires_on: date | None = None
    is_ended: bool = False
    """A wording of the type says of this very value that it is over."""
    is_alone: bool = False
    """That wording stands for itself: nothing lends or limits it."""
    is_of_other: bool = False


class MessageReader:
    """One user's message, read once, asked about many values."""

    def __init__(self, text: str, *, rules: RuleSet, said_at: datetime) -> None:
        """`said_at` is in the tenant's zone: relative dates count from its day."""
        self._rules = rules
        self._text = text
        self._said_on = said_at.date()
        self.message: Message = rules.analyse(text)
        consume_relations(self.message)
        self.result: ReadResult = rules.read(text, said_at=said_at)
        self._triggers: Sequence[Trigger] = rules.finder.list_triggers(self.message.normal.text)
        self._mentions: dict[Wanted, list[Mention]] = {}

    @property
    def language(self) -> str:
        """Language of the message as the instant step names it."""
        return self.result.language

    def list_mentions(self, wanted: Wanted) -> list[Mention]:
        """Every place that says the value, in order."""
        if wanted not in self._mentions:
            self._mentions[wanted] = [self._judge(place, wanted) for place in self._list_places(wanted)]
        return self._mentions[wanted]

    def is_read(self, wanted: Wanted) -> bool:
        """Whether the instant grammar reads the very same fact."""
        return any(self._is_reading_of(reading, wanted) for reading in self.result.readings)

    def _is_reading_of(self, reading: Reading, wanted: Wanted) -> bool:
        is_same_key = (reading.knowledge_type, reading.knowledge_key) == wanted.slot
        return is_same_key and is_same_value(reading.value, wanted.value)

    def _find_tokens(self, reading: Reading) -> tuple[int, int] | None:
        """The tokens that the characters of a reading touch."""
        spans = [self.message.normal.raw_span(token.start, token.end) for token in self.message.tokens]
        touched = [i for i, (first, last) in enumerate(spans) if first < reading.end and last > reading.start]
        return (touched[0], touched[-1] + 1) if touched else None

    def _list_places(self, wanted: Wanted) -> Iterator[Place]:
        is_read = self.is_read(wanted)
        places = list(list_places(self.message, wanted, said_on=self._said_on, is_read=is_read))
        return iter(places or self._list_measured(wanted) or list_capitals(self.message, wanted, self._text))

    def _list_measured(self, wanted: Wanted) -> list[Place]:
        """Where the grammar reads a number that was said otherwise: 5'7" is 170 cm, "from 900 to 700" is 700."""
        if wanted.knowledge_key not in UNITS and wanted.knowledge_type != "budget":
            return []
        return [Place(*span) for span in self._list_read(wanted)]

    # --- judgement --------------------------------------------------------------------------------------------------

    def _judge(self, place: Place, wanted: Wanted) -> Mention:
        message = self.message
        clause = message.clause(place.start)
        triggers = self._list_triggers(wanted, clause)
        veto = self._find_veto(place, wanted, triggers)
        is_of_other = self._is_of_other(place, wanted)
        endings = self._list_endings(place, wanted)
        mention = Mention(
            strength=self._measure_strength(wanted, triggers, place),
            veto=veto,
            words=frozenset(token.text for token in message.tokens[slice(*clause)] if token.kind != "mark"),
            expires_on=place.expires_on,
            is_ended=bool(endings),
            is_alone=any(is_ending(message, span, is_taste=wanted.knowledge_type == BRAND) for span in endings),
            is_of_other=is_of_other,
        )
        if self._is_set_apart(place, wanted):
            return replace(mention, strength=min(mention.strength, MENTIONED))
        if veto is not None or not self.is_read(wanted):
            return mention
        return replace(mention, strength=DECLARED if self._is_understood(place, wanted) else BOUND)

    def _is_understood(self, place: Place, wanted: Wanted) -> bool:
        own = [trigger for trigger in self._triggers if trigger.rule.knowledge_type == wanted.knowledge_type]
        told = [self._place_trigger(trigger) for trigger in own]
        if not self._has_read(place, wanted):
            return False
        span = self._find_span(place, wanted)
        read = [tokens for reading in self.result.readings if (tokens := self._find_tokens(reading)) is not None]
        if is_said_more(self.message, span, wanted, places=list(self._list_places(wanted)), read=read):
            return False
        return is_understood(self.message, place, wanted, span=span, told=told)

    def _list_triggers(self, wanted: Wanted, clause: tuple[int, int]) -> list[Trigger]:
        first, last = clause
        start, end = self.message.tokens[first].start, self.message.tokens[last - 1].end
        return [
            trigger
            for trigger in self._triggers
            if trigger.rule.knowledge_type == wanted.knowledge_type
            and trigger.rule.purpose == "extract"
            and self._may_say(trigger, wanted)
            and trigger.start < end
            and trigger.end > start
        ]

    def _may_say(self, trigger: Trigger, wanted: Wanted) -> bool:
        """Whether a trigger of this kind says such a thing at the distance that a model may bridge."""
        kind = trigger.rule.kind
        if wanted.knowledge_type == "body_params" and wanted.knowledge_key in UNITS:
            return kind == wanted.knowledge_key
        if kind == "intolerance":
            return wanted.knowledge_type == "allergy" and bool(self.message.marks.get("allergy_word"))
        if kind not in BRIDGED_KINDS.get(wanted.knowledge_type, ()):
            return False
        if wanted.knowledge_type != "hard_ban":
            return True
        allowed = BAN_CATEGORIES.get(kind, GENERAL)
        return any(wanted.knowledge_key in self._rules.lexicon.canonicals.get(name, ()) for name in allowed)

    def _measure_strength(self, wanted: Wanted, triggers: Sequence[Trigger], place: Place) -> int:
        """How closely the value is bound; whether the grammar reads it is looked at apart."""
        if wanted.knowledge_type == BRAND:
            return BOUND if self._is_own_brand(place, wanted) else MENTIONED
        if not self.is_read(wanted) and not self._has_anchor(wanted):
            return BARE
        is_left_out = not wanted.is_literal and any(
            reading.knowledge_type == wanted.knowledge_type for reading in self.result.readings
        )
        is_bound = not is_left_out and any(self._is_beside(trigger, place, wanted) for trigger in triggers)
        return BOUND if is_bound else MENTIONED

    def _is_own_brand(self, place: Place, wanted: Wanted) -> bool:
        """The writer says that the brand is theirs; a name that is a word of every day takes a word of shopping too."""
        worded = list_worded(self.message, place.start, place.end, list_brand_wordings())
        if not any(is_own_words(self.message, span) for span in worded) and not is_praised_brand(self.message, place):
            return False
        if wanted.knowledge_key not in list_everyday_words():
            return True
        return is_about_clothes(self.message)

    def _is_beside(self, trigger: Trigger, place: Place, wanted: Wanted) -> bool:
        """Only small words and other values of the kind stand between the trigger and the value, in one segment."""
        start, end = self._place_trigger(trigger)
        if self.message.segment(place.start) != self.message.segment(start):
            return False
        first, last = (end, place.start) if start < place.start else (place.end, start)
        return is_small_between(self.message, first, last, wanted.categories)

    def _is_set_apart(self, place: Place, wanted: Wanted) -> bool:
        """The value is set against the statement, or part of a name."""
        told = [*self._list_trigger_places(wanted), *self._list_taken_up(place, wanted)]
        if is_contrasted(self.message, place, wanted, told):
            return True
        if self._is_revoked(place, wanted):
            return True
        triggers = self._list_trigger_places(wanted, purpose="extract")
        telling = [self._place_trigger(t) for t in self._triggers if self._is_telling(t, wanted)]
        span = self._find_span(place, wanted)
        if not is_licensed(self.message, place, wanted, span=span, triggers=triggers, telling=telling):
            return True
        is_word = bool(wanted.categories) or wanted.knowledge_type == "life_event"
        if not is_word or wanted.knowledge_type == BRAND or wanted.value in JOURNEYS:
            return False
        return is_name(self.message, place, self._text)

    def _is_revoked(self, place: Place, wanted: Wanted) -> bool:
        """Denim too... no, bring denim back: a later part of the message names the value and takes it back."""
        later = [other for other in self._list_places(wanted) if other.start >= place.end]
        triggers = self._list_trigger_places(wanted)
        return any(
            list_phrases_in(self.message, self.message.segment(other.start), list_phrases("revoking_words"))
            or (bool(wanted.categories) and is_contrasted(self.message, other, wanted, triggers))
            for other in later
            if self.message.segment(other.start) != self.message.segment(place.start)
        )

    def _list_trigger_places(self, wanted: Wanted, *, purpose: str = "") -> list[tuple[int, int]]:
        found = [t for t in self._triggers if t.rule.knowledge_type == wanted.knowledge_type]
        return [self._place_trigger(t) for t in found if purpose in ("", t.rule.purpose)]

    def _has_read(self, place: Place, wanted: Wanted) -> bool:
        """Whether a reading of the fact has the value in the sentence where it stands."""
        clause = self.message.clause(place.start)
        return any(span[0] < clause[1] and span[1] > clause[0] for span in self._list_read(wanted))

    def _find_span(self, place: Place, wanted: Wanted) -> tuple[int, int]:
        """The tokens of the reading that holds the value, or its clause where the grammar reads nothing of it."""
        for span in self._list_read(wanted):
            if self.message.segment(span[0]) == self.message.segment(place.start):
                return min(span[0], place.start), max(span[1], place.end)
        return self.message.clause(place.start)

    def _list_taken_up(self, place: Place, wanted: Wanted) -> list[tuple[int, int]]:
        """What each reading that begins with the value says of it: "nickel, I react to it"."""
        return [(place.end, end) for start, end in self._list_read(wanted) if start <= place.start and place.end < end]

    def _find_stated(self, place: Place, wanted: Wanted) -> tuple[int, int]:
        """The tokens to ask what speaks against them: "silk? no, allergic to it" is stated behind its own "no"."""
        told = self._list_taken_up(place, wanted)
        stated = [end for _, end in told if self.message.segment_of[end - 1] != self.message.segment_of[place.start]]
        return (place.start, place.end) if not stated else (max(stated) - 1, max(stated))

    def _list_read(self, wanted: Wanted) -> list[tuple[int, int]]:
        """The tokens of each reading of the very same fact."""
        spans = [self._find_tokens(r) for r in self.result.readings if self._is_reading_of(r, wanted)]
        return [span for span in spans if span is not None]

    def _is_telling(self, trigger: Trigger, wanted: Wanted) -> bool:
        rule = trigger.rule
        return rule.knowledge_type == wanted.knowledge_type and rule.kind in BRIDGED_KINDS.get(rule.knowledge_type, ())

    def _place_trigger(self, trigger: Trigger) -> tuple[int, int]:
        start = self.message.token_at(trigger.start)
        end = self.message.token_at(max(trigger.start, trigger.end - 1)) + 1
        return start, min(end, len(self.message.tokens))

    def _list_endings(self, place: Place, wanted: Wanted) -> list[tuple[int, int]]:
        """The tokens of wordings that say of the value that it is over."""
        if self.is_read(wanted):
            return []
        wordings = list_ending_wordings().get(wanted.knowledge_type, ())
        return list_worded(self.message, place.start, place.end, wordings)

    def _has_anchor(self, wanted: Wanted) -> bool:
        if any(self.message.marks.get(category) for category in ANCHOR_CATEGORIES[wanted.knowledge_type]):
            return True
        if wanted.knowledge_type == "hard_ban":
            return any(
                self.message.has_in("lasting", first, last) and self.message.has_in("negator", first, last)
                for first, last in self.message.normal.clauses
            )
        return any(
            trigger.rule.knowledge_type == wanted.knowledge_type and self._may_say(trigger, wanted)
            for trigger in self._triggers
        )

    def _find_veto(self, place: Place, wanted: Wanted, triggers: Sequence[Trigger]) -> str | None:
        message = self.message
        is_event = wanted.knowledge_type == "life_event"
        start, end = self._find_stated(place, wanted)
        veto = find_statement_veto(message, start, end, is_event=is_event)
        if wanted.knowledge_type == BRAND and veto == "past" and is_praised_brand(message, place):
            veto = None  # "bought at Zara again, I love this brand"
        if veto is None and is_dated_back(message, place, self._said_on.year):
            veto = "past"
        if not self.is_read(wanted):
            veto = veto or self._find_refusal(message.clause(place.start), wanted)
        if veto is None and self._is_read_otherwise(wanted):
            return "read_otherwise"
        if veto is not None:
            return veto
        if not is_event and not self._is_read_ban(wanted) and self._is_of_other(place, wanted):
            return "other_subject"
        if self._is_denied(place, wanted, triggers):
            return "negated"
        if wanted.knowledge_type == "budget" and not triggers and is_price(message, place):
            return "price"
        if wanted.knowledge_type != "hard_ban":
            return None
        return find_limit(message, place, is_read=self.is_read(wanted))

    def _is_of_other(self, place: Place, wanted: Wanted) -> bool:
        if find_subject(self.message, place.start, place.end) != "other":
            return False
        return wanted.knowledge_type != BRAND or not is_of_shop(self.message, self.message.segment(place.start))

    def _is_read_ban(self, wanted: Wanted) -> bool:
        """A ban that the grammar reads has been asked whose it is, at its trigger."""
        return wanted.knowledge_type == "hard_ban" and self.is_read(wanted)

    def _find_refusal(self, clause: tuple[int, int], wanted: Wanted) -> str | None:
        """A refusal of the instant step in this clause for this type."""
        normal, tokens = self.message.normal, self.message.tokens
        start, end = normal.raw_span(tokens[clause[0]].start, tokens[clause[1] - 1].end)
        types = {rule.slug: rule.knowledge_type for rule in self._rules.rules}
        for refusal in self.result.rejections:
            is_here = refusal.start < end and refusal.end > start
            if is_here and types.get(refusal.rule) == wanted.knowledge_type and refusal.reason not in NO_VETO:
                return refusal.reason
        return None

    def _is_read_otherwise(self, wanted: Wanted) -> bool:
        """The grammar reads another value of the same key here: "size 46-48" is no 48, "M below" no size in general."""
        if wanted.knowledge_type not in ("body_params", "budget") or self.is_read(wanted):
            return False
        keys = {wanted.knowledge_key}
        if wanted.knowledge_key == "size":
            keys |= {"size_top", "size_bottom"}
        return any(r.knowledge_type == wanted.knowledge_type and r.knowledge_key in keys for r in self.result.readings)

    def _is_denied(self, place: Place, wanted: Wanted, triggers: Sequence[Trigger]) -> bool:
        """A "not" before the value or its trigger that is no part of one; a ban is made of one and asks for none."""
        if wanted.knowledge_type == "hard_ban":
            return False
        message = self.message
        spans = [self._place_trigger(trigger) for trigger in self._triggers]
        if wanted.knowledge_type == "life_event":
            spans += list_phrases_in(message, message.clause(place.start), list_phrases("unclad_words"))
        for start in (place.start, *(message.token_at(trigger.start) for trigger in triggers)):
            first = max(message.segment(start)[0], start - NEGATION_REACH)
            for negator in message.list_in("negator", first, start):
                if not any(begin <= negator.start < end for begin, end in spans):
                    return True
        first, last = message.segment(place.start)
        joined = [m.start for m in message.list_in("conj", place.end, last)]
        return message.has_in("denial", first, min([last, *joined]))


def has_phrase(message: Message, phrases: Sequence[Sequence[str]], clause: tuple[int, int]) -> bool:
    """Whether one of the phrases, in normalised words, stands in a clause."""
    return bool(list_phrases_in(message, clause, phrases))
