"""Whether every word of a statement that could turn it round is known (SPEC X-3, D-24). Pure.

A nickname, a pet, a half of it, a firm, a day: what stands beside a reading and says nothing that is known to leave it
as it is makes it wait for a second saying.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.extraction.judging.around.afterthoughts import is_left_unclear
from memory.extraction.judging.around.extents import LISTED_TYPES, find_beginning, list_breaks, list_plain
from memory.extraction.judging.numbers import NAMES
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import Span, is_in, list_covered, list_named, opens_with_and
from memory.extraction.judging.value_places import Place
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from patterns.steps.message import Message

JOURNEYS: Final = ("trip", "vacation", "holiday", "honeymoon", "move", "umrah", "flight")
"""Events behind which the name of a place stands."""
NEUTRAL: Final = (
    "self", "filler", "first_person", "conj", "article", "lasting", "please", "oath", "laugh", "greeting",
    "approximately", "now", "allergy_word", "budget_word", "limit_word", "size_word", "size_letter", "size_filler",
    "measure_word", "currency", "unit_length", "unit_weight", "fabric", "irritant", "material", "cut", "garment",
    "pattern", "colour", "brand", "event", "work_party", "both", "request", "generic", "too_word", "likewise",
    "announcement", "plain", "decoy", "clause_link", "half", "size_system", "usual_word", "vocative", "addressed",
)  # fmt: skip
"""What turns no statement round before or behind its reading, whatever its type."""
NEUTRAL_OF: Final = {
    "allergy": (
        "relation", "skin", "body_reaction", "reaction_link", "reaction_verb", "pronoun", "doctor", "diagnosis",
        "whole_of", "since", "period", "number", "dual", "specific_item", "contrast", "change_verb",
    ),
    "body_params": ("number", "ordinal_number", "past", "instead", "size_tail"),
    "budget": (
        "spend_refusal", "spending", "instead", "change_verb", "number", "reaction_link", "whole_of", "unit_thousand",
        "garment_word", "all_clothes", "specific_item", "that_garment", "aside_from", "affirmation",
    ),
    "hard_ban": ("kept_out", "pronoun", "thing", "order_tag", "tag", "reaction_link", "since", "whole_of", "number"),
    "life_event": (),
}  # fmt: skip
"""What turns no statement of a type round. Events are told with too much beside them to list it."""
KNOWN_OF: Final = {
    "life_event": ("unclad_words", "place_words", "event_words"),
    "allergy": ("body_words",),
}
"""Lists of more such words, by type."""
STATING: Final = (
    "self",
    "first_person",
    "both",
    "request",
    "negator",
    "pronoun",
    "other_value",
    "lasting",
    "quote",
    "skin",
)
"""What shows that behind an "and" a statement of its own stands, or more of what is spoken of."""
TURNING: Final = ("negator", "quote", "untrue", "to_be", "wish")
"""What turns a statement round when it leads up to it, whatever else the word may be."""
DAYS: Final = ("day_word", "weekday")
"""What a budget may be for alone."""
LENDING: Final = ("relation", "other", "negator", "quote", "past", "wish", "conditional", "hedge", "price", "spent")
"""What makes a number somebody else's, or none."""


def is_understood(message: Message, place: Place, wanted: Wanted, *, span: Span, told: Sequence[Span]) -> bool:
    """Whether the part of the sentence that states the value has no word that nobody knows (D-24).

    What is not understood may turn a statement round: a nickname, a pet, a half of it. Behind an "and", a reason and
    the name of a journey something else is told. `told`: tokens of the triggers of its type.
    """
    first, last = message.segment(span[0])[0], message.segment(span[1] - 1)[1]
    behind = min([last, *list_breaks(message, span[1], last, wanted)])
    if wanted.value in JOURNEYS:
        behind = place.end
    if is_left_unclear(message, span) or _is_scoffed(message, first) or _is_of_goods(message, place, wanted):
        return False
    first = find_beginning(message, place, wanted, span=span, told=told)
    known = {index for begin, end in told for index in range(begin, end)}
    known |= list_named(message, (first, max(behind, span[1])), _list_known_phrases(wanted))
    known |= list_covered_by(message, first, max(behind, span[1]), wanted)
    if _is_for_today(message, span, wanted):
        return False
    if _is_turned(message, first, place, span[0], wanted) or _adds_oddity(message, span, behind, wanted):
        return False
    if _is_named_behind(message, place, wanted):
        return True
    return not any(
        index not in known and not (place.start <= index < place.end) and _is_open(message, index, span)
        for index in range(first, max(behind, span[1]))
    )


def _is_turned(message: Message, first: int, place: Place, start: int, wanted: Wanted) -> bool:
    """I told my boss, neither I nor my sister: what leads up to the statement says it to somebody, or denies it."""
    if wanted.knowledge_type == "life_event":
        return message.has_in("untrue", first, start) or any(
            message.has_in("relation", told.end, start) for told in message.list_in("quote", first, start)
        )
    if wanted.knowledge_type == "hard_ban" and any(token.kind == "number" for token in message.tokens[first:start]):
        return True  # "from 2030 I never wear fur"
    if wanted.knowledge_type == "allergy" and _is_kept_away(message, first, place, start):
        return False
    is_news = message.has_in("doctor", first, start)
    found = [m for name in TURNING for m in message.list_in(name, first, start) if name != "quote" or not is_news]
    found = [m for m in found if not is_in(message, m.start, list_words("or_words"))]
    return bool(found)


