"""Sample messages read by a rule set, put together for people: what matched, what it became, what was refused. Pure."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from patterns.rules.reasons import explain_reason
from patterns.rules.ruleset import RuleSet
from patterns.types import Reading, Rejection

MAX_SAMPLES: Final = 100
MAX_SAMPLE_CHARACTERS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a message's characters: read as a fact, refused, or neither."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class Found:
    """One fact that the message states, with the words that say it."""

    reading: Reading
    words: str


@dataclass(frozen=True, slots=True)
class Refused:
    """One trigger that fired and a step that turned it down."""

    rejection: Rejection
    words: str
    reason: str
    step: str


@dataclass(frozen=True, slots=True)
class Caught:
    """A match of one pattern in the normalised text, with the named parts that it captured."""

    text: str
    groups: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One message after reading. `microseconds` is the better of two runs of the whole step."""

    pieces: tuple[Piece, ...]
    normalised: str
    language: str
    found: tuple[Found, ...]
    refused: tuple[Refused, ...]
    is_capped: bool
    microseconds: int
    triggers: tuple[Caught, ...] = ()
    """Where the pattern of the rule that is worked on matched, whatever became of it."""
    was: tuple[str, ...] | None = None
    """What the set in force makes of it where that differs; None where it is the same."""


def split_samples(text: str) -> list[str]:
    """One message a line; empty lines are left out, what is over the limits is not read."""
    lines = [line.strip()[:MAX_SAMPLE_CHARACTERS] for line in text.splitlines()]
    return [line for line in lines if line][:MAX_SAMPLES]


def read_samples(
    texts: Iterable[str], *, rule_set: RuleSet, said_at: datetime, live: RuleSet | None = None, slug: str = ""
) -> list[Sample]:
    """Every message as the ingest step would read it. Writes nothing.

    With `live`, each says what the set in force makes of it instead; with `slug`, where that rule's pattern matched.
    """
    return [read_sample(text, rule_set=rule_set, said_at=said_at, live=live, slug=slug) for text in texts]


def read_sample(
    text: str, *, rule_set: RuleSet, said_at: datetime, live: RuleSet | None = None, slug: str = ""
) -> Sample:
    """One message as the ingest step would read it."""
    times = []
    for _ in range(2):
        before = time.perf_counter_ns()
        result = rule_set.read(text, said_at=said_at)
        times.append(time.perf_counter_ns() - before)
    normalised = rule_set.analyse(text).normal.text
    return Sample(
        pieces=tuple(cut_pieces(text, result.readings, result.rejections)),
        normalised=normalised.strip(),
        language=result.language,
        found=tuple(
            Found(reading, text[reading.start : end_of_letters(text, reading.end)]) for reading in result.readings
        ),
        refused=tuple(_explain(one, text) for one in result.rejections),
        is_capped=result.is_capped,
        microseconds=round(min(times) / 1000),
        triggers=tuple(
            Caught(normalised[one.start : one.end], one.groups)
            for one in (rule_set.finder.list_triggers(normalised) if slug else ())
            if one.rule.slug == slug
        ),
        was=_compare(text, result.readings, live, said_at) if live is not None else None,
    )


def end_of_letters(text: str, end: int) -> int:
    """The end moved behind vowel signs that belong to the last letter, so that no mark cuts a letter in two."""
    while 0 < end < len(text) and unicodedata.category(text[end]).startswith("M"):
        end += 1
    return end


def _explain(rejection: Rejection, text: str) -> Refused:
    reason = explain_reason(rejection.reason)
    told = f" ({'; '.join(rejection.signs)})" if rejection.signs else ""
    return Refused(rejection, text[rejection.start : rejection.end], reason.sentence + told, reason.step)


def _compare(text: str, readings: Sequence[Reading], live: RuleSet, said_at: datetime) -> tuple[str, ...] | None:
    """The facts of the set in force as words, when they are others."""
    before = tuple(_name(reading) for reading in live.read(text, said_at=said_at).readings)
    return None if before == tuple(_name(reading) for reading in readings) else before


def _name(reading: Reading) -> str:
    until = f" until {reading.expires_on}" if reading.expires_on else ""
    return f"{reading.knowledge_type} {reading.knowledge_key} = {reading.value}{until}"


def cut_pieces(text: str, readings: Sequence[Reading], rejections: Sequence[Rejection]) -> list[Piece]:
    """The message cut where marks begin and end; a fact's mark wins over a refusal's."""
    tones = [""] * len(text)
    for rejection in rejections:
        end = end_of_letters(text, rejection.end)
        tones[rejection.start : end] = ["refused"] * (end - rejection.start)
    for reading in readings:
        end = end_of_letters(text, reading.end)
        tones[reading.start : end] = ["found"] * (end - reading.start)
    pieces: list[Piece] = []
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or tones[i] != tones[start]:
            pieces.append(Piece(text[start:i], tones[start]))
            start = i
    return pieces


def cut_marks(text: str, marks: Sequence[tuple[int, int]]) -> list[Piece]:
    """A text cut where marks begin and end; [start, end) of characters, in any order, overlapping or not."""
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted(marks):
        begin = max(start, at)
        if end <= begin:
            continue
        if begin > at:
            pieces.append(Piece(text[at:begin], ""))
        pieces.append(Piece(text[begin:end], "found"))
        at = end
    return [*pieces, Piece(text[at:], "")] if at < len(text) else pieces
