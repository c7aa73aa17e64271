"""What stands around a statement and gives it away or denies it: "for mum: no minis", "it's not true that"."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

_HEADING_MARKS = frozenset(":-–—")
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "allergy_word", "event")
_OWNED = ("budget_word", "limit_word", "size_word", "measure_word", "allergy_word", "usual_word", "unit_weight")
MAX_HEADING = 7  # tokens of "для моей мамы:"
PEOPLE = 2  # names with a colon that make a list of people
MAX_NAMED = 4  # tokens of "for Hala:"


def is_called_untrue(message: Message, start: int) -> bool:
    """It's not true that I'm an L; кто сказал, что у меня аллергия: the claim is named to be denied."""
    found = message.find_last_in("untrue", message.clause(start)[0], start)
    if found is None:
        return False
    last = found.end
    if last < start and message.tokens[last].text == ",":
        last += 1
        if message.tokens[last].text not in message.grammar.claim_words:
            return False
    return last >= start or message.segment(last)[0] == message.segment(start)[0]


def is_headed_by_other(message: Message, start: int) -> bool:
    """Для мамы: мини не предлагай. The heading of the clause names for whom, and no "I" takes it back."""
    if "relation" not in message.marks and "other" not in message.marks:
        return False
    first, end = _find_heading(message, start)
    if not first < end <= start or end - first > MAX_HEADING or message.tokens[end - 1].text not in _HEADING_MARKS:
        return False
    people = message.list_in("relation", first, end)
    people += [m for m in message.list_in("other", first, end) if message.ends_with(m.start, "toward")]
    if not people or any(message.has_in(name, first, end) for name in _VALUES):
        return False
    is_told = message.tokens[end - 1].text != ":" and any(message.unnamed[people[0].end : end])
    if is_told and not message.ends_with(people[0].start, "toward"):
        return False  # "my husband is laughing at me - no fur"
    own = [m for m in message.list_in("self", first, end) if not _leads(m, people)]
    return not own and not any(message.has_in(name, end, start + 1) for name in ("self", "both"))


def _find_heading(message: Message, start: int) -> tuple[int, int]:
    """The segment that heads a statement: with its colon right before it, else the first of the clause."""
    first = message.clause(start)[0]
    number = message.segment_of[start] - 1
    if number >= 0 and message.segments[number][0] >= first:
        near = message.segments[number]
        if message.tokens[near[1] - 1].text == ":":
            return near
    return first, message.segment(first)[1]


def has_named_owner(message: Message, start: int) -> bool:
    """For Hala: size S; Sarah's budget is 800; Yasmin needs L, budget 300: the owner has a name that nobody knows."""
    first = message.clause(start)[0]
    if any(message.has_in(name, first, start + 1) for name in ("self", "both")):
        return False
    if _is_owned(message, start) or _heads_named(message, first, start) or _needs_before(message, first, start):
        return True
    return _is_in_list(message, start)


def _is_owned(message: Message, start: int) -> bool:
    """Sarah's budget, Дана's size: an apostrophe went where the word was folded, and what is owned follows."""
    first, last = message.segment(start)
    endings = message.grammar.owner_endings
    for index in range(max(first, start - 1), min(last - 1, start + 1)):
        token = message.tokens[index]
        if not is_strange(message, index) or not token.text.endswith(endings):
            continue
        begin, end = message.normal.raw_span(token.start, token.end)
        if end - begin > len(token.text) and any(message.at(index + 1, name) is not None for name in _OWNED):
            return True
    return False


def _is_in_list(message: Message, start: int) -> bool:
    """Salma: 165/60, Noura: 158/52: two words that nobody knows head what is told, each behind its colon."""
    colons = [i for i in range(1, len(message.tokens)) if message.tokens[i].text == ":"]
    if len(colons) < PEOPLE or not start or message.tokens[start - 1].text != ":":
        return False
    named = [i for i in colons if is_strange(message, i - 1)]
    return len(named) >= PEOPLE and start - 1 in named


def _heads_named(message: Message, first: int, start: int) -> bool:
    """For Hala: / Для Халы, / لهند:"""
    end = message.segment(first)[1]
    if not first < end <= start or end - first > MAX_NAMED or message.tokens[end - 1].kind != "mark":
        return False
    token, letters = message.tokens[first], message.grammar.for_letters
    if end - first == 2:
        is_attached = token.text.startswith(letters) and message.tokens[end - 1].text == ":"
        return is_attached and is_strange(message, first)
    is_headed = token.text in message.grammar.for_words
    return is_headed and is_strange(message, first + 1) and is_strange(message, end - 2)


def _needs_before(message: Message, first: int, start: int) -> bool:
    """Yasmin needs L, budget 300: a word that nobody knows opens the clause and has a verb of people."""
    if message.segment_of[first] == message.segment_of[start] or first + 1 >= start:
        return False
    has_verb = message.tokens[first + 1].text in message.grammar.need_verbs
    has_verb = has_verb or message.at(first + 1, "third_person") is not None
    return has_verb and is_strange(message, first)


def _leads(own: LexiconMatch, people: list[LexiconMatch]) -> bool:
    """The "my" of "my mum"."""
    return any(own.end == person.start or person.start <= own.start < person.end for person in people)
