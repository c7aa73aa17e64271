"""What reviewers did, in the audit trail: ids and codes."""

from __future__ import annotations

from datetime import datetime

from corrections.models import ReviewItem
from memory.tenants.services.audit import record_staff_act


def audit_item(verb: str, item: ReviewItem, *, reviewer: str, now: datetime) -> None:
    """Write what a reviewer did with an item. Part of the caller's transaction."""
    record_staff_act(
        tenant_id=item.tenant_id,
        actor=reviewer,
        action=f"review.{verb}",
        now=now,
        object_type="review_item",
        object_ids=[item.id, item.user_id],
    )
