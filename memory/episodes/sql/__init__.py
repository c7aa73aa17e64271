"""Statements of the wing that the ORM can't say, one purpose a file."""

from functools import cache
from pathlib import Path


@cache
def read_sql(name: str) -> str:
    """The statement in `<name>.sql`. Raises FileNotFoundError for an unknown name."""
    return (Path(__file__).resolve().parent / f"{name}.sql").read_text(encoding="utf-8")
