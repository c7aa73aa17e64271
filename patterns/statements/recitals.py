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
    if _is_named_a_text(message, start) or _is_put_into_words(message, end):
        return "recited"
    if "recital" not in message.marks and "recited" not in message.marks:
        return None
    first, last = message.clause(start)
    unsaid = [mark for mark in message.list_in("recital", first, start) if mark.canonical == "unsaid"]
    if any(not _is_turned_round(message, mark) for mark in unsaid):
        return "denied"
    return "recited" if _is_pointed_back(message, end, last) else None


def _is_named_a_text(message: Message, start: int) -> bool:
    """Stuck on the phrase I never wear fur, size 40: a piece of text is named, and what it says follows at once.

    It goes on over commas up to a "but" of the writer's.
    """
    first, here = message.clause(start)[0], message.segment_of[start]
    if message.grammar.text_nouns.isdisjoint(token.text for token in message.tokens[first:start]):
        return False
    for number in range(here, message.segment_of[first] - 1, -1):
        opening, last = message.segments[number]
        named = _find_text_noun(message, opening, min(last, start))
        if named is not None:
            return number == here or any(named < place < last for place, _ in message.triggered)
        if message.at(opening, "contrast") is not None:
            return False
    return False


def _find_text_noun(message: Message, first: int, last: int) -> int | None:
    """The last piece of text that is named in [first, last) and neither the writer's nor to be written for them."""
    grammar, lead = message.grammar, [token.text for token in message.tokens[max(first, last - MAX_LEAD) : last]]
    if _is_noted(message, lead):
        return None
    beside = zip(("", "", *lead), ("", *lead), lead, strict=False)  # "in my last message"
    named = [
        place
        for place, (*before, text) in enumerate(beside, last - len(lead))
        if text in grammar.text_nouns and grammar.my_event.isdisjoint(before)
    ]
    return named[-1] if named else None


def _is_noted(message: Message, lead: Sequence[str]) -> bool:
    """Write it on my card: what follows is the writer's own."""
    grammar = message.grammar
    return any(text in grammar.noting or text.startswith(grammar.noting_beginnings) for text in lead)


def _is_put_into_words(message: Message, end: int) -> bool:
    """My size is M, what is that in Korean: a language behind, and a question with nothing of its own."""
    last = min(message.clause(end - 1)[1], end + MAX_LEAD)
    languages = message.grammar.languages
    named = next((i for i in range(end, last) if message.tokens[i].text in languages), None)
    if named is None or any(message.has_in(name, end, last) for name in ("self", "contrast")):
        return False
    asked = message.find_in("question", end, last)
    if asked is None:
        return False
    return not any(is_strange(message, index) for index in range(end, named))


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
        is_heading = mark.canonical == "heading" and (_opens(message, mark) or _is_told_of_nobody(message, mark.start))
        if is_heading or mark.canonical == "order":
            yield mark.end


def _opens(message: Message, mark: LexiconMatch) -> bool:
    return message.has_only(_ASIDE, 0, mark.start) and not message.has_in("self", 0, mark.start)


def _is_told_of_nobody(message: Message, end: int) -> bool:
    """Good prompts are for example: words before that nobody knows, and no "I" among them."""
    first = message.clause(end)[0]
    return not message.has_in("self", first, end) and any(message.unnamed[first:end])


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
    if _is_noted(message, lead):
        return False
    for before, text in pairwise(("", *lead)):
        is_text = text in grammar.text_words or text in grammar.text_nouns or text.startswith(grammar.text_beginnings)
        if is_text and before not in grammar.my_event:
            return True
    first = message.clause(colon)[0]
    if lead and lead[-1] in grammar.just_so and _is_told_of_nobody(message, colon):
        return True
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
