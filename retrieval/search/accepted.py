"""Which recipes may be active: those that passed the gate, here or where they were made (SPEC Q-3).

A recipe is known by a digest of all its numbers: who changes one has another recipe, which has not passed.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final

import msgspec
from django.conf import settings

from retrieval.search.recipes import Recipe

SHIPPED: Final = Path(__file__).with_name("accepted.json")
"""Recipes that passed on the sets of the repository (tests/data/retrieval). A review of the change sees this file."""


class Unreadable(Exception):
    """A file of the gate is there and is none."""


class Accepted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe that has passed, with its figures and those that it was held against."""

    recipe: str
    digest: str
    labelled: str
    embedder: str
    scores: dict[str, float]
    before: dict[str, float]


def is_accepted(recipe: Recipe) -> bool:
    """Whether a recipe with just these numbers has passed. Raises Unreadable."""
    digest = digest_recipe(recipe)
    return any(one.digest == digest for path in (SHIPPED, get_own_file()) for one in read_accepted(path))


def get_own_file() -> Path:
    """Where this installation keeps what passed on its own labelled set (`UNDE_ACCEPTED_RECIPES`)."""
    return Path(settings.UNDE_ACCEPTED_RECIPES)


def digest_recipe(recipe: Recipe) -> str:
    """The recipe's numbers as twelve digits; its name does not count."""
    return hashlib.sha256(repr(astuple(recipe)[1:]).encode()).hexdigest()[:12]


def read_accepted(path: Path) -> list[Accepted]:
    """The recipes that have passed, from their file; none where there is no file. Raises Unreadable."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Accepted])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        raise Unreadable(f"{path} is no list of accepted recipes that can be read") from error


def note_accepted(passed: Accepted, *, path: Path) -> None:
    """Note that a recipe has passed; takes the place of an earlier note on the same numbers. Writes the file.

    Raises Unreadable, and OSError where it cannot be written.
    """
    write_file(path, [*(one for one in read_accepted(path) if one.digest != passed.digest), passed])


def write_file(path: Path, content: Any) -> None:
    """Write a file of the gate so that a person can read it and a diff shows what changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
