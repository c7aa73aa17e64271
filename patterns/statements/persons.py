"""Finds the subject of a statement: the writer, both, or somebody else named before or after it."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.message import Message

_PEOPLE = frozenset(("self", "both", "relation", "other"))
LONG_VERB = 4
LONGEST_PRONOUN = 3  # letters of "she", "him": in Russian a thing may be meant
SHORT_CLAUSE = 6  # tokens of one that leans on the clause before


def find_subject(message: Message, start: int, end: int) -> str | None:
    """Who the statement is about: "self", "both", "other", or None when nobody is named (then it is the user).

    The nearest person before the trigger in the clause, else one after it in the same segment.
    """
    if _PEOPLE.isdisjoint(message.marks):
        return None
    first, _ = message.clause(start)
    segment_start, _ = message.segment(start)
    if message.has_in("both", segment_start, end) or _has_both_before(message, first, start):
        return "both"
    before = nearest_person(message, first, start)
    if before == "other" and _is_writer_after_all(message, first, message.clause(start)[1]):
        return "self"
    if (
        before == "other"
        and _names_writer(message, segment_start, start, end)
        and not person_in(message, segment_start, start)
    ):
        return "self"
    if before is not None:
        return before
    return person_after(message, end, message.segment(end - 1)[1])


def _names_writer(message: Message, first: int, start: int, end: int) -> bool:
    """My husband laughs at me, ma agdar adfa3 akthar; يطلعلي طفح, покрываюсь: the verb is of the first person."""
    if message.has_in("first_person", first, start):
        return True
    endings = (*message.grammar.my_verb_endings, *message.grammar.at_me_endings)
    for index in range(start, min(end, len(message.tokens))):
        token = message.tokens[index]
        if "first_person" in message.starts[index]:
            return True
        if not message.unnamed[index] or len(token.text) < LONG_VERB or message.strange[index]:
            continue
        if token.text.endswith(endings):
            return True  # a verb that triggers know and the vocabulary does not
    return False


def person_in(message: Message, start: int, end: int) -> bool:
    """Whether a person other than the writer is spoken of in [start, end)."""
    people = [m for name in ("relation", "other") for m in message.list_in(name, start, end)]
    return any(m.start not in message.consumed for m in people)


def _is_writer_after_all(message: Message, start: int, end: int) -> bool:
    """ "Девушка с аллергией на латекс, это я": who was named turns out to be the writer."""
    return any(decoy.canonical == "it_is_me" for decoy in message.list_in("decoy", start, end))


def _has_both_before(message: Message, first: int, start: int) -> bool:
    both = message.find_last_in("both", first, start)
    if both is None:
        return False
    people = [m for name in ("relation", "other") for m in message.list_in(name, both.end, start)]
    joined = min((m.start for m in people), default=start)
    if people and message.has_only(("conj", "self", "person_lead"), both.end, joined):
        return True  # "и у меня, и у дочки"
    return nearest_person(message, both.end, start) is None


def nearest_person(message: Message, first: int, start: int, *, with_named: bool = False) -> str | None:
    """The person before a token; `with_named`: also those whom an event is named after."""
    owned = [m for m in message.list_in("self", first, start + 1) if not _is_possessive(message, m)]
    own = owned[-1] if owned else None
    others = [m for c in ("relation", "other") for m in message.list_in(c, first, start + 1)]
    if not others:
        return None if own is None else "self"
    others = [m for m in others if with_named or m.start not in message.consumed]
    if "past" in message.marks or "reaction_link" in message.marks:
        others = [m for m in others if not message.is_covered(m, ("past", "reaction_link"))]
    if own is not None and any(m.start < own.start and own.end <= m.end for m in others):
        own = None  # "a friend of mine" is the friend
    elif own is not None:
        others = [m for m in others if m.start >= own.end or m.start < own.start]
    other = max(others, key=lambda m: m.start, default=None)
    if own is None and other is None:
        return None
    if other is None or (own is not None and own.start > other.start):
        return "self"
    return "other"


def _is_possessive(message: Message, own: LexiconMatch) -> bool:
    """Сестра моя, мама у меня, a client of mine: the "my" behind a person belongs to that person."""
    grammar, text = message.grammar, message.tokens[own.start].text
    before = message.tokens[own.start - 1].text if own.start > 0 else ""
    if text in grammar.mine:
        return before in grammar.of_word
    if text in grammar.me_word and before in grammar.beside_whom:
        return True  # "the lady before me took the last M"
    is_at = before in grammar.at_whom
    named = [m for m in message.ends[own.start - is_at] if m.start not in message.consumed]
    behind = {m.category for m in named if len(message.tokens[m.start].text) > LONGEST_PRONOUN}
    if is_at or (text in grammar.at_whom and own.end - own.start > 1):  # "невестка у меня"
        return not behind.isdisjoint(("relation", "other"))
    return "relation" in behind and text in grammar.my_forms


def person_after(message: Message, end: int, segment_end: int) -> str | None:
    own = message.find_in("self", end, segment_end)
    others = [m for c in ("relation", "other") for m in message.list_in(c, end, segment_end)]
    others = [m for m in others if m.start not in message.consumed]
    if own is not None and (not others or own.start < others[0].start):
        follows = bool(others) and others[0].start <= own.end
        return "other" if follows else "self"
    return "other" if others else None


def continues_about_other(message: Message, start: int) -> bool:
    """My son is 10. Height 140: a clause without a person goes on about whom the clause before named alone."""
    number = message.clause_of[start]
    first, last = message.clause(start)
    if not number or message.has_in("self", first, last):
        return False
    before = message.normal.clauses[number - 1]
    people = [m for category in ("relation", "other") for m in message.list_in(category, *before)]
    owned = {m.start for m in people}  # the "my" of "my daughter" is not the writer
    if last - first > SHORT_CLAUSE or any(m.end not in owned for m in message.list_in("self", *before)):
        return False
    return any(m.start not in message.consumed for m in people)
