"""What differs between two versions of a rule or an entry, field by field and line by line (SPEC I-2). Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from patterns.alternatives import lay_out

# Worked out from other fields.
_SILENT: Final = frozenset({"literals", "slug"})
_NAMES: Final = {
    "knowledge_type": "knowledge type",
    "object_side": "object side",
    "positive_examples": "must catch",
    "negative_examples": "must leave alone",
    "rollout_percent": "rollout, %",
    "is_active": "on",
    "aliases": "words",
    "forms": "inflected forms",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line or piece of a field: kept, added or removed."""

    text: str
    tone: str  # kept | added | removed


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that differs. `is_inline`: its lines are pieces of one text and read without breaks."""

    name: str
    lines: tuple[Line, ...]
    is_inline: bool


def list_differences(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[FieldDifference]:
    """The fields that differ between two contents; against nothing, every field that holds something."""
    found: list[FieldDifference] = []
    for field in dict.fromkeys([*(before or {}), *after]):
        old, new = (before or {}).get(field), after.get(field)
        if field in _SILENT or old == new or (before is None and new in ("", [], None)):
            continue
        name = _NAMES.get(field, field)
        if field == "pattern":
            old, new = _split(old), _split(new)
        if isinstance(old, list) or isinstance(new, list):
            found.append(FieldDifference(name, tuple(_compare_lists(_list(old), _list(new))), False))
        else:
            found.append(FieldDifference(name, tuple(_compare_texts(_show(old), _show(new))), True))
    return found


def _compare_lists(old: list[Any], new: list[Any]) -> list[Line]:
    """Lines that came and went; of those that stayed only the ones beside a change."""
    before, after = [str(one) for one in old], [str(one) for one in new]
    lines: list[Line] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        lines += [Line(text, "removed") for text in before[i1:i2]] + [Line(text, "added") for text in after[j1:j2]]
    return lines


def _compare_texts(old: str, new: str) -> list[Line]:
    """One text in pieces: what stayed, went and came."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.4:
        return [Line(text, tone) for text, tone in ((old, "removed"), (new, "added")) if text]
    pieces: list[Line] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Line(old[i1:i2], "kept"))
            continue
        pieces += [Line(t, tone) for t, tone in ((old[i1:i2], "removed"), (new[j1:j2], "added")) if t]
    return pieces


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _split(pattern: str | None) -> list[str] | str:
    """A pattern as its lines, where there are several."""
    parts = lay_out(pattern or "")
    return list(parts) if len(parts) > 1 else parts[0]


def _show(value: Any) -> str:
    return {True: "yes", False: "no", None: ""}.get(value, str(value)) if not isinstance(value, str) else value
