"""Shapes that no example has, made of those that were seen by words that mean the same there. Pure.

Two words are alike when shapes that differ in them alone always stand for one path, several times and never for two:
"movies" and "films", not "wrote" and "directed".
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from retrieval.knowledge.graph.paths import Path
from retrieval.knowledge.planning.matching import Shape

_Line = tuple[str | None, ...]  # a shape as one line of words, None where the name stands


@dataclass(frozen=True, slots=True)
class VariantRecipe:
    """When words are alike. Measured on halves of MetaQA's questions: no variant had a wrong path."""

    pairs: int = 2
    """Pairs of shapes that must say that two words are alike: one may be chance."""
    words: int = 2
    """Words of a shape that may be others at once: with three nothing more was found."""


RECIPE: Final = VariantRecipe()


def list_variants(shapes: Mapping[Shape, Path], *, refused: Collection[Shape]) -> dict[Shape, Path]:
    """The path of each new shape. None for shapes that would stand for two paths, or that are refused."""
    alike = find_alike(shapes)
    known, last = dict(shapes), dict(shapes)
    for _ in range(RECIPE.words):
        made: dict[Shape, set[Path]] = defaultdict(set)
        for shape, path in last.items():
            for variant in _vary(shape, alike):
                made[variant].add(path)
        new = {shape: paths for shape, paths in made.items() if shape not in known and shape not in refused}
        last = {shape: next(iter(paths)) for shape, paths in new.items() if len(paths) == 1}
        known |= last
    return {shape: path for shape, path in known.items() if shape not in shapes}


def find_alike(shapes: Mapping[Shape, Path]) -> dict[str, set[str]]:
    """By word: those that may stand for it in a question."""
    words_by_gap: dict[_Line, dict[str, Path]] = defaultdict(dict)
    for shape, path in shapes.items():
        line = _join(shape)
        for place, word in enumerate(line):
            if word is not None:
                words_by_gap[_put(line, place, "")][word] = path
    same: Counter[tuple[str, str]] = Counter()
    other: Counter[tuple[str, str]] = Counter()
    for words in words_by_gap.values():
        for one, two in itertools.combinations(sorted(words), 2):
            (same if words[one] == words[two] else other)[one, two] += 1
    alike: dict[str, set[str]] = defaultdict(set)
    for (one, two), pairs in same.items():
        if pairs >= RECIPE.pairs and not other[one, two]:
            alike[one].add(two)
            alike[two].add(one)
    return alike


def _vary(shape: Shape, alike: Mapping[str, Collection[str]]) -> Iterator[Shape]:
    """The shapes that differ in one word."""
    line = _join(shape)
    for place, word in enumerate(line):
        for other in alike.get(word, ()) if word is not None else ():
            varied = _put(line, place, other)
            yield varied[: len(shape[0])], varied[len(shape[0]) + 1 :]  # type: ignore[misc]


def _join(shape: Shape) -> _Line:
    return (*shape[0], None, *shape[1])


def _put(line: _Line, place: int, word: str) -> _Line:
    return (*line[:place], word, *line[place + 1 :])
