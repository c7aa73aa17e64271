"""Measures the service levels of a tenant from what is stored, and keeps them as a trend (SPEC Q-2). No user data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from corrections.models import QualityTrend
from corrections.quality.levels import LEVELS, Level, list_levels, raise_state
from memory.database.statements import execute, fetch_rows
from memory.ids import new_id
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings

FAILOVER: Final = "failover"


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value and how many samples it rests on. None of nothing."""

    value: float | None
    n: int


# Facts whose day has passed and that are still active, facts of extraction and adaptive items that nobody has confirmed
# for long. Allergies and bans do not grow stale. Index: user_knowledge by tenant; all of a tenant's rows count.
_STALENESS = """
SELECT count(*), count(*) FILTER (WHERE is_stale) FROM (
  SELECT coalesce(k.expires_at <= %(now)s, false) OR (k.extracted_from = 'batch' AND NOT k.is_disputed
           AND k.knowledge_type NOT IN ('allergy', 'hard_ban') AND k.last_validated_at < %(stale)s) AS is_stale
    FROM user_knowledge k WHERE k.tenant_id = %(tenant)s AND k.is_active
  UNION ALL
  SELECT a.expires_at <= %(now)s FROM adaptive_item a WHERE a.tenant_id = %(tenant)s AND a.status = 'active') items
"""
_CONFLICTS = """
WITH moved AS (
  SELECT k.user_id, k.knowledge_type, k.key_hash FROM user_knowledge k
   WHERE k.tenant_id = %(tenant)s AND k.superseded_by IS NOT NULL AND k.invalid_at >= %(since)s
     AND k.invalid_at <= %(now)s
   GROUP BY 1, 2, 3 HAVING count(*) >= %(chain)s)
SELECT count(*), count(m.user_id) FROM user_knowledge k
  LEFT JOIN moved m ON (m.user_id, m.knowledge_type, m.key_hash) = (k.user_id, k.knowledge_type, k.key_hash)
   AND NOT k.is_disputed
 WHERE k.tenant_id = %(tenant)s AND k.is_active
"""
_INJECTION = """
SELECT (SELECT count(*) FROM retrieval_feedback f WHERE f.tenant_id = %(tenant)s AND f.created_at >= %(since)s
           AND f.created_at <= %(now)s),
       (SELECT count(*) FROM retrieval_feedback f WHERE f.tenant_id = %(tenant)s AND f.created_at >= %(since)s
           AND f.created_at <= %(now)s AND f.signal IN ('used', 'confirmed')),
       (SELECT count(DISTINCT c.trigger_message_id) FROM memory_correction_log c WHERE c.tenant_id = %(tenant)s
           AND c.created_at >= %(since)s AND c.created_at <= %(now)s),
       (SELECT count(*) FROM retrieval_receipt r WHERE r.tenant_id = %(tenant)s AND r.kind = 'context'
           AND r.created_at >= %(since)s AND r.created_at <= %(now)s)
"""
_RECEIPTS = """
SELECT count(*),
       count(*) FILTER (WHERE r.policy_version <> '' AND r.timings <> '{}'::jsonb
         AND (r.kind <> 'context' OR r.budget <> '{}'::jsonb)
         AND cardinality(r.chosen_ids) = cardinality(r.chosen_scores)
         AND cardinality(r.chosen_ids) = cardinality(r.decision_reasons)),
       count(*) FILTER (WHERE r.kind = 'context'),
       count(*) FILTER (WHERE r.kind = 'context' AND 'over_budget' = ANY(r.decision_reasons)),
       count(*) FILTER (WHERE r.kind = 'context' AND r.policy_version <> ''
         AND cardinality(r.chosen_ids) = cardinality(r.chosen_scores)
         AND cardinality(r.chosen_ids) = cardinality(r.decision_reasons)
         AND cardinality(r.chosen_ids) = cardinality(r.context_positions)
         AND array_position(r.chosen_scores, NULL) IS NULL AND array_position(r.decision_reasons, '') IS NULL
         AND array_position(r.decision_reasons, NULL) IS NULL)
  FROM retrieval_receipt r WHERE r.tenant_id = %(tenant)s AND r.created_at >= %(since)s AND r.created_at <= %(now)s
"""
_LATENCY = """
SELECT count(*), percentile_cont(0.95) WITHIN GROUP (ORDER BY t.ms) FROM (
  SELECT (SELECT sum(e.value::float8) FROM jsonb_each_text(r.timings) e) AS ms FROM retrieval_receipt r
   WHERE r.tenant_id = %(tenant)s AND r.created_at >= %(since)s AND r.created_at <= %(now)s) t
"""
_ERASURES = """
SELECT count(*), count(*) FILTER (WHERE e.completed_at IS NULL AND e.deadline_at < %(now)s),
       max(extract(epoch FROM coalesce(e.completed_at, %(now)s) - e.requested_at)
           / nullif(extract(epoch FROM e.deadline_at - e.requested_at), 0))::float8
  FROM erasure_request e
 WHERE e.tenant_id = %(tenant)s AND (e.completed_at IS NULL OR e.completed_at >= %(since)s)
   AND e.requested_at <= %(now)s
"""
_THROUGHPUT = """
SELECT count(*), sum(cardinality(r.message_ids)) / nullif(sum(r.duration_ms) / 60000.0, 0) FROM extraction_run r
 WHERE r.tenant_id = %(tenant)s AND r.claimed_at >= %(since)s AND r.claimed_at <= %(now)s AND r.finished_at IS NOT NULL
   AND r.duration_ms > 0 AND r.status NOT IN ('failed', 'lost', 'abandoned')
"""