def _is_for_today(message: Message, span: Span, wanted: Wanted) -> bool:
    """Today I won't spend over 600: a budget with a day of its own."""
    part = (message.segment(span[0])[0], message.segment(span[1] - 1)[1])
    return wanted.knowledge_type == "budget" and any(message.has_in(name, *part) for name in DAYS)


def _is_named_behind(message: Message, place: Place, wanted: Wanted) -> bool:
    """I've capped myself at 500, that's the budget: the next part points back and says what the number is.

    Then the words before may be strange, unless they are somebody else's or of the past.
    """
    first, last = message.segment(place.start)
    if wanted.knowledge_type not in NAMES or last >= len(message.tokens):
        return False
    behind = message.segment(last)
    if message.clause_of[last] != message.clause_of[last - 1] or any(message.has_in(n, first, last) for n in LENDING):
        return False
    is_pointing = is_in(message, behind[0], list_words("pointing_words"))
    names = NAMES[wanted.knowledge_type]
    return (
        is_pointing and any(message.has_in(name, *behind) for name in names) and not message.has_in("negator", *behind)
    )


def _is_kept_away(message: Message, first: int, place: Place, start: int) -> bool:
    """Can't be near fur, I'm allergic: before a value that begins the reading, a "not" keeps away from it."""
    if place.start != start:
        return False
    found = [match for name in TURNING for match in message.list_in(name, first, start)]
    return all(m.category == "negator" and start - m.end <= GATE.kept_reach for m in found)


def _adds_oddity(message: Message, span: Span, behind: int, wanted: Wanted) -> bool:
    """Allergic to wool and Mondays: an "and" adds what is no material and no statement."""
    last = message.segment(span[1] - 1)[1]
    if wanted.knowledge_type not in LISTED_TYPES or behind >= last:
        return False
    if not message.at(behind, "conj") and not opens_with_and(message, behind):
        return False
    words = [i for i in range(behind, last) if message.tokens[i].kind == "word" and not message.at(i, "conj")]
    if (
        not words
        or len(words) > GATE.odd_words
        or any(message.has_in(name, behind, last) for name in (*STATING, *wanted.categories))
    ):
        return False
    if is_in(message, words[0], list_words("pointing_words")):
        return False
    return any(message.strange[i] or message.at(i, "weekday") or message.at(i, "usual_word") for i in words)


def _is_scoffed(message: Message, first: int) -> bool:
    """Aha, I'm allergic to leather: a yes to nobody's question opens the message."""
    before = message.segment(first - 1) if first > 0 else (0, 0)
    return (
        before[0] == 0
        and before[1] == first
        and all(
            token.kind == "mark" or is_in(message, i, list_words("scoffing_words"))
            for i, token in enumerate(message.tokens[slice(*before)])
        )
        and first > 0
    )


def _is_open(message: Message, index: int, span: Span) -> bool:
    """A word that may turn the statement: unknown inside its reading, of whatever meaning beside it."""
    if message.tokens[index].kind != "word" or _is_plain(message, index):
        return False
    return message.unnamed[index] if span[0] <= index < span[1] else True


def list_covered_by(message: Message, start: int, last: int, wanted: Wanted) -> set[int]:
    """The tokens of [start, last) that are known not to turn a statement of the type round."""
    if wanted.knowledge_type not in NEUTRAL_OF or wanted.knowledge_type == "life_event":
        return {index for index in range(start, last) if not message.unnamed[index]}
    names = (*NEUTRAL, *NEUTRAL_OF[wanted.knowledge_type])
    return list_covered(message, max(0, start - GATE.cover_reach), last, names)


def _is_plain(message: Message, index: int) -> bool:
    """A word of the lists here, or a number with its letters: 2k, 9th."""
    return is_in(message, index, list_plain()) or message.tokens[index].text[:1].isdecimal()


def _list_known_phrases(wanted: Wanted) -> list[tuple[str, ...]]:
    """Nothing to wear, to Paris, on my arms: what is told beside a statement of the type and leaves it what it is."""
    return [phrase for name in KNOWN_OF.get(wanted.knowledge_type, ()) for phrase in list_phrases(name)]


def _is_of_goods(message: Message, place: Place, wanted: Wanted) -> bool:
    """Tight shoes, gold with silver: a thing behind the value, or a second one beside it, is what the ban is on."""
    if wanted.knowledge_type != "hard_ban":
        return False
    last = message.segment(place.end - 1)[1]
    joined = message.at(place.end, "with")
    is_pair = joined is not None and any(message.has_in(name, joined.end, last) for name in wanted.categories)
    return is_pair or message.at(place.end, "shoe") is not None
