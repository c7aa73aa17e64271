"""Pictures of a project: its decisions over time, and how they follow from each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from config.console.drawing.pictures import BOTTOM, RIGHT, ROW, TOP, Edge, Key, Mark, Picture, Shape
from memory.projects.selectors.register import LinkView
from memory.projects.types import DecisionView, StateView

TONES: Final = {
    "proposed": "soft", "accepted": "primary", "implemented": "info", "verified": "good", "rejected": "warn",
    "superseded": "other",
}  # fmt: skip
MAX_ROWS: Final = 24
NAMES: Final = 190
WIDE: Final = 720
NODE: Final = 26
LEAST: Final = 3.0
COLUMN: Final = 170
NODE_WIDTH: Final = 140
COLUMNS: Final = 4
KEYS: Final = tuple(Key(tone, state) for state, tone in TONES.items())


def draw_history(decisions: Sequence[DecisionView], *, now: datetime) -> Picture | None:
    """The states of the latest decisions as bars from one change to the next; None without any."""
    shown = sorted(decisions, key=lambda each: each.history[0].at)[-MAX_ROWS:]
    if not shown:
        return None
    first = min(each.history[0].at for each in shown)
    whole = max((now - first).total_seconds(), 1.0)
    shapes, labels, rows = [], [], []
    for row, decision in enumerate(shown):
        y = TOP + ROW * row
        labels.append(Mark(NAMES - 10, y + 13, _shorten(decision.title or "source erased", 26), "end"))
        ends = [*(state.at for state in decision.history[1:]), now]
        for state, end in zip(decision.history, ends, strict=True):
            parts = [(moment - first).total_seconds() / whole for moment in (state.at, end)]
            shapes.append(_make_bar(state, *parts, y=y))
        rows.append((decision.title or "source erased", *_write_last(decision)))
    height = TOP + ROW * len(shown) + BOTTOM
    labels += [Mark(NAMES, height - 8, f"{first:%d %b %Y}", "start"), Mark(WIDE - RIGHT, height - 8, "now", "end")]
    return Picture(
        name="history", title="Decisions over time", height=height, shapes=tuple(shapes), labels=tuple(labels),
        words="; ".join(f"{row[0]}: {row[1]} since {row[2]}" for row in rows) + ".", keys=KEYS,
        columns=("Decision", "State", "Since"), rows=tuple(rows), grid_start=NAMES, width=WIDE,
    )  # fmt: skip


def _make_bar(state: StateView, start: float, end: float, *, y: float) -> Shape:
    """A state from one share of the time to another; what lies ahead is at the edge."""
    room = WIDE - NAMES - RIGHT
    x = NAMES + room * min(max(start, 0.0), 1.0)
    x = min(x, WIDE - RIGHT - LEAST)
    width = max(NAMES + room * min(end, 1.0) - x, LEAST)
    told = f"{state.state} since {state.at:%d %b %Y}"
    return Shape(round(x, 1), y, round(width, 1), ROW - 8, TONES[state.state], told)


def draw_graph(decisions: Sequence[DecisionView], links: Sequence[LinkView]) -> Picture | None:
    """Decisions that links connect, in the order of their dates, column by column; None without any link."""
    by_name = {each.external_id: each for each in decisions}
    drawn = [each for each in links if each.from_name in by_name and each.to_name in by_name]
    drawn = [each for each in drawn if each.from_kind == each.to_kind == "decision"]
    named = list(dict.fromkeys(name for each in drawn for name in (each.from_name, each.to_name)))
    named = sorted(named, key=lambda name: (by_name[name].decided_at, name))[-MAX_ROWS * COLUMNS :]
    if not named:
        return None
    height_of_column = -(-len(named) // COLUMNS)
    places = {
        name: (10 + COLUMN * (number // height_of_column), TOP + (NODE + 22) * (number % height_of_column))
        for number, name in enumerate(named)
    }
    shapes = [_make_node(by_name[name], *places[name]) for name in named]
    labels = [
        Mark(x + NODE_WIDTH / 2, y + NODE + 13, _shorten(by_name[name].title or "source erased", 24))
        for name, (x, y) in places.items()
    ]
    edges = [_make_edge(each, places) for each in drawn if each.from_name in places and each.to_name in places]
    rows = tuple((each.from_name, _name_kind(each), each.to_name) for each in drawn)
    return Picture(
        name="graph", title="How decisions follow from each other",
        height=TOP + (NODE + 22) * height_of_column + BOTTOM, shapes=tuple(shapes), labels=tuple(labels),
        edges=tuple(edges), words="; ".join(" ".join(row) for row in rows[:60]) + ".", keys=KEYS,
        columns=("From", "Link", "To"), rows=rows, width=WIDE,
    )  # fmt: skip


def _make_node(decision: DecisionView, x: float, y: float) -> Shape:
    words = f"{decision.title or 'source erased'}: {decision.state.state} since {decision.state.at:%d %b %Y}"
    return Shape(x, y, NODE_WIDTH, NODE - 8, TONES[decision.state.state], words)


def _make_edge(link: LinkView, places: Mapping[str, tuple[float, float]]) -> Edge:
    (x1, y1), (x2, y2) = places[link.from_name], places[link.to_name]
    middle = (NODE - 8) / 2
    start = x1 + (NODE_WIDTH if x2 > x1 else 0)
    end = x2 + (NODE_WIDTH if x1 > x2 else 0)
    return Edge(start, y1 + middle, end, y2 + middle, f"{link.from_name} {_name_kind(link)} {link.to_name}")


def _name_kind(link: LinkView) -> str:
    return (
        "supersedes"
        if link.is_supersession
        else {"depends": "depends on", "analogy": "mentions"}.get(link.kind, link.kind)
    )


def _write_last(decision: DecisionView) -> tuple[str, str]:
    return decision.state.state, f"{decision.state.at:%d %b %Y}"


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
