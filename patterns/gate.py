"""Finding triggers: one pass over all required literals, then RE2 for the few rules whose literal is there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import ahocorasick
import re2

from patterns.rule import Rule

MAX_MATCHES_PER_RULE = 8  # a bound for hostile text; ordinary messages have one or two
MAX_TRIGGERS = 20
LONG_PATTERN = 1000  # characters
LONG_MEMORY, SHORT_MEMORY = 32, 16  # megabytes at most; on real texts hardly any of it is taken
FEW_LITERALS = 16  # of a rule, which are looked for faster than its expression is searched once more
MAX_FOUND = 40  # matches of all rules, of which the first are followed up
_EDGE = r"[^\pL\pN\pM_]"
_get_number = itemgetter(1)  # of the literal that the automaton found
_ANYWHERE = re2._Anchor.UNANCHORED
_TRIGGER = 1  # the group that holds the whole match without its edges


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule that fired on characters [start, end) of the normalised text; `groups`: its named captures."""

    rule: Rule
    start: int
    end: int
    groups: tuple[tuple[str, str], ...] = ()


def compile_pattern(pattern: str) -> Any:
    """The pattern as RE2 bytes expression that matches whole words only, an attached Arabic "and" or "so" apart.

    Only patterns that name what they capture get a group for the trigger: finding groups costs RE2 several times a
    plain search. A long pattern gets the memory without which RE2 gives up its fast search on dense text and takes
    fifty times as long. Raises re2.error with RE2's own words.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = (LONG_MEMORY if len(pattern) > LONG_PATTERN else SHORT_MEMORY) << 20
    trigger = f"(?P<trigger>{pattern})" if "(?P<" in pattern else f"(?:{pattern})"
    return re2.compile(f"(?:^|{_EDGE})[وف]?{trigger}(?:$|{_EDGE})".encode(), options)


class Gate:
    """Compiled rules behind one automaton. Read-only after it is built."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._compiled = tuple(compile_pattern(rule.pattern) for rule in rules)
        # The search below the package's own, which makes a match object and a generator for each: half of its time.
        self._searches = tuple(compiled._regexp.Match for compiled in self._compiled)
        self._names = tuple(
            tuple((_as_text(n), i) for n, i in c.groupindex.items() if i != _TRIGGER) for c in self._compiled
        )
        self._literals = tuple(
            tuple(literal.encode() for literal in rule.literals) if len(rule.literals) <= FEW_LITERALS else ()
            for rule in rules
        )
        self._always = tuple(i for i, rule in enumerate(rules) if not rule.literals)
        owners: dict[str, list[int]] = {}
        for index, rule in enumerate(rules):
            for literal in rule.literals:
                owners.setdefault(literal, []).append(index)
        self._automaton = ahocorasick.Automaton()
        self._owners = tuple(tuple(indexes) for indexes in owners.values())
        for number, literal in enumerate(owners):
            self._automaton.add_word(literal, number)
        if owners:
            self._automaton.make_automaton()
        self._has_words = bool(owners)

    def list_candidates(self, text: str) -> list[int]:
        """Indexes of the rules that could match, in rule order."""
        found = set(self._always)
        if self._has_words:
            for number in set(map(_get_number, self._automaton.iter(text))):
                found.update(self._owners[number])
        return sorted(found)

    def list_triggers(
        self,
        text: str,
        *,
        is_gated: bool = True,
        skipped: Set[int] = frozenset(),
        tried: dict[int, list[Trigger]] | None = None,
    ) -> list[Trigger]:
        """Every whole-word match of every rule, by position. `is_gated` False tries all rules, to test the gate.

        `skipped`: the numbers of rules that are not asked for. `tried`: what rules were found to match in this text
        when it was asked for before; those tried now are added.
        """
        candidates: Sequence[int] = self.list_candidates(text) if is_gated else range(len(self._rules))
        if skipped:
            candidates = [index for index in candidates if index not in skipped]
        if not candidates:
            return []
        data = text.encode("utf-8", errors="replace")
        found: list[Trigger] = []
        for index in candidates:
            if tried is None:
                found.extend(self._list_matches(index, data))
            else:
                if index not in tried:
                    tried[index] = self._list_matches(index, data)
                found.extend(tried[index])
            if len(found) >= MAX_FOUND:
                break
        found.sort(key=lambda t: (t.start, -t.end, t.rule.slug))
        kept = found[:MAX_TRIGGERS]
        return kept if len(data) == len(text) else _count_characters(data, kept)

    def _list_matches(self, index: int, data: bytes) -> list[Trigger]:
        """The matches of one rule, in bytes. None follows where none of its literals does: each match holds one."""
        found: list[Trigger] = []
        position = 0
        search, names, literals = self._searches[index], self._names[index], self._literals[index]
        while len(found) < MAX_MATCHES_PER_RULE and position < len(data):
            spans = search(_ANYWHERE, data, position, len(data))
            start, end = spans[0]
            if start < 0:
                break
            start, end = spans[_TRIGGER] if names else _trim_edges(data, start, end)
            groups = tuple((name, data[slice(*spans[i])].decode()) for name, i in names if spans[i][0] >= 0)
            position = max(end, position + 1)
            found.append(Trigger(self._rules[index], start, end, groups))
            if literals and all(data.find(literal, position) < 0 for literal in literals):
                break
        return found


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
