"""The way back of what was forgotten: a key that candidates or items hold again meanwhile keeps the newer row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from memory.models import AdaptiveItem, FactCandidate
from memory.types import UserRef


def restore_rows(
    model: type[FactCandidate] | type[AdaptiveItem],
    *,
    user: UserRef,
    message_ids: Sequence[UUID],
    kind: str,
    held: Sequence[str],
    choose_status: Callable[[Any], str],
) -> int:
    """Give forgotten rows that rest on these messages their status again, the newest of a key; how many. Writes.

    `kind`: the column that makes a key with its hash. `held`: statuses under which a key is held.
    """
    own = model.objects.filter(user_id=user.id)
    taken = {(name, bytes(key)) for name, key in own.filter(status__in=held).values_list(kind, "key_hash")}
    restored = 0
    for row in own.filter(status="forgotten", evidence_message_ids__overlap=list(message_ids)).order_by("-id"):
        slot = (getattr(row, kind), bytes(row.key_hash))
        if slot not in taken:
            taken.add(slot)
            restored += own.filter(id=row.id).update(status=choose_status(row))
    return restored
