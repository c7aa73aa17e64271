"""What several decisions of one save write is what each of them writes in a save of its own (D-2, D-6)."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone

from memory.facts.ledger import FactLedger
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.user_lock import lock_user
from memory.tenants.scope import tenant_scope
from memory.types import Statement
from tests.cast import Chatter

pytestmark = pytest.mark.django_db

Decision = Callable[[FactLedger], object]
EVIDENCE = tuple(uuid4() for _ in range(4))


def make_decision(source: Random, said_at: datetime) -> Decision:
    """Something that a message or a person may do to one of two keys, now and then said before what is known."""
    key, value = source.choice(("size", "height")), source.choice("SML")
    at = said_at - timedelta(minutes=source.choice((0, 0, 0, 3, 20)))
    evidence = source.choice(EVIDENCE)
    kind = source.choice(("say",) * 6 + ("dispute", "confirm", "retract", "withdraw"))

    def decide(ledger: FactLedger) -> object:
        action = ledger.open_action(kind="instant", said_at=at)
        if kind == "say":
            return ledger.set_fact(
                Statement(
                    knowledge_type="body_params",
                    knowledge_key=key,
                    value=value,
                    confidence=0.9,
                    extracted_from="instant_pattern",
                    said_at=at,
                    evidence_message_ids=(evidence,),
                ),
                action=action,
            )
        fact = ledger.find_fact("body_params", key)
        if fact is None:
            return None
        if kind == "withdraw":
            return ledger.withdraw_evidence(fact, {evidence}, action=action)
        if kind == "retract":
            return ledger.deactivate_fact(fact, action=action, at=max(at, fact.valid_at))
        return (ledger.dispute_fact if kind == "dispute" else ledger.confirm_fact)(fact, action=action)

    return decide


def save(person: Chatter, decisions: Iterable[Decision], now: datetime) -> None:
    """Carry out in one save, and look at what is checked at the end of a transaction."""
    with tenant_scope(person.tenant.id):
        lock_user(user=person.ref)
        ledger = load_ledger(user=person.ref, now=now)
        for decide in decisions:
            decide(ledger)
        save_ledger(ledger, user=person.ref, actor="system", now=now)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def list_rows(person: Chatter) -> list[tuple[Any, ...]]:
    """The user's fact rows; other rows by their place in the log instead of by id, which differs between two users."""
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT k.id, k.superseded_by, a.position, k.log_position, k.version, k.confidence, k.provenance, k.valid_at,"
            " k.invalid_at, k.last_validated_at, k.is_active, k.is_disputed, k.evidence_message_ids, k.updated_at"
            " FROM user_knowledge k JOIN memory_action a ON a.user_id = k.user_id AND a.id = k.action_id"
            " WHERE k.user_id = %s ORDER BY k.log_position",
            [person.ref.id],
        )
        rows = cursor.fetchall()
    places: dict[UUID | None, int | None] = {None: None, **{row[0]: row[3] for row in rows}}
    return [(places[row[1]], *row[2:]) for row in rows]


def test_what_one_save_writes_is_what_a_save_of_each_decision_writes(alice: Chatter, bob: Chatter) -> None:
    alice.say("hello")
    bob.say("hello")
    source, now = Random(5), timezone.now()
    for turn in range(25):
        at = now + timedelta(hours=turn)
        decisions = [
            make_decision(source, at + timedelta(minutes=place)) for place in range(source.choice((1, 2, 5, 12)))
        ]
        save(alice, decisions, at)
        for decision in decisions:
            save(bob, [decision], at)
        assert list_rows(alice) == list_rows(bob)
    assert len(list_rows(alice)) > 50
