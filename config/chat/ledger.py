"""Turns as rows: one process answers a message at a time, and what a skill did is kept (SPEC B-1).

A claim is a row with an end: a process that dies leaves one that runs out, and the same request goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from config.chat.models import ChatTurn
from memory.database.statements import fetch_row
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.sealing.vault import UserVault
from memory.selectors.messages import has_forgotten
from memory.selectors.pages import read_rows
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

PURPOSE: Final = "chat_turn"
_CLAIM: Final = """
    INSERT INTO chat_turn (tenant_id, user_id, id, message_id, state, claim, claimed_until, started_at)
    VALUES (%(tenant_id)s, %(user_id)s, %(id)s, %(message_id)s, 'running', %(claim)s, %(until)s, %(now)s)
    ON CONFLICT ON CONSTRAINT a_message_has_one_turn DO UPDATE
       SET state = 'running', claim = excluded.claim, claimed_until = excluded.claimed_until, failure = '',
           ended_at = NULL, tries = chat_turn.tries + 1
     WHERE chat_turn.state = 'failed' OR chat_turn.state = 'running' AND chat_turn.claimed_until <= %(now)s
    RETURNING claim
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer a message, until it runs out."""

    user: UserRef
    message_id: UUID
    id: UUID


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: with a reply, or with the code of what failed."""

    reply_id: UUID | None = None
    receipt_id: UUID | None = None
    failure: str = ""
    skill: str = ""
    skill_status: str = ""
    skill_code: str = ""
    skill_ms: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    """What was understood and the skill's own receipt; sealed."""


def claim_turn(*, user: UserRef, message_id: UUID, now: datetime) -> Claim | None:
    """The claim to answer a message; None while another has it, or once it is answered. Writes, in its own transaction.

    Raises UserBusy, UserErased.
    """
    claim = Claim(user, message_id, new_id())
    values: dict[str, Any] = {
        "tenant_id": user.tenant_id, "user_id": user.id, "id": new_id(), "message_id": message_id, "claim": claim.id,
        "until": now + settings.UNDE_TUNING.CHAT_CLAIM, "now": now,
    }  # fmt: skip
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        return claim if fetch_row(_CLAIM, values) else None


def end_turn(claim: Claim, ending: Ending, *, now: datetime) -> None:
    """Note how a turn ended. Does nothing where another process has taken the claim since. Writes.

    Raises UserBusy, UserErased.
    """
    with tenant_scope(claim.user.tenant_id):
        lock_user(user=claim.user)
        sealed = UserVault(user_id=claim.user.id).seal(ending.details, purpose=PURPOSE) if ending.details else None
        rows = ChatTurn.objects.filter(user_id=claim.user.id, message_id=claim.message_id, claim=claim.id)
        rows.update(
            state="failed" if ending.failure else "done",
            failure=ending.failure,
            reply_id=ending.reply_id,
            receipt_id=ending.receipt_id,
            skill=ending.skill,
            skill_status=ending.skill_status,
            skill_code=ending.skill_code,
            skill_ms=ending.skill_ms,
            sealed=sealed,
            ended_at=now,
        )


def find_turn(*, user: UserRef, message_id: UUID) -> tuple[ChatTurn, Mapping[str, Any]] | None:
    """The turn of a message and its details. Inside a tenant scope."""
    turn = ChatTurn.objects.filter(user_id=user.id, message_id=message_id).first()
    return (turn, _open(turn, UserVault(user_id=user.id))) if turn else None


def export_turns(user: UserRef) -> Iterator[dict[str, Any]]:
    """A user's turns as JSON objects, oldest first, in pages. Those whose message is forgotten are left out."""
    vault = UserVault(user_id=user.id)
    for turn in read_rows(user, ChatTurn):
        with tenant_scope(user.tenant_id):
            is_hidden = has_forgotten(user=user, message_ids=[turn.message_id])
        if not is_hidden:
            yield _show(turn, _open(turn, vault))


def _open(turn: ChatTurn, vault: UserVault) -> Mapping[str, Any]:
    if turn.sealed is None:
        return {}
    details: Mapping[str, Any] = vault.open(bytes(turn.sealed), purpose=PURPOSE)
    return details


def _show(turn: ChatTurn, details: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "chat_turn",
        "id": str(turn.id),
        "message_id": str(turn.message_id),
        "reply_id": str(turn.reply_id) if turn.reply_id else None,
        "receipt_id": str(turn.receipt_id) if turn.receipt_id else None,
        "state": turn.state,
        "failure": turn.failure,
        "skill": turn.skill,
        "skill_status": turn.skill_status,
        "skill_code": turn.skill_code,
        "details": dict(details),
        "started_at": turn.started_at.isoformat(),
        "ended_at": turn.ended_at.isoformat() if turn.ended_at else None,
    }
