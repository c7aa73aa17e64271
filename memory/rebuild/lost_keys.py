"""What a lost key leaves behind: sealed rows that nobody can open, out of the way of a rebuild (D-15).

The key store is the one thing that no backup of the database holds. Without it facts, candidates and stored answers are
noise; messages are not sealed, so what they teach can be learnt again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memory.extraction.runs import log as runs
from memory.extraction.unproven import candidates, items
from memory.models import AdaptiveItem, ExtractionRun, FactCandidate, FactRow, ForgetItem
from memory.rebuild.types import LostFact
from memory.sealing.errors import SealBroken, UserKeyDestroyed
from memory.sealing.vault import UserVault
from memory.services.forgets import DESCRIPTION_PURPOSE
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_tenants
from memory.types import UserRef

FACT_PURPOSE: Final = "fact"
_DERIVED: Final[Sequence[tuple[Any, str]]] = (
    (FactCandidate, candidates.PURPOSE),
    (AdaptiveItem, items.PURPOSE),
)
_BESIDE: Final[Sequence[tuple[Any, str]]] = ((ForgetItem, DESCRIPTION_PURPOSE), (ExtractionRun, runs.PURPOSE))
"""Rows that say more than what is sealed in them: they stay, without it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """What was dropped."""

    facts: tuple[LostFact, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


NOTHING_LOST: Final = Lost()


def drop_unreadable(*, user: UserRef) -> Lost:
    """Delete what a lost key had sealed and what is derived: facts, candidates, items, answers. Writes under the lock.

    The action log stays as it is, for it is append-only: words in it that can't be opened read as none.
    """
    vault = UserVault(user_id=user.id)
    facts = FactRow.objects.filter(user_id=user.id).order_by("log_position", "id")
    lost = [LostFact(row.id, row.knowledge_type, row.log_position) for row in _list_closed(facts, vault, FACT_PURPOSE)]
    FactRow.objects.filter(user_id=user.id, id__in=[fact.id for fact in lost]).delete()
    counts = {"facts": len(lost)}
    for model, purpose in _DERIVED:
        rows = model.objects.filter(user_id=user.id)
        gone = rows.filter(id__in=[row.id for row in _list_closed(rows, vault, purpose)])
        counts[model._meta.db_table] = gone.delete()[0]
    for model, purpose in _BESIDE:
        rows = model.objects.filter(user_id=user.id).exclude(sealed=None)
        gone = rows.filter(id__in=[row.id for row in _list_closed(rows, vault, purpose)])
        counts[model._meta.db_table] = gone.update(sealed=None)
    return Lost(facts=tuple(lost), counts={name: count for name, count in counts.items() if count})


def list_users_with_lost_key() -> list[UserRef]:
    """Users of any tenant whose facts no key opens, neither a destroyed one: the key store is not this database's.

    Looks at one fact a user. Reads only, and makes no key.
    """
    found = []
    for tenant in list_tenants():
        with tenant_scope(tenant.id):
            rows = FactRow.objects.filter(tenant_id=tenant.id).order_by("user_id").distinct("user_id")
            found += [UserRef(id=row.user_id, tenant_id=tenant.id) for row in rows.iterator() if _has_lost_key(row)]
    return found


def _has_lost_key(row: FactRow) -> bool:
    try:
        return not _can_open(row, UserVault(user_id=row.user_id), FACT_PURPOSE)
    except UserKeyDestroyed:
        return False


def _list_closed(rows: Iterable[Any], vault: UserVault, purpose: str) -> list[Any]:
    return [row for row in rows if not _can_open(row, vault, purpose)]


def _can_open(row: Any, vault: UserVault, purpose: str) -> bool:
    try:
        vault.open(row.sealed, purpose=purpose)
    except SealBroken:
        return False
    return True
