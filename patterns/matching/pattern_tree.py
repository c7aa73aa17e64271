"""A pattern as a tree: as much of RE2's syntax as is needed to know the words that every match contains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_CLASS = 10  # character classes up to this size are spelled out
_NAMED_CLASS = re.compile(r"\\[pP](?:[A-Z]|\{\^?\w+\})|\\[dDsSwW]|\[:\^?\w+:\]")
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_EDGES = re.compile(r"[\^$]|\\[AbBz]")
_REPETITION = re.compile(r"(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??")
_REPEATS = frozenset("*+?{")
_GROUP = re.compile(r"\((?:\?P?<\w+>|\?[imsU-]*:)?(?!\?)")
_FLAGS = re.compile(r"\(\?[imsU-]+\)")
_TIMES = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class UnreadablePatternError(ValueError):
    """The pattern has syntax that is not known here."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One character: any of `spellings`, or one of too many to list where there are none."""

    spellings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A place without width, such as the beginning of the text."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences."""

    branches: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A sequence `least` to `most` times; `most` None: without limit."""

    part: Sequence
    least: int
    most: int | None


Node = Letter | Edge | Choice | Repeat
Sequence = tuple[Node, ...]


@lru_cache(maxsize=1)  # who checks a pattern asks for its literals next; trees are too large to keep them all
def parse_pattern(pattern: str) -> Sequence:
    """The nodes of a pattern that RE2 accepts. Raises UnreadablePatternError for syntax that is not known. Pure."""
    try:
        reader = _Reader(pattern)
        nodes = reader.read_choice()
    except (RecursionError, OverflowError, IndexError):
        raise UnreadablePatternError("it is nested too deeply or ends too early") from None
    if reader.place < len(pattern):
        raise UnreadablePatternError("a bracket ) was never opened")
    return nodes


class _Reader:
    """Recursive descent over the text of one pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0

    def read_choice(self) -> Sequence:
        """Branches up to the end of the group; a single one is the sequence itself."""
        branches = [self._read_branch()]
        while self._take("|"):
            branches.append(self._read_branch())
        return branches[0] if len(branches) == 1 else (Choice(tuple(branches)),)

    def _read_branch(self) -> Sequence:
        nodes: list[Node] = []
        while self.place < len(self.pattern) and self.pattern[self.place] not in "|)":
            if self.pattern[self.place] != "(" or not self._match(_FLAGS):
                nodes += self._read_repeats(self._read_atom())
        return tuple(nodes)

    def _read_repeats(self, part: Sequence) -> Sequence:
        while self.pattern[self.place : self.place + 1] in _REPEATS and (found := self._match(_REPETITION)):
            sign, least, comma, most = found.groups()
            times = _TIMES[sign] if sign else (int(least), int(most) if most else None if comma else int(least))
            part = (Repeat(part, *times),)
        return part

    def _read_atom(self) -> Sequence:
        if self.pattern[self.place].isalnum():  # most are: patterns are mostly words
            return (Letter((self._read_letter(),)),)
        if self.pattern[self.place] == "(":
            return self._read_group()
        if self._match(_EDGES):
            return (Edge(),)
        if self._match(_NAMED_CLASS) or self._take("."):
            return (Letter(()),)
        if self._take("["):
            return (self._read_class(),)
        return (Letter((self._read_letter(),)),)

    def _read_group(self) -> Sequence:
        if not self._match(_GROUP):
            raise UnreadablePatternError("a group begins with ( and signs that are not known")
        nodes = self.read_choice()
        if not self._take(")"):
            raise UnreadablePatternError("a bracket ( is never closed")
        return nodes

    def _read_class(self) -> Letter:
        """The characters between brackets, the first of which is read."""
        is_open = self._take("^")
        letters: set[str] = set()
        begin = self.place
        while self.place == begin or self.pattern[self.place] != "]":
            if self._match(_NAMED_CLASS):
                is_open = True
                continue
            first = last = self._read_letter()
            if self.pattern[self.place] == "-" and self.pattern[self.place + 1] != "]":
                self.place += 1
                last = self._read_letter()
            if ord(last) - ord(first) >= MAX_CLASS:
                is_open = True
            else:
                letters.update(map(chr, range(ord(first), ord(last) + 1)))
        self.place += 1
        return Letter(() if is_open or len(letters) > MAX_CLASS else tuple(sorted(letters)))

    def _read_letter(self) -> str:
        if code := self._match(_HEX):
            return chr(int(code[1] or code[2], 16))
        letter = self.pattern[self.place]
        self.place += 1
        if letter != "\\":
            return letter
        letter = self.pattern[self.place]
        self.place += 1
        if letter.isalnum() and letter not in _ESCAPES:
            raise UnreadablePatternError(f"\\{letter} is not known")
        return _ESCAPES.get(letter, letter)

    def _take(self, sign: str) -> bool:
        if not self.pattern.startswith(sign, self.place):
            return False
        self.place += 1
        return True

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self.pattern, self.place)
        if found:
            self.place = found.end()
        return found
