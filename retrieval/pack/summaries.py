"""Blocks of what was said long ago: one sentence a message, word for word, where the question meets it (SPEC L-3).

Pure. A message is worth one sentence: the one that shares most with the question, for as few tokens as possible. So a
few hundred tokens show what cards would need thousands for. Blocks are episodes; what is of none yet is of the session
that goes on (B-2).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from memory.episodes.entities import list_entities
from patterns.text.caches import empty_with_stores
from patterns.text.tokens import tokenise
from retrieval.reasons import FOUND, LATEST_EPISODE, LEFT_WINDOW

ENOUGH_WORDS: Final = 8
"""A sentence of so many words says something by itself."""
BEGINNING: Final = 4
"""Letters of a stem that every form of its word begins with: irregular forms are rare beyond them. Of a longer stem
half as many may be otherwise at its end: of 16,000 lines of the labelled talks two are chosen otherwise if more may."""
LEAST: Final = 14  # tokens under which no line is looked for any more
LONGEST: Final = 600  # characters of a line; a longer sentence is left to cards
# A set in front lets the search skip to the next mark; what has to follow depends on which mark it was.
_BREAK = re.compile(r"[.!?؟…\n。！？](?:(?<=[.!?؟…])[\"'”»)\]*]*\s+|(?<=\n)\s*|(?<=[。！？]))")
_REST = re.compile(r"\w*")
_WORD = re.compile(r"[^\W_]+")
_DETAIL = re.compile(r"\d|[\"“«]")


class Remembered(Struct, frozen=True):
    """A message that may be worth a line: where it stands, and how well it fits."""

    message_id: UUID
    role: str
    speaker: str
    content: str
    created_at: datetime
    rank: int
    episode_id: UUID | None = None
    layer: str = "hot"
    started_at: datetime | None = None
    needs_word: bool = False
    """Whether it is shown only where it shares a word with the question: the privacy guard has not looked at it."""


class Line(Struct, frozen=True):
    """One sentence of a message."""

    message: Remembered
    text: str
    shared: int
    """How many of the question's words it has."""
    reason: str = FOUND
    """Why it was looked at, as a code."""


@dataclass(frozen=True, slots=True)
class LineChoice:
    """Lines that fit, and the messages that did not, each in the order in which they were looked at."""

    lines: list[Line]
    left_out: list[UUID]


