"""How much of what memory learnt is wrong: error rates with their doubt, agreement, pace (SPEC X-4, H-1). Reads only.

Over decided items: two reviewers of one item are one decision. Call in a tenant scope.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from corrections.review.decisions import count_agreeing_pairs
from memory.database.statements import fetch_row, fetch_rows
from memory.extraction.quality.intervals import Precision, measure_precision

SLICES: Final = {
    "source": "i.source",
    "rule": "CASE WHEN i.rule = '' THEN '' ELSE i.rule || coalesce(' v' || i.rule_version, '') END",
    "prompt": "i.prompt_version",
    "model": "i.model",
    "type": "i.knowledge_type",
    "language": "i.language",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """Decided items of one value, and how many of them were right."""

    value: str
    precision: Precision

    @property
    def wrong(self) -> int:
        """Items decided as anything but correct."""
        return self.precision.judged - self.precision.right

    @property
    def percent(self) -> float | None:
        """The share of wrong ones, 0 to 100; None for none decided."""
        rate = self.precision.error_rate
        return None if rate is None else 100 * rate

    @property
    def lower(self) -> float:
        """Lower bound of the share of wrong ones, 0 to 100 (Wilson, 95 %)."""
        return 100 * (1 - self.precision.upper)

    @property
    def upper(self) -> float:
        """Upper bound of the share of wrong ones, 0 to 100 (Wilson, 95 %)."""
        return 100 * (1 - self.precision.lower)

    @property
    def rest(self) -> float:
        """What is above the upper bound, 0 to 100: where a drawn interval ends."""
        return 100 - self.upper


@dataclass(frozen=True, slots=True)
class ErrorRate(Rate):
    """One row of the numbers: decided items of a slice, how many were right, and what was wrong with the others."""

    wrong_subject: int
    false_fact: int
    missed_sarcasm: int


@dataclass(frozen=True, slots=True)
class WeeklyRate:
    """The decisions of one week of the tenant's calendar; `precision` is None where nothing was decided."""

    week: date
    precision: Precision | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs of reviewers who said the same of one item, by language."""

    language: str
    agreeing: int
    pairs: int

    @property
    def percent(self) -> float:
        """Share of pairs that agree, 0 to 100."""
        return 100 * self.agreeing / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True)
class Pace:
    """What one reviewer did: verdicts, how many called something wrong, the middle time for one."""

    reviewer: str
    verdicts: int
    wrong: int
    seconds: float


# Index: items_by_decision.
_RATES = """
SELECT {value} AS value, count(*), count(*) FILTER (WHERE i.verdict = 'correct'),
       count(*) FILTER (WHERE i.verdict = 'wrong_subject'), count(*) FILTER (WHERE i.verdict = 'false_fact'),
       count(*) FILTER (WHERE i.verdict = 'missed_sarcasm')
  FROM corrections_review_item i
 WHERE i.tenant_id = %s AND i.state = 'decided' AND i.decided_at >= %s AND i.source <> 'message'
   AND i.decided_at <= coalesce(%s::timestamptz, 'infinity')
 GROUP BY 1 ORDER BY 2 DESC, 1
"""

# Index: items_by_decision. Messages in which nothing was found are another population than what was learnt.
_MISSED = """
SELECT CASE WHEN grouping(i.language) = 1 THEN 'all' WHEN i.language = '' THEN '–' ELSE i.language END,
       count(*), count(*) FILTER (WHERE i.verdict = 'correct')
  FROM corrections_review_item i
 WHERE i.tenant_id = %s AND i.state = 'decided' AND i.decided_at >= %s AND i.source = 'message'
 GROUP BY GROUPING SETS ((i.language), ()) ORDER BY grouping(i.language) DESC, 2 DESC, 1
