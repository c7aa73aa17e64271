"""Which tastes and habits say the same, and what one item they make together (BRAIN 2.3.0.1 D). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from memory.extraction.judging.recipes import ADAPTIVE
from memory.extraction.judging.tastes import NEGATOR, is_disliking
from memory.extraction.types import Item, ItemDraft
from patterns.rules.ruleset import RuleSet

_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Alike:
    """Items that say the same, the one that stands for them first. `likeness`: of the two least alike, 0 to 1."""

    items: tuple[Item, ...]
    likeness: float


def read_side(value: str, rules: RuleSet) -> tuple[bool, bool, tuple[str, ...]]:
    """What must be equal however alike the words are: a "not", a word of dislike, and the numbers."""
    return bool(rules.analyse(value).marks.get(NEGATOR)), is_disliking(value), tuple(sorted(_NUMBER.findall(value)))


def find_alike(
    items: Sequence[Item],
    *,
    vectors: Sequence[Sequence[float]],
    sides: Sequence[object],
    similarity: float,
    at_least: int,
) -> list[Alike]:
    """Groups of one type and one side in which every two are more alike than `similarity`; none shares an item.

    The order of the items does not matter. `vectors`: unit vectors in the order of the items.
    """
    order = sorted(range(len(items)), key=lambda i: (items[i].first_said_at, items[i].id))
    likeness = {(i, j): _dot(vectors[i], vectors[j]) for i in order for j in order if i != j}
    kinds = [(item.item_type, side) for item, side in zip(items, sides, strict=True)]
    free, found = list(order), []
    while free:
        groups = [_gather(i, [j for j in free if kinds[j] == kinds[i]], likeness, similarity) for i in free]
        best = max(groups, key=lambda group: _weigh(items, group))
        if len(best) == 1 or _weigh(items, best) < at_least:
            break
        found.append(_make_alike(items, best, likeness))
        free = [i for i in free if i not in best]
    return found


def merge_alike(alike: Alike, *, most: int) -> ItemDraft:
    """The one item: the words of the most typical, all evidence with theirs last, and a confidence within the cap.

    Each says the same with its own certainty; together they are as sure as that not all of them are wrong. `most`:
    evidence that is kept.
    """
    first = alike.items[0]
    others = sorted(alike.items[1:], key=lambda item: (item.last_said_at, item.id))
    evidence = [message_id for item in (*others, first) for message_id in item.evidence_message_ids]
    last_ones = list(dict.fromkeys(reversed(evidence)))[:most][::-1]
    together = 1 - prod(1 - item.confidence for item in alike.items)
    return ItemDraft(
        item_type=first.item_type,
        key=first.key,
        value=first.value,
        confidence=min(round(together, 4), ADAPTIVE.caps[first.item_type]),
        evidence_message_ids=tuple(last_ones),
        first_said_at=min(item.first_said_at for item in alike.items),
        last_said_at=max(item.last_said_at for item in alike.items),
        is_active=True,
        language=first.language,
    )


def _gather(first: int, among: Sequence[int], likeness: dict[tuple[int, int], float], similarity: float) -> list[int]:
    """The most alike to the first, each of them alike to all that are in already."""
    group = [first]
    for i in sorted((i for i in among if i != first), key=lambda i: -likeness[first, i]):
        if all(likeness[i, j] > similarity for j in group):
            group.append(i)
    return group


def _weigh(items: Sequence[Item], group: Sequence[int]) -> int:
    return sum(ADAPTIVE.merged_weight if items[i].is_merged else 1 for i in group)


def _make_alike(items: Sequence[Item], group: Sequence[int], likeness: dict[tuple[int, int], float]) -> Alike:
    def stand_for(i: int) -> tuple[float, float, int]:
        total = sum(likeness[i, j] for j in group if j != i)
        return (-round(total, 6), -items[i].last_said_at.timestamp(), items[i].id.int)

    ordered = sorted(group, key=stand_for)
    least = min(likeness[i, j] for i in group for j in group if i != j)
    return Alike(tuple(items[i] for i in ordered), round(least, 4))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))