def measure_tenant(*, tenant_id: UUID, now: datetime) -> dict[str, Figure]:
    """Every service level of a tenant as it is now. In a tenant scope; reads only."""
    return {name: _MEASURES[name](tenant_id, LEVELS[name], now) for name in LEVELS}


def note_levels(*, tenant_id: UUID, figures: dict[str, Figure], now: datetime) -> list[QualityTrend]:
    """Keep figures of this hour with their states; a second time in the hour takes the place of the first. Writes.

    In a tenant scope. Drops what the trend no longer needs.
    """
    tenant = find_tenant(tenant_id=tenant_id)
    levels = list_levels(read_settings(tenant).quality_limits if tenant else {})
    at = now.replace(minute=0, second=0, microsecond=0)
    rows = [_make_row(tenant_id, levels[name], figure, at=at) for name, figure in figures.items()]
    QualityTrend.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["tenant_id", "indicator", "measured_at"],
        update_fields=["value", "n", "state", "pass_limit", "fail_limit", "release"],
    )
    _thin_out(tenant_id, now)
    return rows


def _make_row(tenant_id: UUID, level: Level, figure: Figure, *, at: datetime) -> QualityTrend:
    state = level.judge(figure.value, figure.n)
    if state == "OBSERVE":
        before = list_release_states(tenant_id=tenant_id, level=level, release=settings.UNDE_VERSION)
        state = raise_state(state, n=figure.n, min_samples=level.min_samples, before=before)
    return QualityTrend(
        id=new_id(),
        tenant_id=tenant_id,
        indicator=level.name,
        measured_at=at,
        value=figure.value,
        n=figure.n,
        state=state,
        pass_limit=level.passes,
        fail_limit=level.fails,
        release=settings.UNDE_VERSION,
    )


# Index: an_indicator_is_measured_once_at_a_time.
_RELEASES = """
SELECT l.value, l.n, l.pass_limit, l.fail_limit FROM (
  SELECT DISTINCT ON (q.release) q.* FROM quality_trend q
   WHERE q.tenant_id = %s AND q.indicator = %s AND q.release <> %s AND q.n >= %s
   ORDER BY q.release, q.measured_at DESC) l
 ORDER BY l.measured_at DESC LIMIT %s
"""


def list_release_states(*, tenant_id: UUID, level: Level, release: str) -> list[str]:
    """How an indicator stood at the end of each release before this one that had samples enough, newest first.

    By its figure alone: a FAIL for too many releases in the grey was the grey, and the next one goes on counting.
    """
    wanted = settings.UNDE_TUNING.QUALITY_OBSERVE_RELEASES
    rows = fetch_rows(_RELEASES, [tenant_id, level.name, release, level.min_samples, wanted])
    return [replace(level, passes=passes, fails=fails).judge(value, n) for value, n, passes, fails in rows]


