"""Where one topic ends and the next begins, without a model (SPEC L-1, D-44). Pure: the same messages, the same cuts.

A session ends with a silence. Inside it each message is weighed as the beginning of a topic: by what it does (asks,
greets, changes the subject, answers), by what was done before it (a question still open, thanks), and by how many
words it shares with what came before. The weights are a logistic regression (`recipe.BOUNDARY`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Protocol

from msgspec import Struct

from memory.episodes.recipe import BOUNDARY, MAX_TURNS, READ_CHARACTERS, SHIFT_WEIGHT
from patterns.text.cues import find_cues, split_spoken
from patterns.text.tokens import tokenise

ASKING = ("?", "؟")
OPENING_WORDS = 6
"""A phrase that opens a message begins among so many words."""
FEW_WORDS = 2
BEFORE, AFTER = 2, 2
"""Turns on either side whose words are compared."""


class Said(Protocol):
    """A message as this module reads it."""

    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...


class Turn(Struct, frozen=True):
    """What a message tells of where topics begin."""

    role: str
    words: frozenset[str]
    """Its content words as stems."""
    asks: bool
    thanks: bool
    opens: bool
    """Asks for something, or greets."""
    shifts: bool
    """Says that something else comes now."""
    replies: bool
    closes: bool
    """Says goodbye."""


def split_sessions(
    moments: Sequence[datetime], *, gap: timedelta, closes: Sequence[datetime] = ()
) -> list[tuple[int, int]]:
    """Runs of messages, as (first, after the last), by when each was said, oldest first.

    A run ends where a longer silence than `gap` follows, and where somebody closed it (`closes`).
    """
    starts = [0] if moments else []
    for place in range(1, len(moments)):
        before, after = moments[place - 1], moments[place]
        if after - before > gap or any(before <= at < after for at in closes):
            starts.append(place)
    return list(pairwise([*starts, len(moments)]))


def cut_session(messages: Sequence[Said]) -> list[tuple[int, int]]:
    """The topics of one session, as (first, after the last), oldest first. Together they are the whole session."""
    turns = [read_turn(message) for message in messages]
    weights = weigh_boundaries(turns)
    starts = [0, *(place for place in range(1, len(turns)) if weights[place] > 0)]
    return [piece for first, end in pairwise([*starts, len(turns)]) for piece in _cut_long(first, end, weights)]


def read_turn(message: Said) -> Turn:
    """What the beginning of a message says; long ones are replies, and open nothing further down."""
    text = message.content[:READ_CHARACTERS]
    spoken = split_spoken(text)
    cues = find_cues(spoken)
    opening = {kind for kind, places in cues.items() if places[0] < OPENING_WORDS}
    return Turn(
        role=message.role,
        words=frozenset(token.lexemes[0][0] for token in tokenise(text)),
        asks=message.content.rstrip().endswith(ASKING),
        thanks="thanks" in cues,
        opens=bool(opening & {"request", "greeting"}),
        shifts="shift" in opening,
        replies="reply" in cues and cues["reply"][0] == 0,
        closes="goodbye" in cues,
    )


def weigh_boundaries(turns: Sequence[Turn]) -> list[float]:
    """For each turn how much speaks for a topic that begins with it: above 0 one does. The first has none."""
    if not turns:
        return []
    two_sided = {"user", "assistant"} <= {turn.role for turn in turns}
    return [-math.inf, *(_weigh(turns, place, two_sided) for place in range(1, len(turns)))]


def _weigh(turns: Sequence[Turn], place: int, two_sided: bool) -> float:
    """A topic opens on the user's turn, wherever both sides speak."""
    if two_sided and turns[place].role == "assistant" and not turns[place].shifts:
        return -math.inf
    weight = sum(BOUNDARY[name] * value for name, value in list_signs(turns, place).items())
    return weight + SHIFT_WEIGHT * turns[place].shifts


def list_signs(turns: Sequence[Turn], place: int) -> dict[str, float]:
    """The signs by which the beginning of a topic is known, by name."""
    turn, before = turns[place], turns[place - 1]
    was_asked = before.asks and before.role != turn.role
    return {
        "base": 1.0,
        "asks": turn.asks,
        "was_asked": was_asked,
        "was_thanked": before.thanks or before.closes,
        "thanks": turn.thanks,
        "opens": turn.opens,
        "replies": turn.replies,
        "is_short": len(turn.words) <= FEW_WORDS,
        "likeness": _find_likeness(turns, place),
        "is_second": place == 1,
        "is_third": place == 2,
        "is_asked_back": _is_asked_back(turns, place),
    }


def _find_likeness(turns: Sequence[Turn], place: int) -> float:
    """How alike the words on either side are: the cosine of the two sets."""
    before = frozenset().union(*(turn.words for turn in turns[max(0, place - BEFORE) : place]))
    after = frozenset().union(*(turn.words for turn in turns[place : place + AFTER]))
    return len(before & after) / math.sqrt(max(1, len(before)) * max(1, len(after)))


def _is_asked_back(turns: Sequence[Turn], place: int) -> bool:
    following = turns[place + 1 : place + 2]
    return bool(following and following[0].asks and following[0].role != turns[place].role)


def _cut_long(first: int, end: int, weights: Sequence[float]) -> list[tuple[int, int]]:
    """A part that is too long is cut where most speaks for it, near its middle where nothing does."""
    if end - first <= MAX_TURNS:
        return [(first, end)]
    middle = (first + end) / 2
    places = range(first + MAX_TURNS // 4, end - MAX_TURNS // 4)
    best = max(places, key=lambda place: (weights[place], -abs(place - middle)))
    return [*_cut_long(first, best, weights), *_cut_long(best, end, weights)]
