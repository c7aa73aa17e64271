"""Remarks of reviewers, sealed with the user's key: they may quote what the user said (D-15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from corrections.models import ReviewVerdict
from corrections.review.types import MAX_NOTE, MAX_VALUE, Remark
from memory.errors import InvalidRequest
from memory.sealing.errors import SealBroken
from memory.sealing.vault import UserVault
from memory.selectors.pages import read_in_pages
from memory.types import GUARANTEED_TYPES, UserRef

PURPOSE: Final = "review_remark"


def check_remark(remark: Remark) -> Remark:
    """The remark without space around its words. Raises InvalidRequest where it is too long or has no known type."""
    problems = {}
    if len(remark.note) > MAX_NOTE:
        problems["note"] = f"must have at most {MAX_NOTE} characters"
    if len(remark.value) > MAX_VALUE:
        problems["value"] = f"must have at most {MAX_VALUE} characters"
    if remark.knowledge_type and remark.knowledge_type not in GUARANTEED_TYPES:
        problems["type"] = f"must be one of {', '.join(GUARANTEED_TYPES)}"
    if problems:
        raise InvalidRequest(fields=problems)
    kind = remark.knowledge_type if remark.value.strip() else ""
    return Remark(note=remark.note.strip(), value=remark.value.strip(), knowledge_type=kind)


def seal_remark(remark: Remark, *, user: UserRef) -> bytes | None:
    """The remark as it is stored; None for an empty one."""
    if not remark:
        return None
    told = {"note": remark.note, "value": remark.value, "type": remark.knowledge_type}
    return UserVault(user_id=user.id).seal({name: words for name, words in told.items() if words}, purpose=PURPOSE)


def open_remarks(verdicts: Iterable[ReviewVerdict]) -> dict[UUID, Remark]:
    """The remarks of verdicts of any users by the verdict's id; what cannot be opened is left out."""
    found = {}
    for verdict in verdicts:
        if verdict.remark is None:
            continue
        try:
            told = UserVault(user_id=verdict.user_id).open(verdict.remark, purpose=PURPOSE)
        except SealBroken:
            continue
        found[verdict.id] = _read(told)
    return found


def export_remarks(user: UserRef) -> Iterator[dict[str, Any]]:
    """What reviewers noted about the user's facts, for an export of the user, oldest first (SPEC M-7)."""

    def read(last: ReviewVerdict | None, limit: int) -> list[ReviewVerdict]:
        rows = ReviewVerdict.objects.filter(user_id=user.id, remark__isnull=False)
        return list((rows.filter(id__gt=last.id) if last else rows).order_by("id")[:limit])

    for verdict in read_in_pages(user, read):
        if remark := open_remarks([verdict]).get(verdict.id):
            yield {
                "kind": "review_remark",
                "id": str(verdict.id),
                "item_id": str(verdict.item_id),
                "verdict": verdict.verdict,
                "judged_at": verdict.judged_at.isoformat(),
                "note": remark.note,
                "value": remark.value,
            }


def _read(told: dict[str, Any]) -> Remark:
    return Remark(note=told.get("note", ""), value=told.get("value", ""), knowledge_type=told.get("type", ""))