# Of days older than the hourly part the last figure of each stays.
_THIN = """
DELETE FROM quality_trend q WHERE q.tenant_id = %s AND (q.measured_at < %s OR (q.measured_at < %s AND EXISTS (
  SELECT FROM quality_trend l WHERE l.tenant_id = q.tenant_id AND l.indicator = q.indicator
     AND l.measured_at > q.measured_at
     AND date_trunc('day', l.measured_at, 'UTC') = date_trunc('day', q.measured_at, 'UTC'))))
"""


def _thin_out(tenant_id: UUID, now: datetime) -> None:
    tuning = settings.UNDE_TUNING
    limits = [now - timedelta(days=tuning.QUALITY_TREND_DAYS), now - timedelta(days=tuning.QUALITY_HOURLY_DAYS)]
    execute(_THIN, [tenant_id, *limits])


def _measure_staleness(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    row = _ask_level(_STALENESS, tenant_id, level, now, stale=now - settings.UNDE_TUNING.QUALITY_STALE_AFTER)
    return _share(row[1], row[0])


def _measure_conflicts(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    row = _ask_level(_CONFLICTS, tenant_id, level, now, chain=settings.UNDE_TUNING.QUALITY_CHAIN)
    return _share(row[1], row[0])


def _measure_injection(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    """Of what packs brought and was judged, the part that was used, less the part of packs that were corrected."""
    judged, used, corrected, packs = _ask_level(_INJECTION, tenant_id, level, now)
    kept = 1 - min(1.0, corrected / packs) if packs else 1.0
    return Figure(used / judged * kept if judged else None, judged)


def _measure_latency(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    n, p95 = _ask_level(_LATENCY, tenant_id, level, now)
    return Figure(p95 if n else None, n)


def _measure_receipts(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    every, complete, packs, over, five = _ask_level(_RECEIPTS, tenant_id, level, now)
    if level.name == "receipt_completeness_rate":
        return _share(complete, every)
    return _share(over if level.name == "context_overflow_rate" else five, packs)


def _measure_erasures(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    every, late, longest = _ask_level(_ERASURES, tenant_id, level, now)
    return _share(late, every) if level.name == "deletion_timeout_rate" else Figure(longest if every else None, every)


def _measure_throughput(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    n, pace = _ask_level(_THROUGHPUT, tenant_id, level, now)
    return Figure(float(pace) if n else None, n)


def _measure_failover(tenant_id: UUID, level: Level, now: datetime) -> Figure:
    """The last drill of a fail-over, as somebody noted it; nothing else can tell (`note_failover`)."""
    rows = QualityTrend.objects.filter(tenant_id=tenant_id, indicator=level.name, n__gt=0)
    row = rows.filter(measured_at__gte=now - level.window).order_by("measured_at").last()
    return Figure(row.value, row.n) if row and _was_noted_within(rows, row, now - level.window) else Figure(None, 0)


def _was_noted_within(rows: Any, last: QualityTrend, since: datetime) -> bool:
    """A figure that is carried along hour by hour does not outlive the drill: it began when the value did."""
    other = rows.exclude(value=last.value).order_by("measured_at").last()
    first = rows.filter(value=last.value, measured_at__gt=other.measured_at) if other else rows.filter(value=last.value)
    return bool(first.order_by("measured_at")[0].measured_at >= since)


def _share(part: int, whole: int) -> Figure:
    return Figure(part / whole if whole else None, whole)


def _ask_level(statement: str, tenant_id: UUID, level: Level, now: datetime, **more: Any) -> tuple[Any, ...]:
    values = {"tenant": tenant_id, "now": now, "since": now - level.window, **more}
    return fetch_rows(statement, values)[0]


_MEASURES: Final[dict[str, Callable[[UUID, Level, datetime], Figure]]] = {
    "staleness_rate": _measure_staleness,
    "conflict_rate": _measure_conflicts,
    "injection_quality": _measure_injection,
    "retrieval_latency_p95": _measure_latency,
    "context_overflow_rate": _measure_receipts,
    "deletion_timeout_rate": _measure_erasures,
    "receipt_completeness_rate": _measure_receipts,
    "evolution_throughput": _measure_throughput,
    "tombstone_completion": _measure_erasures,
    "receipt_five_tuple": _measure_receipts,
    FAILOVER: _measure_failover,
}
