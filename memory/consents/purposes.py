"""Purposes made, reworded, narrowed and ended by an operator. Audited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.consents.models import Purpose
from memory.consents.selectors import get_purpose, list_purposes
from memory.consents.types import AGEING_KINDS, KEY_PATTERN, PurposeGrows, PurposeInput, PurposeView
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor
from memory.types import KEPT_KINDS
from memory.visits.types import LOCALES


def put_purpose(*, tenant_id: UUID, wanted: PurposeInput, actor: Actor, now: datetime) -> PurposeView:
    """Make a purpose, or change the one of that key: its words, or to less than it was.

    Raises InvalidRequest, and PurposeGrows where more would be kept than users were told. Writes, audited.
    """
    check_purpose(wanted)
    with tenant_scope(tenant_id):
        row = Purpose.objects.select_for_update().filter(tenant_id=tenant_id, key=wanted.key).first()
        if row is None:
            _refuse_too_many(tenant_id)
            row = Purpose(id=new_id(), tenant_id=tenant_id, key=wanted.key, created_at=now)
        else:
            _refuse_growth(row, wanted)
        row.names, row.texts = dict(wanted.names), dict(wanted.texts)
        row.covers = [kind for kind in KEPT_KINDS if kind in wanted.covers]
        row.is_granted_by_default = wanted.is_granted_by_default
        row.is_changeable, row.kept_days, row.changed_at = wanted.is_changeable, wanted.kept_days, now
        row.save()
        _audit(row, "purpose.change" if row.created_at < now else "purpose.create", actor, now)
        return get_purpose(tenant_id=tenant_id, key=wanted.key)


def end_purpose(*, tenant_id: UUID, key: str, actor: Actor, now: datetime) -> None:
    """End a purpose: it covers nothing any more. Its key stays taken. Raises NotFound. Writes, audited."""
    with tenant_scope(tenant_id):
        row = Purpose.objects.get(tenant_id=tenant_id, id=get_purpose(tenant_id=tenant_id, key=key).id)
        row.ended_at = row.changed_at = now
        row.save(update_fields=["ended_at", "changed_at"])
        _audit(row, "purpose.end", actor, now)


def check_purpose(wanted: PurposeInput) -> None:
    """Raise InvalidRequest that names the field which is wrong. Pure."""
    problems = {
        "key": None if re.fullmatch(KEY_PATTERN, wanted.key) else "must be lower-case letters, digits and underscores",
        "names": _find_problem(wanted.names, longest=settings.UNDE_TUNING.PURPOSE_NAME_CHARACTERS),
        "texts": _find_problem(wanted.texts, longest=settings.UNDE_TUNING.PURPOSE_TEXT_CHARACTERS),
        "covers": _find_bad_covers(wanted.covers),
        "kept_days": _find_bad_days(wanted),
    }
    wrong = {name: problem for name, problem in problems.items() if problem}
    if wrong:
        raise InvalidRequest(fields=wrong)


def _find_problem(texts: Mapping[str, str], *, longest: int) -> str | None:
    if not texts.get("en", "").strip():
        return "must have English words (en)"
    if not set(texts) <= set(LOCALES):
        return f"must be by language: {', '.join(LOCALES)}"
    if any(not text.strip() or len(text) > longest or "\0" in text for text in texts.values()):
        return f"must have 1 to {longest} characters in each language"
    return None


def _find_bad_covers(covers: tuple[str, ...]) -> str | None:
    return None if covers and set(covers) <= set(KEPT_KINDS) else f"must be one or more of {', '.join(KEPT_KINDS)}"


def _find_bad_days(wanted: PurposeInput) -> str | None:
    if wanted.kept_days is None:
        return None
    if AGEING_KINDS.isdisjoint(wanted.covers):
        return f"is only for {' and '.join(sorted(AGEING_KINDS))}: the rest goes with the messages"
    longest = settings.UNDE_TUNING.MAX_RETENTION_DAYS
    return None if 1 <= wanted.kept_days <= longest else f"must be from 1 to {longest}"


def _refuse_growth(row: Purpose, wanted: PurposeInput) -> None:
    for_ever = settings.UNDE_TUNING.MAX_RETENTION_DAYS + 1
    grown = {
        "key": (row.ended_at is not None, "names a purpose that has ended"),
        "covers": (not set(wanted.covers) <= set(row.covers), "may not become more"),
        "kept_days": ((wanted.kept_days or for_ever) > (row.kept_days or for_ever), "may not be longer"),
        "is_granted_by_default": (
            wanted.is_granted_by_default and not row.is_granted_by_default,
            "may not be granted for those who were told that they would be asked",
        ),
    }
    fields = {name: problem for name, (is_grown, problem) in grown.items() if is_grown}
    if fields:
        raise PurposeGrows(fields=fields)


def _refuse_too_many(tenant_id: UUID) -> None:
    if len(list_purposes(tenant_id=tenant_id)) >= settings.UNDE_TUNING.MAX_PURPOSES:
        raise InvalidRequest(fields={"key": f"a tenant has at most {settings.UNDE_TUNING.MAX_PURPOSES} purposes"})


def _audit(row: Purpose, action: str, actor: Actor, now: datetime) -> None:
    record_audit_event(
        tenant_id=row.tenant_id, actor=actor, action=action, now=now, object_type="purpose", object_ids=[row.id]
    )
