"""Lets a person accept a candidate as a fact (SPEC X-3, D-5, D-25)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.errors import Conflict, InvalidRequest, NotFound
from memory.extraction.types import Candidate
from memory.extraction.unproven.candidates import audit_judgement, open_candidate, promote_candidate
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.consents import refuse_withheld
from memory.fence.user_lock import lock_user
from memory.models import FactCandidate
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.types import FACTS_COVER, Fact, Statement, UserRef


class NewerKnown(Conflict):
    """The key has a newer fact, or one that was closed later than this was said."""

    code = "newer_known"
    default_message = "A newer value is known. The candidate stays."


def accept_candidate(*, user: UserRef, candidate_id: UUID, actor: str, now: datetime) -> Fact:
    """Make the open candidate a fact in the actor's name (`extracted_from` review); it is closed as promoted. Writes.

    A brand is refused: its second evidence is the user's to give (SPEC F-1). Raises NotFound, InvalidRequest,
    NewerKnown, ConsentMissing, UserErased, UserBusy.
    """
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        row = FactCandidate.objects.filter(user_id=user.id, id=candidate_id, status="open", expires_at__gt=now).first()
        if row is None:
            raise NotFound("This candidate does not exist.", fields={"candidate_id": "unknown"})
        if row.knowledge_type == "brand_preference":
            raise InvalidRequest(fields={"candidate_id": "a brand becomes a fact only when the user mentions it again"})
        refuse_withheld(user=user, kinds=[FACTS_COVER + row.knowledge_type])
        fact = _write_fact(open_candidate(row, vault=UserVault(user_id=user.id)), row, actor=actor, now=now)
        promote_candidate(user=user, candidate_id=row.id, fact_id=fact.id, now=now)
        audit_judgement("accept", user=user, candidate_id=row.id, actor=actor, now=now)
    return fact


def _write_fact(candidate: Candidate, row: FactCandidate, *, actor: str, now: datetime) -> Fact:
    user = UserRef(id=row.user_id, tenant_id=row.tenant_id)
    ledger = load_ledger(user=user, now=now)
    action = ledger.open_action(
        kind="extraction", said_at=candidate.last_said_at, message_id=candidate.evidence_message_ids[-1]
    )
    action.detail = {
        "run_id": str(row.run_id),
        "candidate_id": str(row.id),
        "operation": "add",
        "message_ids": [str(message_id) for message_id in candidate.evidence_message_ids],
    }
    change = ledger.set_fact(_make_statement(candidate), action=action)
    if change.action == "stored_inactive":
        raise NewerKnown
    save_ledger(ledger, user=user, actor=actor, now=now)
    return change.fact


def _make_statement(candidate: Candidate) -> Statement:
    return Statement(
        knowledge_type=candidate.knowledge_type,
        knowledge_key=candidate.knowledge_key,
        value=candidate.value,
        confidence=settings.UNDE_TUNING.REVIEWED_CONFIDENCE,
        extracted_from="review",
        said_at=candidate.last_said_at,
        provenance="confirmed_by_user",
        evidence_message_ids=candidate.evidence_message_ids,
        language=candidate.language,
    )
