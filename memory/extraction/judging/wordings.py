"""Wordings that tie a statement to its value: the words around a place for the value (SPEC X-3). Pure; words are data.

A wording is a row of words with one `{}` for the value. `~` stands for up to three small words, `^` says that nothing
but small words may stand before it in its part of the sentence, `>` that nothing may follow that changes what is said,
`$` that nothing may follow at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from memory.extraction.judging.values import fold_words
from patterns.steps.message import Message

SLOT: Final = "{}"
SMALL: Final = "~"
OPENING: Final = "^"
CLOSING: Final = ">"
END: Final = "$"
MAX_SMALL: Final = 3
"""Small words for one `~`: more of them is another sentence."""
SMALL_CATEGORIES: Final = ("filler", "greeting", "oath", "laugh", "conj", "contrast", "self", "relation")
NAMING_CATEGORIES: Final = ("relation", "self")
"""What may stand for a small word beside those listed: whose wedding it is."""
LISTING_CATEGORIES: Final = ("conj",)
"""What may stand between the values of a list."""
_DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Wording:
    """The words before the value, the nearest last, and those behind it. `knowledge_type` may be empty: for all."""

    knowledge_type: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def list_worded(message: Message, start: int, end: int, wordings: Sequence[Wording]) -> list[tuple[int, int]]:
    """The tokens of each wording that tokens [start, end) are the value of, within their part of the sentence."""
    first, last = message.segment(start)
    spans = (
        (_fit_before(message, start, first, one.before), _fit_after(message, end, last, one.after)) for one in wordings
    )
    return [(begin, finish) for begin, finish in spans if begin is not None and finish is not None]


def list_forms(message: Message) -> list[tuple[str, ...]]:
    """Each token as the rules meet it and as it was typed: words that no rule knows may have been spelt anew."""
    known: list[tuple[str, ...]] | None = message.cache.get("forms")
    if known is None:
        plain = message.normal.plain
        typed = plain.words if plain is not None and len(plain.words) == len(message.tokens) else message.tokens
        known = [(token.text, other.text) for token, other in zip(message.tokens, typed, strict=True)]
        message.cache["forms"] = known
    return known


def list_phrases_in(message: Message, part: tuple[int, int], phrases: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Where the phrases stand in a part of a message, as token ranges."""
    forms = list_forms(message)[slice(*part)]
    said = {word for form in forms for word in form}
    return [
        (part[0] + start, part[0] + start + len(phrase))
        for phrase in phrases
        if said.issuperset(phrase)  # of many phrases few are there at all
        for start in range(len(forms) - len(phrase) + 1)
        if all(word in forms[start + place] for place, word in enumerate(phrase))
    ]


def is_small_between(message: Message, start: int, end: int, categories: Sequence[str]) -> bool:
    """Whether tokens [start, end) are few small words and words of the categories: nothing else is spoken of."""
    listed = sum(message.at(place, name) is not None for place in range(start, end) for name in categories)
    return end - start - listed <= MAX_SMALL and all(
        _is_small(message, place, (*categories, *LISTING_CATEGORIES)) for place in range(start, end)
    )


def _fit_before(message: Message, index: int, first: int, words: Sequence[str]) -> int | None:
    """Where the words begin that end right before the token, going back no further than `first`; None: not there."""
    if not words:
        return index
    rest, word = words[:-1], words[-1]
    if word == OPENING:
        is_small = all(_is_small(message, place, SMALL_CATEGORIES) for place in range(first, index))
        return first if is_small else None
    if word == SMALL:
        places = [index, *(index - count for count in _count_small(message, index, first, step=-1))]
        found = (_fit_before(message, place, first, rest) for place in places)
        return next((begin for begin in found if begin is not None), None)
    is_here = index > first and word in list_forms(message)[index - 1]
    return _fit_before(message, index - 1, first, rest) if is_here else None


