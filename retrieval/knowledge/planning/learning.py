"""Intents learnt by example: questions whose name is masked are shapes, and a shape stands for a path (D-49). Pure."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memory.errors import InvalidRequest
from patterns.text.stems import stem_english
from retrieval.knowledge.graph.paths import (
    BACKWARDS,
    EdgeKinds,
    Path,
    Step,
    find_end_types,
    find_start_types,
    read_path,
)
from retrieval.knowledge.planning.intents import MAX_TRIGGERS
from retrieval.knowledge.planning.matching import Shape, make_shape
from retrieval.knowledge.planning.variants import list_variants

PLACE: Final = "{name}"
_BETWEEN: Final = "_to_"
_WORD: Final = re.compile(r"[^\W_]+")
MIN_PREFIX: Final = 4  # letters that the names of a step and of an edge must share: `director`, `directed by`


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the name in it, and the path that answers it."""

    question: str
    entity: str
    path: str | Sequence[str]


@dataclass(slots=True)
class Learnt:
    """The intents, and the examples that taught nothing: by reason and line."""

    intents: list[dict[str, Any]] = field(default_factory=list)
    left_out: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    shapes: int = 0
    variants: int = 0
    """Shapes that no example has, by words that mean the same."""


def learn_plan(examples: Iterable[Example], *, kinds: EdgeKinds) -> Learnt:
    """One intent a path, with the shapes of its questions as triggers, most frequent first.

    A shape that was seen with several paths stands for the one that it was seen with most; of equal ones for none.
    Shapes with other words that mean the same come after those that were seen.
    """
    learnt = Learnt()
    paths: dict[str, Path] = {}
    names: dict[Path, str] = {}
    seen: dict[Shape, Counter[Path]] = defaultdict(Counter)
    for line, example in enumerate(examples, start=1):
        around = split_at_name(example.question, example.entity)
        if around is None:
            learnt.left_out["name_not_in_question"].append(line)
            continue
        written = _write(example.path)
        if written not in paths:
            try:
                paths[written] = read_example_path(example.path, kinds)
            except InvalidRequest:
                learnt.left_out["unknown_path"].append(line)
                continue
        path = paths[written]
        names.setdefault(path, written)
        seen[make_shape(*around)][path] += 1
    _collect(learnt, seen, names, kinds)
    return learnt


def split_at_name(question: str, name: str) -> tuple[str, str] | None:
    """The words before and after a name; None where it is not there as a word. Case does not count."""
    match = re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", question, re.IGNORECASE)
    return (question[: match.start()], question[match.end() :]) if match and name.strip() else None


def read_example_path(path: str | Sequence[str], kinds: EdgeKinds) -> Path:
    """The steps of an example's path: a list of edge kinds, or `movie_to_director_to_movie` by names of types.

    Raises InvalidRequest where it is neither, or more than one edge may be meant.
    """
    if not isinstance(path, str):
        return read_path(list(path), kinds)
    if _BETWEEN not in path:
        return read_path([path], kinds)
    names = path.split(_BETWEEN)
    return tuple(_find_step(start, end, kinds) for start, end in itertools.pairwise(names))


def _find_step(start: str, end: str, kinds: EdgeKinds) -> Step:
    """The one edge that a step means: forwards where the edge or its target is called as the step's end, backwards
    where they are called as its start."""
    strengths: dict[Step, int] = {}
    for edge in kinds.values():
        for is_backwards, wanted in ((False, end), (True, start)):
            strengths[Step(edge.kind, is_backwards)] = max(_compare(wanted, one) for one in (edge.kind, *edge.targets))
    most = max(strengths.values(), default=0)
    best = [step for step, strength in strengths.items() if strength == most]
    if not most or len(best) != 1:
        raise InvalidRequest(fields={"path": "must name exactly one edge of the schema"})
    return best[0]


def _compare(name: str, other: str) -> int:
    """How well two names agree: 3 the same words, 2 a word of both or one in the other, 1 the same beginning, 0 not."""
    ours, theirs = _stems(name), _stems(other)
    if ours == theirs:
        return 3
    if set(ours) & set(theirs) or "".join(ours) in "".join(theirs):
        return 2
    return int(any(one[:MIN_PREFIX] == two[:MIN_PREFIX] for one in ours for two in theirs if len(one) >= MIN_PREFIX))


def _stems(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [stem_english(word.lower()) for word in _WORD.findall(spaced)]


def _collect(learnt: Learnt, seen: Mapping[Shape, Counter[Path]], names: Mapping[Path, str], kinds: EdgeKinds) -> None:
    shapes: dict[Shape, Path] = {}
    for shape, counts in seen.items():
        ranked = counts.most_common(2)
        if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
            learnt.left_out["shape_of_several_paths"].append(0)
            continue
        shapes[shape] = ranked[0][0]
    variants = list_variants(shapes, refused=seen.keys())
    learnt.shapes, learnt.variants = len(shapes), len(variants)
    triggers: dict[Path, list[tuple[int, str]]] = defaultdict(list)
    for (before, after), path in (shapes | variants).items():
        count = seen[before, after][path] if (before, after) in seen else 0
        triggers[path].append((count, " ".join([*before, PLACE, *after])))
    for path, counted in sorted(triggers.items(), key=lambda one: names[one[0]]):
        learnt.intents.append(_make_intent(names[path], path, counted, kinds))


def _make_intent(name: str, path: Path, counted: list[tuple[int, str]], kinds: EdgeKinds) -> dict[str, Any]:
    starts, ends = find_start_types(path, kinds), find_end_types(path, kinds)
    answers = sorted(ends or ())
    intent: dict[str, Any] = {
        "name": name,
        "start": f"named({', '.join(sorted(starts))})" if starts else "named",
        "path": [str(step) for step in path],
        "triggers": [trigger for _, trigger in sorted(counted, key=lambda one: (-one[0], one[1]))[:MAX_TRIGGERS]],
    }
    return intent | ({"answer_type": answers[0]} if len(answers) == 1 else {})


def _write(path: str | Sequence[str]) -> str:
    """A path as an intent's name."""
    return path if isinstance(path, str) else _BETWEEN.join(step.replace(BACKWARDS, "of ") for step in path)[:80]
