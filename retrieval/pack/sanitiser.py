"""Making remembered text harmless for a model: the record stays, the copy loses its commands (SPEC P-3)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from operator import eq
from typing import Any

import re2

from patterns.text.data_files import read_lines

REMOVED = "[…]"
MAX_UNBROKEN = 200  # one "word" longer than this is a payload, not speech
MAX_REPEATS = 12
_REPEATED = re.compile(rf"(.)\1{{{MAX_REPEATS},}}", re.DOTALL)
_REPEATED_PHRASE = re.compile(rf"((?:\S{{1,20}}\s+){{1,3}})\1{{{MAX_REPEATS},}}")
_UNBROKEN = re.compile(rf"\S{{{MAX_UNBROKEN + 1},}}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b\u2060-\u2064\u202a-\u202e\u2066-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
_JOINERS = re.compile(r"(?<=[A-Za-z0-9_\u0400-\u04ff])[\u200c\u200d\ufe00-\ufe0f]+(?=[A-Za-z0-9_\u0400-\u04ff])")
"""Real in Persian, in Indic scripts and in emoji; between two letters of ours they only hide a word."""
_OUR_TAGS = re.compile(
    r"(?:<|\uff1c|&lt;)[\s/\uff0f\u200c\u200d\ufe00-\ufe0f]*"
    r"(?:user_memory|recalled|pending_raw|directives|knowledge|system)\b"
    r"(?:(?!&gt;)[^>\uff1e])*(?:>|\uff1e|&gt;)?",
    re.IGNORECASE,
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def sanitise(text: str) -> str:
    """The text without commands to the model, chat markup, invisible characters and oversized runs.

    What is taken out leaves a mark. Ordinary text comes back as it was.
    """
    for _, step in _STEPS:
        text = step(text)
    return text


def list_outcomes(text: str) -> list[str]:
    """What `sanitise` takes out of a text, as codes in the order of its steps; none where it leaves the text alone."""
    outcomes = []
    for name, step in _STEPS:
        cleaned = step(text)
        if cleaned != text:
            outcomes.append(name)
        text = cleaned
    return outcomes


def _drop_invisible(text: str) -> str:
    return text if text.isascii() else _JOINERS.sub("", _INVISIBLE.sub("", text))


def _drop_markup(text: str) -> str:
    # Nearly no text has one, and three looks cost far less than a search.
    may_have_tags = "<" in text or "&" in text or "\uff1c" in text
    return _OUR_TAGS.sub(REMOVED, text) if may_have_tags else text


def _drop_commands(text: str) -> str:
    if may_hold_command(text):
        for pattern in _read_patterns():
            text = pattern.sub(REMOVED, text)
    return text


def _shorten_runs(text: str) -> str:
    if _may_repeat_character(text):
        text = _REPEATED.sub(lambda run: run[1] * MAX_REPEATS, text)
    if _may_repeat_phrase(text):
        text = _REPEATED_PHRASE.sub(lambda run: run[1] * 3, text)
    return _UNBROKEN.sub(_cut_unbroken, text) if _may_be_unbroken(text) else text


_STEPS = (
    ("invisible", _drop_invisible),
    ("markup", _drop_markup),
    ("command", _drop_commands),
    ("oversized", _shorten_runs),
)


def may_hold_command(text: str) -> bool:
    """Whether one of the patterns may match: one pass over the text instead of one each. A no is never wrong."""
    return bool(_read_prefilter().search(text))


def _may_repeat_character(text: str) -> bool:
    """Whether a run of equal characters may be there that `_REPEATED` finds: in every such run four of them begin at
    one of the places that are looked at. A no is never wrong."""
    step = MAX_REPEATS - 2
    if True not in map(eq, text[::step], text[1::step]):  # most texts: no two of them are equal anywhere
        return False
    return any(
        first == second == third == fourth
        for first, second, third, fourth in zip(text[::step], text[1::step], text[2::step], text[3::step], strict=False)
    )


def _may_repeat_phrase(text: str) -> bool:
    """Whether a word comes as often as it does in a repeated phrase; the pattern itself tries every place."""
    words = text.split()
    return len(words) - len(set(words)) >= MAX_REPEATS - 1 and max(Counter(words).values()) >= MAX_REPEATS


def _may_be_unbroken(text: str) -> bool:
    """Whether a piece between spaces is too long; the pattern itself counts from every place of every word."""
    return len(text) > MAX_UNBROKEN and any(len(word) > MAX_UNBROKEN for word in text.split())


def _cut_unbroken(run: re.Match[str]) -> str:
    word = run[0]
    if _CJK.search(word):  # Chinese and Japanese write without spaces
        return word
    return f"{word[: MAX_UNBROKEN // 2]}{REMOVED}"


def list_patterns() -> tuple[str, ...]:
    """What counts as a command, as written."""
    return tuple(read_lines("injection.txt"))


@cache
def _read_patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line, re.IGNORECASE | re.MULTILINE) for line in read_lines("injection.txt"))


@cache
def _read_prefilter() -> Any:
    """All patterns in one automaton, each a little wider: letters and spaces of any script, words that may go on."""
    wider = [
        line.replace(r"\w", r"[\pL\pN\pM_]").replace(r"\s", r"[\s\v\pZ\x1c-\x1f\x85]").replace(r"\b", "")
        for line in read_lines("injection.txt")
    ]
    return re2.compile("(?im)" + "|".join(f"(?:{line})" for line in wider))
