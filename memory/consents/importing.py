"""Consents of an export, taken over: what was said last holds (SPEC M-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.conf import settings
from msgspec import Meta

from memory.consents.models import Consent
from memory.consents.types import KEY_PATTERN
from memory.errors import CodedError, InvalidRequest
from memory.registries import ImportContext
from memory.types import Instant


class ConsentLine(msgspec.Struct, frozen=True):
    """What a user said to a purpose once."""

    id: UUID
    purpose: Annotated[str, Meta(pattern=KEY_PATTERN)]
    is_granted: bool
    actor: Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[!-~]+$")]
    recorded_at: Instant


def import_consents(rows: Sequence[Mapping[str, Any]], context: ImportContext) -> Sequence[bool | CodedError]:
    """Take over what a user said: True for a new line, False for one that is here. In a tenant scope. Writes."""
    return [_import(row, context) for row in rows]


def _import(row: Mapping[str, Any], context: ImportContext) -> bool | CodedError:
    try:
        line = msgspec.convert(row, ConsentLine)
    except msgspec.ValidationError:
        return InvalidRequest(fields={"consent": "is invalid for an export"})
    if line.recorded_at > context.now + settings.UNDE_TUNING.MAX_CLOCK_SKEW:
        return InvalidRequest(fields={"recorded_at": "is in the future"})
    user = context.user
    owner = Consent.objects.filter(tenant_id=user.tenant_id, id=line.id).values_list("user_id", flat=True).first()
    if owner is not None:
        return False if owner == user.id else InvalidRequest(fields={"id": "belongs to another user"})
    current = Consent.objects.filter(user_id=user.id, purpose_key=line.purpose, is_current=True)
    is_newest = not current.filter(recorded_at__gt=line.recorded_at).exists()
    if is_newest:
        current.update(is_current=False)
    Consent.objects.create(
        id=line.id,
        tenant_id=user.tenant_id,
        user_id=user.id,
        purpose_key=line.purpose,
        is_granted=line.is_granted,
        actor=line.actor,
        recorded_at=line.recorded_at,
        is_current=is_newest,
    )
    return True
