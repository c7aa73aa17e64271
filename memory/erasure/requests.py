"""Asking for an erasure: tombstone, fence, work list and invisibility in one transaction (SPEC G-2, D-29)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Max

from memory.erasure.deadlines import DEFAULT_PROFILE, SHIPPED_PROFILES, Deadline, find_deadline, load_profiles
from memory.erasure.hiding import fix_items, hide_items
from memory.erasure.history import move_to, note
from memory.erasure.selectors import find_erasure_by, find_last_erasure_of_subject, show_erasure
from memory.erasure.types import REASON_PATTERN, SCOPES, ErasureTarget, ErasureView
from memory.erasure.worker import count_rows
from memory.errors import InvalidRequest, NotFound, UserErased
from memory.fence.subjects import make_conversation_hmac, make_fingerprint, make_message_hmac
from memory.fence.tombstones import lay_tombstone
from memory.fence.user_lock import is_open_after_lock
from memory.ids import new_id
from memory.metrics import ERASURES_REQUESTED
from memory.models import Conversation, ErasureItem, ErasureRequest, Message, Tombstone, User
from memory.outbox.services.events import record_event
from memory.selectors.users import UserNotFound
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.audit import record_audit_event
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import read_actor
from memory.tracing import traced
from memory.types import ErasureScope, TenantRef, UserRef

GRACE_OVER = "forget_grace_over"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request on its way in."""

    user: UserRef
    zone: ZoneInfo
    target: ErasureTarget
    reason: str
    actor: str
    now: datetime
    fingerprint: bytes


@traced("unde.erasure.request", operation="delete_memory")
def request_erasure(
    *, tenant: TenantRef, user_external_id: str, target: ErasureTarget, reason: str, actor: str, now: datetime
) -> ErasureView:
    """Take an erasure on: from the commit on nothing of it is visible and nothing of it can be written again.

    The same request again answers the same erasure; when there is something new to erase, it is a new one. Raises
    InvalidRequest, UserNotFound, NotFound for a conversation or messages that are not there, UserErased for a part of
    a user who is being erased as a whole, UserBusy. Writes.
    """
    check_target(target, reason=reason)
    with tenant_scope(tenant.id, statement_timeout_ms=settings.UNDE_TUNING.ERASURE_STATEMENT_TIMEOUT_MS):
        user = _find_user(tenant.id, user_external_id)
        is_open = user is not None and is_open_after_lock(user=user)
        if user is None or not is_open:
            return _answer_closed_user(tenant.id, user_external_id, target)
        asked = _Asked(
            user=user,
            zone=tenant.zone,
            target=target,
            reason=reason,
            actor=actor,
            now=now,
            fingerprint=make_fingerprint(tenant_id=tenant.id, asked=_describe_target(user, target)),
        )
        erasure = _erase_user(asked) if target.scope == "all" else _erase_part(asked)
        return show_erasure(user=user, erasure_id=erasure)


def request_erasure_of_forgotten(*, user: UserRef, message_ids: Sequence[UUID], now: datetime) -> UUID:
    """Take on the erasure of messages whose grace period is over (D-28). Part of the caller's transaction, under the
    user's lock. Returns the erasure's id. Writes.
    """
    external_id = User.objects.values_list("external_id", flat=True).get(id=user.id)
    tenant = find_tenant(tenant_id=user.tenant_id)
    owner = replace(user, external_id=external_id)
    target = ErasureTarget(scope="messages", message_ids=tuple(message_ids))
    return _erase_part(
        _Asked(
            user=owner,
            zone=ZoneInfo(tenant.timezone if tenant else "UTC"),
            target=target,
            reason=GRACE_OVER,
            actor="system",
            now=now,
            fingerprint=make_fingerprint(tenant_id=user.tenant_id, asked=_describe_target(owner, target)),
        )
    )


def check_target(target: ErasureTarget, *, reason: str) -> None:
    """Raise InvalidRequest unless the scope has exactly what it needs and the reason is a code."""
    if not re.fullmatch(REASON_PATTERN, reason):
        raise InvalidRequest(fields={"reason": "must be a code of lower-case letters, digits and underscores"})
    if target.scope not in SCOPES:
        raise InvalidRequest(fields={"scope": f"must be one of {', '.join(SCOPES)}"})
    given = {
        "conversation_id": target.conversation_external_id is not None,
        "message_ids": bool(target.message_ids),
        "from": target.said_from is not None,
        "to": target.said_to is not None,
    }
    belongs = {"conversation": {"conversation_id"}, "messages": {"message_ids"}, "range": {"from", "to"}}
    for name, is_given in given.items():
        if is_given and name not in belongs.get(target.scope, set()):
            raise InvalidRequest(fields={name: f"is not for the scope {target.scope}"})
    if target.scope != "all" and not any(given.values()):
        raise InvalidRequest(fields={sorted(belongs[target.scope])[0]: f"is needed for the scope {target.scope}"})
    if len(target.message_ids) > settings.UNDE_TUNING.MAX_ERASE_MESSAGES:
        raise InvalidRequest(
            fields={"message_ids": f"must name at most {settings.UNDE_TUNING.MAX_ERASE_MESSAGES} messages"}
        )
    if target.said_from and target.said_to and target.said_from >= target.said_to:
        raise InvalidRequest(fields={"to": "must be later than from"})


