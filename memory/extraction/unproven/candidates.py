"""Staged facts wait for a second evidence, become facts with it, or expire (SPEC X-3). Words are sealed (D-15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count

from memory.errors import NotFound
from memory.extraction.types import Candidate, Decision
from memory.extraction.unproven.restoring import restore_rows
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.models import FactCandidate
from memory.outbox.services.events import record_event
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef

PURPOSE = "candidate"
UNKNOWN_ALLERGEN = "unknown_allergen"


def list_open_candidates(*, user: UserRef) -> list[Candidate]:
    """The user's open candidates, oldest first."""
    return _open_all(FactCandidate.objects.filter(user_id=user.id, status="open"), user)


def list_tenant_candidates(*, tenant_id: UUID, status: str, before: datetime | None, limit: int) -> list[FactCandidate]:
    """Candidates of all users in one state, the last changed first; sealed. Index: candidates_of_a_tenant."""
    rows = FactCandidate.objects.filter(tenant_id=tenant_id, status=status)
    if before is not None:
        rows = rows.filter(updated_at__lt=before)
    return list(rows.order_by("-updated_at", "-id")[:limit])


def count_candidates(*, tenant_id: UUID) -> dict[str, int]:
    """How many candidates of a tenant are in each state."""
    rows = FactCandidate.objects.filter(tenant_id=tenant_id).values_list("status").annotate(count=Count("id"))
    return dict(rows)


def _open_all(rows: Any, user: UserRef) -> list[Candidate]:
    vault = UserVault(user_id=user.id)
    return [open_candidate(row, vault=vault) for row in rows.order_by("id")]


def open_candidate(row: FactCandidate, *, vault: UserVault) -> Candidate:
    """A row with its key and value unsealed. Raises SealBroken, UserKeyDestroyed."""
    content = vault.open(row.sealed, purpose=PURPOSE)
    return Candidate(
        id=row.id,
        kind=row.kind,
        knowledge_type=row.knowledge_type,
        knowledge_key=content["key"],
        value=content["value"],
        confidence=row.confidence,
        evidence_message_ids=tuple(row.evidence_message_ids),
        first_said_at=row.first_said_at,
        last_said_at=row.last_said_at,
        expires_at=row.expires_at,
        language=row.language,
    )


def stage_candidate(decision: Decision, *, user: UserRef, run_id: UUID, now: datetime) -> UUID:
    """Store what a decision stages: a new candidate, or more evidence for the open one; its id. Writes under the lock.

    Another value for the same key replaces the older candidate: what was said last counts.
    """
    statement = decision.statement
    assert statement is not None
    vault = UserVault(user_id=user.id)
    key_hash = vault.fingerprint(statement.knowledge_type, statement.knowledge_key)
    waiting = FactCandidate.objects.filter(
        user_id=user.id, knowledge_type=statement.knowledge_type, key_hash=key_hash, status="open"
    ).first()
    if waiting is not None and vault.open(waiting.sealed, purpose=PURPOSE)["value"] == statement.value:
        return _add_evidence(waiting, decision, run_id=run_id, now=now)
    if waiting is not None:
        _update(user, [waiting.id], status="replaced", updated_at=now)
    row = FactCandidate(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        kind=decision.candidate_kind,
        status="open",
        knowledge_type=statement.knowledge_type,
        key_hash=key_hash,
        sealed=vault.seal({"key": statement.knowledge_key, "value": statement.value}, purpose=PURPOSE),
        confidence=statement.confidence,
        language=statement.language,
        evidence_message_ids=list(statement.evidence_message_ids),
        run_id=run_id,
        first_said_at=statement.said_at,
        last_said_at=statement.said_at,
        expires_at=now + settings.UNDE_TUNING.CANDIDATE_LIFETIME,
        created_at=now,
        updated_at=now,
    )
    row.save(force_insert=True)
    data = {"candidate_id": row.id, "kind": row.kind, "knowledge_type": row.knowledge_type}
    record_event("candidate.waiting", tenant_id=user.tenant_id, user=user, data=data)
    return row.id


def _add_evidence(waiting: FactCandidate, decision: Decision, *, run_id: UUID, now: datetime) -> UUID:
    statement = decision.statement
    assert statement is not None
    evidence = list(dict.fromkeys([*waiting.evidence_message_ids, *statement.evidence_message_ids]))
    user = UserRef(id=waiting.user_id, tenant_id=waiting.tenant_id)
    _update(
        user,
        [waiting.id],
        evidence_message_ids=evidence[-settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES :],
        confidence=max(waiting.confidence, statement.confidence),
        last_said_at=max(waiting.last_said_at, statement.said_at),
        run_id=run_id,
        expires_at=now + settings.UNDE_TUNING.CANDIDATE_LIFETIME,
        updated_at=now,
    )
    return waiting.id


def promote_candidate(*, user: UserRef, candidate_id: UUID, fact_id: UUID, now: datetime) -> None:
    """The second evidence has come: the candidate is closed and names its fact. Writes under the user's lock."""
    _update(user, [candidate_id], status="promoted", fact_id=fact_id, updated_at=now)


def expire_user_candidates(*, user: UserRef, now: datetime) -> int:
    """Close this user's candidates whose time is up; returns how many. Writes under the user's lock."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = FactCandidate.objects.filter(user_id=user.id, status="open", expires_at__lte=now)
        return rows.update(status="expired", updated_at=now)


def dismiss_candidate(*, user: UserRef, candidate_id: UUID, actor: str, now: datetime) -> None:
    """A person says that it is not so: the candidate stops waiting and is shown no more. Writes under the lock.

    Raises NotFound, UserErased, UserBusy.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = FactCandidate.objects.filter(user_id=user.id, id=candidate_id, status="open")
        if rows.update(status="dismissed", updated_at=now) == 0:
            raise NotFound("This candidate does not exist.", fields={"candidate_id": "unknown"})
        audit_judgement("dismiss", user=user, candidate_id=candidate_id, actor=actor, now=now)


def audit_judgement(verb: str, *, user: UserRef, candidate_id: UUID, actor: str, now: datetime) -> None:
    """Write to the audit trail what staff made of a candidate. Part of the caller's transaction."""
    record_staff_act(
        tenant_id=user.tenant_id,
        actor=actor,
        action=f"candidate.{verb}",
        now=now,
        object_type="candidate",
        object_ids=[candidate_id, user.id],
    )


def hide_candidates(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """The forget step: candidates that rest on forgotten messages stop waiting (SPEC G-1). Writes."""
    rows = FactCandidate.objects.filter(user_id=user.id, status="open", evidence_message_ids__overlap=list(message_ids))
    return {"candidates_hidden": rows.update(status="forgotten")}


def restore_candidates(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """The way back of `hide_candidates`; a key that waits again meanwhile keeps the newer candidate."""
    restored = restore_rows(
        FactCandidate,
        user=user,
        message_ids=message_ids,
        kind="knowledge_type",
        held=("open",),
        choose_status=lambda row: "open",
    )
    return {"candidates_restored": restored}


def export_candidates(user: UserRef) -> Iterator[dict[str, Any]]:
    """The user's open candidates as JSON objects: what a person sees about themselves is complete (SPEC F-7)."""
    with tenant_scope(user.tenant_id):
        held = list_open_candidates(user=user)
    for candidate in held:
        fields = {name: getattr(candidate, name) for name in candidate.__dataclass_fields__}
        yield {**fields, "kind": "candidate", "waits_for": candidate.kind}


def _update(user: UserRef, ids: Iterable[UUID], **values: Any) -> int:
    return FactCandidate.objects.filter(user_id=user.id, id__in=list(ids)).update(**values)
