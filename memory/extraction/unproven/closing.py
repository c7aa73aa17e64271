"""Delete the unproven proposals of a model when the user no longer agrees that they are kept."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from memory.extraction.unproven.items import HELD
from memory.models import AdaptiveItem, FactCandidate
from memory.types import UserRef


def close_unproven(*, user: UserRef, types: Collection[str], with_items: bool, now: datetime) -> int:
    """Dismiss open candidates of these types, and adaptive items too `with_items`; how many. Under the lock. Writes."""
    if not types:
        return 0
    candidates = FactCandidate.objects.filter(user_id=user.id, status="open", knowledge_type__in=list(types))
    closed = candidates.update(status="dismissed", updated_at=now)
    items = AdaptiveItem.objects.filter(user_id=user.id, status__in=HELD)
    return closed + (items.update(status="dismissed", updated_at=now) if with_items else 0)
