"""Users and their conversations, and who owns a bare id."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from memory.database.statements import fetch_row
from memory.errors import NotFound
from memory.models import Conversation, User
from memory.types import UserRef


class UserNotFound(NotFound):
    """The tenant has no such user: nothing was ever stored for that id, or it was erased."""

    code = "user_not_found"
    default_message = "This user does not exist."


def find_user(*, tenant_id: UUID, external_id: str) -> UserRef | None:
    """The user behind the tenant's own id. A fenced user is invisible from the first moment (SPEC G-2)."""
    row = fetch_row(
        "SELECT id FROM memory_user WHERE tenant_id = %s AND external_id = %s AND fenced_at IS NULL",
        [tenant_id, external_id],
    )
    return UserRef(id=row[0], tenant_id=tenant_id, external_id=external_id) if row else None


def get_user(*, tenant_id: UUID, external_id: str) -> UserRef:
    """As `find_user`; raises UserNotFound."""
    user = find_user(tenant_id=tenant_id, external_id=external_id)
    if user is None:
        raise UserNotFound(fields={"user_id": "No message or fact of this user is stored."})
    return user


def list_users(*, tenant_id: UUID, after: UUID | None, limit: int) -> list[User]:
    """Users in the order in which they first came; at most `limit` after the given id."""
    rows = User.objects.filter(tenant_id=tenant_id, fenced_at=None).order_by("id")
    return list(rows.filter(id__gt=after)[:limit] if after else rows[:limit])


def list_conversations(*, user: UserRef, after: UUID | None, limit: int) -> list[Conversation]:
    """The user's conversations in the order in which they began."""
    rows = Conversation.objects.filter(user_id=user.id).order_by("id")
    return list(rows.filter(id__gt=after)[:limit] if after else rows[:limit])


def find_conversation_id(*, user: UserRef, external_id: str) -> UUID | None:
    """Our id of a conversation of this user, None when it has none by that name."""
    row = fetch_row(
        "SELECT id FROM memory_conversation WHERE user_id = %s AND external_id = %s", [user.id, external_id]
    )
    return row[0] if row else None


def list_conversation_names(*, user: UserRef, ids: Iterable[UUID]) -> dict[UUID, str]:
    """The tenant's own ids of some of the user's conversations."""
    return dict(Conversation.objects.filter(user_id=user.id, id__in=list(ids)).values_list("id", "external_id"))


_OWNERS = {
    "message": "SELECT m.user_id, u.external_id FROM memory_message m JOIN memory_user u ON u.id = m.user_id",
    "fact": "SELECT m.user_id, u.external_id FROM user_knowledge m JOIN memory_user u ON u.id = m.user_id",
    "forget": "SELECT m.user_id, u.external_id FROM memory_forget_batch m JOIN memory_user u ON u.id = m.user_id",
}


def find_owner(kind: str, id: UUID, *, tenant_id: UUID) -> UserRef | None:
    """Whose message, fact or forget it is: the only look-up by a bare id, on an index of its own (D-10)."""
    row = fetch_row(f"{_OWNERS[kind]} WHERE m.id = %s AND m.tenant_id = %s AND u.fenced_at IS NULL", [id, tenant_id])
    return UserRef(id=row[0], tenant_id=tenant_id, external_id=row[1]) if row else None


def get_owner(kind: str, id: UUID, *, tenant_id: UUID) -> UserRef:
    """As `find_owner`; raises NotFound naming the kind."""
    owner = find_owner(kind, id, tenant_id=tenant_id)
    if owner is None:
        raise NotFound(f"This {kind} does not exist.", fields={f"{kind}_id": "unknown"})
    return owner