# --- a whole user -----------------------------------------------------------------------------------------------------


def _erase_user(asked: _Asked) -> UUID:
    newest = Message.objects.filter(user_id=asked.user.id).aggregate(newest=Max("created_at"))["newest"]
    tombstone = lay_tombstone(
        user=asked.user, scope="all", now=asked.now, erased_up_to=max(asked.now, newest or asked.now)
    )
    User.objects.filter(id=asked.user.id).update(fenced_at=asked.now)
    return _write_request(asked, tombstone).id


def _answer_closed_user(tenant_id: UUID, external_id: str, target: ErasureTarget) -> ErasureView:
    """The user is fenced or gone: asked again as a whole, the answer is the erasure that did it."""
    found = find_last_erasure_of_subject(tenant_id=tenant_id, external_id=external_id)
    if found is None:
        raise UserNotFound(fields={"user_id": "No message or fact of this user is stored."})
    if target.scope != "all":
        raise UserErased
    return found


# --- a part -----------------------------------------------------------------------------------------------------------


def _erase_part(asked: _Asked) -> UUID:
    user, target = asked.user, asked.target
    earlier = find_erasure_by(user=user, fingerprint=asked.fingerprint)
    if earlier is not None and earlier.status != "completed":
        return earlier.id
    conversation = _find_conversation(user, target)
    if not _is_there(user, target, conversation):
        if earlier is not None:
            return earlier.id
        _raise_not_found(target)
    newest = _find_newest(user, target, conversation)
    tombstone = lay_tombstone(
        user=user,
        scope=target.scope,
        now=asked.now,
        erased_up_to=max(asked.now, newest or asked.now),
        conversation_id=conversation.id if conversation else None,
        message_ids=target.message_ids or None,
        said_from=target.said_from,
        said_to=target.said_to,
        refused_hmacs=_list_refused(user, target, conversation),
    )
    request = _write_request(asked, tombstone)
    scope = ErasureScope(user=user, erasure_id=request.id, is_whole=False)
    fix_items(
        scope=scope,
        target=target,
        conversation_id=conversation.id if conversation else None,
        erased_up_to=tombstone.erased_up_to,
    )
    # Counted before they are hidden, for that takes derived rows away at once.
    ErasureRequest.objects.filter(user_id=user.id, id=request.id).update(counts={"before": count_rows(scope)})
    hide_items(scope=scope, actor=asked.actor, now=asked.now)
    return request.id


def _find_conversation(user: UserRef, target: ErasureTarget) -> Conversation | None:
    if target.scope != "conversation":
        return None
    return Conversation.objects.filter(user_id=user.id, external_id=target.conversation_external_id).first()


def _is_there(user: UserRef, target: ErasureTarget, conversation: Conversation | None) -> bool:
    """Whether there is something to erase. An empty range may be erased: nothing can be imported into it afterwards."""
    if target.scope == "messages":
        found = Message.objects.filter(user_id=user.id, id__in=target.message_ids).values_list("id", flat=True)
        taken = ErasureItem.objects.filter(user_id=user.id, message_id__in=target.message_ids)
        known = {*found, *taken.values_list("message_id", flat=True)}
        if found and len(known) < len(set(target.message_ids)):
            _raise_not_found(target)
        return bool(found)
    if target.scope == "range":
        return not _is_range_erased(user, target)
    return conversation is not None


def _is_range_erased(user: UserRef, target: ErasureTarget) -> bool:
    """Whether an earlier erasure of just this range left nothing: then the same request is the same erasure."""
    rows = Message.objects.filter(user_id=user.id)
    rows = rows.filter(created_at__gte=target.said_from) if target.said_from else rows
    rows = rows.filter(created_at__lt=target.said_to) if target.said_to else rows
    tombstones = Tombstone.objects.filter(
        user_id=user.id, scope="range", said_from=target.said_from, said_to=target.said_to
    )
    return tombstones.exists() and not rows.exists()


