"""Tombstones at work: they stop the erased from coming back, and let everything newer in (SPEC G-4, D-29)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory.errors import Conflict
from memory.fence.subjects import make_conversation_hmac, make_message_hmac, make_subject_hmac
from memory.ids import new_id
from memory.models import Tombstone, User
from memory.types import Draft, UserRef


class ErasedPeriod(Conflict):
    """The item was said within a period, conversation or message that has been erased: it may not come back."""

    code = "erased_period"
    default_message = "Messages from this period were erased and cannot be stored again."


def lay_tombstone(
    *,
    user: UserRef,
    scope: str,
    now: datetime,
    erased_up_to: datetime,
    conversation_id: UUID | None = None,
    message_ids: Sequence[UUID] | None = None,
    said_from: datetime | None = None,
    said_to: datetime | None = None,
    refused_hmacs: Sequence[str] = (),
) -> Tombstone:
    """Put a tombstone on the user or a part of it and mark the user. Writes; call under the user's lock."""
    tombstone = Tombstone.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        subject_hmac=make_subject_hmac(tenant_id=user.tenant_id, external_id=user.external_id),
        scope=scope,
        conversation_id=conversation_id,
        message_ids=None if message_ids is None else [str(message_id) for message_id in message_ids],
        said_from=said_from,
        said_to=said_to,
        refused_hmacs=list(refused_hmacs),
        erased_up_to=erased_up_to,
        created_at=now,
    )
    mark_user(user)
    return tombstone


def mark_user(user: UserRef) -> None:
    """From now on items of this user are held against its tombstones. Writes."""
    User.objects.filter(id=user.id).update(has_tombstones=True)


def list_tombstones(*, tenant_id: UUID, external_id: str) -> list[Tombstone]:
    """The tombstones of an external id, whichever user it named. One indexed look-up."""
    subject = make_subject_hmac(tenant_id=tenant_id, external_id=external_id)
    return list(Tombstone.objects.filter(tenant_id=tenant_id, subject_hmac=subject).defer("message_ids"))


def refuse_erased(*, user: UserRef, tombstones: Sequence[Tombstone], drafts: Sequence[Draft]) -> None:
    """Raise ErasedPeriod when one of the drafts lies under one of the tombstones. Reads nothing."""
    for tombstone in tombstones:
        for draft in drafts:
            field = _find_refusal(user, tombstone, draft)
            if field:
                raise ErasedPeriod(fields={field: "is within an erased period"})


def _find_refusal(user: UserRef, tombstone: Tombstone, draft: Draft) -> str | None:
    """The field that puts a draft under a tombstone, None when it is welcome."""
    is_older = draft.created_at <= tombstone.erased_up_to
    if tombstone.scope == "all":
        return "created_at" if is_older else None
    if tombstone.scope == "range":
        return "created_at" if is_older and _is_within(draft.created_at, tombstone) else None
    if tombstone.scope == "conversation":
        return "conversation_id" if is_older and _name_conversation(user, draft) in tombstone.refused_hmacs else None
    return "id" if draft.client_id and _name_message(user, draft) in tombstone.refused_hmacs else None


def _is_within(moment: datetime, tombstone: Tombstone) -> bool:
    return (tombstone.said_from is None or moment >= tombstone.said_from) and (
        tombstone.said_to is None or moment < tombstone.said_to
    )


def _name_conversation(user: UserRef, draft: Draft) -> str:
    return make_conversation_hmac(
        tenant_id=user.tenant_id,
        user_external_id=user.external_id,
        conversation_external_id=draft.conversation_external_id,
    )


def _name_message(user: UserRef, draft: Draft) -> str:
    return make_message_hmac(
        tenant_id=user.tenant_id,
        user_external_id=user.external_id,
        conversation_external_id=draft.conversation_external_id,
        client_id=draft.client_id or "",
    )
