"""Whether a statement is asked: a mark, an opener, an inverted verb."""

from __future__ import annotations

from patterns.steps.message import Message

_SKIPPED = ("oath", "greeting", "contrast", "filler")
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern")
_CLEFT_MARKS = frozenset(":=")


def _first_word(message: Message, start: int, end: int) -> int:
    """The first token of a span that is not an oath, greeting or conjunction."""
    index = start
    while index < end and "question" not in (known := message.starts[index]):
        skipped = next((known[name] for name in _SKIPPED if name in known), None) if known else None
        if skipped is not None and skipped.category == "filler" and "self" in known:
            break  # "I did a test" asks nothing
        if skipped is None and message.tokens[index].kind != "mark":
            break
        index = skipped.end if skipped is not None else index + 1
    return index


def is_question(message: Message, start: int, end: int) -> bool:
    """A question mark or an opener that reaches the statement; "X, do you have Y?" asks about Y alone."""
    first, last = message.clause(start)
    segment_start, _ = message.segment(start)
    if message.has_in("remember_order", first, start):
        return False  # "Can you remember that I'm allergic to nickel?" asks for nothing else
    if message.tokens[last - 1].text == "?":
        return _is_asked(message, start, end, first, last)
    return _has_opener(message, start, segment_start)


def _is_asked(message: Message, start: int, end: int, first: int, last: int) -> bool:
    if any(message.has_in(category, first, start) for category in ("question", "question_weak")):
        return True
    mark = last - 1
    while mark > end and message.tokens[mark - 1].text == "?":  # "ok??"
        mark -= 1
    ordered = next((m for m in message.ends[mark] if m.category == "order_tag"), None)
    if ordered is not None and ordered.start >= end:
        return False  # "..., got it?" asks whether it is heard, "..., right?" whether it is so
    tail = message.segments[message.segment_of[last - 1]]
    if tail[1] - tail[0] <= 1 and tail[0] > first:
        tail = message.segments[message.segment_of[tail[0] - 1]]
    if tail[0] > end - 1:
        tag = message.find_in("tag", tail[0], last)
        return tag is not None and tag.end >= last - 1
    return not message.has_in("question_strong", end, last)


def _has_opener(message: Message, start: int, segment_start: int) -> bool:
    """Without a question mark: an opener at the start of the segment, or a clear one anywhere before in it."""
    opening = _first_word(message, segment_start, start)
    if _is_inverted(message, start):
        return True
    if message.at(opening, "that_word") and opening > message.clause(start)[0]:
        before = message.segments[max(0, message.segment_of[segment_start] - 1)][0]  # "как понять, что аллергия"
        return message.has_in("question_strong", max(before, message.clause(start)[0]), start)
    if _is_cleft(message, opening):
        return False
    is_any = message.tokens[min(opening, start)].text in message.grammar.any_words
    if is_any and any(message.has_in(name, opening, start + 1) for name in _VALUES):
        return False  # "أي شنطة جلد يطلع لي منها طفح"
    asked = message.at(opening, "question") or message.at(opening, "question_weak")
    if asked is not None and message.at(opening, "within") is not None:
        asked = None  # "осталось 5 дней"
    if opening < start and asked is not None and not message.is_covered(asked, ("filler", "exposure", "affirmation")):
        return True
    if message.has_uncovered_in("question_strong", ("filler",), segment_start, start):
        return True
    for match in message.list_in("question", segment_start, min(start, segment_start + 3)):
        is_arabic = message.tokens[match.start].script == "arabic" or match.language == "arabizi"
        if is_arabic and not message.is_covered(match, ("filler", "affirmation")):  # "إي نعم"
            return True
    return False


def _is_cleft(message: Message, opening: int) -> bool:
    """What I cannot have on my skin is wool: the writer is spoken of before any verb, and "is" follows."""
    if message.tokens[min(opening, len(message.tokens) - 1)].text not in message.grammar.cleft_openers:
        return False
    if message.at(opening + 1, "self") is None:
        return False
    follows, verbs = message.tokens[opening + 2 : message.clause(opening)[1]], message.grammar.cleft_verbs
    return any(token.text in verbs or token.text in _CLEFT_MARKS for token in follows)


def _is_inverted(message: Message, start: int) -> bool:
    """Is a nickel allergy something you grow into: the clause begins with a verb that asks."""
    first = message.clause(start)[0]
    small = ("greeting", "oath", "contrast")
    asking = message.grammar.asking_verbs
    while first < start and message.tokens[first].text not in asking:
        known = message.starts[first]
        ends = [known[name].end for name in small if name in known] if known else []
        if not ends and message.tokens[first].kind != "mark":
            return False
        first = max(ends, default=first + 1)
    return first < start
