"""One spelling for every spelling (SPEC I-4): letters, digits and noise folded, with offsets back to the raw text.

The same function normalises messages, lexicon aliases and the literals of rules, so that they always meet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from patterns.arabizi import find_word, fold_dotted, has_arabizi_digit, make_skeleton
from patterns.folding import SIGNS, fold_text
from patterns.slips import NO_SLIPS, Slips

MAX_CHARACTERS = 2000  # longer messages are pasted text, where precision is worst; also the bound on time
MAX_TOKENS = 250  # words and marks; dense text has the most to look up, and a chat message is a tenth of this
MAX_STRETCH_VARIANTS = 8
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
_JOINERS = re.compile(r"['_-]")
_DOUBLED = re.compile(r"([^\W\d_])\1")
_STRETCH = re.compile(r"([^\W\d_])\1{2,}")


class Token(NamedTuple):
    """A word, number or mark. `start`, `end` are offsets in the normalised text; `forms` are spellings to look up."""

    text: str
    start: int
    end: int
    kind: str  # word | number | mark
    script: str  # latin | cyrillic | arabic | other
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NormalisedText:
    """The folded text, its tokens and sentences. `clauses` are (first, last+1) token ranges cut at hard stops."""

    text: str
    offsets: tuple[int, ...]  # offsets[i]: raw offset of normalised character i; one more at the end
    tokens: tuple[Token, ...]
    clauses: tuple[tuple[int, int], ...]
    is_capped: bool

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


NO_SPELLING = Spelling()


def _join_words(characters: str, offsets: list[int]) -> tuple[str, list[int]]:
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
    return "".join(kept) + characters[start:], places + offsets[start:]


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


def _tokenise(text: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, (start, end), kind = match[0], match.span(), match.lastgroup or "mark"
        script = _script_of(word) if kind == "word" else "other"
        tokens.append(Token(word, start, end, kind, script, _arabic_forms(word) if script == "arabic" else (word,)))
    return tuple(tokens)


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
        return find_word(new, spelling.skeletons, spelling.bones) or spelling.slips.mend(new)
    return new if new in spelling.vocabulary else spelling.slips.mend(new)


def _rewrite(text: str, offsets: list[int], tokens: Sequence[Token], spelling: Spelling) -> tuple[str, list[int]]:
    """Words that need respelling (stretched, of two alphabets, loose Arabizi, slips) replaced, offsets kept."""
    unknown = [token for token in tokens if token.kind == "word" and token.text not in spelling.vocabulary]
    is_arabizi = bool(unknown) and _is_arabizi_text(tokens, unknown, spelling)
    pieces: list[str] = []
    places: list[int] = []
    last = 0
    for token in unknown:
        new = _respell(token.text, spelling, is_arabizi)
        if new == token.text:
            continue
        pieces.extend((text[last : token.start], new))
        places.extend(offsets[last : token.start])
        places.extend(_fit(offsets[token.start : token.end], len(new)))
        last = token.end
    if not last:
        return text, offsets
    return "".join(pieces) + text[last:], places + offsets[last:]


def _is_arabizi(word: str, spelling: Spelling) -> bool:
    return word in spelling.arabizi_words or has_arabizi_digit(word)


def _is_arabizi_text(tokens: Sequence[Token], unknown: Sequence[Token], spelling: Spelling) -> bool:
    """Whether a text has a word of Arabizi, or one that is spelt anew among hardly any other Latin words."""
    words = [token.text for token in tokens if token.script == "latin"]
    if any(_is_arabizi(word, spelling) for word in words):
        return True
    if sum(len(word) > 1 and word in spelling.vocabulary for word in words) > MAX_OTHER_WORDS:
        return False
    return any(len(token.text) > MIN_TELLING and make_skeleton(token.text) in spelling.skeletons for token in unknown)


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


def _cut_clauses(tokens: tuple[Token, ...]) -> tuple[tuple[int, int], ...]:
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
    is_capped = len(text) > MAX_CHARACTERS
    folded, offsets = _join_words(*fold_text(text[:MAX_CHARACTERS]))
    tokens = _tokenise(folded)
    if len(tokens) > MAX_TOKENS:
        is_capped, end = True, tokens[MAX_TOKENS - 1].end
        folded, offsets, tokens = folded[:end], offsets[:end], tokens[:MAX_TOKENS]
    if _needs_rewrite(folded, spelling):
        spelt, offsets = _rewrite(folded, offsets, tokens, spelling)
        if spelt is not folded:
            folded, tokens = spelt, _tokenise(spelt)
    end = offsets[-1] + 1 if offsets else 0
    return NormalisedText(folded, (*offsets, end), tokens, _cut_clauses(tokens), is_capped)
