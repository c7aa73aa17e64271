"""Where one statement of a sentence ends and the next begins: at marks, contrasts, reasons, an "and" with a subject.

What a veto looks for has to stand in the segment of the statement, or in one that governs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from patterns.grammar.grammar import Grammar
from patterns.matching.lexicon import LexiconMatch
from patterns.text.folded_pieces import Token
from patterns.text.normaliser import NormalisedText

Starts = Sequence[Mapping[str, LexiconMatch]]  # what begins at each token: category -> match
_SOFT_STOPS = frozenset(",:()-–|")
_TIES = frozenset(("clause_link", "decoy", "announcement", "conj"))
_PEOPLE = ("relation", "other")
_CONTENT = frozenset(
    (
        "fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "size_letter", "size_word",
        "garment_word", "half", "generic", "specific_item", "allergy_word", "body_reaction", "skin", "body_part",
        "measure_word", "budget_word", "limit_noun", "event", "work_party", "month", "weekday", "date_phrase", "number",
        "lasting", "exception", "spend_refusal", "other_value", "currency", "unit_length", "unit_weight", "size_tail",
    )
)  # fmt: skip
_SHARED = frozenset(
    ("past", "reminiscence", "hedge", "wish", "to_be", "quote")
)  # what one word can say of two statements
_FACTS = frozenset(("size_letter", "size_word", "measure_word", "budget_word", "unit_length", "unit_weight"))
_BEFORE_SO = ("self", "filler", "size_filler", "reaction_link", "skin", "negator")
_TALKING = frozenset(
    ("past", "reminiscence", "hedge", "quote", "question_strong", "wish", "scope", "conditional", "spent")
)
_SUBJECTS = ("self", *_PEOPLE)
_JOINED = ("self", "both", *_PEOPLE)
MAX_SPOKEN = 12  # words of a segment; a longer one is dictation
MIN_DICTATED = 4
MIN_TALK = 3  # words before a "so" that leads to another statement
SO_REACH = 4  # words between it and what is read
MIN_OWN = 2  # words before an "and I"
NOW_REACH = 6  # words among which "is", "now" or an order says that the next one is of today
MAX_TALK = 24  # words of talk that is looked through
MIN_SAID = 1  # words before an "and" that begins another statement


def cut_segments(
    normal: NormalisedText,
    starts: Starts,
    contrasts: Set[int],
    triggers: Sequence[tuple[int, int]],
    *,
    grammar: Grammar,
) -> list[tuple[int, int]]:
    """The clauses of a text cut at commas, dashes, contrast words and where another statement begins.

    `contrasts`: the tokens at which words of contrast stand; `triggers`: the spans that something may be read of.
    """
    segments: list[tuple[int, int]] = []
    opened = frozenset(start for start, _ in triggers)
    and_the, and_letters = grammar.and_the, grammar.and_letters
    for first, last in _cut_at_marks(normal, contrasts):
        start = first
        is_read = first in opened  # whether something may be read of [start, index)
        for index in range(first + 1, last):
            known, text = starts[index], normal.tokens[index][0]
            was_read, is_read = is_read, is_read or index in opened
            if not known and not (was_read and text.startswith(and_the)):
                continue
            if known and (_TIES.isdisjoint(known) and not text.startswith(and_letters)):
                continue  # most words: nothing ends or begins at them
            if (
                _opens_statement(normal.tokens, starts, start, index, last, grammar)
                or _ends_talk(normal.tokens, starts, opened, start, index, grammar)
                or (was_read and _begins_talk(normal.tokens, starts, opened, index, last, grammar))
            ):
                segments.append((start, index))
                start, is_read = index, index in opened
        segments.append((start, last))
    return segments


def _cut_at_marks(normal: NormalisedText, contrasts: Set[int]) -> list[tuple[int, int]]:
    tokens = normal.tokens
    segments: list[tuple[int, int]] = []
    for first, last in normal.clauses:
        start = first
        for index in range(first, last):
            token = tokens[index]
            is_stop = token[0] in _SOFT_STOPS and token[3] == "mark" and not _is_range_dash(tokens, index)
            if is_stop or (index in contrasts and index > start):
                end = index + 1 if is_stop else index
                segments.append((start, end))
                start = end
        if start < last:
            segments.append((start, last))
    return segments


def _opens_statement(
    tokens: Sequence[Token], starts: Starts, start: int, index: int, last: int, grammar: Grammar
) -> bool:
    """Whether another statement than that of [start, index) begins at a token: because, and my, btw."""
    known = starts[index]
    if not known:
        return False
    link = _find_link(known)
    if link is not None and link.end < last:
        is_stated = link.canonical != "named" or _names_subject(starts, link.end)
        is_new = is_stated and not _goes_on(tokens, starts, start, index, grammar)
        return is_new and not _has_patient(starts, link.end, last)
    if "announcement" in known and index - start >= MIN_DICTATED and last - start > MAX_SPOKEN:
        return True
    if index - start < MIN_SAID:
        return False
    conj = _find_and(known, tokens, index, grammar)
    if conj is not None:
        is_said = index - start >= MIN_OWN or "self" not in starts[min(conj.end, last - 1)]  # "latex and I - no way"
        is_named = conj.end < last and is_said and _names_subject(starts, conj.end)
        if not is_named or _is_joint(starts, start, index, conj.end):
            return False
        return tokens[conj.end].text in grammar.i_words or not _goes_on(tokens, starts, start, index, grammar)
    is_attached = any(name in known and known[name].has_and for name in _SUBJECTS)
    if not is_attached or _is_joint(starts, start, index, index):
        return False
    return tokens[index].text in grammar.and_i or not _goes_on(tokens, starts, start, index, grammar)


def _has_patient(starts: Starts, start: int, last: int) -> bool:
    """I googled wool allergy because my son itches: the reason says whose it is."""
    inside = range(start, min(last, start + SO_REACH + 2))
    is_others = any(name in starts[place] for place in inside for name in _PEOPLE)
    return is_others and any("allergy_word" in starts[place] or "body_reaction" in starts[place] for place in inside)


def _goes_on(tokens: Sequence[Token], starts: Starts, start: int, index: int, grammar: Grammar) -> bool:
    """I was an S and my weight 50, maybe M and my height 160: what dates or doubts the one says it of both.

    So does what was: "I was thin and my size S", but not "I was thin and my size is L".
    """
    before = range(start, index)
    shared = [place for place in before if not _SHARED.isdisjoint(starts[place])]
    if not shared:
        return False
    if any(not _FACTS.isdisjoint(starts[place]) for place in before):
        return True
    is_recent = any(tokens[place].text in grammar.just_before for place in before)
    is_past = any(
        "reminiscence" in starts[place] or ("past" in starts[place] and tokens[place].text not in grammar.deeds)
        for place in shared
    )
    if is_recent or not is_past:
        return False
    return not any(
        tokens[place].text in grammar.says_now or "now" in starts[place] or "request" in starts[place]
        for place in range(index, min(index + NOW_REACH, len(tokens)))
    )


def is_linked(known: Mapping[str, LexiconMatch]) -> bool:
    """Whether a reason or what follows from one begins at a token."""
    return _find_link(known) is not None


def _find_link(known: Mapping[str, LexiconMatch]) -> LexiconMatch | None:
    link = known.get("clause_link") or known.get("decoy")
    return link if link is not None and (link.category != "decoy" or link.canonical == "link") else None


def _ends_talk(
    tokens: Sequence[Token], starts: Starts, opened: Set[int], start: int, index: int, grammar: Grammar
) -> bool:
    """Yesterday was awful and size 40: talk of which nothing is read ends before an "and" that leads to what is."""
    if index - start < MIN_OWN:
        return False
    known = starts[index]
    tie = _find_and(known, tokens, index, grammar) or _find_link(known)
    is_led = tie is not None and (tie.end in opened or index + 1 in opened or _leads_on(starts, opened, tie, start))
    if not is_led and not (index in opened and any(match.has_and for match in known.values())):
        return False
    if _goes_on(tokens, starts, start, index, grammar):
        return False
    is_over = any("past" in starts[place] for place in range(start, index))
    return not any(
        (place in opened and not (is_over and "event" in starts[place])) or tokens[place].kind == "number"
        for place in range(start, index)
    )


def _leads_on(starts: Starts, opened: Set[int], link: LexiconMatch, start: int) -> bool:
    """I was thinking for a long time so kindly stop showing me heels; not the "so" of "my skin is so itchy"."""
    if link.category != "clause_link" or link.start - start < MIN_TALK:
        return False
    before = starts[link.start - 1]
    return not any(name in before for name in _BEFORE_SO) and any(
        place in opened for place in range(link.end + 1, min(link.end + SO_REACH, len(starts)))
    )


def _begins_talk(
    tokens: Sequence[Token], starts: Starts, opened: Set[int], index: int, last: int, grammar: Grammar
) -> bool:
    """Budget 500 and yesterday was awful: behind what is read, an "and" leads to a word of time, doubt or hearsay."""
    known = starts[index]
    if not known:
        return _is_talk(tokens, starts, opened, index, last)  # "والزحمة كانت فظيعة"
    tie = _find_and(known, tokens, index, grammar)
    if tie is not None and tie.end < last:
        return not _TALKING.isdisjoint(starts[tie.end]) or _is_talk(tokens, starts, opened, index + 1, last)
    if not any(match.has_and for match in known.values()):
        return False
    is_told = any(match.has_and and name in _TALKING for name, match in known.items())
    return is_told or _is_talk(tokens, starts, opened, index, last)


def _is_talk(tokens: Sequence[Token], starts: Starts, opened: Set[int], start: int, last: int) -> bool:
    """Whether [start, last) says nothing of what could be read: the office is freezing, it's my third message today."""
    words = [index for index in range(start, last) if tokens[index].kind != "mark"]
    if not MIN_TALK <= len(words) <= MAX_TALK or any(
        index in opened or tokens[index].kind == "number" for index in words
    ):
        return False
    if any(not _CONTENT.isdisjoint(starts[index]) for index in words):
        return False
    return any(not starts[index] for index in words)


