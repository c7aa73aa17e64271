"""The word lists under `patterns/text/data`, read once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

DATA_DIR = Path(__file__).resolve().parent / "data"


def read_lines(name: str) -> list[str]:
    """The lines of a data file without comments and blank lines. Raises FileNotFoundError for an unknown name."""
    text = (DATA_DIR / name).read_text(encoding="utf-8")
    return [line for line in (raw.strip() for raw in text.splitlines()) if line and not line.startswith("#")]


@cache
def read_words(name: str) -> frozenset[str]:
    """All words of a file of words, whatever their lines."""
    return frozenset(word for line in read_lines(name) for word in line.split())


@cache
def read_groups(name: str) -> dict[str, frozenset[str]]:
    """`group -> words` of a file with lines `group: word word ...`."""
    parts = (line.partition(":") for line in read_lines(name))
    return {group: frozenset(words.split()) for group, _, words in parts}


@cache
def read_forms(name: str) -> dict[str, str]:
    """`form -> base` of a file with lines `base: form form ...`; the base maps to itself."""
    forms: dict[str, str] = {}
    for line in read_lines(name):
        base, _, rest = line.partition(":")
        for form in (base, *rest.split()):
            forms.setdefault(form, base)
    return forms