def _find_newest(user: UserRef, target: ErasureTarget, conversation: Conversation | None) -> datetime | None:
    rows = Message.objects.filter(user_id=user.id)
    if conversation is not None:
        rows = rows.filter(conversation_id=conversation.id)
    if target.scope == "messages":
        rows = rows.filter(id__in=target.message_ids)
    if target.said_to is not None:
        rows = rows.filter(created_at__lt=target.said_to)
    newest: datetime | None = rows.aggregate(newest=Max("created_at"))["newest"]
    return newest


def _list_refused(user: UserRef, target: ErasureTarget, conversation: Conversation | None) -> list[str]:
    if conversation is not None:
        return [
            make_conversation_hmac(
                tenant_id=user.tenant_id,
                user_external_id=user.external_id,
                conversation_external_id=conversation.external_id,
            )
        ]
    if target.scope != "messages":
        return []
    rows = Message.objects.filter(user_id=user.id, id__in=target.message_ids).exclude(client_id=None)
    named = list(rows.values_list("conversation_id", "client_id"))
    names = dict(
        Conversation.objects.filter(user_id=user.id, id__in={c for c, _ in named}).values_list("id", "external_id")
    )
    return [
        make_message_hmac(
            tenant_id=user.tenant_id,
            user_external_id=user.external_id,
            conversation_external_id=names[conversation_id],
            client_id=client_id,
        )
        for conversation_id, client_id in named
        if client_id
    ]


def _raise_not_found(target: ErasureTarget) -> None:
    if target.scope == "conversation":
        raise NotFound("This conversation does not exist.", fields={"conversation_id": "unknown"})
    raise NotFound("Some of these messages do not exist.", fields={"message_ids": "are not all messages of this user"})


# --- the request itself -----------------------------------------------------------------------------------------------


def _write_request(asked: _Asked, tombstone: Tombstone) -> ErasureRequest:
    profile, deadline = find_tenant_deadline(tenant_id=asked.user.tenant_id, zone=asked.zone, now=asked.now)
    request = ErasureRequest(
        id=new_id(),
        tenant_id=asked.user.tenant_id,
        user_id=asked.user.id,
        tombstone_id=tombstone.id,
        fingerprint=asked.fingerprint,
        scope=asked.target.scope,
        reason=asked.reason,
        actor=asked.actor,
        status="requested",
        legal_profile=profile,
        requested_at=asked.now,
        warning_at=deadline.warning_at,
        critical_at=deadline.critical_at,
        deadline_at=deadline.at,
        available_at=asked.now,
    )
    request.save(force_insert=True)
    _walk(asked.user, request.id, ("requested", "verified", "tombstoned", "queued"), asked.now)
    record_audit_event(
        tenant_id=asked.user.tenant_id,
        actor=read_actor(asked.actor),
        action="erasure.request",
        now=asked.now,
        object_type="erasure",
        object_ids=[request.id, asked.user.id],
    )
    record_event(
        "erasure.requested",
        tenant_id=asked.user.tenant_id,
        user=asked.user,
        data={"erasure_id": request.id, "scope": request.scope, "deadline_at": request.deadline_at},
    )
    ERASURES_REQUESTED.labels(asked.target.scope).inc()
    return request


def _walk(user: UserRef, erasure_id: UUID, statuses: Iterable[str], now: datetime) -> None:
    """The first states are one transaction: whose user it is and what is in scope was just looked at."""
    first, *others = statuses
    note(user=user, erasure_id=erasure_id, status=first, now=now)
    for status in others:
        move_to(user=user, erasure_id=erasure_id, status=status, now=now)


def find_tenant_deadline(*, tenant_id: UUID, zone: ZoneInfo, now: datetime) -> tuple[str, Deadline]:
    """The legal profile that the tenant names and the deadline it gives. A profile that is not there is the default."""
    tenant = find_tenant(tenant_id=tenant_id)
    profiles = load_profiles(Path(settings.UNDE_LEGAL_PROFILES or SHIPPED_PROFILES))
    name = read_settings(tenant).legal_profile if tenant else DEFAULT_PROFILE
    profile = profiles.get(name) or profiles[DEFAULT_PROFILE]
    return profile.name, find_deadline(profile=profile, requested_at=now, zone=zone)


def _find_user(tenant_id: UUID, external_id: str) -> UserRef | None:
    user_id = User.objects.filter(tenant_id=tenant_id, external_id=external_id).values_list("id", flat=True).first()
    return UserRef(id=user_id, tenant_id=tenant_id, external_id=external_id) if user_id else None


def _describe_target(user: UserRef, target: ErasureTarget) -> dict[str, Any]:
    return {
        "user_id": str(user.id),
        "scope": target.scope,
        "conversation_id": target.conversation_external_id,
        "message_ids": sorted(str(message_id) for message_id in target.message_ids),
        "from": target.said_from.timestamp() if target.said_from else None,
        "to": target.said_to.timestamp() if target.said_to else None,
    }
