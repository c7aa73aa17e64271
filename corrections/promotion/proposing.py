"""Proposals of a tenant, brought up to date with its users' facts: those that hold come, change and go (SPEC N-8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final
from uuid import UUID

from corrections.models.promotion import PromotionEvidence, PromotionProposal
from corrections.promotion.deciding import withdraw
from corrections.promotion.weighing import Holding, Shared, find_shared, read_value
from memory.facts.reading import list_active_facts
from memory.ids import new_id
from memory.models import User
from memory.sealing.vault import UserVault
from memory.selectors.messages import list_current_messages
from memory.tenants.scope import tenant_scope
from memory.types import Fact, UserRef

WINDOW: Final = timedelta(days=30)  # SPEC N-8
SESSION_GAP: Final = timedelta(minutes=30)  # as sessions of messages
PURPOSE: Final = "promotion"
PAGE: Final = 200


def propose(*, tenant_id: UUID, now: datetime) -> int:
    """Bring the proposals of a tenant up to date; how many wait. Opens scopes of its own. Writes."""
    shared = find_shared(list(list_holdings(tenant_id=tenant_id, now=now)))
    with tenant_scope(tenant_id):
        kept = [_store(tenant_id, one, now) for one in shared]
        for proposal in PromotionProposal.objects.filter(tenant_id=tenant_id).exclude(id__in=kept):
            if proposal.state != "refused":
                withdraw(proposal, now=now)
        return PromotionProposal.objects.filter(tenant_id=tenant_id, state="pending").count()


def list_holdings(*, tenant_id: UUID, now: datetime) -> Iterator[Holding]:
    """The facts of all users that may be proposed, a page of users a transaction. Reads only."""
    last: UUID | None = None
    while True:
        with tenant_scope(tenant_id):
            users = User.objects.filter(tenant_id=tenant_id, fenced_at=None).order_by("id")
            page = list((users.filter(id__gt=last) if last else users).values_list("id", flat=True)[:PAGE])
            found = [one for user in page for one in _read_user(UserRef(id=user, tenant_id=tenant_id), now)]
        yield from found
        if len(page) < PAGE:
            return
        last = page[-1]


def _read_user(user: UserRef, now: datetime) -> list[Holding]:
    facts = [(fact, value) for fact in list_active_facts(user=user, now=now) if (value := read_value(fact.value))]
    ids = [one for fact, _ in facts for one in fact.evidence_message_ids]
    said = {one: message.created_at for one, message in list_current_messages(user=user, message_ids=ids).items()}
    return [_hold(user, fact, value, said, now) for fact, value in facts]


def _hold(user: UserRef, fact: Fact, value: str, said: dict[UUID, datetime], now: datetime) -> Holding:
    times = sorted(said[one] for one in fact.evidence_message_ids if one in said and said[one] >= now - WINDOW)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    sessions = 1 + sum(gap > SESSION_GAP for gap in gaps) if times else 0
    return Holding(
        user_id=user.id,
        fact_id=fact.id,
        knowledge_type=fact.knowledge_type,
        knowledge_key=fact.knowledge_key,
        value=value,
        confidence=fact.confidence,
        seen=len(times),
        sessions=sessions,
        is_disputed=fact.is_disputed or fact.epistemic_type not in ("fact", "preference"),
    )


def _store(tenant_id: UUID, shared: Shared, now: datetime) -> UUID:
    """The proposal of a value, with the users behind it as they are now. One that was decided keeps its state."""
    figures = {
        "confidence": shared.confidence,
        "seen": shared.seen,
        "users": len({one.user_id for one in shared.holdings}),
        "sessions": shared.sessions,
        "conflict": shared.conflict,
        "updated_at": now,
    }
    found = PromotionProposal.objects.filter(
        tenant_id=tenant_id, knowledge_type=shared.knowledge_type, value=shared.value
    ).first()
    if found is None:
        found = PromotionProposal(
            id=new_id(),
            tenant_id=tenant_id,
            knowledge_type=shared.knowledge_type,
            value=shared.value,
            created_at=now,
            **figures,
        )
        PromotionProposal.objects.bulk_create([found])
    else:
        PromotionProposal.objects.filter(id=found.id).update(**figures)
    PromotionEvidence.objects.filter(proposal_id=found.id).delete()
    PromotionEvidence.objects.bulk_create(
        [
            PromotionEvidence(
                id=new_id(),
                tenant_id=tenant_id,
                user_id=one.user_id,
                proposal_id=found.id,
                sealed=UserVault(user_id=one.user_id).seal({"fact": str(one.fact_id)}, purpose=PURPOSE),
                seen=one.seen,
                found_at=now,
            )
            for one in {each.user_id: each for each in shared.holdings}.values()
        ]
    )
    return found.id
