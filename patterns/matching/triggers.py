"""Finding triggers: one pass over all required literals, then RE2 for the few rules whose literal is there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any

import ahocorasick
import re2
from msgspec import Struct

from patterns.matching.literals import list_bounds
from patterns.rule import Rule
from patterns.text.data_files import read_lines

MAX_MATCHES_PER_RULE = 8  # a bound for hostile text; ordinary messages have one or two
MAX_TRIGGERS = 14  # of all rules that are followed; of thousands of labelled messages none has more than 13
LONG_PATTERN = 1000  # characters
LONG_MEMORY, SHORT_MEMORY = 96, 16  # megabytes at most; on real texts hardly any of it is taken
MAX_COMPILED = 4096  # twice the rules an installation is made for (bench/instant.py)
FEW_LITERALS = 16  # of a rule, which are looked for faster than its expression is searched once more
LONG_TEXT = 450  # characters; one that is longer is looked at window by window
WINDOW = 80  # characters of a long text that all rules are tried on before more is looked at
MAX_WINDOW = 4 * WINDOW  # behind plain talk dense text may begin, of which no more is tried than is followed
FEW_TRIGGERS = 3  # of a window; behind one that has no more, twice as much is looked at
MARGIN = 70  # characters behind a window that a match may reach into: the longest of 45,000 has 41
_AND = "وف"  # may be attached to the first word of a match
_TRIGGER = 1  # the group that holds the whole match without its edges


def _write_edge_class() -> str:
    r"""The class of what stands between words, from `edges.txt`: `[^\pL\pN\pM_]` in a sixth of its instructions.

    Every expression has it twice, so that it was most of what the expressions of a process took.
    """
    ranges = (words.partition("-") for line in read_lines("edges.txt") for words in line.split())
    return "[" + "".join(rf"\x{{{first}}}-\x{{{last or first}}}" for first, _, last in ranges) + "]"


_EDGE = _write_edge_class()

_Owners = tuple[bool, bool, frozenset[int]]  # whether a word begins, or ends, with the literal in these rules


class Trigger(Struct, frozen=True, gc=False):
    """A rule that fired on characters [start, end) of the normalised text; `groups`: its named captures."""

    rule: Rule
    start: int
    end: int
    groups: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=MAX_COMPILED)
def compile_pattern(pattern: str) -> Any:
    """The pattern as RE2 bytes expression that matches whole words only, an attached Arabic "and" or "so" apart.

    Only patterns that name what they capture get a group for the trigger: finding groups costs RE2 several times a
    plain search. A long pattern gets the memory without which RE2 gives up its fast search on dense text and takes
    fifty times as long. Kept for lint, for the next set of rules and for those of other tenants, with what its search
    has learnt of texts. Raises re2.error with RE2's own words.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = (LONG_MEMORY if len(pattern) > LONG_PATTERN else SHORT_MEMORY) << 20
    trigger = f"(?P<trigger>{pattern})" if "(?P<" in pattern else f"(?:{pattern})"
    return re2.compile(f"(?:^|{_EDGE})[{_AND}]?{trigger}(?:$|{_EDGE})".encode(), options)


def compile_alone(pattern: str) -> None:
    """Raise re2.error for a pattern that is whole only by what `compile_pattern` puts around it, as an open [ is."""
    options = re2.Options()
    options.log_errors = False
    re2.compile(pattern.encode(), options)
    re2.purge()  # it keeps the last 128 itself: nobody searches with this one, and `compile_pattern` keeps its own


