"""From decisions to the ledger: facts set, closed or doubted, candidates staged and promoted. Under the user's lock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from memory.extraction.types import Applied, Decision
from memory.extraction.unproven.candidates import promote_candidate, stage_candidate
from memory.extraction.unproven.items import drop_item, keep_item
from memory.facts.ledger import FactLedger, PendingAction
from memory.types import Fact, FactChange, UserRef
from patterns.rules.ruleset import RuleSet


def apply_decisions(
    decisions: Iterable[Decision],
    *,
    ledger: FactLedger,
    user: UserRef,
    run_id: UUID,
    rules: RuleSet,
    now: datetime,
) -> list[Applied]:
    """Carry decisions out in order. Facts change in the ledger, which the caller saves; candidates are written."""
    applied = []
    for decision in decisions:
        if decision.effect == "stage":
            stage_candidate(decision, user=user, run_id=run_id, now=now)
        if decision.item is not None:
            keep_item(decision.item, user=user, run_id=run_id, now=now)
        if decision.item_id is not None:
            drop_item(user=user, item_id=decision.item_id, now=now)
        if decision.effect not in ("set", "deactivate", "dispute"):
            applied.append(Applied(decision, decision.result))
            continue
        change = _change_fact(decision, ledger=ledger, run_id=run_id, rules=rules)
        is_kept = change is not None and change.action != "stored_inactive"
        applied.append(Applied(decision, decision.result if is_kept else "stored_inactive", change))
        if change is not None and is_kept and decision.candidate_id is not None:
            promote_candidate(user=user, candidate_id=decision.candidate_id, fact_id=change.fact.id, now=now)
    return applied


def _change_fact(decision: Decision, *, ledger: FactLedger, run_id: UUID, rules: RuleSet) -> FactChange | None:
    action = _open_action(decision, ledger=ledger, run_id=run_id, rules=rules)
    if decision.effect == "set":
        assert decision.statement is not None
        return ledger.set_fact(decision.statement, action=action)
    fact = _find_fact(ledger, decision.fact_id)
    if fact is None:
        return None
    if decision.effect == "dispute":
        return ledger.dispute_fact(fact, action=action)
    return ledger.deactivate_fact(fact, action=action)


def _open_action(decision: Decision, *, ledger: FactLedger, run_id: UUID, rules: RuleSet) -> PendingAction:
    assert decision.said_at is not None
    action = ledger.open_action(
        kind="extraction", said_at=decision.said_at, message_id=decision.evidence_message_ids[-1]
    )
    action.rule_set_version = rules.version
    action.detail = {
        "run_id": str(run_id),
        "operation": decision.operation.operation.lower(),
        "message_ids": [str(message_id) for message_id in decision.evidence_message_ids],
    }
    return action


def _find_fact(ledger: FactLedger, fact_id: UUID | None) -> Fact | None:
    return next((fact for fact in ledger.list_facts() if fact.id == fact_id), None)
