"""After a restore from backup: what was erased since the backup was taken is erased again (SPEC G-4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.erasure.erasers import run_count
from memory.erasure.hiding import fix_items, hide_items
from memory.erasure.history import move_to, note
from memory.erasure.journal import JournalEntry
from memory.erasure.selectors import get_scope
from memory.erasure.types import ErasureTarget
from memory.erasure.worker import count_rows, erase_everything, run_erasure
from memory.fence.user_lock import is_open_after_lock
from memory.models import ErasureRequest, Tombstone, User
from memory.sealing.errors import UserKeyLost
from memory.sealing.keystore import get_key_store
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant, list_tenants
from memory.types import ErasureScope, UserRef

NOTHING: Final = "nothing came back"
ERASED_AGAIN: Final = "erased again"
_FENCE: Final = "UPDATE memory_user SET fenced_at = coalesce(fenced_at, %(now)s) WHERE id = %(user_id)s"
KEY_LOST: Final = "not replayed: facts of this user can't be opened without the key store"
NO_TENANT: Final = "the tenant is not in this database"


@dataclass(frozen=True, slots=True)
class Replay:
    """What one tombstone met in the restored database."""

    erasure_id: UUID
    outcome: str
    rows: int = 0


def replay_tombstones(*, entries: Iterable[JournalEntry], clock: Callable[[], datetime]) -> list[Replay]:
    """Hold every tombstone of the journal against the database, and erase again what came back. Writes."""
    return [_try_replay(entry, clock) for entry in entries]


def destroy_returned_keys(*, entries: Iterable[JournalEntry]) -> int:
    """Destroy the keys that a restored copy of the key store brought back for erased users (D-15); how many. Writes.

    A key beside the mark of its destruction counts as brought back, whether the journal names the user or not. Reads
    the journal and the key store alone, so that it may run at every start.
    """
    store = get_key_store()
    erased = {entry.user.id for entry in entries if entry.scope == "all"}
    marked = {user_id for user_id in store.list() if store.is_destroyed(user_id)}
    came_back = [user_id for user_id in erased | marked if store.holds_key(user_id) or not store.is_destroyed(user_id)]
    return sum(store.destroy(user_id) for user_id in came_back)


def list_users_without_key() -> list[UserRef]:
    """Users in the database whose key was destroyed: erased once, and back. With the journal at hand there are none."""
    store = get_key_store()
    found = []
    for tenant in list_tenants():
        with tenant_scope(tenant.id):
            ids = list(User.objects.filter(tenant_id=tenant.id).values_list("id", flat=True))
        found += [UserRef(id=user_id, tenant_id=tenant.id) for user_id in ids if store.is_destroyed(user_id)]
    return found


def _try_replay(entry: JournalEntry, clock: Callable[[], datetime]) -> Replay:
    try:
        return _replay(entry, clock)
    except UserKeyLost:
        # A part takes its evidence out of facts, and for that they must be read; a whole user needs no key to go.
        return Replay(UUID(entry.erasure_id), KEY_LOST)


def _replay(entry: JournalEntry, clock: Callable[[], datetime]) -> Replay:
    user, erasure_id = entry.user, UUID(entry.erasure_id)
    if find_tenant(tenant_id=user.tenant_id) is None:
        return Replay(erasure_id, NO_TENANT)
    with tenant_scope(user.tenant_id):
        is_open_after_lock(user=user)
        _reinstate(entry, clock())
        scope = get_scope(user=user, erasure_id=erasure_id)
        _raise_fence(entry, scope, clock())
        rows = sum(count_rows(scope).values())
        is_completed = ErasureRequest.objects.filter(user_id=user.id, id=erasure_id, status="completed").exists()
    if not is_completed:
        run_erasure(user=user, erasure_id=erasure_id, clock=clock)
    elif rows:
        _erase_again(scope, clock())
    return Replay(erasure_id, ERASED_AGAIN if rows else NOTHING, rows)


def _erase_again(scope: ErasureScope, now: datetime) -> None:
    if scope.is_whole:
        get_key_store().destroy(scope.user.id)
    erase_everything(scope=scope)
    with tenant_scope(scope.user.tenant_id):
        note(
            user=scope.user,
            erasure_id=scope.erasure_id,
            status="completed",
            now=now,
            code="restored_rows_erased",
        )


def _reinstate(entry: JournalEntry, now: datetime) -> None:
    """Put the tombstone and the request back where the backup is older than they are."""
    user = entry.user
    if not Tombstone.objects.filter(user_id=user.id, id=entry.tombstone_id).exists():
        Tombstone.objects.create(
            id=UUID(entry.tombstone_id),
            tenant_id=user.tenant_id,
            user_id=user.id,
            subject_hmac=bytes.fromhex(entry.subject_hmac),
            scope=entry.scope,
            conversation_id=UUID(entry.conversation_id) if entry.conversation_id else None,
            message_ids=entry.message_ids,
            said_from=_read_time(entry.said_from),
            said_to=_read_time(entry.said_to),
            refused_hmacs=entry.refused_hmacs,
            erased_up_to=datetime.fromisoformat(entry.erased_up_to),
            created_at=datetime.fromisoformat(entry.requested_at),
        )
    if not ErasureRequest.objects.filter(user_id=user.id, id=entry.erasure_id).exists():
        _reinstate_request(entry, now)


def _reinstate_request(entry: JournalEntry, now: datetime) -> None:
    user, erasure_id = entry.user, UUID(entry.erasure_id)
    ErasureRequest.objects.create(
        id=erasure_id,
        tenant_id=user.tenant_id,
        user_id=user.id,
        tombstone_id=UUID(entry.tombstone_id),
        fingerprint=bytes.fromhex(entry.fingerprint),
        scope=entry.scope,
        reason=entry.reason,
        actor=entry.actor,
        status="requested",
        legal_profile=entry.legal_profile,
        requested_at=datetime.fromisoformat(entry.requested_at),
        warning_at=datetime.fromisoformat(entry.warning_at),
        critical_at=datetime.fromisoformat(entry.critical_at),
        deadline_at=datetime.fromisoformat(entry.deadline_at),
        available_at=now,
    )
    note(user=user, erasure_id=erasure_id, status="requested", now=now, code="replayed_after_restore")
    for status in ("verified", "tombstoned", "queued"):
        move_to(user=user, erasure_id=erasure_id, status=status, now=now)


def _raise_fence(entry: JournalEntry, scope: ErasureScope, now: datetime) -> None:
    if scope.is_whole:
        run_count(_FENCE, scope, now=now)
        return
    User.objects.filter(id=scope.user.id).update(has_tombstones=True)
    found = fix_items(
        scope=scope,
        target=ErasureTarget(
            scope=entry.scope,
            message_ids=tuple(UUID(message_id) for message_id in entry.message_ids or ()),
            said_from=_read_time(entry.said_from),
            said_to=_read_time(entry.said_to),
        ),
        conversation_id=UUID(entry.conversation_id) if entry.conversation_id else None,
        erased_up_to=datetime.fromisoformat(entry.erased_up_to),
    )
    if found or any(count_rows(scope).values()):
        hide_items(scope=scope, actor="system", now=now)


def _read_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
