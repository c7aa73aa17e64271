"""Facts of one user that versions of a rule made: closed by an action, and opened again by another (D-1).

A rebuild carries the closing out only on facts that those versions made: what a corrected version reads stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.facts.reading import list_facts_by_id
from memory.facts.writing import get_fact_ids, load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.models import Action
from memory.tenants.scope import tenant_scope
from memory.types import Fact, UserRef


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Which work closes or opens facts of which versions of a rule, in whose name."""

    job_id: UUID
    rule: str
    versions: Sequence[int]
    actor: str
    now: datetime


def close_facts(*, user: UserRef, withdrawal: Withdrawal) -> Counter[str]:
    """Close what the versions taught about a user; asked again, it does nothing. Raises UserBusy, UserErased."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        ledger = load_ledger(user=user, now=withdrawal.now)
        resting = [fact for fact in ledger.list_facts() if rests_on(fact, withdrawal.rule, withdrawal.versions)]
        if not resting:
            return Counter()
        action = ledger.open_action(kind="withdraw", said_at=withdrawal.now)
        action.detail = _describe(withdrawal)
        for fact in resting:
            ledger.deactivate_fact(fact, action=action, at=max(withdrawal.now, fact.valid_at))
        save_ledger(ledger, user=user, actor=withdrawal.actor, now=withdrawal.now)
    return Counter(closed=len(resting))


def reopen_facts(*, user: UserRef, of_job_id: UUID, withdrawal: Withdrawal) -> Counter[str]:
    """Open again what a work closed. A key that has a newer value keeps it. Raises UserBusy, UserErased. Writes."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        closed = _list_closed(user, of_job_id)
        if not closed:
            return Counter()
        ledger = load_ledger(user=user, now=withdrawal.now)
        action = ledger.open_action(kind="restore", said_at=withdrawal.now)
        action.detail = _describe(withdrawal) | {"of_job_id": str(of_job_id)}
        changes = [ledger.reopen_fact(fact, action=action) for fact in closed]
        save_ledger(ledger, user=user, actor=withdrawal.actor, now=withdrawal.now)
    names = Counter(change.action for change in changes)
    return Counter(reopened=names["restored"], kept_closed=names["stored_inactive"])


def rests_on(fact: Fact, rule: str, versions: Sequence[int]) -> bool:
    """Whether one of the versions of the rule made the fact. Pure."""
    return fact.rule == rule and fact.rule_version in versions


def _describe(withdrawal: Withdrawal) -> dict[str, object]:
    return {
        "job_id": str(withdrawal.job_id),
        "rule": withdrawal.rule,
        "rule_versions": list(withdrawal.versions),
    }


def _list_closed(user: UserRef, of_job_id: UUID) -> list[Fact]:
    """Facts that the work closed and nothing touched since: inactive since that moment, and not superseded."""
    actions = Action.objects.filter(user_id=user.id, kind="withdraw", detail__job_id=str(of_job_id))
    moments = {fact_id: action.said_at for action in actions for fact_id in get_fact_ids(action.effects)}
    facts = list_facts_by_id(user=user, fact_ids=moments)
    return [
        fact
        for fact in facts.values()
        if not fact.is_active and fact.superseded_by is None and fact.invalid_at == max(moments[fact.id], fact.valid_at)
    ]
