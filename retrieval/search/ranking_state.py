"""Usefulness, read as of a snapshot (D-22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.database.queries import Query
from memory.database.statements import fetch_rows
from memory.tenants.scope import ask
from memory.types import UserRef
from retrieval.search.usefulness import SignalCount
from retrieval.sql import write_array


@dataclass(frozen=True, slots=True)
class RankingState:
    """The version of a user's ranking snapshot, 0 where there is none yet, and the usefulness it holds."""

    version: int = 0
    scores: dict[UUID, float] = field(default_factory=dict)


def read_ranking_state(
    *, user: UserRef, item_ids: Sequence[UUID] | Sequence[str], at: datetime | None = None
) -> RankingState:
    """The latest snapshot, or that of a moment, and what it says of the given items. By primary keys."""
    versions = ask(make_snapshot_version_query(user=user, at=at))
    if not versions:
        return RankingState()
    version = versions[0][0]
    rows = ask(
        Query(
            "SELECT item_id, score FROM usefulness WHERE user_id = %s::uuid AND item_id = ANY(%s::text::uuid[])"
            " AND from_version <= %s::int AND (until_version IS NULL OR until_version > %s::int)",
            [user.id, write_array(item_ids), version, version],
        )
    )
    return RankingState(version, dict(rows))


def make_snapshot_version_query(*, user: UserRef, at: datetime | None = None) -> Query:
    """The query that finds the snapshot of `read_ranking_state`, to be prefetched."""
    return Query(
        "SELECT version FROM ranking_snapshot WHERE user_id = %s::uuid"
        " AND (%s::timestamptz IS NULL OR made_at <= %s::timestamptz) ORDER BY version DESC LIMIT 1",
        [user.id, at, at],
    )


def list_signal_counts(*, user: UserRef) -> list[SignalCount]:
    """All signals about the user's messages and facts. Where a person has said something about a part of a pack, what
    was computed about the same part of the same pack does not count."""
    rows = fetch_rows(
        "SELECT coalesce(f.message_id, f.fact_id), f.fact_id IS NOT NULL, f.signal, f.is_computed, count(*)"
        " FROM retrieval_feedback f WHERE f.user_id = %s AND NOT (f.is_computed AND EXISTS ("
        "   SELECT FROM retrieval_feedback said WHERE said.user_id = f.user_id AND NOT said.is_computed"
        "   AND said.receipt_id = f.receipt_id AND said.message_id IS NOT DISTINCT FROM f.message_id"
        "   AND said.fact_id IS NOT DISTINCT FROM f.fact_id))"
        " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
        [user.id],
    )
    return [SignalCount(*row) for row in rows]
