"""What a decision does to an instant fact: closed when it is wrong, open again when the verdict is taken back (D-1)."""

from __future__ import annotations

from datetime import datetime

from corrections.models import ReviewItem
from memory.facts.reading import get_fact
from memory.facts.writing import load_ledger, save_ledger
from memory.models import FactRow
from memory.selectors.messages import has_forgotten
from memory.types import UserRef


def close_fact(*, user: UserRef, item: ReviewItem, verdict: str, reviewer: str, now: datetime) -> None:
    """Close the item's fact, in the reviewer's name. Nothing happens to one that is closed. Under the user's lock."""
    ledger = load_ledger(user=user, now=now)
    fact = next((fact for fact in ledger.list_facts() if fact.id == item.fact_id), None)
    if fact is None:
        return
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = {"item_id": str(item.id), "verdict": verdict}
    ledger.deactivate_fact(fact, action=action, at=max(now, fact.valid_at))
    save_ledger(ledger, user=user, actor=reviewer, now=now)


def reopen_fact(*, user: UserRef, item: ReviewItem, reviewer: str, now: datetime) -> None:
    """Open the fact again that the decision closed. Under the user's lock.

    It stays closed when its key has a newer value, and when a message that it rests on was forgotten meanwhile.
    """
    closed = FactRow.objects.filter(user_id=user.id, is_active=False, superseded_by=None)
    row = closed.filter(id=item.fact_id).first() if item.fact_id else None
    if row is None or row.invalid_at is None or row.invalid_at != max(item.decided_at or now, row.valid_at):
        return
    if has_forgotten(user=user, message_ids=row.evidence_message_ids):
        return
    ledger = load_ledger(user=user, now=now)
    fact = get_fact(user=user, fact_id=row.id)
    if ledger.find_fact(*fact.slot) is not None:
        return
    action = ledger.open_action(kind="verdict", said_at=now)
    action.detail = {"item_id": str(item.id), "verdict": "undone"}
    ledger.reopen_fact(fact, action=action)
    save_ledger(ledger, user=user, actor=reviewer, now=now)
