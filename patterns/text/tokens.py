"""Words as the index and the question see them, script by script (D-11, SPEC E-4).

A word becomes one or more lexemes at one place: the stem, and keys that bridge scripts. Keys carry a prefix that no
word can have: `k:` consonant skeleton (Arabic and Arabizi), `n:` name (Cyrillic and Latin), `a:` the skeleton of
a Latin name for questions in Arabic, `m:` month, `c:` concept.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from patterns.text.arabic import (
    find_arabizi_skeleton,
    find_other_arabizi_form,
    find_other_form,
    find_skeleton,
    list_skeleton_variants,
    may_be_normalised,
    normalise_arabic,
    stem_arabic,
)
from patterns.text.caches import empty_with_stores
from patterns.text.concepts import list_concepts
from patterns.text.data_files import read_forms, read_words
from patterns.text.stems import stem_english, stem_russian
from patterns.text.transliteration import find_name_key

TOKENISER_VERSION = 3
MAX_INDEXED_CHARACTERS = 100_000  # longer text is found by its beginning
MAX_LEXEME_CHARACTERS = 64
FEW_WORDS = 4
NAME_WORDS = 60  # longer messages are an assistant's for the most part, and full of headings
MAX_QUERY_GROUPS = 24  # a pasted page as a question: its first words decide

# How much a match of each kind counts beside the word itself.
CONCEPT_PREFIX, SKELETON_PREFIX, LATIN_NAME_PREFIX = "c:", "k:", "a:"
STEM_WEIGHT, SKELETON_WEIGHT, NAME_WEIGHT, CONCEPT_WEIGHT = 0.9, 0.6, 0.7, 0.6
CHARACTER_WEIGHT = 0.3  # of Chinese: of two that stand together
VARIANT_SHARE = 0.8

_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_LATIN_LETTER = re.compile("[A-Za-z]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_ARABIC = re.compile(r"[\u0600-\u06ff]")
_ONE_SCRIPT = re.compile(
    f"(?P<cyrillic>{_CYRILLIC.pattern}+)|(?P<arabic>{_ARABIC.pattern}+)|(?P<latin>[a-z0-9\u00c0-\u024f]+)"
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CJK_RUN = re.compile(f"{_CJK.pattern}+|[^\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?:\D|$))")
_NUMBER_WITH_UNIT = re.compile(r"(\d+)([a-z]{1,3})$")
_ARABIZI_DIGIT = re.compile(r"^(?:[a-z]{1,10}[2356789]+[a-z]+[2356789a-z]*|[2356789][a-z]{2,})$")
_UNIT_AFTER_DIGIT = re.compile(r"^\d(?:nd|rd|th|st|am|pm|kg|km|cm|mm|gb|mb|tb|hrs?|mins?|days?|weeks?|months?|years?)$")
_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789")


_make_token = tuple.__new__  # several times as fast as the class itself


class Token(NamedTuple):
    """One word: its lexemes with the weight each counts with in a question, best first, and its letters as typed."""

    lexemes: tuple[tuple[str, float], ...]
    surface: str


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One lexeme of a question. Terms of one group are spellings of one word: the best of them counts."""

    group: int
    lexeme: str
    weight: float


def clean_text(text: str) -> str:
    """Unicode and Arabic normalisation, digits in ASCII; letters keep their case."""
    text = text[:MAX_INDEXED_CHARACTERS]
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return normalise_arabic(text).translate(_DIGITS) if may_be_normalised(text) else text


def split_words(text: str) -> list[str]:
    """The words of cleaned text as typed; numbers keep their decimals."""
    return _WORD.findall(text)


def count_words(text: str) -> int:
    """How many words a text has, stop words included: the length that ranking divides by."""
    return len(_WORD.findall(text[:MAX_INDEXED_CHARACTERS]))


def looks_like_arabizi(words: list[str]) -> bool:
    """Whether lower-case Latin words read as Arabic: one digit used as a letter, or two known words, one of a few."""
    return tells_arabizi(sum(map(_keep_weight, words)), len(words))


def tells_arabizi(hits: int, words: int) -> bool:
    """Whether a text of so many words reads as Arabic where they weigh so much (`weigh_arabizi`)."""
    return hits >= 2 or bool(hits and words <= FEW_WORDS)


def weigh_arabizi(word: str) -> int:
    """What a lower-case word says for Arabizi: 2 where a digit is surely a letter, 1 for a known word."""
    hits = int(word in read_words("stopwords.arabizi.txt"))
    if not word.isalpha() and _ARABIZI_DIGIT.match(word) and not _UNIT_AFTER_DIGIT.match(word):
        hits += 2 if word[0].isalpha() or len(word) > 4 else 1
    return hits


