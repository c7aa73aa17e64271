"""What a question asks for, seen in its words. Pure; made once, used by ranking, spans and directives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from patterns.text.arabic import normalise_arabic
from patterns.text.data_files import read_lines
from patterns.text.tokens import QueryTerm, clean_text, list_query_terms, looks_like_arabizi, split_words
from patterns.text.transliteration import find_name_key
from retrieval.index.traits import Traits, find_traits

MIN_SPAN_CHARACTERS = 30  # shorter questions are too noisy to compare neighbours with (KSP fix 5)
_LETTERS = {
    "ru": re.compile("[\u0400-\u04ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "zh": re.compile("[\u3040-\u30ff\u3400-\u9fff]"),
}
_LATIN = re.compile("[a-zA-Z]")
MIXED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Question:
    """A question with everything ranking needs of it."""

    text: str
    terms: tuple[QueryTerm, ...]
    traits: Traits
    words: frozenset[str]
    name_keys: frozenset[str]
    asks_about_assistant: bool
    asks_for_summary: bool
    language: str

    @property
    def expands_spans(self) -> bool:
        """Whether neighbours of short hits may be shown (SPEC S-5)."""
        return len(self.text.strip()) >= MIN_SPAN_CHARACTERS


def read_question(text: str) -> Question:
    """Everything ranking needs of a question in any of our languages."""
    words = [word.lower() for word in split_words(clean_text(text))]
    low = normalise_arabic(text.lower().replace("ё", "е"))
    return Question(
        text=text,
        terms=find_terms(text),
        traits=find_traits(text),
        words=frozenset(words),
        name_keys=frozenset(key for key in map(find_name_key, words) if key),
        asks_about_assistant=bool(_read_pattern("about_assistant.txt").search(low)),
        asks_for_summary=bool(_read_pattern("asks_summary.txt").search(low)),
        language=detect_language(text),
    )


def find_terms(text: str) -> tuple[QueryTerm, ...]:
    """The terms that are searched for: those of its subject, or all of them where nothing else is left.

    "Can you list in order" says what to do with the answer: its words would find others who list and order.
    """
    subject = _read_frames().sub(" ", clean_text(text))
    return tuple(list_query_terms(subject)) or tuple(list_query_terms(text))


def detect_language(text: str) -> str:
    """`ru`, `en`, `ar`, `arabizi`, `zh`, or `mixed` where two scripts share the text.

    `en` when there are no letters.
    """
    counts = {language: len(pattern.findall(text)) for language, pattern in _LETTERS.items()}
    counts["en"] = len(_LATIN.findall(text))
    total = sum(counts.values())
    if not total:
        return "en"
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    if ordered[1][1] / total >= MIXED_SHARE:
        return "mixed"
    language = ordered[0][0]
    if language == "en" and looks_like_arabizi([word.lower() for word in split_words(clean_text(text))]):
        return "arabizi"
    return language


@cache
def _read_pattern(name: str) -> re.Pattern[str]:
    return re.compile(_join_patterns(name))


@cache
def _read_frames() -> re.Pattern[str]:
    # One look at where words begin, for all of them: a third of the time that each took by itself.
    return re.compile(rf"\b(?:{_join_patterns('frames.txt')})", re.IGNORECASE)


def _join_patterns(name: str) -> str:
    return "|".join(f"(?:{line})" for line in read_lines(name))
