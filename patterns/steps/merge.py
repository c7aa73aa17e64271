"""One fact a (type, key) a message (ENGINE step 14)."""

from __future__ import annotations

from patterns.steps.draft import Draft


def merge_drafts(drafts: list[Draft]) -> list[Draft]:
    """The later clause wins where values differ; order of first mention."""
    kept: dict[tuple[str, str], Draft] = {}
    for draft in sorted(drafts, key=lambda d: (d.start, d.end)):
        name = (draft.knowledge_type, draft.key)
        before = kept.get(name)
        if before is None or _is_better(draft, before):
            kept[name] = draft
    return list(kept.values())


def _is_better(new: Draft, old: Draft) -> bool:
    if new.knowledge_type == "life_event":
        return False
    if new.knowledge_type in ("allergy", "hard_ban") or new.value == old.value:
        return False
    return not (new.start < old.end)