_keep_weight = lru_cache(maxsize=100_000)(weigh_arabizi)
empty_with_stores(_keep_weight.cache_clear)


def tokenise(text: str, *, is_query: bool = False) -> list[Token]:
    """The content words of a text in order, stop words dropped.

    A question gets bridging keys more freely than a message, where every key costs space.
    """
    return tokenise_words(split_words(clean_text(text)), is_query=is_query)


def tokenise_words(words: list[str], *, is_query: bool = False) -> list[Token]:
    """As `tokenise`, for the words of cleaned text (`split_words`)."""
    is_arabizi = is_query and len(words) <= 3
    if not is_arabizi and any(map(has_latin_letter, words)):
        is_arabizi = looks_like_arabizi([word.lower() for word in words])
    is_short = len(words) <= NAME_WORDS
    return [token for word in words for token in _keep_tokens(word, is_arabizi, is_query, is_short)]


def tokenise_word(word: str, is_arabizi: bool, is_short: bool) -> tuple[Token, ...]:
    """The tokens of a cleaned word of a message; the text around it tells the two."""
    return _make_tokens(word, is_arabizi, False, is_short)


def has_latin_letter(text: str) -> bool:
    """Whether a text has a letter from A to Z."""
    return _LATIN_LETTER.search(text) is not None


def list_query_terms(text: str) -> list[QueryTerm]:
    """The distinct terms of a question. Empty when it is stop words alone.

    Spellings share the word's group; a concept has a group of its own, so that it never makes the word itself look
    common.
    """
    terms: list[QueryTerm] = []
    seen: set[str] = set()
    groups = count()
    for token in tokenise(text, is_query=True)[:MAX_QUERY_GROUPS]:
        word = token.lexemes[0][0]
        if word in seen:
            continue
        group = next(groups)
        for lexeme, weight in _list_spellings(token):
            if lexeme not in seen:
                own = next(groups) if lexeme.startswith(CONCEPT_PREFIX) else group
                terms.append(QueryTerm(own, lexeme, weight))
                seen.add(lexeme)
    return terms


def _list_spellings(token: Token) -> Iterator[tuple[str, float]]:
    """The lexemes of a question's word, and how others write it: other dialects, names in Latin or Arabic letters."""
    is_latin = token.surface.isascii()
    for lexeme, weight in token.lexemes:
        prefix, skeleton = lexeme[:2], lexeme[2:]
        if prefix == LATIN_NAME_PREFIX:
            yield SKELETON_PREFIX + skeleton, weight
            continue
        yield lexeme, weight
        if prefix == SKELETON_PREFIX:
            for variant in list_skeleton_variants(skeleton, is_arabizi=is_latin):
                yield SKELETON_PREFIX + variant, weight * VARIANT_SHARE
            if not is_latin:
                yield LATIN_NAME_PREFIX + skeleton, weight


def build_date_text(moment: datetime) -> str:
    """The date words a message is indexed with, in the letters of no language in particular: `7 May 2023`.

    The day is that of UTC: the zone in which a time was sent is not kept, so a rebuild could not tell another.
    """
    return _write_date(moment.astimezone(UTC).date())


