"""Sentences in which somebody says what was decided, or what is still open, in four languages. Pure.

Precision comes first: a question, a condition, a denial or what others did is no decision of the one who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

from patterns.text.data_files import read_forms, read_lines, read_words

_SENTENCE: Final = re.compile(r"[^\n.!?؟]+(?:[.](?=\S)[^\n.!?؟]*)*[.!?؟]*")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME: Final = re.compile(r"\s*(@?[^\W\d_][\w'’-]*(?:\s+(?-i:[A-ZА-ЯЁ])[\w'’-]+)?)")
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DOTTED: Final = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_NAMED: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([^\W\d_]{3,})(?:,?\s+(\d{4}))?")
_MIN_WORDS: Final = 3
"""A decision says what, beside that it was one."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a text: its place in code points, and what was read of it."""

    start: int
    end: int
    text: str
    owner: str = ""
    on: date | None = None


def list_decisions(text: str, *, said_on: date) -> list[Said]:
    """The sentences that tell a decision, with owner and date where they are named. A date after `said_on` is none."""
    sentences = list(list_sentences(text))
    following = [sentence for _, _, sentence in sentences[1:]] + [""]
    return [
        Said(start, end, sentence, _find_owner(sentence) or _find_named(after), _find_date(sentence, said_on))
        for (start, end, sentence), after in zip(sentences, following, strict=True)
        if _is_decision(sentence)
    ]


def list_open_questions(text: str) -> list[Said]:
    """The sentences that tell that something is still to be decided."""
    return [
        Said(start, end, sentence)
        for start, end, sentence in list_sentences(text)
        if _find_cue(sentence, "question_cues.txt") is not None and len(_WORD.findall(sentence)) >= _MIN_WORDS
    ]


def has_decision_cue(text: str) -> bool:
    """Whether anything in a text looks like a decision: a quick look before the careful one."""
    return _build("decision_cues.txt").search(_plain(text)) is not None


def list_sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Sentences with their places, without spaces and marks of lists around them."""
    for found in _SENTENCE.finditer(text):
        stripped = found[0].strip(" \t-*•–—")
        if stripped:
            start = found.start() + found[0].index(stripped)
            yield start, start + len(stripped), stripped


def _is_decision(sentence: str) -> bool:
    if sentence.endswith(("?", "؟")):
        return False
    cue = _find_cue(sentence, "decision_cues.txt")
    if cue is None or _find_cue(sentence, "question_cues.txt") is not None:
        return False
    plain = _plain(sentence)
    before, rest = _WORD.findall(plain[: cue[0]]), _WORD.findall(plain[cue[1] :])
    vetoes = read_words("decision_vetoes.txt")
    # A condition or a doubt may stand on either side; who decided, and whether, stands before.
    has_veto = any(word in vetoes for word in before) or any(word in read_words("decision_doubts.txt") for word in rest)
    return not has_veto and len(rest) >= _MIN_WORDS - 1


def _find_cue(sentence: str, name: str) -> tuple[int, int] | None:
    found = _build(name).search(_plain(sentence))
    return found.span() if found else None


def _plain(text: str) -> str:
    # Letter for letter, so that places stay: casefold may lengthen a text.
    return text.lower().replace("’", "'").replace("ё", "е") if len(text.lower()) == len(text) else text


@cache
def _build(name: str) -> re.Pattern[str]:
    cues = sorted({line.replace("ё", "е") for line in read_lines(name)}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, cues))})(?!\w)")


def _find_owner(sentence: str) -> str:
    found = _build("owner_cues.txt").search(_plain(sentence))
    name = _NAME.match(sentence, found.end()) if found else None
    return name[1] if name else ""


def _find_named(sentence: str) -> str:
    """The owner that a sentence of its own names behind a decision: "Owner: Ann." """
    found = _build("owner_cues.txt").match(_plain(sentence))
    return _find_owner(sentence) if found else ""


def _find_date(sentence: str, said_on: date) -> date | None:
    for year, month, day in _list_dates(sentence, said_on):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= said_on:
            return found
    return None


def _list_dates(sentence: str, said_on: date) -> Iterator[tuple[int, int, int]]:
    for iso in _ISO.finditer(sentence):
        yield int(iso[1]), int(iso[2]), int(iso[3])
    for dotted in _DOTTED.finditer(sentence):
        yield int(dotted[3]), int(dotted[2]), int(dotted[1])
    months = read_months()
    for named in _NAMED.finditer(_plain(sentence)):
        if named[2] in months:
            yield int(named[3] or said_on.year), months[named[2]], int(named[1])


@cache
def read_months() -> dict[str, int]:
    """Names of months in their forms, by number."""
    return {form: int(base) for form, base in read_forms("month_numbers.txt").items() if not form.isdigit()}


def begin_day(day: date) -> datetime:
    """The moment at which a day begins, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
