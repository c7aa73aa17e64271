"""One spelling for every spelling (SPEC I-4): letters, digits and noise folded, with offsets back to the raw text.

The same function normalises messages, lexicon aliases and the literals of rules, so that they always meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from patterns.arabizi import find_word, fold_dotted, has_arabizi_digit
from patterns.folding import SIGNS, fold_text
from patterns.slips import NO_SLIPS, Slips

MAX_CHARACTERS = 2000  # longer messages are pasted text, where precision is worst; also the bound on time
MAX_TOKENS = 250  # words and marks; dense text has the most to look up, and a chat message is a tenth of this
MAX_STRETCH_VARIANTS = 8
KEPT_WORDS = 20_000  # pieces of text read once; people's words follow each other as they always did
MAX_KEPT_CHARACTERS = 32
MAX_OTHER_WORDS = 1  # known words of other Latin languages in a text that one spelt word shows to be Arabizi
MIN_TELLING = 5  # letters that such a word has more than

_CYRILLIC_TO_LATIN = dict(zip("авекмнорстухіј", "abekmhopctyxij", strict=True))
_LATIN_TO_CYRILLIC = {latin: cyrillic for cyrillic, latin in _CYRILLIC_TO_LATIN.items()}
_SIZE_LETTERS = frozenset("xsmlхсмл")
_COLLIDING_CONTRACTIONS = ("re", "ll")  # written without the apostrophe they would become other words

_TOKEN = re.compile(
    r"(?P<number>\d{2,}(?:[.,]\d+)*|\d(?:[.,]\d+)+|\d(?![^\W\d_]))"
    rf"|(?P<word>[^\W\d_]+(?=\d{{2,}}(?!\w))|\w[\w{SIGNS}]*(?:'[\w{SIGNS}]+)*)"
    r"|(?P<mark>\S|\n)"
)
_make_token = tuple.__new__  # several times as fast as the class itself
_JOINERS = re.compile(r"['_-]")
_DOUBLED = re.compile(r"([^\W\d_])\1")
_LATIN = re.compile("[a-z]")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}")


_Part = tuple[str, int, int, str, str, tuple[str, ...]]  # the fields of a token, places counted from its piece


class Token(NamedTuple):
    """A word, number or mark. `start`, `end` are offsets in the normalised text; `forms` are spellings to look up."""

    text: str
    start: int
    end: int
    kind: str  # word | number | mark
    script: str  # latin | cyrillic | arabic | other
    forms: tuple[str, ...]


class NormalisedText(NamedTuple):
    """The folded text, its tokens and sentences. `clauses` are (first, last+1) token ranges cut at hard stops."""

    text: str
    offsets: Sequence[int]  # offsets[i]: raw offset of normalised character i; one more at the end
    tokens: tuple[Token, ...]
    clauses: tuple[tuple[int, int], ...]
    is_capped: bool
    plain: NormalisedText | None = None  # as it was typed, where words are spelt anew

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The raw offsets of the normalised span, end exclusive."""
        if start >= end:
            return self.offsets[start], self.offsets[start]
        return self.offsets[start], self.offsets[end - 1] + 1


@dataclass(frozen=True, slots=True)
class Spelling:
    """What the rule set knows of spellings: its words, its Arabizi words, one known word for each skeleton.

    `slips` leads from a word with one letter wrong to the one that is meant (`patterns.slips`).
    """

    vocabulary: Set[str] = frozenset()
    arabizi_words: Set[str] = frozenset()
    skeletons: Mapping[str, str] = field(default_factory=dict)
    slips: Slips = NO_SLIPS
    bones: Mapping[str, str] = field(default_factory=dict)  # what the consonants of an Arabizi word lead to
    _respelt: dict[tuple[str, bool], str] = field(default_factory=dict, repr=False, compare=False)

    def respell(self, word: str, is_arabizi: bool) -> str:
        """The spelling that the vocabulary knows of a noisy word, worked out once; else the word as it is."""
        new = self._respelt.get((word, is_arabizi))
        if new is None:
            if len(self._respelt) >= KEPT_WORDS:
                self._respelt.clear()
            new = self._respelt[word, is_arabizi] = _respell(word, self, is_arabizi)
        return new


NO_SPELLING = Spelling()