@lru_cache(maxsize=10_000)
def _write_date(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _make_tokens(word: str, is_arabizi: bool, is_query: bool, is_short: bool) -> tuple[Token, ...]:
    lexemes = _list_lexemes(word, word.lower(), is_arabizi, is_query, is_short)
    return tuple([_make_token(Token, (each, word)) for each in lexemes])


_keep_tokens = lru_cache(maxsize=100_000)(_make_tokens)
empty_with_stores(_keep_tokens.cache_clear)


def _list_lexemes(
    word: str, low: str, is_arabizi: bool, is_query: bool, is_short: bool
) -> list[tuple[tuple[str, float], ...]]:
    low = low[:MAX_LEXEME_CHARACTERS]
    script = "latin" if low.isascii() else _find_script(low)
    if script == "cjk":
        return list(_list_cjk(low))
    if script == "latin":
        lexemes = _list_latin(low, word[0].isupper(), is_arabizi, is_short)
    elif script == "cyrillic":
        lexemes = _list_cyrillic(low, word[0].isupper() or is_query)
    elif script == "arabic":
        lexemes = _list_arabic(low)
    else:
        lexemes = ((low, 1.0),)
    return [lexemes] if lexemes else []


def _find_script(low: str) -> str | None:
    """The script of a word; of several, the one that must be cut or stemmed."""
    alone = _ONE_SCRIPT.fullmatch(low)
    if alone:
        return alone.lastgroup
    if _CJK.search(low):
        return "cjk"
    if _ARABIC.search(low):
        return "arabic"
    return "cyrillic" if _CYRILLIC.search(low) else None


def _list_latin(low: str, is_capitalised: bool, is_arabizi: bool, is_short: bool) -> tuple[tuple[str, float], ...]:
    if low[0].isdigit() and not low.isalpha():
        return _list_number(low, is_arabizi)
    if low in read_words("stopwords.en.txt"):
        return _find_month(low) if low == "may" and is_capitalised else ()
    if is_arabizi and low in read_words("stopwords.arabizi.txt"):
        return ()
    stem = stem_english(low)
    lexemes = [(stem, 1.0), *_find_month(low)]
    is_month = len(lexemes) > 1
    if is_arabizi:
        lexemes.extend(_list_arabizi_keys(low))
    concepts = _weigh_concepts(stem)
    if is_capitalised and not is_month:
        lexemes.extend(_weigh_key("n:", find_name_key(low), NAME_WEIGHT))
        if is_short and not is_arabizi and not concepts:
            lexemes.extend(_weigh_key(LATIN_NAME_PREFIX, find_arabizi_skeleton(low), SKELETON_WEIGHT))
    lexemes.extend(concepts)
    return tuple(lexemes)


def _list_number(low: str, is_arabizi: bool) -> tuple[tuple[str, float], ...]:
    if low.isdigit():
        return ((low, 1.0),)
    if low[-1].isdigit() and ("." in low or "," in low):
        return ((_THOUSANDS.sub("", low).replace(",", "."), 1.0),)
    lexemes = [(low, 1.0)]
    with_unit = _NUMBER_WITH_UNIT.match(low)
    if with_unit:
        lexemes.append((with_unit[1], 0.7))
    elif is_arabizi:
        lexemes.extend(_list_arabizi_keys(low))
        lexemes.extend(_weigh_concepts(stem_english(low)))
    return tuple(lexemes)


def _list_cyrillic(low: str, has_name_key: bool) -> tuple[tuple[str, float], ...]:
    low = low.replace("ё", "е")
    if low in read_words("stopwords.ru.txt"):
        return ()
    stem = stem_russian(low)
    lexemes = [(stem, 1.0), *_find_month(low)]
    if has_name_key and len(lexemes) == 1:
        lexemes.extend(_weigh_key("n:", find_name_key(low), NAME_WEIGHT))
    lexemes.extend(_weigh_concepts(stem))
    return tuple(lexemes)


def _list_arabic(low: str) -> tuple[tuple[str, float], ...]:
    if low in read_words("stopwords.ar.txt"):
        return ()
    forms = [form for form in (low, find_other_form(low)) if form]
    stems = [stem_arabic(form) for form in forms]
    lexemes = {low: 1.0}
    for stem in stems:
        lexemes.setdefault(stem, STEM_WEIGHT)
    for form in forms:
        lexemes.update(_weigh_key(SKELETON_PREFIX, find_skeleton(form), SKELETON_WEIGHT))
    lexemes.update(_find_month(low))
    for stem in stems:
        lexemes.update(_weigh_concepts(stem))
    return tuple(lexemes.items())


def _list_arabizi_keys(low: str) -> list[tuple[str, float]]:
    keys = _weigh_key(SKELETON_PREFIX, find_arabizi_skeleton(low), SKELETON_WEIGHT)
    other = find_other_arabizi_form(low)
    return keys + (_weigh_key(SKELETON_PREFIX, find_arabizi_skeleton(other), SKELETON_WEIGHT) if other else [])


def _list_cjk(low: str) -> Iterator[tuple[tuple[str, float], ...]]:
    for run in _CJK_RUN.findall(low):
        if not _CJK.match(run):
            yield ((stem_english(run), 1.0),)
        elif len(run) == 1:
            yield ((run, 1.0),)
        else:
            yield from (_list_pair(run[i : i + 2]) for i in range(len(run) - 1))


def _list_pair(pair: str) -> tuple[tuple[str, float], ...]:
    """Two characters side by side, and each of them unless it is a function word."""
    stop = read_words("stopwords.zh.txt")
    return ((pair, 1.0), *((character, CHARACTER_WEIGHT) for character in dict.fromkeys(pair) if character not in stop))


def _find_month(low: str) -> tuple[tuple[str, float], ...]:
    month = read_forms("months.txt").get(low)
    return ((f"m:{month}", STEM_WEIGHT),) if month else ()


def _weigh_key(prefix: str, key: str | None, weight: float) -> list[tuple[str, float]]:
    return [(prefix + key, weight)] if key else []


def _weigh_concepts(stem: str) -> list[tuple[str, float]]:
    """A word's concepts: the more it has, the less each of them says."""
    concepts = list_concepts(stem)
    if not concepts:
        return []
    weight = CONCEPT_WEIGHT / math.sqrt(len(concepts))
    return [(f"{CONCEPT_PREFIX}{concept}", weight) for concept in concepts]
