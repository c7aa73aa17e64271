"""Moves the confidence of one user's facts by what was said of them: each adjustment is an action of the log (P-9)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

from corrections.quality.calibration.rules import Adjustment, adjust_confidence
from corrections.quality.calibration.uses import JudgedFact, list_judged_facts
from memory.facts.ledger import FactLedger
from memory.facts.writing import load_ledger, save_ledger
from memory.types import Fact, UserRef

ACTOR: Final = "system:calibration"


def adjust_user(*, user: UserRef, night: date, now: datetime) -> list[Adjustment]:
    """Adjust what the night's rules say of the user's facts, each fact at most once a night. Writes.

    Under the user's lock, in a tenant scope.
    """
    judged = [one for one in list_judged_facts(user=user, now=now) if one.night is None or one.night < night]
    if not judged:
        return []
    ledger = load_ledger(user=user, now=now)
    facts = {fact.id: fact for fact in ledger.list_facts()}
    found = [_adjust(ledger, facts[one.fact_id], one, night, now) for one in judged if one.fact_id in facts]
    if any(found):
        save_ledger(ledger, user=user, actor=ACTOR, now=now)
    return [one for one in found if one is not None]


def _adjust(ledger: FactLedger, fact: Fact, judged: JudgedFact, night: date, now: datetime) -> Adjustment | None:
    found = adjust_confidence(fact.confidence, provenance=fact.provenance, uses=judged.uses)
    if found is None:
        return None
    action = ledger.open_action(kind="calibrate", said_at=now)
    action.detail = {
        "fact_id": str(fact.id),
        "night": night.isoformat(),
        "rule": found.rule,
        "uses": judged.uses.total,
        "positive": judged.uses.positive,
        "corrected": judged.uses.corrected,
        "before": found.before,
        "after": found.after,
    }
    ledger.calibrate_fact(fact, found.after, action=action)
    return found
