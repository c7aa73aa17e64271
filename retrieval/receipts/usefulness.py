"""The nightly fold of signals into usefulness: the only writer of what ranking knows of use (SPEC C-4, D-22)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from memory.database.statements import fetch_row, fetch_rows
from memory.errors import CodedError
from memory.fence.user_lock import lock_user
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from retrieval.metrics import RANKING_SNAPSHOTS
from retrieval.models import Usefulness as UsefulnessRow
from retrieval.search.ranking_state import list_signal_counts
from retrieval.search.usefulness import Usefulness, fold_signals

logger = logging.getLogger(__name__)


def fold_new_signals(*, now: datetime) -> int:
    """Make a snapshot for every user with signals that no snapshot has seen. Returns how many were made.

    A user who is busy or being erased is left for the next night. Writes and commits user by user.
    """
    made = 0
    left: set[tuple[UUID, UUID]] = set()
    while users := [
        one
        for one in list_users(
            since=now - settings.UNDE_TUNING.USEFULNESS_LOOK_BACK,
            limit=settings.UNDE_TUNING.USEFULNESS_AT_ONCE + len(left),
        )
        if one not in left
    ]:
        for tenant_id, user_id in users:
            try:
                with tenant_scope(tenant_id):
                    fold_user(user=UserRef(id=user_id, tenant_id=tenant_id), now=now)
                made += 1
            except CodedError as error:
                logger.warning("usefulness of a user was not folded: %s", error.code)
            left.add((tenant_id, user_id))
    RANKING_SNAPSHOTS.inc(made)
    return made


def fold_user(*, user: UserRef, now: datetime) -> int:
    """Fold all signals about one user's memories into a new version; what is as it was keeps its row. Writes.

    Inside the tenant's scope. Raises UserBusy, UserErased.
    """
    lock_user(user=user)
    counts = list_signal_counts(user=user)
    version = open_version(user=user, signals=sum(one.count for one in counts), now=now)
    store_usefulness(user=user, folded=fold_signals(counts), version=version)
    return version


def open_version(*, user: UserRef, signals: int, now: datetime) -> int:
    """The next version of the user's ranking. Writes."""
    return int(
        fetch_row(
            "INSERT INTO ranking_snapshot (tenant_id, user_id, version, made_at, signals)"
            " SELECT %s, %s, coalesce(max(version), 0) + 1, %s, %s FROM ranking_snapshot WHERE user_id = %s"
            " RETURNING version",
            [user.tenant_id, user.id, now, signals, user.id],
        )[0]
    )


def store_usefulness(*, user: UserRef, folded: Mapping[UUID, Usefulness], version: int) -> None:
    """Close the rows that no longer hold and add those that do from this version on. Writes."""
    current = {row.item_id: row for row in UsefulnessRow.objects.filter(user_id=user.id, until_version=None)}
    changed = {
        item_id: one
        for item_id, one in folded.items()
        if item_id not in current or abs(current[item_id].score - one.score) > 1e-6
    }
    closed = [item_id for item_id in current if item_id in changed or item_id not in folded]
    rows = UsefulnessRow.objects.filter(user_id=user.id, item_id__in=closed, until_version=None)
    rows.update(until_version=version)
    UsefulnessRow.objects.bulk_create(
        UsefulnessRow(
            tenant_id=user.tenant_id,
            user_id=user.id,
            item_id=item_id,
            is_fact=one.is_fact,
            from_version=version,
            score=one.score,
            weight=one.weight,
        )
        for item_id, one in changed.items()
    )


def list_users(*, since: datetime, limit: int) -> list[tuple[UUID, UUID]]:
    """Tenants and users with signals since a moment that no snapshot has seen. For workers (D-14)."""
    with transaction.atomic():
        rows = fetch_rows(
            "SELECT tenant_id, user_id FROM users_with_new_signals_v1(%s::timestamptz, %s::integer)", [since, limit]
        )
        return [(tenant_id, user_id) for tenant_id, user_id in rows]
