"""The first answer to a message, read back from the action log (D-1): what a repeated client id gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.ingest.types import CorrectionOutcome, Recorded
from memory.models import Action, Message
from memory.selectors.facts import list_facts_by_id
from memory.types import Fact, FactChange, UserRef


def list_first_answers(*, user: UserRef, message_ids: Sequence[UUID | Any]) -> dict[UUID, Recorded]:
    """For each stored message what its first call answered. Reads only."""
    wanted = [mid for mid in message_ids if isinstance(mid, UUID)]
    if not wanted:
        return {}
    actions = list(Action.objects.filter(user_id=user.id, message_id__in=wanted).order_by("position"))
    facts = list_facts_by_id(user=user, fact_ids=_list_fact_ids(actions))
    messages = Message.objects.filter(user_id=user.id, id__in=wanted).values_list("id", "client_id", "language")
    answers = {
        mid: Recorded(message_id=mid, client_id=client_id, language=language, is_new=False)
        for mid, client_id, language in messages
    }
    for action in actions:
        _add_action(answers[action.message_id], action, facts)
    return answers


def _list_fact_ids(actions: Iterable[Action]) -> list[UUID]:
    return [UUID(effect["fact_id"]) for action in actions for effect in action.effects]


def _add_action(answer: Recorded, action: Action, facts: dict[UUID, Fact]) -> None:
    for effect in action.effects:
        fact = facts.get(UUID(effect["fact_id"]))
        if fact is None:
            continue
        if action.kind in ("instant", "correction", "confirm", "edit"):
            answer.changes.append(_restore_change(effect, fact))
    answer.corrections.extend(
        CorrectionOutcome(
            id=UUID(entry["id"]),
            correction_type=entry["correction_type"],
            fact_id=UUID(entry["fact_id"]) if entry["fact_id"] else None,
            action=entry["action"],
        )
        for entry in action.detail.get("corrections", [])
    )


def _restore_change(effect: dict[str, Any], fact: Fact) -> FactChange:
    """The change as it was answered: number and date of then, not of now."""
    expires_at = datetime.fromisoformat(effect["expires_at"]) if effect["expires_at"] else None
    superseded_id = UUID(effect["superseded_id"]) if effect["superseded_id"] else None
    then = replace(fact, confidence=effect["confidence"], expires_at=expires_at)
    return FactChange(effect["action"], then, superseded_id=superseded_id)