class SummaryBlock(Struct, frozen=True):
    """An episode in a few sentences. `is_unpacked`: they were taken from the messages, its summary was not enough."""

    episode_id: UUID | None
    layer: str
    headline: str
    started_at: datetime
    lines: tuple[Line, ...]
    is_unpacked: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        return {
            "episode_id": str(self.episode_id) if self.episode_id else None,
            "layer": self.layer,
            "headline": self.headline,
            "text": "\n".join(line.text for line in self.lines),
            "message_ids": [str(line.message.message_id) for line in self.lines],
            "is_unpacked": self.is_unpacked,
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words of a question, and what those words of a text begin with that may be theirs."""

    stems: frozenset[str]
    beginnings: tuple[str, ...]
    met: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of texts that were looked at, and which of the question's words each is."""

    def find(self, word: str) -> tuple[str, ...]:
        """Which of the question's words it is, in whatever form."""
        found = self.met.get(word)
        if found is None:
            found = self.met[word] = tuple(find_stems(word) & self.stems)
        return found


@dataclass(slots=True)
class Layers:
    """What episodes give to a pack, best first."""

    wanted: Wanted
    """The question's words."""
    is_broad: bool = False
    """Whether many episodes together answer it: an order, a sum, a summary."""
    is_own_order: bool = False
    """Whether it asks for the order of what came up: what an assistant answered to it says nothing new."""
    hits: list[Remembered] = field(default_factory=list)
    overflow: list[Remembered] = field(default_factory=list)
    """What has left the window of the running session, newest first."""
    headlines: dict[UUID, str] = field(default_factory=dict)
    covered: dict[UUID, int] = field(default_factory=dict)
    """By episode, how many of the question's words its stored summary has."""
    orientation: list[Remembered] = field(default_factory=list)
    """Headlines and open questions of the latest episodes, as messages of which one sentence is shown."""
    entities: list[Mapping[str, Any]] = field(default_factory=list)
    zone: tzinfo = UTC
    """Where days are counted."""

    def find_day(self, moment: datetime) -> date:
        """The day of a moment where the user lives."""
        return moment.astimezone(self.zone).date()

    def find_heading(self, message: Remembered) -> date:
        """The day under which a message stands: that on which its episode began."""
        return self.find_day(message.started_at or message.created_at)


def want_words(stems: frozenset[str]) -> Wanted:
    """Words of a question, to be looked for. All forms of a word begin alike, nearly always."""
    sizes = {stem: max(BEGINNING, len(stem) - BEGINNING // 2) for stem in stems if stem}
    return Wanted(stems, tuple(sorted({stem[:size] for stem, size in sizes.items()})))


def find_line(message: Remembered, wanted: Wanted, reason: str = FOUND) -> Line | None:
    """The sentence of a message that bears on the question; else its first that says something; None for none.

    None also for a message that is shown only where it shares a word, and shares none.
    """
    text = message.content
    found = list_shared(text, wanted)
    if message.needs_word and not found:
        return None
    ends = [mark.end() for mark in _BREAK.finditer(text)]
    starts, ends = [0, *ends], [*ends, len(text)]
    shared: dict[int, set[str]] = {}
    for at, stems in found:
        shared.setdefault(min(bisect_right(ends, at), len(ends) - 1), set()).update(stems)
    pieces = ((-len(stems), place, text[starts[place] : ends[place]].strip()) for place, stems in shared.items())
    fitting = [(fewest, len(piece), place, piece) for fewest, place, piece in pieces if len(piece) <= LONGEST]
    if fitting:
        fewest, _, _, best = min(fitting)
        return Line(message, best, -fewest, reason)
    if message.needs_word:
        return None
    for first, last in zip(starts, ends, strict=True):
        piece = text[first:last].strip()
        if len(piece) <= LONGEST and len(_WORD.findall(piece)) >= ENOUGH_WORDS:
            return Line(message, piece, 0, reason)
    return None


def list_shared(text: str, wanted: Wanted) -> list[tuple[int, tuple[str, ...]]]:
    """Where a text has which of the question's words, in whatever form; in no order, some twice."""
    low, found = text.lower(), []
    find, read_rest = low.find, _REST.match
    for beginning in wanted.beginnings:
        at, size = find(beginning), len(beginning)  # a fifth of what one expression for all of them takes
        while at >= 0:
            end = at + size
            if at == 0 or not ((before := low[at - 1]).isalnum() or before == "_"):
                end = read_rest(low, end).end()  # type: ignore[union-attr]  # it matches everywhere
                if stems := wanted.find(low[at:end]):
                    found.append((at, stems))
            at = find(beginning, end)
    return found


def count_shared(texts: Iterable[str], wanted: Wanted) -> int:
    """How many of the question's words some sentences have together."""
    return len({stem for _, stems in list_shared("\n".join(texts), wanted) for stem in stems})


@lru_cache(maxsize=20_000)
def find_stems(word: str) -> frozenset[str]:
    """The stems under which a word is found."""
    return frozenset(lexeme for token in tokenise(word) for lexeme, _ in token.lexemes[:1])


empty_with_stores(find_stems.cache_clear)


def choose_lines(
    layers: Layers, *, shown: Mapping[UUID, str], tokens: int, count: Callable[[Line, bool], int]
) -> LineChoice:
    """Lines in the order of what they are worth, as long as they fit. `shown` is what cards and window have already.

    What matters to the question comes first, then what has left the window, then what orients. `count` gets whether a
    line is the first of its day. Where no room is left, the rest is left out without being read; what may be shown for
    a word alone is not named then, for nobody has looked for the word.
    """
    taken: list[Line] = []
    left_out: dict[UUID, None] = {}
    seen: set[UUID] = set()
    begun: set[date] = set()
    left = tokens
    for reason, message in order_messages(layers):
        if message.message_id in seen:
            continue
        if left < LEAST:
            if not message.needs_word and message.message_id not in shown:
                left_out[message.message_id] = None
            continue
        line = find_line(message, layers.wanted, reason)
        if line is None or line.text in shown.get(message.message_id, ""):
            continue
        day = layers.find_heading(message)
        cost = count(line, day not in begun)
        if cost > left:
            left_out[message.message_id] = None
            continue
        seen.add(message.message_id)
        begun.add(day)
        left -= cost
        taken.append(line)
    return LineChoice(taken, [one for one in left_out if one not in seen])


def order_messages(layers: Layers) -> Iterator[tuple[str, Remembered]]:
    """Messages that may be worth a line, each with the reason why."""
    yield from ((FOUND, one) for one in order_hits(layers))
    yield from ((LEFT_WINDOW, one) for one in layers.overflow)
    yield from ((LATEST_EPISODE, one) for one in layers.orientation)


def order_hits(layers: Layers) -> list[Remembered]:
    """Best first. For a broad question each episode in turn, so that all of them have a word.

    For one about order each day in turn, so that the whole time has one; what an assistant said comes last.
    """
    if layers.is_own_order:
        own = [one for one in layers.hits if one.speaker or one.role != "assistant"]
        answers = [one for one in layers.hits if not one.speaker and one.role == "assistant"]
        by_day = _take_turns(own, lambda one: layers.find_day(one.created_at))
        return [*by_day, *_take_turns(answers, lambda one: one.episode_id)]
    return _take_turns(layers.hits, lambda one: one.episode_id) if layers.is_broad else layers.hits


def _take_turns(messages: Sequence[Remembered], group: Callable[[Remembered], Hashable]) -> list[Remembered]:
    """The best of each group, then the second best of each, and so on."""
    turns: dict[Hashable, int] = {}
    ordered = []
    for message in messages:
        name = group(message)
        turn = turns[name] = turns.get(name, -1) + 1
        ordered.append((turn, message.rank, message))
    return [message for _, _, message in sorted(ordered, key=lambda each: each[:2])]


def make_blocks(lines: Sequence[Line], layers: Layers, *, question: str) -> list[SummaryBlock]:
    """The lines by episode, oldest first: order is what a life is told by."""
    groups: dict[UUID | None, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.message.episode_id, []).append(line)
    needs_detail = asks_detail(question)
    blocks = [_make_block(own, layers, needs_detail=needs_detail) for own in groups.values()]
    return sorted(blocks, key=lambda block: (block.started_at, block.episode_id.int if block.episode_id else -1))


def _make_block(lines: list[Line], layers: Layers, *, needs_detail: bool) -> SummaryBlock:
    ordered = tuple(sorted(lines, key=lambda line: line.message.created_at))
    first = ordered[0].message
    return SummaryBlock(
        episode_id=first.episode_id,
        layer=first.layer,
        headline=layers.headlines.get(first.episode_id, "") if first.episode_id else "",
        started_at=first.started_at or first.created_at,
        lines=ordered,
        is_unpacked=bool(first.episode_id) and (needs_detail or not is_summary_enough(ordered, layers)),
    )


def is_summary_enough(lines: Sequence[Line], layers: Layers) -> bool:
    """Whether an episode's summary answers as well as its messages do (L-3).

    It does when it has as many of the question's words as the best message has.
    """
    episode_id = lines[0].message.episode_id
    best = max(line.shared for line in lines)
    return episode_id is not None and layers.covered.get(episode_id, 0) >= best


def asks_detail(question: str) -> bool:
    """Whether a number, a name or a quotation is in the question: then words alone do not answer it."""
    return bool(_DETAIL.search(question) or list_entities([(question, 0)]))
