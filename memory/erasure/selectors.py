"""Erasures, read: one by id, the one that answers a repeated request, lists by deadline."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from memory.erasure.types import ErasureEventView, ErasureView
from memory.errors import NotFound
from memory.fence.subjects import make_subject_hmac
from memory.models import ErasureCertificate, ErasureEvent, ErasureRequest, Tombstone
from memory.types import ErasureScope, UserRef


def find_erasure_owner(*, tenant_id: UUID, erasure_id: UUID) -> UserRef | None:
    """Whose erasure it is, by its bare id; the user may be gone (D-10)."""
    row = ErasureRequest.objects.filter(id=erasure_id, tenant_id=tenant_id).values_list("user_id", flat=True).first()
    return UserRef(id=row, tenant_id=tenant_id) if row else None


def get_erasure(*, tenant_id: UUID, erasure_id: UUID) -> ErasureView:
    """One erasure with its history and certificates. Raises NotFound."""
    user = find_erasure_owner(tenant_id=tenant_id, erasure_id=erasure_id)
    if user is None:
        raise NotFound("This erasure does not exist.", fields={"erasure_id": "unknown"})
    return show_erasure(user=user, erasure_id=erasure_id)


def show_erasure(*, user: UserRef, erasure_id: UUID) -> ErasureView:
    """One erasure of a user as callers see it. Raises ErasureRequest.DoesNotExist."""
    return _show(ErasureRequest.objects.get(user_id=user.id, id=erasure_id))


def get_scope(*, user: UserRef, erasure_id: UUID) -> ErasureScope:
    """What the erasers of this erasure work on."""
    scope = ErasureRequest.objects.values_list("scope", flat=True).get(user_id=user.id, id=erasure_id)
    return ErasureScope(user=user, erasure_id=erasure_id, is_whole=scope == "all")


def find_erasure_by(*, user: UserRef, fingerprint: bytes) -> ErasureRequest | None:
    """The newest erasure of this user that asked for the same."""
    return ErasureRequest.objects.filter(user_id=user.id, fingerprint=fingerprint).order_by("-id").first()


def find_last_erasure_of_subject(*, tenant_id: UUID, external_id: str) -> ErasureView | None:
    """The newest erasure of a whole user under this external id, None when there was none."""
    subject = make_subject_hmac(tenant_id=tenant_id, external_id=external_id)
    tombstone = Tombstone.objects.filter(tenant_id=tenant_id, subject_hmac=subject, scope="all").order_by("-id").first()
    if tombstone is None:
        return None
    row = ErasureRequest.objects.filter(user_id=tombstone.user_id, tombstone_id=tombstone.id).first()
    return _show(row) if row else None


def find_erasure_of_user(*, user: UserRef) -> ErasureView | None:
    """The erasure of this user as a whole, None when there is none."""
    row = ErasureRequest.objects.filter(user_id=user.id, scope="all").order_by("-id").first()
    return _show(row) if row else None


def list_certified(*, tenant_id: UUID, erasure_ids: Collection[UUID]) -> set[UUID]:
    """Those of some erasures that have a certificate."""
    rows = ErasureCertificate.objects.filter(tenant_id=tenant_id, erasure_id__in=erasure_ids)
    return set(rows.values_list("erasure_id", flat=True))


def read_certificate(row: ErasureCertificate) -> Mapping[str, Any]:
    """A certificate as it is handed out: what was signed, and the signature in hex."""
    body: dict[str, Any] = json.loads(row.body)
    return {**body, "signature": bytes(row.signature).hex()}


def _show(row: ErasureRequest) -> ErasureView:
    return ErasureView(
        id=row.id,
        user_id=row.user_id,
        scope=row.scope,
        reason=row.reason,
        status=row.status,
        requested_at=row.requested_at,
        deadline_at=row.deadline_at,
        completed_at=row.completed_at,
        alert=row.alert,
        attempts=row.attempts,
        counts=row.counts,
        history=_list_history(row),
        certificates=tuple(map(read_certificate, _list_certificates(row))),
    )


def _list_history(row: ErasureRequest) -> tuple[ErasureEventView, ...]:
    events = ErasureEvent.objects.filter(user_id=row.user_id, erasure_id=row.id).order_by("id")
    return tuple(ErasureEventView(status=e.status, code=e.code, at=e.happened_at) for e in events)


def _list_certificates(row: ErasureRequest) -> Sequence[ErasureCertificate]:
    return list(ErasureCertificate.objects.filter(user_id=row.user_id, erasure_id=row.id).order_by("number"))