def _find_and(
    known: Mapping[str, LexiconMatch], tokens: Sequence[Token], index: int, grammar: Grammar
) -> LexiconMatch | None:
    """A conjunction that can join two statements; "or", "with" and the like join words."""
    return known.get("conj") if tokens[index].text in grammar.and_words else None


def _names_subject(starts: Starts, index: int) -> bool:
    return any(name in starts[index] for name in _SUBJECTS)


def _is_joint(starts: Starts, start: int, index: int, named: int) -> bool:
    """Mum and I, me and my sister: whom the "and" names belongs to those right before it."""
    if "both" in starts[index] and any(name in starts[i] for i in range(start, index) for name in _PEOPLE):
        return True
    before = starts[index - 1]
    is_after_person = any(name in before and before[name].end == index for name in _JOINED)
    return is_after_person and any(name in starts[named] for name in _SUBJECTS)


def _is_range_dash(tokens: Sequence[Token], index: int) -> bool:
    """A dash or bracket that ties two numbers or letters (38-40, S-M) cuts nothing."""
    token = tokens[index]
    if token.text == ",":
        return False
    is_tight = (
        0 < index < len(tokens) - 1 and tokens[index - 1].end == token.start and tokens[index + 1].start == token.end
    )
    return token.text == "-" and (is_tight or _between_numbers(tokens, index))


def _between_numbers(tokens: Sequence[Token], index: int) -> bool:
    return 0 < index < len(tokens) - 1 and tokens[index - 1].kind == "number" and tokens[index + 1].kind == "number"
