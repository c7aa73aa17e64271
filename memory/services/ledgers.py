"""Loading a user's ledger and writing what it decided. Both under the user's lock, in one transaction (D-6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from memory.errors import CodedError
from memory.ids import new_id
from memory.ledger import FactLedger, PendingAction
from memory.sealing.vault import UserVault
from memory.selectors.facts import list_active_facts
from memory.types import Fact, FactChange, UserRef
from memory.version import ENGINE_VERSION

FACT_PURPOSE = "fact"
ACTION_PURPOSE = "action"


class LedgerDrift(CodedError):
    """The database decided otherwise than the ledger. A fault of ours: nothing is written."""

    code = "ledger_drift"
    status = 500
    default_message = "The facts could not be written consistently; nothing was stored."


def load_ledger(*, user: UserRef, now: datetime, log_position: int | None = None, has_facts: bool = True) -> FactLedger:
    """The user's active facts; what else a decision may need is read when it asks. Call under the user's lock.

    `log_position` and `has_facts` are what is known of the user already: each saves a statement.
    """
    vault = UserVault(user_id=user.id)
    return FactLedger(
        facts=list_active_facts(user=user) if has_facts else [],
        find_closed_at=lambda kind, key: _find_closed_at(user, kind, vault.fingerprint(kind, key)),
        get_log_position=lambda: _get_log_position(user) if log_position is None else log_position,
        now=now,
        new_id=new_id,
        max_evidence=settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES,
    )


def save_ledger(ledger: FactLedger, *, user: UserRef, actor: str, now: datetime) -> None:
    """Write the actions and the fact rows they touched, in the order in which they were decided.

    Raises LedgerDrift when the supersede trigger and the fold disagree.
    """
    if not ledger.actions:
        return
    vault = UserVault(user_id=user.id)
    with connection.cursor() as cursor:
        insert_actions(cursor, ledger.actions, user=user, actor=actor, vault=vault, now=now)
        for action in ledger.actions:
            for change in action.changes:
                _write_change(cursor, change, action=action, user=user, vault=vault, now=now)


def _find_closed_at(user: UserRef, knowledge_type: str, key_hash: bytes) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT max(invalid_at) FROM user_knowledge"
            " WHERE user_id = %s AND knowledge_type = %s AND key_hash = %s AND NOT is_active",
            [user.id, knowledge_type, key_hash],
        )
        return cursor.fetchone()[0]


def _get_log_position(user: UserRef) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT log_position FROM memory_user WHERE id = %s", [user.id])
        row = cursor.fetchone()
    return row[0] if row else 0


_INSERT_ACTIONS = """
WITH fresh AS MATERIALIZED (
  SELECT * FROM json_to_recordset(%s::json) AS a (
    id uuid, position bigint, kind varchar, message_id uuid, batch_id uuid, effects jsonb, detail jsonb, sealed bytea,
    rule_set_version integer, said_at timestamptz)),
logged AS (
  INSERT INTO memory_action (tenant_id, user_id, id, position, kind, actor, message_id, batch_id, effects, detail,
    sealed, rule_set_version, engine_version, said_at, recorded_at)
  SELECT %s::uuid, %s::uuid, id, position, kind, %s::varchar, message_id, batch_id, effects, detail, sealed,
    rule_set_version, %s::varchar, said_at, %s::timestamptz
  FROM fresh)
UPDATE memory_user SET log_position = greatest(log_position, (SELECT max(position) FROM fresh)) WHERE id = %s::uuid
"""


def insert_actions(
    cursor: Any, actions: list[PendingAction], *, user: UserRef, actor: str, vault: UserVault, now: datetime
) -> None:
    """Write entries of the action log and the user's position in it, in one statement. Call under the user's lock."""
    rows = json.dumps([_make_action_row(action, vault) for action in actions], ensure_ascii=False)
    cursor.execute(_INSERT_ACTIONS, [rows, user.tenant_id, user.id, actor, ENGINE_VERSION, now, user.id])


def _make_action_row(action: PendingAction, vault: UserVault) -> dict[str, Any]:
    return {
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


def _write_change(
    cursor: Any, change: FactChange, *, action: PendingAction, user: UserRef, vault: UserVault, now: datetime
) -> None:
    if change.is_new_row:
        insert_fact(cursor, change.fact, action_id=action.id, user=user, vault=vault, now=now)
    else:
        _update_fact(cursor, change.fact, user=user, now=now)


_INSERT_FACT = """
INSERT INTO user_knowledge (tenant_id, user_id, id, knowledge_type, key_hash, sealed, confidence, extracted_from,
    provenance, epistemic_type, valid_at, invalid_at, expires_at, last_validated_at, log_position, action_id,
    superseded_by, is_active, is_disputed, evidence_message_ids, language, rule, rule_version, created_at, updated_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
RETURNING is_active
"""


def insert_fact(cursor: Any, fact: Fact, *, action_id: UUID, user: UserRef, vault: UserVault, now: datetime) -> None:
    """Write one version of a fact; the trigger numbers it and closes what it supersedes. Raises LedgerDrift."""
    sealed = vault.seal({"key": fact.knowledge_key, "value": fact.value}, purpose=FACT_PURPOSE)
    cursor.execute(
        _INSERT_FACT,
        [
            user.tenant_id,
            user.id,
            fact.id,
            fact.knowledge_type,
            vault.fingerprint(*fact.slot),
            sealed,
            fact.confidence,
            fact.extracted_from,
            fact.provenance,
            fact.epistemic_type,
            fact.valid_at,
            fact.invalid_at,
            fact.expires_at,
            fact.last_validated_at,
            fact.log_position,
            action_id,
            fact.superseded_by,
            fact.is_active,
            fact.is_disputed,
            list(fact.evidence_message_ids),
            fact.language,
            fact.rule,
            fact.rule_version,
            now,
            now,
        ],
    )
    if cursor.fetchone()[0] != fact.is_active:
        raise LedgerDrift


def _update_fact(cursor: Any, fact: Fact, *, user: UserRef, now: datetime) -> None:
    cursor.execute(
        "UPDATE user_knowledge SET confidence = %s, provenance = %s, expires_at = %s, last_validated_at = %s,"
        " is_active = %s, is_disputed = %s, invalid_at = %s, evidence_message_ids = %s, updated_at = %s"
        " WHERE user_id = %s AND id = %s",
        [
            fact.confidence,
            fact.provenance,
            fact.expires_at,
            fact.last_validated_at,
            fact.is_active,
            fact.is_disputed,
            fact.invalid_at,
            list(fact.evidence_message_ids),
            now,
            user.id,
            fact.id,
        ],
    )
    if cursor.rowcount != 1:
        raise LedgerDrift


def list_effects(action_effects: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`effects` of a stored action as a list, whichever way the driver returned it."""
    return json.loads(action_effects) if isinstance(action_effects, str) else action_effects


def get_fact_ids(effects: list[dict[str, Any]]) -> list[UUID]:
    """The facts that a stored action touched, in order."""
    return [UUID(effect["fact_id"]) for effect in effects]
