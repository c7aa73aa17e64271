"""The words of a question as plans and follow-ups see them: stems, and what is masked by a name. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from patterns.text.arabic import normalise_arabic, stem_arabic
from patterns.text.caches import empty_with_stores
from patterns.text.stems import stem_english, stem_russian
from patterns.text.tokens import looks_like_arabizi

DATA: Final = Path(__file__).resolve().parent / "data"
_WORD: Final = re.compile(r"[^\W_]+")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_ARABIC: Final = re.compile("[\u0600-\u06ff]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: as typed, in small letters, its stem, and where it stands (code points)."""

    text: str
    low: str
    stem: str
    start: int
    end: int

    @property
    def looks_like_name(self) -> bool:
        """Whether its letters say that it is a name: a capital, or a digit beside letters."""
        return self.text[0].isupper() or (not self.text.isalpha() and not self.text.isdigit())


def split_question(text: str) -> tuple[Word, ...]:
    """The words of a question in order."""
    return tuple(Word(match[0], *fold_word(match[0]), match.start(), match.end()) for match in _WORD.finditer(text))


@lru_cache(maxsize=20_000)
def fold_word(word: str) -> tuple[str, str]:
    """A word in small letters, and its stem by its script."""
    low = normalise_arabic(word.lower().replace("ё", "е"))
    if _CYRILLIC.search(low):
        return low, stem_russian(low)
    if _ARABIC.search(low):
        return low, stem_arabic(low)
    return low, stem_english(low) if low.isascii() else low


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(fold_word.cache_clear)


def find_script(word: str) -> str:
    """The script of a word, as far as names of another script stand out."""
    if _CYRILLIC.search(word):
        return "cyrillic"
    return "arabic" if _ARABIC.search(word) else "latin"


def find_language(text: str) -> str:
    """`ru`, `ar`, `en` or `arabizi`: that of most words. Names in Latin letters do not make a question English."""
    words = _WORD.findall(text)
    scripts = [find_script(word) for word in words if word.isalpha()]
    others = [script for script in scripts if script != "latin"]
    if others:
        return "ru" if others.count("cyrillic") * 2 >= len(others) else "ar"
    return "arabizi" if looks_like_arabizi([word.lower() for word in words]) else "en"


def stem_phrase(phrase: str) -> tuple[str, ...]:
    """The stems of a phrase."""
    return tuple(fold_word(word)[1] for word in _WORD.findall(phrase))


@cache
def read_words(kind: str) -> frozenset[str]:
    """Stems of all languages' words of a kind in data/words.json: `function`, `connectives` ..."""
    lists: Mapping[str, Sequence[str]] = _read_file("words.json")[kind]
    return frozenset(fold_word(word)[1] for words in lists.values() for line in words for word in _WORD.findall(line))


@cache
def read_phrases(kind: str) -> tuple[tuple[str, ...], ...]:
    """Phrases of a kind in data/words.json, in small letters as typed, longest first."""
    lists: Mapping[str, Sequence[str]] = _read_file("words.json")[kind]
    phrases = {tuple(fold_word(word)[0] for word in _WORD.findall(line)) for words in lists.values() for line in words}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


def starts_with_phrase(words: Sequence[Word], phrases: Iterable[tuple[str, ...]]) -> int:
    """How many of the first words are one of the phrases; 0 for none."""
    low = tuple(word.low for word in words)
    return next((len(phrase) for phrase in phrases if phrase and low[: len(phrase)] == phrase), 0)


def has_phrase(words: Sequence[Word], phrases: Iterable[tuple[str, ...]]) -> bool:
    """Whether one of the phrases stands anywhere among the words, word beside word."""
    low = tuple(word.low for word in words)
    return any(low[at : at + len(phrase)] == phrase for phrase in phrases for at in range(len(low) - len(phrase) + 1))


def read_shipped_intents(schema_name: str) -> list[dict[str, Any]]:
    """The intents that ship with a schema; none for others."""
    intents: list[dict[str, Any]] = _read_schema(schema_name).get("intents", [])
    return intents


def read_type_words(schema_name: str) -> Mapping[str, Sequence[str]]:
    """Words for the types of a shipped schema, in all languages."""
    words: Mapping[str, Sequence[str]] = _read_schema(schema_name).get("type_words", {})
    return words


def _read_schema(name: str) -> Mapping[str, Any]:
    is_there = name != "words" and (DATA / f"{name}.json").is_file()
    return _read_file(f"{name}.json") if is_there else {}


@cache
def _read_file(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return content
