"""The end of the grace period: what was forgotten is erased (D-28)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.ids import new_id
from memory.models import FactRow, ForgetBatch, ForgetItem, Message, Tombstone, User
from memory.registries import erasers
from memory.sealing.keystore import get_key_store
from memory.services.user_lock import lock_user
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


def claim_overdue_forgets(*, now: datetime, limit: int) -> list[tuple[UserRef, UUID]]:
    """Forgets, of any tenant, whose grace period is over. For workers (D-14)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, user_id, batch_id FROM claim_overdue_forgets_v1(%s, %s)", [now, limit])
        return [(UserRef(id=row[1], tenant_id=row[0]), row[2]) for row in cursor.fetchall()]


def finish_forget(*, user: UserRef, batch_id: UUID, now: datetime) -> int:
    """Erase the messages of a forget, the facts that rested on them and all derived rows. Returns how many messages.

    May be repeated: a forget that is not done and overdue is left alone.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        batch = ForgetBatch.objects.filter(user_id=user.id, id=batch_id, status="done", grace_until__lte=now).first()
        if batch is None:
            return 0
        items = ForgetItem.objects.filter(user_id=user.id, batch_id=batch_id, part="message")
        message_ids = list(items.values_list("message_id", flat=True))
        _erase_messages(user, message_ids, now=now)
        ForgetItem.objects.filter(user_id=user.id, batch_id=batch_id).delete()
        ForgetBatch.objects.filter(user_id=user.id, id=batch_id).update(status="finished")
    return len(message_ids)


def _erase_messages(user: UserRef, message_ids: Sequence[UUID], *, now: datetime) -> None:
    external_id = User.objects.filter(id=user.id).values_list("external_id", flat=True).get()
    Tombstone.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        subject_hmac=make_subject_hmac(tenant_id=user.tenant_id, external_id=external_id),
        scope="messages",
        message_ids=[str(message_id) for message_id in message_ids],
        erased_up_to=now,
        created_at=now,
    )
    for eraser in erasers:
        eraser.erase(user, message_ids)
    FactRow.objects.filter(user_id=user.id, is_active=False, evidence_message_ids__overlap=list(message_ids)).exclude(
        extracted_from="onboarding"
    ).delete()
    Message.objects.filter(user_id=user.id, id__in=message_ids).delete()


def make_subject_hmac(*, tenant_id: UUID, external_id: str) -> bytes:
    """What survives of an erased user's external id: an HMAC under a key of the tenant in the key store (D-29)."""
    key = get_key_store().get_or_create(tenant_id)
    return hmac.new(key, b"subject" + external_id.encode(), hashlib.sha256).digest()
