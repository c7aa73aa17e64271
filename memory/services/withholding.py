"""Facts that may not be kept any more are closed: nothing of them is used, and no later value revives them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from memory.facts.writing import load_ledger, save_ledger
from memory.types import UserRef


def close_withheld_facts(*, user: UserRef, types: Collection[str], actor: str, now: datetime) -> int:
    """Close the active facts of these types; how many. In a tenant scope, under the user's lock. Writes."""
    ledger = load_ledger(user=user, now=now)
    closing = [fact for fact in ledger.list_facts() if fact.knowledge_type in types]
    if not closing:
        return 0
    action = ledger.open_action(kind="retract", said_at=now)
    action.detail = {"code": "consent_missing"}
    for fact in closing:
        ledger.deactivate_fact(fact, action=action, at=max(now, fact.valid_at))
    save_ledger(ledger, user=user, actor=actor, now=now)
    return len(closing)
