"""Keeps one fact per (type, key) and message."""

from __future__ import annotations

from collections.abc import Collection

from patterns.steps.draft import Draft


def merge_drafts(drafts: list[Draft], *, valued: Collection[str]) -> list[Draft]:
    """The later clause wins where values differ, in types whose value is the fact; order of first mention."""
    kept: dict[tuple[str, str], Draft] = {}
    for draft in sorted(drafts, key=lambda d: (d.start, d.end)):
        name = (draft.knowledge_type, draft.key)
        before = kept.get(name)
        if before is None or _is_better(draft, before, valued):
            kept[name] = draft
    return list(kept.values())


def _is_better(new: Draft, old: Draft, valued: Collection[str]) -> bool:
    return new.knowledge_type in valued and new.value != old.value and new.start >= old.end