class TriggerFinder:
    """Compiled rules behind one automaton. Read-only after it is built."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._compiled = tuple(compile_pattern(rule.pattern) for rule in rules)
        self._names = tuple(
            tuple((_as_text(n), i) for n, i in c.groupindex.items() if i != _TRIGGER) for c in self._compiled
        )
        self._literals = tuple(
            tuple(literal.encode() for literal in rule.literals) if len(rule.literals) <= FEW_LITERALS else ()
            for rule in rules
        )
        self._always = tuple(i for i, rule in enumerate(rules) if not rule.literals)
        owners: dict[tuple[str, bool, bool], list[int]] = {}
        for index, rule in enumerate(rules):
            bounds = list_bounds(rule.pattern) if rule.literals else {}
            for literal in rule.literals:
                owners.setdefault((literal, *bounds.get(literal, (False, False))), []).append(index)
        # Tens of thousands of literals are of one rule or another: they share what says so.
        shared: dict[Any, Any] = {}
        meant: dict[str, list[_Owners]] = {}
        for (literal, opens, closes), indexes in owners.items():
            owner = (opens, closes, frozenset(indexes))
            meant.setdefault(literal, []).append(shared.setdefault(owner, owner))
        self._automaton = ahocorasick.Automaton()
        for literal, found in meant.items():
            value = (len(literal), tuple(found))
            self._automaton.add_word(literal, shared.setdefault(value, value))
        if meant:
            self._automaton.make_automaton()
        self._has_words = bool(meant)

    def list_candidates(
        self, text: str, start: int = 0, end: int | None = None, *, enough: int | None = None
    ) -> list[int]:
        """Indexes of the rules that could match characters [start, end), in rule order.

        `enough`: where so many are found, no more of the text is looked at.
        """
        found = set(self._always)
        if not self._has_words:
            return sorted(found)
        last_of_text = len(text) - 1
        for last, (length, owners) in self._automaton.iter(text, start, last_of_text + 1 if end is None else end):
            for opens, closes, indexes in owners:
                if closes and last < last_of_text and text[last + 1].isalnum():
                    continue
                if opens and last >= length and (before := text[last - length]).isalnum() and before not in _AND:
                    continue
                found.update(indexes)
            if enough is not None and len(found) >= enough:
                break
        return sorted(found)

    def list_triggers(
        self,
        text: str,
        *,
        is_gated: bool = True,
        skipped: Set[int] = frozenset(),
        tried: dict[int, list[Trigger]] | None = None,
    ) -> list[Trigger]:
        """The first whole-word matches of the rules, by position. `is_gated` False tries all rules, as a test does.

        `skipped`: the numbers of rules that are not asked for. `tried`: what rules were found to match in this text
        when it was asked for before; those tried now are added, but for a long text.
        """
        if is_gated and len(text) > LONG_TEXT:
            return self._list_first(text, skipped)
        candidates: Sequence[int] = self.list_candidates(text) if is_gated else range(len(self._rules))
        if skipped:
            candidates = [index for index in candidates if index not in skipped]
        if not candidates:
            return []
        data = text.encode("utf-8", errors="replace")
        known = {} if tried is None else tried
        for index in candidates:
            if index not in known:
                known[index] = self._list_matches(index, data)
        return _keep_first([trigger for index in candidates for trigger in known[index]], data, text)

    def list_all_triggers(
        self,
        texts: Sequence[str],
        *,
        skipped: Sequence[Set[int]],
        tried: Sequence[dict[int, list[Trigger]]],
        known: Sequence[Sequence[Trigger] | None],
    ) -> list[list[Trigger]]:
        """As `list_triggers` for each of the texts; a rule is tried on all of them before the next, its tables at hand.

        `known`: the triggers of texts that were asked for before.
        """
        kept: list[list[Trigger]] = [[] for _ in texts]
        encoded: dict[int, bytes] = {}
        wanted: dict[int, list[int]] = {}
        for place, text in enumerate(texts):
            before = known[place]
            if before is not None or len(text) > LONG_TEXT:
                kept[place] = list(before) if before is not None else self._list_first(text, skipped[place])
                continue
            for index in self.list_candidates(text):
                if index not in skipped[place]:
                    wanted.setdefault(index, []).append(place)
                    if place not in encoded:
                        encoded[place] = text.encode("utf-8", errors="replace")
        for index in sorted(wanted):
            for place in wanted[index]:
                found = tried[place][index] = self._list_matches(index, encoded[place])
                kept[place] += found
        for place, data in encoded.items():
            if kept[place]:
                kept[place] = _keep_first(kept[place], data, texts[place])
        return kept

    def _list_first(self, text: str, skipped: Set[int]) -> list[Trigger]:
        """The same for a long text, of which no more is looked at than has so many triggers: dense text is long."""
        data = text.encode("utf-8", errors="replace")
        found: dict[int, list[Trigger]] = {}
        start = first = 0  # of the window, in characters and in bytes
        size, count = WINDOW, 0
        while start < len(text) and count < MAX_TRIGGERS:
            stop = _find_space(text, start + size)
            end = _find_space(text, stop + MARGIN)
            last = first + len(text[start:stop].encode("utf-8", errors="replace"))
            limit = last + len(text[stop:end].encode("utf-8", errors="replace"))
            for index in self.list_candidates(text, start, end):
                if index not in skipped:
                    known = found.setdefault(index, [])
                    known.extend(self._list_matches(index, data, known, first, last, limit))
            start, first, before, count = stop, last, count, sum(map(len, found.values()))
            size = WINDOW if count - before > FEW_TRIGGERS else min(2 * size, MAX_WINDOW)
        return _keep_first([trigger for matches in found.values() for trigger in matches], data, text)

    def _list_matches(
        self,
        index: int,
        data: bytes,
        known: Sequence[Trigger] = (),
        position: int = 0,
        stop: int | None = None,
        limit: int | None = None,
    ) -> list[Trigger]:
        """The matches of one rule, in bytes. None follows where none of its literals does: each match holds one.

        `known`: those before `position`. Matches begin before `stop` and end at `limit` at the latest.
        """
        found: list[Trigger] = []
        end_of_data = len(data) if limit is None else limit
        if known:
            position = max(position, known[-1].end)
        search, names, literals = self._compiled[index].search, self._names[index], self._literals[index]
        room = MAX_MATCHES_PER_RULE - len(known)
        while len(found) < room and position < end_of_data:
            match = search(data, position, end_of_data)
            if match is None or (stop is not None and match.start() >= stop):
                break
            start, end = match.span(_TRIGGER) if names else _trim_edges(data, *match.span())
            groups = tuple((name, match.group(i).decode()) for name, i in names if match.start(i) >= 0)
            position = max(end, position + 1)
            found.append(Trigger(self._rules[index], start, end, groups))
            if literals and all(data.find(literal, position, end_of_data) < 0 for literal in literals):
                break
        return found


def _find_space(text: str, start: int) -> int:
    """The first space at or behind a character; the end of the text where there is none."""
    place = text.find(" ", start)
    return place if place >= 0 else len(text)


def _keep_first(found: list[Trigger], data: bytes, text: str) -> list[Trigger]:
    found.sort(key=lambda t: (t.start, -t.end, t.rule.slug))
    kept = found[:MAX_TRIGGERS]
    return kept if len(data) == len(text) else _count_characters(data, kept)


def _trim_edges(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The match without the one character on either side that showed it to be whole words."""
    first = end - 1
    while first > start and data[first] & 0xC0 == 0x80:
        first -= 1
    if _is_edge(data[first:end].decode()):
        end = first
    after = start + 1
    while after < end and data[after] & 0xC0 == 0x80:
        after += 1
    if _is_edge(data[start:after].decode()):
        start = after
    return start, end


def _is_edge(character: str) -> bool:
    return not character.isalnum() and unicodedata.category(character)[0] != "M"


def _count_characters(data: bytes, triggers: list[Trigger]) -> list[Trigger]:
    """The triggers with their places in characters; they come by their start."""
    counted: list[Trigger] = []
    byte = character = 0
    for trigger in triggers:
        character += len(data[byte : trigger.start].decode())
        byte = trigger.start
        length = len(data[trigger.start : trigger.end].decode())
        counted.append(Trigger(trigger.rule, character, character + length, trigger.groups))
    return counted


def _as_text(name: str | bytes) -> str:
    """Group names of a bytes expression come as bytes."""
    return name.decode() if isinstance(name, bytes) else name
