"""Sample messages read by a rule set, put together for people: what matched, what it became, what was refused. Pure."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from patterns.ruleset import RuleSet
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


def split_samples(text: str) -> list[str]:
    """One message a line; empty lines are left out, what is over the limits is not read."""
    lines = [line.strip()[:MAX_SAMPLE_CHARACTERS] for line in text.splitlines()]
    return [line for line in lines if line][:MAX_SAMPLES]


def read_samples(texts: Iterable[str], *, rule_set: RuleSet, said_at: datetime) -> list[Sample]:
    """Every message as the ingest step would read it. Writes nothing."""
    return [read_sample(text, rule_set=rule_set, said_at=said_at) for text in texts]


def read_sample(text: str, *, rule_set: RuleSet, said_at: datetime) -> Sample:
    """One message as the ingest step would read it."""
    times = []
    for _ in range(2):
        before = time.perf_counter_ns()
        result = rule_set.read(text, said_at=said_at)
        times.append(time.perf_counter_ns() - before)
    return Sample(
        pieces=tuple(cut_pieces(text, result.readings, result.rejections)),
        normalised=rule_set.analyse(text).normal.text.strip(),
        language=result.language,
        found=tuple(Found(reading, text[reading.start : reading.end]) for reading in result.readings),
        refused=tuple(
            Refused(one, text[one.start : one.end], one.reason.replace("_", " ")) for one in result.rejections
        ),
        is_capped=result.is_capped,
        microseconds=round(min(times) / 1000),
    )


def cut_pieces(text: str, readings: Sequence[Reading], rejections: Sequence[Rejection]) -> list[Piece]:
    """The message cut where marks begin and end; a fact's mark wins over a refusal's."""
    tones = [""] * len(text)
    for rejection in rejections:
        tones[rejection.start : rejection.end] = ["refused"] * (rejection.end - rejection.start)
    for reading in readings:
        tones[reading.start : reading.end] = ["found"] * (reading.end - reading.start)
    pieces: list[Piece] = []
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or tones[i] != tones[start]:
            pieces.append(Piece(text[start:i], tones[start]))
            start = i
    return pieces
