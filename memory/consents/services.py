"""A user says yes or no to purposes. Data that may not be kept any more goes at once. The answer says what went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Max

from memory.consents.models import Consent
from memory.consents.selectors import list_consents
from memory.consents.types import KEY_PATTERN, ConsentOutcome, ConsentView
from memory.episodes.rebuilding import rebuild_user as cut_episodes_anew
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.errors import InvalidRequest
from memory.extraction.unproven.closing import close_unproven
from memory.fence.consents import list_withheld, name_types
from memory.fence.user_lock import enter_user
from memory.ids import new_id
from memory.kept.storing import delete_all_items
from memory.models import Message
from memory.outbox.services.events import record_event
from memory.services.withholding import close_withheld_facts
from memory.tenants.errors import MissingScope
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Scope, read_actor
from memory.types import KNOWLEDGE_TYPES, TenantRef, UserRef

REASON: Final = "consent_withdrawn"


def record_consents(
    *,
    tenant: TenantRef,
    user_external_id: str,
    choices: Mapping[str, bool],
    actor: str,
    now: datetime,
    may_erase: bool,
) -> ConsentOutcome:
    """Note what a user says to purposes, by their keys, all or nothing. Makes the user when it is new.

    Facts of types that no purpose covers any more are closed, kept items deleted, episodes removed, and an erasure of
    all messages is requested where none may be kept; the last and items need `may_erase`. Saying the same again changes
    nothing. Raises InvalidRequest for an unknown purpose, MissingScope, UserErased, UserBusy. Writes, audited.
    """
    with tenant_scope(tenant.id):
        user = enter_user(tenant_id=tenant.id, external_id=user_external_id, now=now)
        before = list_withheld(user=user)
        for view in _list_changed(list_consents(user=user), choices):
            _note(user, view, is_granted=choices[view.purpose.key], actor=actor, now=now)
        after = list_withheld(user=user)
        lost = after - before
        if not may_erase and lost & {"messages", "items"}:
            raise MissingScope(fields={"scope": Scope.ERASE.value})
        outcome = hold_to_consents(user=user, lost=lost, freed=before - after, actor=actor, now=now)
        erasure_id = _erase_messages(tenant, user, actor=actor, now=now) if "messages" in lost else None
        return ConsentOutcome(
            consents=tuple(list_consents(user=user)), withheld=tuple(sorted(after)), erasure_id=erasure_id, **outcome
        )


def hold_to_consents(
    *, user: UserRef, lost: frozenset[str], freed: frozenset[str], actor: str, now: datetime
) -> dict[str, int]:
    """Take away what may not be kept any more, but messages; how much of each. Under the user's lock. Writes."""
    types = name_types(lost)
    unproven = frozenset(KNOWLEDGE_TYPES) if "model" in lost else types
    counts = {
        "facts_closed": close_withheld_facts(user=user, types=types, actor=actor, now=now) if types else 0,
        "candidates_closed": close_unproven(user=user, types=unproven, with_items="model" in lost, now=now),
        "items_deleted": delete_all_items(user=user) if "items" in lost else 0,
    }
    if "episodes" in lost | freed:
        cut_episodes_anew(user)
    return counts


def _list_changed(views: list[ConsentView], choices: Mapping[str, bool]) -> list[ConsentView]:
    known = {view.purpose.key: view for view in views}
    unknown = sorted(set(choices) - set(known))
    if unknown:
        is_code = re.fullmatch(KEY_PATTERN, unknown[0])
        raise InvalidRequest(fields={f"consents.{unknown[0]}" if is_code else "consents": "names no purpose"})
    said = [known[key] for key in sorted(choices)]
    return [view for view in said if view.said_at is None or view.is_granted != choices[view.purpose.key]]


def _note(user: UserRef, view: ConsentView, *, is_granted: bool, actor: str, now: datetime) -> None:
    key = view.purpose.key
    Consent.objects.filter(user_id=user.id, purpose_key=key, is_current=True).update(is_current=False)
    Consent.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        purpose_key=key,
        is_granted=is_granted,
        actor=actor,
        recorded_at=now,
    )
    record_audit_event(
        tenant_id=user.tenant_id,
        actor=read_actor(actor),
        action="consent.grant" if is_granted else "consent.withdraw",
        now=now,
        object_type="consent",
        object_ids=[user.id, view.purpose.id],
    )
    data = {"purpose": key, "is_granted": is_granted}
    record_event("consent.changed", tenant_id=user.tenant_id, user=user, data=data)


def _erase_messages(tenant: TenantRef, user: UserRef, *, actor: str, now: datetime) -> UUID | None:
    newest = Message.objects.filter(user_id=user.id).aggregate(newest=Max("created_at"))["newest"]
    if newest is None:
        return None
    erasure = request_erasure(
        tenant=tenant,
        user_external_id=user.external_id,
        target=ErasureTarget(scope="range", said_to=max(now, newest) + timedelta(microseconds=1)),
        reason=REASON,
        actor=actor,
        now=now,
    )
    return erasure.id
