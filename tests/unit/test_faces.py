"""The face of a room: the modules that rooms to its left may import. Its `__init__` lists them after "Face:".

The list says what is used and nothing more, so that a face grows only where somebody writes it down, and shrinks with
its uses. Names are relative to the room; `erasure: deadlines erasers` stands for both modules of the wing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("config", "corrections", "retrieval", "memory", "patterns")
AT_MOST = {"corrections": 34, "retrieval": 60, "memory": 149, "patterns": 61}
"""A face may only shrink while nothing moves in: regroup before you raise one of these.

Memory rose from 124 with visits and pauses, edits and versions, who told us, traces, denied and merged tastes, and
requests of privacy desks, consents, retention by age, what all commands for tenants share; corrections from 30 with quality and calibration;
patterns from 60 with what all commands share.
"""


def list_modules(room: str) -> Iterator[tuple[str, Path]]:
    """Every module of a room by its dotted name, migrations left out."""
    for path in sorted((ROOT / room).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts:
            yield ".".join(parts).removesuffix(".__init__"), path


MODULES = {name: path for room in ROOMS for name, path in list_modules(room)}


@cache
def list_imports(path: Path) -> frozenset[str]:
    """The modules of the rooms that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return frozenset(name for name in found if name in MODULES)


def list_used(room: str) -> set[str]:
    """What other rooms import of a room, relative to it."""
    others = [path for name, path in MODULES.items() if name.split(".")[0] != room]
    used = {name for path in others for name in list_imports(path) if name.startswith(f"{room}.")}
    return {name.removeprefix(f"{room}.") for name in used}


def read_face(room: str) -> set[str]:
    """The modules that the docstring of a room lists."""
    text = ast.get_docstring(ast.parse(MODULES[room].read_text(encoding="utf-8"))) or ""
    face: set[str] = set()
    for line in text.partition("\nFace:\n")[2].strip().splitlines():
        wing, names = re.fullmatch(r"\s*(?:([\w.]+): )?(.+)", line).groups()  # type: ignore[union-attr]
        face |= {f"{wing}.{name}" if wing else name for name in names.split()}
    return face


@pytest.mark.parametrize("room", AT_MOST)
def test_other_rooms_import_the_face_of_a_room_and_all_of_it(room: str) -> None:
    face, used = read_face(room), list_used(room)
    assert used - face == set(), f"import what {room}/__init__.py lists, or list it there"
    assert face - used == set(), f"nothing imports these: take them out of {room}/__init__.py"
    assert len(face) <= AT_MOST[room]


LARGE = {"config/api/endpoints": 26, "memory/episodes": 26, "patterns/text": 21}
"""Folders that are to be divided; they may only shrink."""


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = {path.parent for path in MODULES.values()}
    counts = {folder: len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) for folder in folders}
    large = {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > 20}
    assert {name: count for name, count in large.items() if count > LARGE.get(name, 0)} == {}
