"""My size? M. / Wool? Hives. A short question that its writer answers at once is a heading of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from patterns.matching.lexicon import LexiconMatch
from patterns.text.folded_pieces import Token
from patterns.text.normaliser import NormalisedText

Starts = Sequence[Mapping[str, LexiconMatch]]  # what begins at each token: category -> match
MAX_HEADLINE = 8  # tokens with the question mark
_SUBJECTS = frozenset(
    (
        "fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand",
        "size_word", "budget_word", "limit_noun", "spend_question", "allergy_word", "half", "garment_word", "shoe",
        "measure_word",
    )
)  # fmt: skip
_VALUES = frozenset(("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand"))
_BULLETS = frozenset("-*,")
_STOPS = frozenset(",:-")
QUESTIONS = frozenset(("question", "question_weak", "question_strong"))
_SMALL = frozenset(("filler", "self", "headline_word", "size_filler", "naming", "greeting", "decoy", "specific_item"))


def open_headlines(normal: NormalisedText, starts: Starts) -> tuple[NormalisedText, Set[int]]:
    """The text with the mark of every such question turned into a colon and its clause joined with the answer's.

    With it the tokens of these headings, whose words ask nothing there. `starts`: what begins at each token.
    """
    opened: set[int] = set()
    if len(normal.clauses) < 2:
        return normal, opened
    if ";" in normal.text or "\n" in normal.text:
        normal = _open_lists(normal, starts)
    if "?" not in normal.text or all(_SUBJECTS.isdisjoint(starting) for starting in starts):
        return normal, opened
    clauses, tokens = list(normal.clauses), list(normal.words)
    for number in range(len(clauses) - 2, -1, -1):
        first, last = clauses[number]
        if (
            tokens[last - 1].text == "?"
            and _is_headline(tokens, first, last, starts)
            and _is_answer(tokens, *clauses[number + 1])
        ):
            for place in range(first, last):
                if tokens[place].text == "?":
                    tokens[place] = tokens[place]._replace(text=":")
            opened.update(range(first, last))
            clauses[number : number + 2] = [(first, clauses[number + 1][1])]
    if not opened:
        return normal, opened
    return normal.exchange_words(tokens, clauses), opened


def _open_lists(normal: NormalisedText, starts: Starts) -> NormalisedText:
    """A list over lines or semicolons in one clause: "Allergies: latex; nickel", "never show me:", a value a line."""
    matches = [match for starting in starts for match in starting.values()]
    values = {index for m in matches if m.category in _VALUES for index in range(m.start, m.end)}
    small = {index for m in matches if m.category in ("filler", "conj") for index in range(m.start, m.end)}
    clauses, tokens = list(normal.clauses), list(normal.words)
    listed = 0  # from this token on the clause behind is known to be values, item by item; 0: nothing is known
    for number in range(len(clauses) - 2, -1, -1):
        (first, stop), (start, last) = clauses[number], clauses[number + 1]
        is_list = tokens[stop - 1].text == ";" or (stop - first > 1 and tokens[stop - 2].text == ":")
        is_list = is_list or (tokens[stop - 1].text == "\n" and _is_bullet(tokens, start))
        is_list = is_list and tokens[last - 1].text != "?"
        is_list = is_list and (bool(listed) or any(index in values for index in range(start, last)))
        is_list = is_list and _is_item(tokens, start, listed or last, values, small)
        listed = start if is_list else 0
        if is_list:
            tie = ":" if stop - first > 1 and tokens[stop - 2].text == ":" else ","
            tokens[stop - 1] = tokens[stop - 1]._replace(text=tie)
            if tokens[start].text in _BULLETS:
                tokens[start] = tokens[start]._replace(text=tie)
            clauses[number : number + 2] = [(first, last)]
    if len(clauses) == len(normal.clauses):
        return normal
    return normal.exchange_words(tokens, clauses)


def _is_item(tokens: Sequence[Token], start: int, last: int, values: Set[int], small: Set[int]) -> bool:
    """Whether [start, last) is nothing but values of a list and small words."""
    return all(
        i in values or i in small or tokens[i].kind == "mark" or _is_bullet(tokens, i) for i in range(start, last)
    )


def _is_bullet(tokens: Sequence[Token], index: int) -> bool:
    if tokens[index].text in _BULLETS:
        return True
    return tokens[index].kind == "number" and index + 1 < len(tokens) and tokens[index + 1].text == ")"


def _is_answer(tokens: Sequence[Token], first: int, last: int) -> bool:
    return last > first and tokens[last - 1].text != "?"


def _is_headline(tokens: Sequence[Token], first: int, last: int, starts: Starts) -> bool:
    """Whether a question, or what stands behind its last comma, names a subject and says nothing else about it."""
    behind = max((i + 1 for i in range(first, last - 1) if tokens[i].text in _STOPS), default=first)
    return _is_topic(tokens, behind, last, starts) or (behind > first and _is_topic(tokens, first, last, starts))


def _is_topic(tokens: Sequence[Token], first: int, last: int, starts: Starts) -> bool:
    if not 2 <= last - first <= MAX_HEADLINE or tokens[last - 1].text != "?":
        return False
    if all(_SUBJECTS.isdisjoint(starting) for starting in starts[first:last]):
        return False
    inside = [m for place in range(first, last) for m in starts[place].values() if m.end < last]
    opening = {m.category for m in inside if m.start == first}
    if not opening.isdisjoint(QUESTIONS) and "headline_word" not in opening and "spend_question" not in opening:
        return False  # "is leather ok?" asks, "what size?" heads an answer
    named = [m for m in inside if m.category in _SUBJECTS]
    known = {i for m in inside if m.category in _SUBJECTS or m.category in _SMALL for i in range(m.start, m.end)}
    return bool(named) and all(i in known or tokens[i].kind == "mark" for i in range(first, last - 1))
