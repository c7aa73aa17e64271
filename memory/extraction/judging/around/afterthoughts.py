"""What its writer adds behind a statement and thereby takes back or leaves open (SPEC X-3). Pure; words are data.

"I'm allergic to wool. Or so my horoscope says", "size M, give or take", "never fur. Except at weekends": what is
stated and what it is worth stand in different parts of a sentence, or in different sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.surroundings import Span, is_in, is_of, list_covered, list_named
from memory.extraction.judging.values import Wanted
from memory.extraction.judging.word_lists import list_phrases, list_words
from memory.extraction.judging.wordings import list_phrases_in
from patterns.steps.message import Message

PASSED: Final = ("laugh", "oath", "greeting", "contrast", "conj", "addressed")
"""What may stand before that by which a statement is taken back."""
OWN: Final = ("self", "first_person", "both", "request", "self_correction")
"""What begins or shows a statement of its own."""
LISTED: Final = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand")
CRIES: Final = ("!", "?")
UNSAYING: Final = ("whole", "turn")
"""Kinds of words that unsay whatever was stated."""
EXCEPTED: Final = ("allergy", "hard_ban")
"""Types from which something may be excepted."""
NAMING_ANOTHER: Final = ("relation", "self", "conj", "now", "naming")
"""What may stand where nothing is said but a person."""
FRAGMENT: Final = ("filler", "article", "self", "scope_opener", "conj", "weekday", "usual_word")
"""What may stand with a preposition beside what nobody knows."""


def is_withdrawn(message: Message, span: Span, wanted: Wanted) -> bool:
    """Whether something behind the statement takes it back, excepts something from it or leaves it open."""
    clause, last = message.clause_of[span[1] - 1], message.segment(span[1] - 1)[1]
    if list_phrases_in(message, (span[1], last), _list_doubts(wanted)):
        return True
    return any(
        _withdraws(message, part, wanted, is_same=message.clause_of[part[0]] == clause)
        for part in list_parts_behind(message, span)
    )


def is_left_unclear(message: Message, span: Span) -> bool:
    """Whether what stands right behind the statement is not understood: a lone word, "in a parallel universe"."""
    last = message.clause(span[1] - 1)[1]
    part = next(list_parts_behind(message, span), None)
    if part is None:
        return False
    words = [i for i in range(*part) if message.tokens[i].kind == "word"]
    if part[0] >= last:
        return (
            message.tokens[part[1] - 1].text in CRIES
            and 0 < len(words) <= GATE.lone_words
            and all(message.strange[i] and not is_in(message, i, list_words("calls")) for i in words)
        )
    return _is_fragment(message, words)


def _is_fragment(message: Message, words: list[int]) -> bool:
    """In a parallel universe, with my sofa: a preposition and what nobody knows, and no verb or person beside."""
    if not words or message.at(words[0], "scope_opener") is None:
        return False
    small = list_covered(message, words[0], words[-1] + 1, FRAGMENT)
    return any(message.strange[i] for i in words) and all(i in small or message.strange[i] for i in words)


def list_parts_behind(message: Message, span: Span) -> Iterator[Span]:
    """The parts of sentences behind a statement: those of its own, and the first of the next few sentences."""
    here = message.segment_of[span[1] - 1]
    clause = message.clause_of[span[1] - 1]
    seen: set[int] = set()
    for part in message.segments[here + 1 :]:
        number = message.clause_of[part[0]]
        if number - clause > GATE.added_sentences:
            return
        if number != clause and (number in seen or find_opening(message, part) >= part[1]):
            continue
        seen.add(number)
        yield part


def _withdraws(message: Message, part: Span, wanted: Wanted, *, is_same: bool) -> bool:
    start = find_opening(message, part)
    if start >= part[1]:
        return False
    knowledge_type = wanted.knowledge_type
    is_ban = knowledge_type == "hard_ban"
    if unsays(message, start, part[1], is_ban=is_ban) or _doubts(message, part, wanted, is_same):
        return True
    if _is_restated(message, part, start, wanted) or _limits(message, part, start, wanted):
        return True
    if is_in(message, start, list_words("alternative_words")) and not _goes_on(message, start, part[1]):
        return True
    if knowledge_type != "life_event" and (
        _names_another(message, start, part[1]) or (not is_same and _points_to_another(message, start, part[1]))
    ):
        return True
    is_own = any(message.has_in(name, start, part[1]) for name in OWN)
    if is_own:
        return False
    if knowledge_type in EXCEPTED and _excepts(message, start, part[1]):
        return True
    return _is_over(message, start, part[1]) or _is_said(message, start, part[1])


def _is_restated(message: Message, part: Span, start: int, wanted: Wanted) -> bool:
    """Silk, I mean satin; my wedding, oops, my sister's: words of correcting, and something else behind them."""
    meant = list_phrases_in(message, part, list_phrases("meaning_words"))
    begin = next((end for begin, end in meant if begin <= start), None)
    if begin is None:
        is_oops = is_in(message, part[0], list_words("oops_words")) or _is_oops_before(message, part)
        begin = start if is_oops and wanted.knowledge_type == "life_event" else None
    if begin is None or begin >= part[1]:
        return False
    named = [m for name in (*LISTED, "size_letter", "relation") for m in message.list_in(name, begin, part[1])]
    if any(match.canonical == wanted.value for match in named):
        return False
    return bool(named) or message.strange[begin]


