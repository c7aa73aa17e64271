"""An edit of a message: a newer version takes the place of the newest one, under the user's lock (D-4, D-57)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.fence.user_lock import lock_user
from memory.selectors.users import list_conversation_names
from memory.selectors.versions import get_versions
from memory.services.drafts import make_draft
from memory.storing.messages import store_message
from memory.storing.types import Recorded
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, TenantRef, UserRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes different; None leaves a field as it is. `created_at` None: said now.

    An edit that is as old as its message would teach nothing: what it corrects was known then.
    """

    content: str | list[dict[str, Any]] | None = None
    client_id: str | None = None
    created_at: datetime | None = None
    speaker: str | None = None
    response_description: str | None = None
    memory_type: str | None = None
    mood: str | None = None
    metadata: Mapping[str, Any] | None = None


def edit_message(
    *, tenant: TenantRef, user: UserRef, message_id: UUID, change: Change, actor: str, now: datetime
) -> Recorded:
    """Store a newer version of a message, named by any of its versions. Writes.

    Two edits at once come one after the other, so that a message never has two newest versions. Raises NotFound,
    UserBusy, and what `make_draft` and `store_message` raise.
    """
    with tenant_scope(tenant.id):
        lock_user(user=user)
        newest = get_versions(user=user, message_id=message_id)[-1]
        names = list_conversation_names(user=user, ids=[newest.conversation_id])
        draft = make_draft(
            user_id=user.external_id,
            conversation_id=names[newest.conversation_id],
            now=now,
            replaces_id=newest.id,
            **_list_fields(newest, change),
        )
        return store_message(tenant=tenant, draft=draft, actor=actor, now=now)


def _list_fields(newest: RecordedMessage, change: Change) -> dict[str, Any]:
    described = newest.response_description if change.content is None else None
    kept = {
        "content": newest.blocks if newest.blocks is not None else newest.content,
        "speaker": newest.speaker,
        "response_description": described,  # of words that are no longer there it would be wrong
        "memory_type": newest.memory_type,
        "mood": newest.mood,
        "metadata": newest.metadata,
    }
    changed = {name: value for name in kept if (value := getattr(change, name)) is not None}
    ids = {"role": newest.role, "client_id": change.client_id, "created_at": change.created_at}
    return {**kept, **changed, **ids, "receipt_id": newest.receipt_id}
