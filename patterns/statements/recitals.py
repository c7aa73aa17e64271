"""Words that the writer passes on and does not say: to translate, to repeat, to read out, to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.reports import list_speeches
from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

MAX_LEAD = 10  # tokens before a colon that say what stands behind it
_ASIDE = ("filler", "greeting", "oath", "laugh", "please", "polite_opener", "conj")
_ANSWERS = ("announcement", "contrast")  # by them the writer goes on to speak


def find_recital(message: Message, start: int, end: int) -> str | None:
    """Why tokens [start, end) are no words of the writer's own: recited, or named to be forgotten; None if they are."""
    if any(first <= start < last for first, last in _list_recited(message)):
        return "recited"
    if "recital" not in message.marks and "recited" not in message.marks:
        return None
    first, last = message.clause(start)
    unsaid = [mark for mark in message.list_in("recital", first, start) if mark.canonical == "unsaid"]
    if any(not _is_turned_round(message, mark) for mark in unsaid):
        return "denied"
    return "recited" if _is_pointed_back(message, end, last) else None


def _is_turned_round(message: Message, mark: LexiconMatch) -> bool:
    """Don't forget that I'm allergic: a "not" before, or the longer expression that it is the end of."""
    if message.ends_with(mark.start, "negator"):
        return True
    longer = message.find_in("decoy", mark.start - 1, mark.start)
    return longer is not None and longer.end > mark.start


def _is_pointed_back(message: Message, end: int, last: int) -> bool:
    """My size is M, translate that: behind the statement, and no colon leads on."""
    return any(
        all(token.text != ":" for token in message.tokens[mark.end : last])
        for mark in message.list_in("recited", end, last)
    )


def _list_recited(message: Message) -> Sequence[tuple[int, int]]:
    """The spans of words that are passed on, each up to where the writer goes on to speak."""
    known: Sequence[tuple[int, int]] | None = message.cache.get("recited")
    if known is None:
        spans: list[tuple[int, int]] = []
        for opening in sorted({*_list_orders(message), *_list_lead_ins(message), *list_speeches(message)}):
            if not spans or opening >= spans[-1][1]:
                spans.append((opening, _find_return(message, opening)))
        known = message.cache["recited"] = spans
    return known


def _list_orders(message: Message) -> Iterator[int]:
    """Repeat after me, in my story; "for example" only at the head of a message."""
    for mark in message.marks.get("recital", ()):
        if mark.start and message.ends_with(mark.start, "self"):
            continue  # "I say this every time"
        if mark.canonical == "order" or (mark.canonical == "heading" and _opens(message, mark)):
            yield mark.end


def _opens(message: Message, mark: LexiconMatch) -> bool:
    return message.has_only(_ASIDE, 0, mark.start) and not message.has_in("self", 0, mark.start)


def _list_lead_ins(message: Message) -> Iterator[int]:
    """The card says: / in the letter: / lyrics: What stands before a colon names a text that is not the writer's."""
    for place, token in enumerate(message.words):
        if token[0] == ":" and _names_text(message, place):
            yield place + 1


def _names_text(message: Message, colon: int) -> bool:
    grammar = message.grammar
    if message.normal.text[message.tokens[colon].start] != ":":
        return False  # "Letters? M" is a heading
    lead = [token.text for token in message.tokens[max(message.clause(colon)[0], colon - MAX_LEAD) : colon]]
    if any(text in grammar.noting or text.startswith(grammar.noting_beginnings) for text in lead):
        return False
    for before, text in pairwise(("", *lead)):
        is_text = text in grammar.text_words or text.startswith(grammar.text_beginnings)
        if is_text and before not in grammar.my_event:
            return True
    first = message.clause(colon)[0]
    is_thing = message.tokens[first].text in grammar.thing_articles and not message.has_in("self", first, colon)
    return is_thing and any(is_strange(message, index) for index in range(first, colon))  # "the brochure states:"


def _find_return(message: Message, opening: int) -> int:
    """Where a clause behind the opening begins with the writer's own words: by the way, anyway."""
    for first, last in message.normal.clauses:
        if first < opening:
            continue
        place = first
        while place < last and message.tokens[place].kind == "mark":
            place += 1
        polite = message.at(place, "decoy")  # "кстати"
        if (polite is not None and polite.canonical == "polite") or any(message.at(place, n) for n in _ANSWERS):
            return first
    return len(message.tokens)
