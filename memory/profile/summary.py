"""The head of a user's pages: who it is, how much was said, how much is known."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Count, Max, Q

from memory.errors import NotFound
from memory.models import FactRow, Message, User
from memory.profile.types import Profile
from memory.types import UserRef


def get_profile(*, tenant_id: UUID, user_id: UUID) -> Profile:
    """The head of a user's pages. Raises NotFound. Three statements."""
    row = User.objects.filter(tenant_id=tenant_id, id=user_id).first()
    if row is None:
        raise NotFound("This user does not exist in this tenant.")
    said = Message.objects.filter(user_id=user_id).aggregate(
        total=Count("id"), forgotten=Count("id", filter=~Q(forgotten_at=None)), last=Max("created_at")
    )
    known = FactRow.objects.filter(user_id=user_id, is_active=True).aggregate(
        active=Count("id"), disputed=Count("id", filter=Q(is_disputed=True))
    )
    return Profile(
        user=UserRef(id=row.id, tenant_id=tenant_id, external_id=row.external_id),
        created_at=row.created_at,
        fenced_at=row.fenced_at,
        log_position=row.log_position,
        message_count=said["total"],
        forgotten_count=said["forgotten"],
        last_message_at=said["last"],
        active_facts=known["active"],
        disputed_facts=known["disputed"],
    )
