"""An entity with its neighbours as a picture: what leads to it on the left, what it leads to on the right. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 720
ROW: Final = 34
TOP: Final = 24
MIDDLE: Final = WIDTH / 2
LEFT: Final = 262
RIGHT: Final = WIDTH - LEFT
MAX_LETTERS: Final = 34
LETTER: Final = LEFT / MAX_LETTERS  # room for one: the longest names fill their side
NARROW: Final = WIDTH * 2 / 3  # as wide as the style sheet draws what is marked as narrow


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The other end of an edge."""

    id: int
    kind: str
    type: str
    name: str
    leads_here: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A neighbour where it is drawn: its name, and the kind of its edge under it."""

    x: float
    y: float
    anchor: str
    name: str
    kind: str
    text_x: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What the template draws, as wide as its longest names need: on a phone it is all that makes them legible."""

    height: float
    left: float
    width: float
    middle: float
    center_y: float
    name: str
    words: str
    nodes: tuple[Node, ...]

    @property
    def is_narrow(self) -> bool:
        """Whether it would be too large on a wide page."""
        return self.width <= NARROW


def draw_neighbours(name: str, neighbours: Sequence[Neighbour], *, total: int) -> Neighbourhood | None:
    """The picture; None for an entity without edges."""
    if not neighbours:
        return None
    sides = [[one for one in neighbours if one.leads_here is here] for here in (True, False)]
    height = TOP * 2 + ROW * max(map(len, sides))
    nodes = [_place(one, place, len(side), height) for side in sides for place, one in enumerate(side)]
    more = f" {total - len(neighbours)} more are not drawn." if total > len(neighbours) else ""
    incoming = "1 entity leads" if len(sides[0]) == 1 else f"{len(sides[0])} entities lead"
    words = f"{incoming} to it and it leads to {len(sides[1])}.{more}"
    half = _measure_half(_shorten(name), nodes)
    return Neighbourhood(height, MIDDLE - half, half * 2, MIDDLE, height / 2, _shorten(name), words, tuple(nodes))


def _measure_half(name: str, nodes: Sequence[Node]) -> float:
    """From the middle to where the longest name ends, on either side."""
    ends = [abs(node.text_x - MIDDLE) + max(len(node.name), len(node.kind)) * LETTER for node in nodes]
    return min(MIDDLE, max(len(name) * LETTER / 2, *ends))


def _place(one: Neighbour, place: int, count: int, height: float) -> Node:
    y = height / 2 + (place - (count - 1) / 2) * ROW
    x, anchor, step = (LEFT, "end", -10) if one.leads_here else (RIGHT, "start", 10)
    return Node(x, y, anchor, _shorten(one.name), one.kind, x + step)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}…"