def _is_oops_before(message: Message, part: Span) -> bool:
    """Whether the part before is nothing but an "oops"."""
    before = message.segment(part[0] - 1)
    return all(
        token.kind == "mark" or is_in(message, i, list_words("oops_words"))
        for i, token in enumerate(message.tokens[slice(*before)], start=before[0])
    )


def _limits(message: Message, part: Span, start: int, wanted: Wanted) -> bool:
    """But only the cheap kind; if I skip dinner: a condition of the writer's, or a kind of it, behind the statement."""
    condition = message.at(start, "conditional")
    if condition is not None and not message.is_covered(condition, ("decoy", "please", "polite")):
        return any(message.has_in(name, condition.end, part[1]) for name in ("self", "negator"))
    if wanted.knowledge_type not in EXCEPTED or message.at(part[0], "contrast") is None:
        return False
    words = [i for i in range(part[0] + 1, part[1]) if message.tokens[i].kind == "word"]
    is_short = 0 < len(words) <= GATE.lone_words and all(not message.at(i, "article") for i in words[1:])
    is_plain = any(message.has_in(name, start, part[1]) for name in (*LISTED, *OWN, "approval", "relief", "negator"))
    return is_short and not is_plain and message.strange[words[-1]]


def _goes_on(message: Message, start: int, last: int) -> bool:
    """Wool, or silk: an "or" that adds to a list."""
    return any(message.has_in(name, start, last) for name in LISTED)


def _names_another(message: Message, start: int, last: int) -> bool:
    """Allergic to wool, my mum is: a person and nothing else."""
    people = message.list_in("relation", start, last)
    if not people or people[0].start in message.consumed or last - start < GATE.person_words:
        return False
    ends = [match for name in ("relation", "naming") for match in message.list_in(name, start, last)]
    if any(token.kind != "mark" for token in message.tokens[max(m.end for m in ends) : last]):
        return False
    return all(is_of(message, i, NAMING_ANOTHER) for i in range(start, last)) and not any(
        message.has_in(name, start, last) for name in ("too_word", "likewise")
    )


def _points_to_another(message: Message, start: int, last: int) -> bool:
    """That's about a vest for my nephew: another sentence opens by pointing back, and names a person and no event."""
    if not is_in(message, start, list_words("pointing_words")) or message.has_in("event", start, last):
        return False
    people = [m for m in message.list_in("relation", start, last) if m.start not in message.consumed]
    return any(person.start - start <= GATE.person_reach for person in people)


def _excepts(message: Message, start: int, last: int) -> bool:
    if message.at(start, "exception") is not None:
        return True
    first = message.segment(start)[0]
    found = list_phrases_in(message, (first, last), list_phrases("excepting_words"))
    return any(begin <= start for begin, _ in found)


def _is_over(message: Message, start: int, last: int) -> bool:
    """Was, before the holidays: a "was" without anybody, and with no other value that was."""
    if not is_in(message, start, list_words("was_words")):
        return False
    is_other = message.has_in("size_letter", start, last)
    return not is_other and all(token.kind != "number" for token in message.tokens[start:last])


def _list_doubts(wanted: Wanted) -> tuple[tuple[str, ...], ...]:
    """Words that leave a statement open: an amount of money may be given about, a size not."""
    about = list_phrases("rough_words") if "size" in wanted.knowledge_key else ()
    return (*list_phrases("doubting_words"), *about)


def _doubts(message: Message, part: Span, wanted: Wanted, is_same: bool) -> bool:
    """Give or take: a short part that leaves the statement open; in another sentence nothing else is said."""
    found = list_named(message, part, _list_doubts(wanted))
    if not found or message.has_in("request", *part):
        return False
    words = [i for i in range(*part) if message.tokens[i].kind == "word"]
    if is_same:
        return len(words) <= GATE.short_part
    return all(i in found or is_of(message, i, PASSED) for i in words)


def unsays(message: Message, start: int, last: int, *, is_ban: bool = False) -> bool:
    """Whether a part opens with words that unsay what was stated."""
    found = message.at(start, "retraction")
    if found is not None and found.canonical in UNSAYING and found.end >= last:
        return True
    if _opens_with(message, start, last, "unsaying_words"):
        return True
    if is_ban or any(token.kind == "number" for token in message.tokens[start:last]):
        return False
    return not message.has_in("size_letter", start, last) and _opens_with(message, start, last, "not_mine_words")


def _opens_with(message: Message, start: int, last: int, name: str) -> bool:
    return any(begin == start for begin, _ in list_phrases_in(message, (start, last), list_phrases(name)))


def _is_said(message: Message, start: int, last: int) -> bool:
    """Said the mirror, so says my horoscope: a verb of saying, and who says it behind it."""
    place = start + 1 if is_in(message, start, list_words("thus_words")) else start
    told = message.at(place, "quote")
    return told is not None and told.end < last and message.at(told.end, "self") is None


def find_opening(message: Message, part: Span) -> int:
    """Where a part begins to say something."""
    place = part[0]
    while place < part[1] and not is_in(message, place, list_words("alternative_words")):
        ends = [match.end for name in PASSED if (match := message.at(place, name)) is not None]
        if message.at(place, "relation") is not None:
            break
        if ends:
            place = max(ends)
        elif message.tokens[place].kind == "mark" or is_in(message, place, list_words("interjections")):
            place += 1
        else:
            break
    return place
