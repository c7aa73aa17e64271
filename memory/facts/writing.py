"""Loading a user's ledger and writing what it decided. Both under the user's lock, in one transaction (D-6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from msgspec.json import encode

from memory.database.queries import Query, Rows, send_together
from memory.database.statements import fetch_row
from memory.errors import CodedError
from memory.facts.ledger import FactLedger, PendingAction
from memory.facts.reading import SealedFact, list_active_facts, open_sealed_facts
from memory.ids import new_id
from memory.sealing.vault import UserVault
from memory.tenants.scope import run_in_scope
from memory.types import Fact, FactChange, UserRef
from memory.version import ENGINE_VERSION

FACT_PURPOSE = "fact"
ACTION_PURPOSE = "action"


class LedgerDrift(CodedError):
    """The database decided otherwise than the ledger. A fault of ours: nothing is written."""

    code = "ledger_drift"
    status = 500
    default_message = "The facts could not be written consistently. Nothing was stored."


def load_ledger(
    *,
    user: UserRef,
    now: datetime,
    log_position: int | None = None,
    has_facts: bool = True,
    sealed: Sequence[SealedFact] | None = None,
) -> FactLedger:
    """The user's active facts; what else a decision may need is read when it asks. Call under the user's lock.

    `log_position`, `has_facts` and `sealed` are what is known of the user already: each saves a statement.
    """
    vault = UserVault(user_id=user.id)
    if sealed is not None:
        facts = open_sealed_facts(sealed, user=user)
    else:
        facts = list_active_facts(user=user) if has_facts else []
    return FactLedger(
        facts=facts,
        # Every fact was written by an action: before the first of them none can have been closed.
        find_closed_at=lambda kind, key: None if log_position == 0 else _find_closed_at(user, (kind, key), vault),
        get_log_position=lambda: _get_log_position(user) if log_position is None else log_position,
        now=now,
        new_id=new_id,
        max_evidence=settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES,
        confirmed=settings.UNDE_TUNING.CONFIRMED_CONFIDENCE,
    )


def save_ledger(ledger: FactLedger, *, user: UserRef, actor: str, now: datetime) -> None:
    """Write the actions and the fact rows they touched, in the order in which they were decided.

    Raises LedgerDrift when the supersede trigger and the fold disagree.
    """
    save_ledgers([(user, ledger)], actor=actor, now=now)


def save_ledgers(
    ledgers: Sequence[tuple[UserRef, FactLedger]], *, actor: str, now: datetime, first: Sequence[Query] = ()
) -> None:
    """As `save_ledger`, for several users of one tenant in one exchange; `first` are statements that go before.

    Call under the users' locks.
    """
    vaults = {user.id: UserVault(user_id=user.id) for user, _ in ledgers}
    actions = [_make_action_row(action, vaults[user.id], user) for user, ledger in ledgers for action in ledger.actions]
    writes = list(_list_fact_writes(ledgers, vaults, now)) if actions else []
    statements = [*first]
    if actions:
        statements.append(_write_actions(actions, tenant_id=ledgers[0][0].tenant_id, actor=actor, now=now))
        statements.extend(statement for statement, _ in writes)
    answers = send_together(statements) if statements else []
    for (_, expected), rows in zip(writes, answers[len(statements) - len(writes) :], strict=True):
        _check_drift(rows, expected)


_Write = tuple[Query, dict[UUID, bool]]
"""A statement, and what it should answer: the fact ids with whether each is active."""


def _list_fact_writes(
    ledgers: Iterable[tuple[UserRef, FactLedger]], vaults: dict[UUID, UserVault], now: datetime
) -> Iterable[_Write]:
    """One statement for the rows that were there, then one for the new ones: each row once, as it is in the end.

    So the trigger finds no fact to close, which costs it a statement a fact: only where it is one fact in all is that
    left to it. What a batch adds and replaces again goes in closed. A row may name one that comes after it: that is
    checked with COMMIT.
    """
    touched = [(user, each) for user, ledger in ledgers for each in ledger.list_touched()]
    stored = [(user, each) for user, each in touched if each.action_id is None]
    made = [(user, each.fact, each.action_id) for user, each in touched if each.action_id is not None]
    active = {fact.id for _, fact, _ in made if fact.is_active}
    if len(stored) == 1 and stored[0][1].successor_id in active:
        stored = []
    changed = [_make_update_row(each.fact, user, now) for user, each in stored]
    added = [_make_fact_row(fact, action_id, user, vaults[user.id], now) for user, fact, action_id in made]
    for text, rows in ((_UPDATE_FACTS, changed), (_INSERT_FACTS, added)):
        if rows:
            yield Query(text, [encode(rows).decode()]), {row["id"]: row["is_active"] for row in rows}


def _check_drift(rows: Rows, expected: dict[UUID, bool]) -> None:
    if dict(rows) != expected:
        raise LedgerDrift


_CLOSED_AT = """
SELECT max(invalid_at) FROM user_knowledge k
 WHERE k.user_id = %s::uuid AND k.knowledge_type = %s::varchar AND k.key_hash = %s::bytea AND NOT is_active
