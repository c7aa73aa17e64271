"""Pictures as SVG that the server draws: columns, a rate over time, spans. Pure; no script, print and both themes work.

Each picture has a title, a description in words for those who hear the page, and its numbers as a table.
Colours are classes (`console.css`), so they follow light and dark; what is told by colour is also told in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 200
LEFT: Final = 46
RIGHT: Final = 12
TOP: Final = 12
BOTTOM: Final = 26
ROW: Final = 26
NARROW: Final = 380
NAMES: Final = 110
"""Room for the names of spans."""
MAX_LABELS: Final = 10
TICKS: Final = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle of a picture, with what it stands for: shown when the mouse is on it."""

    x: float
    y: float
    width: float
    height: float
    tone: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a line, or a word; `anchor` is SVG's."""

    x: float
    y: float
    text: str = ""
    anchor: str = "middle"
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one point to another, with what it stands for."""

    x1: float
    y1: float
    x2: float
    y2: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """What a tone means."""

    tone: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the template draws. `rows` are the same numbers as a table under `columns`."""

    name: str
    title: str
    words: str
    height: float
    shapes: tuple[Shape, ...] = ()
    grid: tuple[Mark, ...] = ()
    labels: tuple[Mark, ...] = ()
    line: str = ""
    points: tuple[Mark, ...] = ()
    edges: tuple[Edge, ...] = ()
    keys: tuple[Key, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    grid_start: float = LEFT
    width: float = WIDTH


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its label, and the counts of its pieces in the order of the keys."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RatePoint:
    """A share of one stretch of time, 0 to 100, with the bounds of the true share; None where nothing was counted."""

    label: str
    percent: float | None
    lower: float = 0.0
    upper: float = 100.0
    counted: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Something that lasts: where it begins and ends on the scale, in any unit, and how that is written."""

    name: str
    start: float
    end: float
    tone: str
    written: str
    is_open: bool = False


def draw_columns(*, name: str, title: str, keys: Sequence[Key], columns: Sequence[Column]) -> Picture | None:
    """Stacked columns; None where there is nothing to count."""
    top = find_top(max((sum(column.counts) for column in columns), default=0))
    if not columns or top == 0:
        return None
    step = (WIDTH - LEFT - RIGHT) / len(columns)
    shapes: list[Shape] = []
    for place, column in enumerate(columns):
        floor = float(HEIGHT - BOTTOM)
        for key, count in zip(keys, column.counts, strict=True):
            height = _scale(count, top)
            floor -= height
            words = f"{column.label}: {count:,} {key.words}"
            if count:
                shapes.append(_round(Shape(LEFT + step * (place + 0.14), floor, step * 0.72, height, key.tone, words)))
    totals = [sum(column.counts[each] for column in columns) for each in range(len(keys))]
    told = ", ".join(f"{total:,} {key.words}" for key, total in zip(keys, totals, strict=True))
    highest = max(columns, key=lambda column: sum(column.counts))
    return Picture(
        name=name,
        title=title,
        words=f"{told}, from {columns[0].label} to {columns[-1].label}."
        f" Most on {highest.label}: {sum(highest.counts):,}.",
        height=HEIGHT,
        shapes=tuple(shapes),
        grid=_list_ticks(top, ""),
        labels=_list_labels([column.label for column in columns], step),
        keys=tuple(keys),
        columns=("Day", *(key.words.capitalize() for key in keys)),
        rows=tuple((column.label, *(f"{count:,}" for count in column.counts)) for column in columns),
    )


def draw_rate(*, name: str, title: str, points: Sequence[RatePoint], unit: str) -> Picture | None:
    """A rate over time with the band in which the true one lies; None where nothing was counted."""
    known = [point for point in points if point.percent is not None]
    if not known:
        return None
    top = find_top(ceil(max(point.upper for point in known)))
    step = (WIDTH - LEFT - RIGHT) / len(points)
    bands, marks = [], []
    for place, point in enumerate(points):
        if point.percent is None:
            continue
        middle = LEFT + step * (place + 0.5)
        upper, lower = _height_of(point.upper, top), _height_of(point.lower, top)
        words = f"{point.label}: {point.percent:.1f} %, between {point.lower:.1f} and {point.upper:.1f} %"
        width = min(step * 0.5, 34)
        bands.append(_round(Shape(middle - width / 2, upper, width, max(lower - upper, 1), "band", words)))
        marks.append(Mark(round(middle, 1), round(_height_of(point.percent, top), 1), words))
    last, rates = known[-1], [point.percent or 0.0 for point in known]
    return Picture(
        name=name,
        title=title,
        words=f"{last.label}: {last.percent:.1f} %, between {last.lower:.1f} and {last.upper:.1f} %. "
        f"Highest {max(rates):.1f} %, lowest {min(rates):.1f} %.",
        height=HEIGHT,
        shapes=tuple(bands),
        grid=_list_ticks(top, " %"),
        labels=_list_labels([point.label for point in points], step),
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
        points=tuple(marks),
        keys=(Key("line", "rate"), Key("band", "95 % confidence interval")),
        columns=(unit, "Rate", "95 % interval", "Counted"),
        rows=tuple(
            (point.label, f"{point.percent:.1f} %", f"{point.lower:.1f} – {point.upper:.1f} %", point.counted)
            for point in known
        ),
    )


def draw_line(*, name: str, title: str, points: Sequence[tuple[str, float]], unit: str) -> Picture | None:
    """A figure over time as a line through its points; None where there is no point."""
    if not points:
        return None
    values = [value for _, value in points]
    top = find_top(ceil(max(1.0, *values)))
    step = (WIDTH - LEFT - RIGHT) / len(points)
    marks = tuple(
        Mark(round(LEFT + step * (place + 0.5), 1), round(_height_of(value, top), 1), f"{label}: {value:.1f}{unit}")
        for place, (label, value) in enumerate(points)
    )
    return Picture(
        name=name,
        title=title,
        words=f"{marks[-1].text}. Highest {max(values):.1f}{unit}, lowest {min(values):.1f}{unit}.",
        height=HEIGHT,
        shapes=(),
        grid=_list_ticks(top, unit),
        labels=_list_labels([label for label, _ in points], step),
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
        points=marks,
        keys=(),
        columns=("Day", "Figure"),
        rows=tuple((label, f"{value:.1f}{unit}") for label, value in points),
    )


def draw_spans(
    *, name: str, title: str, spans: Sequence[Span], ends: tuple[str, str], unit: str, keys: Sequence[Key] = ()
) -> Picture | None:
    """Bars from a beginning to an end, one below the other; None without any. `ends`: what stands at both edges.

    As wide as a card: letters keep their size there.
    """
    if not spans:
        return None
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    whole = (last - first) or 1.0
    room = NARROW - NAMES - RIGHT
    shapes, labels = [], []
    for row, span in enumerate(spans):
        y = TOP + ROW * row
        x = NAMES + room * (span.start - first) / whole
        length = max(room * (span.end - span.start) / whole, 3)
        x = min(x, NARROW - RIGHT - length)
        shapes.append(_round(Shape(x, y, length, ROW - 8, span.tone, f"{span.name}: {span.written}")))
        labels.append(Mark(NAMES - 10, y + 13, _shorten(span.name), "end"))
    height = TOP + ROW * len(spans) + BOTTOM
    labels += [Mark(NAMES, height - 8, ends[0], "start"), Mark(NARROW - RIGHT, height - 8, ends[1], "end")]
    return Picture(
        name=name,
        title=title,
        words="; ".join(f"{span.name}: {span.written}" for span in spans) + ".",
        height=height,
        shapes=tuple(shapes),
        labels=tuple(labels),
        keys=tuple(keys),
        columns=(unit, "When"),
        rows=tuple((span.name, span.written) for span in spans),
        grid_start=NAMES,
        width=NARROW,
    )


def find_top(highest: float) -> float:
    """The end of a scale: a round number not below the highest value; 0 for nothing."""
    if highest <= 0:
        return 0
    power = 10 ** int(log10(highest)) if highest >= 1 else 1
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= highest)


def _list_ticks(top: float, unit: str) -> tuple[Mark, ...]:
    """Lines of the grid with their numbers; whole numbers alone."""
    count = TICKS if top >= TICKS and top % TICKS == 0 else int(top) if top < TICKS else 5 if top % 5 == 0 else 2
    values = [top * each / count for each in range(count + 1)]
    return tuple(Mark(LEFT - 8, round(_height_of(value, top), 1), f"{value:,.0f}{unit}", "end") for value in values)


def _list_labels(labels: Sequence[str], step: float) -> tuple[Mark, ...]:
    """As many labels as there is room for, the last one always."""
    every = ceil(len(labels) / MAX_LABELS)
    last = len(labels) - 1
    return tuple(
        Mark(round(LEFT + step * (place + 0.5), 1), HEIGHT - 8, label)
        for place, label in enumerate(labels)
        if (last - place) % every == 0
    )


def _height_of(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - _scale(value, top)


def _scale(value: float, top: float) -> float:
    return (HEIGHT - TOP - BOTTOM) * value / top


def _round(shape: Shape) -> Shape:
    return Shape(
        round(shape.x, 1), round(shape.y, 1), round(shape.width, 1), round(shape.height, 1), shape.tone, shape.title
    )


def _shorten(name: str) -> str:
    return name if len(name) <= 16 else f"{name[:15]}…"