"""

# Index: items_by_decision.
_BY_WEEK = """
SELECT date_trunc('week', i.decided_at AT TIME ZONE %s)::date, count(*), count(*) FILTER (WHERE i.verdict = 'correct')
  FROM corrections_review_item i
 WHERE i.tenant_id = %s AND i.state = 'decided' AND i.decided_at >= %s AND i.source <> 'message'
 GROUP BY 1
"""

# Index: verdicts_of_a_tenant.
_BY_ITEM = """
SELECT i.language, array_agg(v.verdict::text ORDER BY v.id)
  FROM corrections_review_verdict v JOIN corrections_review_item i ON i.user_id = v.user_id AND i.id = v.item_id
 WHERE v.tenant_id = %s AND v.judged_at >= %s AND v.undone_at IS NULL
 GROUP BY v.user_id, v.item_id, i.language HAVING count(*) > 1
"""

_PACE = """
SELECT v.reviewer, count(*), count(*) FILTER (WHERE v.verdict <> 'correct'),
       (percentile_cont(0.5) WITHIN GROUP (ORDER BY v.milliseconds) / 1000)::float8
  FROM corrections_review_verdict v WHERE v.tenant_id = %s AND v.judged_at >= %s AND v.undone_at IS NULL
 GROUP BY 1 ORDER BY 2 DESC, 1
"""


def list_error_rates(
    *, tenant_id: UUID, slice_name: str, since: datetime, until: datetime | None = None
) -> list[ErrorRate]:
    """Error rates of each value of a slice over the items decided since a moment, the most judged first."""
    return [
        _make_rate(row)
        for row in fetch_rows(_RATES.format(value=SLICES[slice_name]), [tenant_id, since, until])
        if row[0]
    ]


def measure_errors(*, tenant_id: UUID, since: datetime) -> ErrorRate:
    """The error rate of everything decided since a moment."""
    row = fetch_row(_RATES.format(value="'all'"), [tenant_id, since, None])
    return _make_rate(row or ("all", 0, 0, 0, 0, 0))


def list_missed(*, tenant_id: UUID, since: datetime) -> list[Rate]:
    """Of messages in which nothing was found, how many said something: of all first, then by language."""
    rows = fetch_rows(_MISSED, [tenant_id, since])
    return [Rate(value, measure_precision(right=right, judged=n)) for value, n, right in rows if n]


def list_weekly_errors(*, tenant_id: UUID, zone: ZoneInfo, now: datetime, weeks: int) -> list[WeeklyRate]:
    """The decisions of the last weeks, which begin on Mondays, the oldest first; this week as far as it is there."""
    local = now.astimezone(zone).date()
    first = local - timedelta(days=local.weekday(), weeks=weeks - 1)
    since = datetime(first.year, first.month, first.day, tzinfo=zone)
    found = {
        week: measure_precision(right=right, judged=judged)
        for week, judged, right in fetch_rows(_BY_WEEK, [zone.key, tenant_id, since])
    }
    days = [first + timedelta(weeks=each) for each in range(weeks)]
    return [WeeklyRate(day, found.get(day)) for day in days]


def list_agreement(*, tenant_id: UUID, since: datetime) -> list[Agreement]:
    """How often two reviewers of one item agree, by language; empty where each item has one reviewer."""
    of_language: dict[str, list[list[str]]] = defaultdict(list)
    for language, verdicts in fetch_rows(_BY_ITEM, [tenant_id, since]):
        of_language[language or "?"].append(verdicts)
    return [Agreement(name, *count_agreeing_pairs(of_language[name])) for name in sorted(of_language)]


def list_pace(*, tenant_id: UUID, since: datetime) -> list[Pace]:
    """Verdicts, wrong ones and the median time of each reviewer."""
    return [Pace(*row) for row in fetch_rows(_PACE, [tenant_id, since])]


def _make_rate(row: tuple[str, int, int, int, int, int]) -> ErrorRate:
    value, judged, right, *wrong = row
    return ErrorRate(value, measure_precision(right=right, judged=judged), *wrong)
