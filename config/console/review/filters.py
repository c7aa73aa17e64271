"""What a reviewer works on, carried in the address: a filter of items and the size of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest

from corrections.review.listing import Choices
from corrections.review.types import SOURCES, ItemFilter

BATCHES: Final = (20, 50, 100)
MAX_FIELD: Final = 120
SOURCE_NAMES: Final = {
    "instant": "instant facts",
    "extraction": "extraction",
    "correction": "corrections",
    "message": "messages without facts",
}
TITLES: Final = {"source": "Source", "language": "Language", "knowledge_type": "Type", "rule": "Rule"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One list of a filter: its options as (value, words), the chosen one marked."""

    name: str
    title: str
    options: Sequence[tuple[str, str]]
    chosen: str


def read_filter(request: HttpRequest) -> ItemFilter:
    """The filter in the address; what has no form is left out."""
    found = {name: request.GET.get(name, "")[:MAX_FIELD] for name in TITLES}
    if found["source"] not in SOURCES:
        found["source"] = ""
    return ItemFilter(**{name: value for name, value in found.items() if "\x00" not in value})


def read_batch(request: HttpRequest) -> int:
    """How many samples a batch has."""
    size = request.GET.get("batch", "")
    return int(size) if size in map(str, BATCHES) else BATCHES[0]


def write_query(wanted: ItemFilter, *, batch: int = BATCHES[0], **more: str) -> str:
    """The same as the end of an address: "?language=ar", or "" where nothing is chosen."""
    values = {name: value for name, value in (*wanted.values.items(), *more.items()) if value}
    if batch != BATCHES[0]:
        values["batch"] = str(batch)
    return f"?{urlencode(values)}" if values else ""


def make_choices(offered: Choices, wanted: ItemFilter) -> list[Choice]:
    """The lists of a filter. A chosen value stays in its list when nothing has it any more."""
    lists = []
    for name, title in TITLES.items():
        chosen = wanted.values[name]
        counted = dict(getattr(offered, name))
        names = [*counted, *([chosen] if chosen and chosen not in counted else [])]
        options = [(value, f"{describe(name, value)} ({counted.get(value, 0)})") for value in names]
        if options:
            lists.append(Choice(name, title, options, chosen))
    return lists


def describe(name: str, value: str) -> str:
    """A value in words."""
    return SOURCE_NAMES.get(value, value) if name == "source" else value
