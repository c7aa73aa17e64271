"""Usefulness, read as of a snapshot (D-22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.types import UserRef
from retrieval.sql import write_array
from retrieval.usefulness import SignalCount


@dataclass(frozen=True, slots=True)
class RankingState:
    """The version of a user's ranking snapshot, 0 where there is none yet, and the usefulness it holds."""

    version: int = 0
    scores: dict[UUID, float] = field(default_factory=dict)


def read_ranking_state(*, user: UserRef, item_ids: Sequence[UUID], at: datetime | None = None) -> RankingState:
    """The latest snapshot, or that of a moment, and what it says of the given items. One statement, by primary keys."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.version, u.item_id, u.score FROM ("
            "  SELECT version FROM ranking_snapshot WHERE user_id = %s"
            "  AND (%s::timestamptz IS NULL OR made_at <= %s::timestamptz) ORDER BY version DESC LIMIT 1) s"
            " LEFT JOIN usefulness u ON u.user_id = %s AND u.item_id = ANY(%s::text::uuid[])"
            "  AND u.from_version <= s.version AND (u.until_version IS NULL OR u.until_version > s.version)",
            [user.id, at, at, user.id, write_array(item_ids)],
        )
        rows = cursor.fetchall()
    return RankingState(rows[0][0], {item: score for _, item, score in rows if item}) if rows else RankingState()


def list_signal_counts(*, user: UserRef) -> list[SignalCount]:
    """All signals about the user's messages and facts. Where a person has said something about a part of a pack, what
    was computed about the same part of the same pack does not count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(f.message_id, f.fact_id), f.fact_id IS NOT NULL, f.signal, f.is_computed, count(*)"
            " FROM retrieval_feedback f WHERE f.user_id = %s AND NOT (f.is_computed AND EXISTS ("
            "   SELECT FROM retrieval_feedback said WHERE said.user_id = f.user_id AND NOT said.is_computed"
            "   AND said.receipt_id = f.receipt_id AND said.message_id IS NOT DISTINCT FROM f.message_id"
            "   AND said.fact_id IS NOT DISTINCT FROM f.fact_id))"
            " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            [user.id],
        )
        return [SignalCount(*row) for row in cursor.fetchall()]
