"""Statements that the ORM can't say, one purpose a file."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from uuid import UUID


@cache
def read_sql(name: str) -> str:
    """The statement in `<name>.sql`. Raises FileNotFoundError for an unknown name."""
    return (Path(__file__).resolve().parent / f"{name}.sql").read_text(encoding="utf-8")


def write_array(values: Sequence[UUID | str | float]) -> str:
    """Ids (also in hexadecimal digits) or numbers as an array literal.

    The driver takes longer over a list than the database over reading one.
    """
    return "{" + ",".join([value.hex if isinstance(value, UUID) else str(value) for value in values]) + "}"


def write_codes(codes: Sequence[str]) -> str:
    """Codes of ours as an array literal, for the same reason."""
    return "{" + ",".join([f'"{code}"' for code in codes]) + "}"