def _fit_after(message: Message, index: int, last: int, words: Sequence[str]) -> int | None:
    """Where the words end that begin at the token, going no further than `last`; None: they are not there."""
    if not words:
        return index
    word, rest = words[0], words[1:]
    is_over = index >= last or message.tokens[index].kind != "word"
    if word == END:
        return index if is_over else None
    if word == CLOSING:
        is_joined = not is_over and message.tokens[index].text.startswith(tuple(message.grammar.and_letters))
        return index if is_over or is_joined or _is_in(message, index, list_followers()) else None
    if word == SMALL:
        places = [index, *(index + count for count in _count_small(message, index, last, step=1))]
        found = (_fit_after(message, place, last, rest) for place in places)
        return next((finish for finish in found if finish is not None), None)
    is_here = index < last and word in list_forms(message)[index]
    return _fit_after(message, index + 1, last, rest) if is_here else None


def _count_small(message: Message, index: int, limit: int, *, step: int) -> list[int]:
    """How many small words may be passed from a token on, one, two or three."""
    counts: list[int] = []
    for count in range(1, MAX_SMALL + 1):
        place = index - count if step < 0 else index + count - 1
        is_inside = place >= limit if step < 0 else place < limit
        if not is_inside or not _is_small(message, place, NAMING_CATEGORIES):
            break
        counts.append(count)
    return counts


def _is_small(message: Message, place: int, categories: Sequence[str]) -> bool:
    if message.tokens[place].kind == "mark" or _is_in(message, place, list_small_words()):
        return True
    return any(message.at(place, category) is not None for category in categories)


def _is_in(message: Message, place: int, words: frozenset[str]) -> bool:
    return not words.isdisjoint(list_forms(message)[place])


@lru_cache(maxsize=1)
def list_brand_wordings() -> tuple[Wording, ...]:
    """How somebody says that a brand is theirs."""
    return tuple(_list_wordings("brand_wordings.txt").get("", ()))


@lru_cache(maxsize=1)
def list_ending_wordings() -> Mapping[str, tuple[Wording, ...]]:
    """How somebody says that what was so is so no more, by type. What may follow is asked of all of them alike."""
    found = _list_wordings("ending_wordings.txt")
    return {name: tuple(_open_end(one) for one in wordings) for name, wordings in found.items()}


@lru_cache(maxsize=1)
def list_small_words() -> frozenset[str]:
    """Words that change nothing between a verb and what it speaks of."""
    return frozenset(word for line in _list_lines("small_words.txt") for word in fold_words(line))


@lru_cache(maxsize=1)
def list_followers() -> frozenset[str]:
    """Words that may follow a value and leave it what is spoken of."""
    return frozenset(word for line in _list_lines("followers.txt") for word in fold_words(line))


@lru_cache(maxsize=1)
def list_everyday_words() -> frozenset[str]:
    """Brands whose names are words of every day, by canonical key."""
    return frozenset(_list_lines("everyday_brands.txt"))


@lru_cache(maxsize=1)
def list_shopping_words() -> tuple[tuple[str, ...], ...]:
    """Words beside which such a name is a brand."""
    return tuple((word,) for line in _list_lines("shopping_words.txt") for word in fold_words(line))


def _list_lines(name: str) -> list[str]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _list_wordings(name: str) -> dict[str, tuple[Wording, ...]]:
    """The wordings of a file by the type that its headings (`[budget]`) name."""
    found: dict[str, tuple[Wording, ...]] = {}
    kind = ""
    for line in _list_lines(name):
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        found[kind] = (*found.get(kind, ()), *(_make_wording(kind, text) for text in line.split(",") if SLOT in text))
    return found


def _make_wording(kind: str, text: str) -> Wording:
    before, after = text.split(SLOT, 1)
    return Wording(kind, _fold_parts(before), _fold_parts(after))


def _open_end(wording: Wording) -> Wording:
    return replace(wording, after=tuple(part for part in wording.after if part not in (CLOSING, END)))


def _fold_parts(text: str) -> tuple[str, ...]:
    """Words as messages are compared; the signs stay."""
    folded: list[str] = []
    for part in text.split():
        folded += [part] if part in (SMALL, OPENING, CLOSING, END) else fold_words(part)
    return tuple(folded)