def _join_words(characters: str, offsets: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Drop apostrophes inside words (don't = dont), turn hyphens inside words into spaces (off-shoulder)."""
    if "'" in characters:
        characters, offsets = fold_dotted(characters, offsets)
    marks = [match.start() for match in _JOINERS.finditer(characters)]
    if not marks:
        return characters, offsets
    kept: list[str] = []
    places: list[int] = []
    start = 0
    for index in marks:
        character = characters[index]
        kept.append(characters[start:index])
        places += offsets[start:index]
        start = index + 1
        is_inner = 0 < index < len(characters) - 1 and characters[index - 1].isalpha() and characters[start].isalpha()
        written = _inner_mark(characters, index) if is_inner else " " if character == "_" else character
        if written:
            kept.append(written)
            places.append(offsets[index])
    return "".join(kept) + characters[start:], [*places, *offsets[start:]]


def _inner_mark(characters: str, index: int) -> str:
    if characters[index] == "'":
        tail = characters[index + 1 : index + 3]
        ends = index + 3 >= len(characters) or not characters[index + 3].isalpha()
        return "'" if tail in _COLLIDING_CONTRACTIONS and ends else ""
    if characters[index] == "-" and _is_size_run(characters, index - 1, -1) and _is_size_run(characters, index + 1, 1):
        return "-"
    return " "


def _is_size_run(characters: str, index: int, step: int) -> bool:
    length = 0
    while 0 <= index < len(characters) and characters[index].isalpha() and length < 6:
        if characters[index] not in _SIZE_LETTERS:
            return False
        index += step
        length += 1
    return length <= 5


def _script_of(word: str) -> str:
    for character in word:
        if "a" <= character <= "z":
            return "latin"
        if "\u0400" <= character <= "\u04ff":
            return "cyrillic"
        if "\u0600" <= character <= "\u06ff":
            return "arabic"
        if character.isalpha():
            return "latin" if character < "\u0250" else "other"
    return "other"


def _unmix(word: str) -> str:
    """A word with letters of two look-alike alphabets, written in the one that most of its letters belong to."""
    if not _LATIN.search(word):
        return word
    cyrillic = sum("\u0400" <= c <= "\u04ff" for c in word)
    latin = sum("a" <= c <= "z" for c in word)
    if not cyrillic or not latin:
        return word
    table = _LATIN_TO_CYRILLIC if cyrillic >= latin else _CYRILLIC_TO_LATIN
    folded = "".join(table.get(c, c) for c in word)
    return folded if len({_script_of(c) for c in folded if c.isalpha()}) == 1 else word


def _unstretch(word: str, vocabulary: Set[str]) -> str:
    """A word with letters held down (neverrr, wooool): the spelling that the vocabulary knows, else one letter each."""
    if word in vocabulary or all(c in "xsml" for c in word):
        return word
    variants = [""]
    position = 0
    for run in _STRETCH.finditer(word):
        fixed = word[position : run.start()]
        variants = [v + fixed + run[1] * n for v in variants for n in (1, 2)][:MAX_STRETCH_VARIANTS]
        position = run.end()
    variants = [v + word[position:] for v in variants]
    return next((v for v in variants if v in vocabulary), variants[0])


def _arabic_forms(word: str) -> tuple[str, ...]:
    """The word, then what is left without its attached particles (and, so, the, with, to, like)."""
    forms = [word]
    rest = word
    if len(rest) > 3 and rest[0] in "وف":
        rest = rest[1:]
        forms.append(rest)
    if len(rest) > 4 and rest[0] in "بلكه" and rest[1:3] == "ال":
        rest = rest[1:]
    if len(rest) > 4 and rest.startswith("عال"):
        rest = rest[1:]
    if len(rest) > 4 and rest.startswith("ال"):
        forms.append(rest[2:])
    elif len(rest) > 4 and rest.startswith("لل"):
        forms.append(rest[2:])
        forms.append("ا" + rest[1:])
    elif len(rest) > 3 and rest[0] in "بلك":
        forms.append(rest[1:])
    return tuple(dict.fromkeys(forms))


def _cut_tokens(text: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for match in _TOKEN.finditer(text):
        word, (start, end), kind = match[0], match.span(), match.lastgroup or "mark"
        script = _script_of(word) if kind == "word" else "other"
        parts.append((word, start, end, kind, script, _arabic_forms(word) if script == "arabic" else (word,)))
    return tuple(parts)


_keep_tokens = lru_cache(KEPT_WORDS)(_cut_tokens)


def _tokenise(text: str, *, at_most: int | None = None) -> tuple[Token, ...]:
    """The tokens of folded text, hardly over `at_most`. None reaches over a space: each piece is cut once for all."""
    tokens: list[Token] = []
    place = 0
    for piece in text.split(" "):
        if piece:
            parts = _keep_tokens(piece) if len(piece) <= MAX_KEPT_CHARACTERS else _cut_tokens(piece)
            for word, start, end, kind, script, forms in parts:
                tokens.append(_make_token(Token, (word, place + start, place + end, kind, script, forms)))
        place += len(piece) + 1
        if at_most is not None and len(tokens) > at_most:
            break
    return tuple(tokens)


@lru_cache(KEPT_WORDS)
def _fold_piece(piece: str) -> tuple[str, tuple[int, ...] | None] | None:
    """A piece between spaces as it is folded wherever it stands, and its offsets where they move.

    None where that depends on what stands around it: nothing is left of it, or a space or line break is in it.
    """
    folded, offsets = fold_text(piece)
    if not folded or " " in folded or "\n" in folded:
        return None
    joined, places = _join_words(folded, offsets)
    if not joined:
        return None
    is_even = len(joined) == len(piece) and tuple(places) == tuple(range(len(piece)))
    return joined, None if is_even else tuple(places)


def _fold(text: str) -> tuple[str, Sequence[int]]:
    """The text folded with its words joined, and the raw offset of each of its characters."""
    pieces = text.split(" ")
    is_plain = max(map(len, pieces)) <= MAX_KEPT_CHARACTERS and unicodedata.is_normalized("NFC", text)
    folded = [_fold_piece(piece) for piece in pieces] if is_plain else [None]
    if None in folded:
        return _join_words(*fold_text(text))
    joined = " ".join([piece[0] for piece in folded])  # type: ignore[index]  # there is no None left
    if not any(piece[1] for piece in folded):  # type: ignore[index]
        return joined, range(len(text))
    return joined, _count_offsets(pieces, folded)  # type: ignore[arg-type]


def _count_offsets(pieces: Sequence[str], folded: Sequence[tuple[str, tuple[int, ...] | None]]) -> list[int]:
    offsets: list[int] = []
    start = 0
    for piece, (text, places) in zip(pieces, folded, strict=True):
        offsets += range(start, start + len(text)) if places is None else [start + place for place in places]
        start += len(piece) + 1
        offsets.append(start - 1)
    return offsets[:-1]


def _respell(word: str, spelling: Spelling, is_arabizi: bool) -> str:
    """The spelling that the vocabulary knows of a noisy word; a word that it knows, or can do nothing for, as it is."""
    if word in spelling.vocabulary:
        return word
    new = word if word.isascii() else _unmix(word)
    if _DOUBLED.search(new):
        if _STRETCH.search(new):
            new = _unstretch(new, spelling.vocabulary)
        if new not in spelling.vocabulary:
            single = _DOUBLED.sub(r"\1", new)
            new = single if single in spelling.vocabulary else new
    is_loose = len(new) > 2 and new.isascii() and new not in spelling.vocabulary
    if is_loose and (is_arabizi or has_arabizi_digit(new)):
        if new[-1] == "s" and new[:-1] in spelling.arabizi_words:  # khalti's engagement
            return new[:-1]
        return find_word(new, spelling.skeletons, spelling.bones) or spelling.slips.mend(new)
    return new if new in spelling.vocabulary else spelling.slips.mend(new)


def _rewrite(
    text: str, offsets: Sequence[int], tokens: Sequence[Token], spelling: Spelling
) -> tuple[str, Sequence[int]]:
    """Words that need respelling (stretched, of two alphabets, loose Arabizi, slips) replaced, offsets kept."""
    unknown = [token for token in tokens if token.kind == "word" and token.text not in spelling.vocabulary]
    is_arabizi = bool(unknown) and _is_arabizi_text(tokens, unknown, spelling)
    pieces: list[str] = []
    places: list[int] = []
    last = 0
    for token in unknown:
        new = spelling.respell(token.text, is_arabizi)
        if new == token.text:
            continue
        pieces.extend((text[last : token.start], new))
        places.extend(offsets[last : token.start])
        places.extend(_fit(list(offsets[token.start : token.end]), len(new)))
        last = token.end
    if not last:
        return text, offsets
    return "".join(pieces) + text[last:], [*places, *offsets[last:]]


def _is_arabizi(word: str, spelling: Spelling) -> bool:
    return word in spelling.arabizi_words or has_arabizi_digit(word)


def _is_arabizi_text(tokens: Sequence[Token], unknown: Sequence[Token], spelling: Spelling) -> bool:
    """Whether a text has a word of Arabizi, or one that is spelt anew among hardly any other Latin words."""
    words = [token.text for token in tokens if token.script == "latin"]
    if any(_is_arabizi(word, spelling) for word in words):
        return True
    if sum(len(word) > 1 and word in spelling.vocabulary for word in words) > MAX_OTHER_WORDS:
        return False
    long = [token.text for token in unknown if len(token.text) > MIN_TELLING and token.text.isascii()]
    return any(find_word(word, spelling.skeletons, spelling.bones) is not None for word in long)


def _fit(places: list[int], length: int) -> list[int]:
    """As many offsets as the new word has letters; the last keeps the last place, so spans cover the word."""
    if length == len(places):
        return places
    return [*(places + [places[-1]] * length)[: length - 1], places[-1]]


def _needs_rewrite(text: str, spelling: Spelling) -> bool:
    if spelling.slips:
        return True
    if _STRETCH.search(text) or (spelling.vocabulary and _DOUBLED.search(text)):
        return True
    if not any("a" <= c <= "z" for c in text):
        return False
    return bool(spelling.skeletons) or any("\u0400" <= c <= "\u04ff" for c in text)


_STOPS = frozenset(".!?;\n")


def _cut_clauses(text: str, tokens: tuple[Token, ...]) -> tuple[tuple[int, int], ...]:
    if not any(stop in text for stop in _STOPS):
        return ((0, len(tokens)),) if tokens else ()
    clauses: list[tuple[int, int]] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.kind == "mark" and token.text in _STOPS:
            if index > start:
                clauses.append((start, index + 1))
            elif clauses and token.text == "?":  # "wool??" asks once
                clauses[-1] = (clauses[-1][0], index + 1)
            start = index + 1
    if start < len(tokens):
        clauses.append((start, len(tokens)))
    return tuple(clauses)


def normalise(text: str, *, spelling: Spelling = NO_SPELLING) -> NormalisedText:
    """Fold the first 2,000 characters or 250 tokens of a text (ENGINE step 1).

    `spelling` decides between spellings of noisy words.

    Pure and linear. Letters lose case, marks and regional shapes; digits are ASCII; words lose inner apostrophes; line
    breaks survive as clause ends.
    """
    return spell(_read_plain(text), spelling)


def spell(normal: NormalisedText, spelling: Spelling) -> NormalisedText:
    """The same text with its noisy words in another spelling; the very same object where no word changes."""
    normal = normal.plain or normal
    if not _needs_rewrite(normal.text, spelling):
        return normal
    text, offsets = _rewrite(normal.text, normal.offsets, normal.tokens, spelling)
    if text is normal.text:
        return normal
    tokens = _tokenise(text)
    return NormalisedText(text, offsets, tokens, _cut_clauses(text, tokens), normal.is_capped, normal)


def _read_plain(text: str) -> NormalisedText:
    is_capped = len(text) > MAX_CHARACTERS
    folded, offsets = _fold(text[:MAX_CHARACTERS])
    tokens = _tokenise(folded, at_most=MAX_TOKENS)
    if len(tokens) > MAX_TOKENS:
        is_capped, end = True, tokens[MAX_TOKENS - 1].end
        folded, offsets, tokens = folded[:end], offsets[:end], tokens[:MAX_TOKENS]
    if isinstance(offsets, range):
        offsets = range(len(offsets) + 1)
    else:
        offsets = (*offsets, offsets[-1] + 1 if offsets else 0)
    return NormalisedText(folded, offsets, tokens, _cut_clauses(folded, tokens), is_capped)
