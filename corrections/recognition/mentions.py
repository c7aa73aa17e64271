"""Which stored facts a text speaks of, by value and alias in any language (SPEC C-1). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from corrections.recognition.measures import is_amount_of, is_size_of, list_amounts, list_sizes
from corrections.recognition.texts import Text
from memory.types import Fact
from patterns.matching.lexicon import LexiconMatch

VALUE_CATEGORIES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand")
NAMED_TYPES = ("allergy", "hard_ban", "brand_preference")
EVENT_CATEGORIES = ("event", "work_party")
PERSON_CATEGORIES = ("relation", "work")
_VALUES = frozenset(VALUE_CATEGORIES)
_NAMING = frozenset((*VALUE_CATEGORIES, *EVENT_CATEGORIES))
_YOURS = frozenset(("your_thing", "your_event"))
_NO_NAMES: frozenset[str] = frozenset()
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


def find_mentioned(text: Text, facts: Sequence[Fact], *, is_assertion: bool = False) -> list[Fact]:
    """The facts whose value stands in the text, in the given order; by their kind alone where only one can be meant.

    `is_assertion`: the text is the assistant's turn, where praise of a material ("velvet is in fashion") is no claim
    that the user shuns it.
    """
    found = [fact for fact in facts if _has_value(text, fact, facts, is_assertion)] if names_any(text) else []
    if is_assertion:
        found.extend(_list_by_kind(text, facts, found))
    return [fact for fact in facts if fact in found]


def is_any_mentioned(text: Text, facts: Sequence[Fact]) -> bool:
    """Whether the value of one of the facts stands in the text."""
    return names_any(text) and any(_has_value(text, fact, facts, is_assertion=False) for fact in facts)


def names_any(text: Text) -> bool:
    """Whether anything in the text may be the value of a fact. In most texts nothing is."""
    message = text.message
    return not _NAMING.isdisjoint(message.categories) or not _YOURS.isdisjoint(text.categories) or message.has_size


def list_values(text: Text) -> Sequence[LexiconMatch]:
    """Materials, cuts, colours and brands in the text: of matches on the same words the longest, once each."""
    return text.keep("values", lambda: _find_values(text))


def _find_values(text: Text) -> list[LexiconMatch]:
    found: list[LexiconMatch] = []
    matches = [match for name in VALUE_CATEGORIES for match in text.message.marks.get(name, ())]
    matches.extend(_list_yours(text, "your_thing", VALUE_CATEGORIES[0]))
    for match in sorted(matches, key=lambda match: (match.start, match.start - match.end)):
        if not any(kept.start <= match.start and match.end <= kept.end and _is_wider(kept, match) for kept in found):
            found.append(match)
    return found


def _is_wider(kept: LexiconMatch, match: LexiconMatch) -> bool:
    return kept.end - kept.start > match.end - match.start or kept.canonical == match.canonical


def list_events(text: Text) -> Sequence[LexiconMatch]:
    """The events that the text names, in order."""
    return text.keep("events", lambda: _find_events(text))


def _find_events(text: Text) -> list[LexiconMatch]:
    last = len(text.message.tokens)
    matches = [match for name in EVENT_CATEGORIES for match in text.message.list_in(name, 0, last)]
    return _keep_longest(matches + _list_yours(text, "your_event", "event", 0, last))


def _list_yours(text: Text, category: str, name: str, start: int = 0, end: int | None = None) -> list[LexiconMatch]:
    """Second-person words ("your birthday" is one word in Arabic) as matches of the vocabulary."""
    return [
        LexiconMatch(name, cue.meaning, cue.language, cue.start, cue.end)
        for cue in text.list_cues(category, start=start, end=end)
    ]


def _keep_longest(matches: Iterable[LexiconMatch]) -> list[LexiconMatch]:
    """In order; of nested ones (sister, niece) the longest."""
    found: list[LexiconMatch] = []
    for match in sorted(matches, key=lambda match: (match.start, match.start - match.end)):
        if not any(kept.start <= match.start and match.end <= kept.end for kept in found):
            found.append(match)
    return found


def list_people(text: Text, *, start: int = 0, end: int | None = None) -> Sequence[LexiconMatch]:
    """The relations ("sister", "work") that the text names, in order."""
    return text.keep(("people", start, end), lambda: _find_people(text, start, end))


def _find_people(text: Text, start: int, end: int | None) -> list[LexiconMatch]:
    last = len(text.message.tokens) if end is None else end
    matches = [match for name in PERSON_CATEGORIES for match in text.message.list_in(name, start, last)]
    return _keep_longest(matches + _list_yours(text, "your_person", "relation", start, last))


def is_of_another(text: Text, start: int, end: int) -> bool:
    """Whether [start, end) speaks of a person and not of the user too ("my" before "sister" is not the user)."""
    people = list_people(text, start=start, end=end)
    others = text.list_cues("other_person", start=start, end=end)
    if not people and not others:
        return False
    owned = [person.start for person in people] + [cue.start for cue in others]
    own = [
        cue for cue in text.list_cues("self", start=start, end=end) if not any(0 <= at - cue.end < 2 for at in owned)
    ]
    return not own


def split_event_key(key: str) -> tuple[str, str]:
    """`wedding_sister` is ("wedding", "sister"), `move` is ("move", "")."""
    head, _, tail = key.partition("_")
    return head, tail


def find_month(text: Text) -> str | None:
    """The last month that the text names, by its English name."""
    matches = text.message.marks.get("month", [])
    return MONTHS[int(matches[-1].canonical) - 1] if matches else None


def _has_value(text: Text, fact: Fact, facts: Sequence[Fact], is_assertion: bool) -> bool:
    if fact.knowledge_type in NAMED_TYPES:
        if fact.knowledge_key not in _list_names(text):
            return False
        return any(_is_said(text, match, fact, facts, is_assertion) for match in list_values(text))
    if fact.knowledge_type == "life_event":
        return _has_event(text, fact)
    if fact.knowledge_key.startswith("size"):
        return any(is_size_of(text, size, fact, facts) for size in list_sizes(text, fact=fact))
    if fact.knowledge_type in ("body_params", "budget"):
        return is_amount_of(text, list_amounts(text), fact)
    return False


def _list_names(text: Text) -> Set[str]:
    """What the values in the text are called."""
    if "your_thing" not in text.cues and _VALUES.isdisjoint(text.message.categories):
        return _NO_NAMES
    return text.keep("names", lambda: frozenset(match.canonical for match in list_values(text)))


def _is_said(text: Text, match: LexiconMatch, fact: Fact, facts: Sequence[Fact], is_assertion: bool) -> bool:
    if match.canonical != fact.knowledge_key:
        return False
    rivals = {other.knowledge_type for other in facts if other.knowledge_key == fact.knowledge_key}
    start, end = text.message.clause(match.start)
    if {"allergy", "hard_ban"} <= rivals and fact.knowledge_type in ("allergy", "hard_ban"):
        is_allergy = text.has("topic", "allergy", start=start, end=end)
        if is_allergy != (fact.knowledge_type == "allergy"):
            return False
    if not is_assertion or fact.knowledge_type == "brand_preference":
        return True
    is_praise = text.has("taste", start=start, end=end) and not text.has("shut", start=start, end=end)
    return not (is_praise and fact.knowledge_type == "hard_ban")


def _has_event(text: Text, fact: Fact) -> bool:
    head, tail = split_event_key(fact.knowledge_key)
    for match in list_events(text):
        if match.canonical != head:
            continue
        if tail in MONTHS:
            if find_month(text) in (None, tail):
                return True
            continue
        people = {person.canonical for person in list_people(text, start=text.message.clause(match.start)[0])}
        if not people or tail in people or (not tail and match.category == "work_party"):
            return True
    return False


def _list_by_kind(text: Text, facts: Sequence[Fact], found: Iterable[Fact]) -> list[Fact]:
    """Facts whose kind is named ("your allergy") while no value of that kind is: only where a single one is stored."""
    taken = {fact.knowledge_type for fact in found} | {fact.knowledge_key for fact in found}
    named: list[Fact] = []
    for kind in {cue.meaning for cue in text.list_cues("topic")} | ({"hard_ban"} if _says_unworn(text) else set()):
        stored = [fact for fact in facts if kind_of(fact) == kind]
        if len(stored) == 1 and not _has_other_value(text, kind) and stored[0].knowledge_type not in taken:
            named.extend(stored)
    return named


def kind_of(fact: Fact) -> str:
    """The topic a fact belongs to: its type, but height and weight are apart from size."""
    return fact.knowledge_key if fact.knowledge_key in ("height", "weight") else fact.knowledge_type


def _says_unworn(text: Text) -> bool:
    return any(text.is_negated(cue.start) for cue in text.list_cues("worn"))


def _has_other_value(text: Text, kind: str) -> bool:
    if kind in NAMED_TYPES:
        return bool(list_values(text))
    if kind == "life_event":
        return bool(list_events(text))
    if kind == "body_params":
        return bool(list_sizes(text))
    return bool(list_amounts(text))