"""


def _find_closed_at(user: UserRef, slot: tuple[str, str], vault: UserVault) -> datetime | None:
    found: datetime | None = run_in_scope([Query(_CLOSED_AT, [user.id, slot[0], vault.fingerprint(*slot)])])[0][0][0]
    return found


def _get_log_position(user: UserRef) -> int:
    row = fetch_row("SELECT log_position FROM memory_user WHERE id = %s", [user.id])
    return row[0] if row else 0


# The limit leaves nothing out: it tells the planner that users are few, or it would read all of them where they are
# under some thousands.
_INSERT_ACTIONS = """
WITH fresh AS MATERIALIZED (
  SELECT * FROM json_to_recordset(%s::json) AS a (
    user_id uuid, id uuid, position bigint, kind varchar, message_id uuid, batch_id uuid, effects jsonb, detail jsonb,
    sealed bytea, rule_set_version integer, said_at timestamptz)),
logged AS (
  INSERT INTO memory_action (tenant_id, user_id, id, position, kind, actor, message_id, batch_id, effects, detail,
    sealed, rule_set_version, engine_version, said_at, recorded_at)
  SELECT %s::uuid, user_id, id, position, kind, %s::varchar, message_id, batch_id, effects, detail, sealed,
    rule_set_version, %s::varchar, said_at, %s::timestamptz
  FROM fresh)
UPDATE memory_user u SET log_position = greatest(u.log_position, n.position)
  FROM (SELECT user_id, max(position) AS position FROM fresh GROUP BY user_id LIMIT %s) n WHERE u.id = n.user_id
"""


def insert_actions(
    actions: Iterable[PendingAction], *, user: UserRef, actor: str, vault: UserVault, now: datetime
) -> None:
    """Write entries of the action log and the user's position in it, in one statement. Call under the user's lock."""
    rows = [_make_action_row(action, vault, user) for action in actions]
    send_together([_write_actions(rows, tenant_id=user.tenant_id, actor=actor, now=now)])


def _write_actions(rows: Sequence[dict[str, Any]], *, tenant_id: UUID, actor: str, now: datetime) -> Query:
    return Query(_INSERT_ACTIONS, [encode(rows).decode(), tenant_id, actor, ENGINE_VERSION, now, len(rows)])


def _make_action_row(action: PendingAction, vault: UserVault, user: UserRef) -> dict[str, Any]:
    return {
        "user_id": str(user.id),
        "id": str(action.id),
        "position": action.position,
        "kind": action.kind,
        "message_id": str(action.message_id) if action.message_id else None,
        "batch_id": str(action.batch_id) if action.batch_id else None,
        "effects": action.logged_effects or [describe_effect(change) for change in action.changes],
        "detail": action.detail,
        "sealed": "\\x" + vault.seal(action.secret, purpose=ACTION_PURPOSE).hex() if action.secret else None,
        "rule_set_version": action.rule_set_version,
        "said_at": action.said_at.astimezone(UTC).isoformat(),
    }


def describe_effect(change: FactChange) -> dict[str, Any]:
    """A fact change as the action log keeps it: ids, the name of the change and numbers, no value."""
    return {
        "fact_id": str(change.fact.id),
        "action": change.action,
        "superseded_id": str(change.superseded_id) if change.superseded_id else None,
        "confidence": change.fact.confidence,
        "expires_at": change.fact.expires_at.isoformat() if change.fact.expires_at else None,
    }


# The trigger numbers each version, and closes what it supersedes where the statement before has not.
_INSERT_FACTS = """
INSERT INTO user_knowledge (tenant_id, user_id, id, knowledge_type, key_hash, sealed, confidence, extracted_from,
    provenance, epistemic_type, valid_at, invalid_at, expires_at, last_validated_at, log_position, action_id,
    superseded_by, is_active, is_disputed, evidence_message_ids, language, rule, rule_version, created_at, updated_at)
