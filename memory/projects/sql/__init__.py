"""The SQL of the wing, one purpose a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_sql(name: str) -> str:
    """The text of `<name>.sql` in this folder."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
