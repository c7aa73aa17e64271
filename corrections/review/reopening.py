"""Any past item is judged anew when a reviewer asks for it (SPEC H-1)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.auditing import audit_item
from corrections.review.queue import find_owner, may_be_shown
from corrections.review.verdicts import ItemTaken, put_back, undo_effect
from memory.errors import NotFound
from memory.fence.user_lock import lock_user
from memory.tenants.scope import tenant_scope


def reopen_item(*, tenant_id: UUID, item_id: UUID, reviewer: str, now: datetime) -> ReviewItem:
    """Put an item back into the queue, first for this reviewer; what its decision did is undone. Writes.

    All verdicts of a decided item are taken back; of one that waits only the reviewer's own. They stay in the export
    with the time. Raises NotFound, ItemTaken, UserErased, UserBusy.
    """
    with tenant_scope(tenant_id):
        user = find_owner(tenant_id=tenant_id, item_id=item_id)
        lock_user(user=user)
        item = ReviewItem.objects.select_for_update().get(user_id=user.id, id=item_id)
        if not may_be_shown(item):
            raise NotFound("Messages of this item were forgotten, or its user is being erased.")
        if item.locked_by != reviewer and item.locked_until is not None and item.locked_until > now:
            raise ItemTaken
        standing = ReviewVerdict.objects.filter(user_id=user.id, item_id=item.id, undone_at=None)
        if item.state == "decided":
            undo_effect(item, user=user, reviewer=reviewer, now=now)
        else:
            standing = standing.filter(reviewer=reviewer)
        standing.update(undone_at=now)
        put_back(item, reviewer=reviewer, now=now)
        audit_item("reopen", item, reviewer=reviewer, now=now)
    return item