SELECT tenant_id, user_id, id, knowledge_type, key_hash, sealed, confidence, extracted_from, provenance,
    epistemic_type, valid_at, invalid_at, expires_at, last_validated_at, log_position, action_id, superseded_by,
    is_active, is_disputed, evidence_message_ids, language, rule, rule_version, updated_at, updated_at
  FROM json_to_recordset(%s::json) AS f (
    tenant_id uuid, user_id uuid, id uuid, knowledge_type varchar, key_hash bytea, sealed bytea,
    confidence double precision, extracted_from varchar, provenance varchar, epistemic_type varchar,
    valid_at timestamptz, invalid_at timestamptz, expires_at timestamptz, last_validated_at timestamptz,
    log_position bigint, action_id uuid, superseded_by uuid, is_active boolean, is_disputed boolean,
    evidence_message_ids uuid[], language varchar, rule varchar, rule_version integer, updated_at timestamptz)
RETURNING id, is_active
"""
_UPDATE_FACTS = """
UPDATE user_knowledge k SET confidence = f.confidence, provenance = f.provenance, expires_at = f.expires_at,
    last_validated_at = f.last_validated_at, is_active = f.is_active, is_disputed = f.is_disputed,
    invalid_at = f.invalid_at, superseded_by = f.superseded_by, evidence_message_ids = f.evidence_message_ids,
    updated_at = f.updated_at
  FROM json_to_recordset(%s::json) AS f (
    user_id uuid, id uuid, confidence double precision, provenance varchar, expires_at timestamptz,
    last_validated_at timestamptz, is_active boolean, is_disputed boolean, invalid_at timestamptz,
    superseded_by uuid, evidence_message_ids uuid[], updated_at timestamptz)
 WHERE k.user_id = f.user_id AND k.id = f.id
RETURNING k.id, k.is_active
"""


def insert_fact(fact: Fact, *, action_id: UUID, user: UserRef, vault: UserVault, now: datetime) -> None:
    """Write one version of a fact; the trigger numbers it and closes what it supersedes. Raises LedgerDrift."""
    rows = [_make_fact_row(fact, action_id, user, vault, now)]
    answer = send_together([Query(_INSERT_FACTS, [encode(rows).decode()])])[0]
    _check_drift(answer, {fact.id: fact.is_active})


def _make_fact_row(fact: Fact, action_id: UUID, user: UserRef, vault: UserVault, now: datetime) -> dict[str, Any]:
    sealed = vault.seal({"key": fact.knowledge_key, "value": fact.value}, purpose=FACT_PURPOSE)
    return {
        **_make_update_row(fact, user, now),
        "tenant_id": user.tenant_id,
        "knowledge_type": fact.knowledge_type,
        "key_hash": "\\x" + vault.fingerprint(*fact.slot).hex(),
        "sealed": "\\x" + sealed.hex(),
        "extracted_from": fact.extracted_from,
        "epistemic_type": fact.epistemic_type,
        "valid_at": fact.valid_at.astimezone(UTC),
        "log_position": fact.log_position,
        "action_id": action_id,
        "language": fact.language,
        "rule": fact.rule,
        "rule_version": fact.rule_version,
    }


def _make_update_row(fact: Fact, user: UserRef, now: datetime) -> dict[str, Any]:
    return {
        "user_id": user.id,
        "id": fact.id,
        "confidence": fact.confidence,
        "provenance": fact.provenance,
        "expires_at": fact.expires_at and fact.expires_at.astimezone(UTC),
        "last_validated_at": fact.last_validated_at.astimezone(UTC),
        "is_active": fact.is_active,
        "is_disputed": fact.is_disputed,
        "invalid_at": fact.invalid_at and fact.invalid_at.astimezone(UTC),
        "superseded_by": fact.superseded_by,
        "evidence_message_ids": fact.evidence_message_ids,
        "updated_at": now.astimezone(UTC),
    }


def get_fact_ids(effects: list[dict[str, Any]]) -> list[UUID]:
    """The facts that a stored action touched, in order."""
    return [UUID(effect["fact_id"]) for effect in effects]
