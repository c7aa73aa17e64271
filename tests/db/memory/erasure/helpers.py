"""What the tests of erasure share: asking, carrying out, and facts that rest on chosen messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.erasure.requests import request_erasure
from memory.erasure.selectors import get_erasure
from memory.erasure.types import ErasureTarget, ErasureView
from memory.erasure.worker import run_erasure
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.tenants.scope import tenant_scope
from memory.types import Statement, UserRef
from tests.cast import Chatter


def ask(person: Chatter, *, now: datetime | None = None, reason: str = "user_request", **target: Any) -> ErasureView:
    """Ask for an erasure of this person, or of a part."""
    return request_erasure(
        tenant=person.tenant,
        user_external_id=person.name,
        target=ErasureTarget(**target),
        reason=reason,
        actor="key:test",
        now=now or timezone.now(),
    )


def carry_out(person: Chatter, erasure: ErasureView, **more: Any) -> ErasureView:
    """Let the worker do one turn at it; the erasure afterwards."""
    user = UserRef(id=erasure.user_id, tenant_id=person.tenant.id)
    run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now, **more)
    return look_at(person, erasure)


def look_at(person: Chatter, erasure: ErasureView) -> ErasureView:
    """The erasure as it is now."""
    with tenant_scope(person.tenant.id):
        return get_erasure(tenant_id=person.tenant.id, erasure_id=erasure.id)


def learn(
    person: Chatter,
    value: Any,
    *,
    evidence: Sequence[UUID],
    knowledge_type: str = "body_params",
    knowledge_key: str = "size",
    extracted_from: str = "instant_pattern",
    reason: str | None = None,
) -> UUID:
    """Write a fact that rests on these messages, as an ingest step would; its id."""
    now = timezone.now()
    user = person.ref
    with tenant_scope(person.tenant.id):
        lock_user(user=user)
        ledger = load_ledger(user=user, now=now)
        action = ledger.open_action(kind="instant", said_at=now, message_id=evidence[0] if evidence else None)
        action.secret = {"reason": reason} if reason else None
        change = ledger.set_fact(
            Statement(
                knowledge_type=knowledge_type,
                knowledge_key=knowledge_key,
                value=value,
                confidence=0.7 if extracted_from == "batch" else 0.95,
                provenance="analysis" if extracted_from == "batch" else "confirmed_by_user",
                extracted_from=extracted_from,
                said_at=now,
                evidence_message_ids=tuple(evidence),
            ),
            action=action,
        )
        save_ledger(ledger, user=user, actor="system", now=now)
    return change.fact.id
