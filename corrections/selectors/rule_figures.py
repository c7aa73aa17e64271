"""What became of a rule's facts, by version: made, refused, taken back by users, judged by reviewers (SPEC I-2, X-4).

Counts alone, with the doubt of each share. Call in a tenant scope.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Sum

from memory.database.statements import fetch_row, fetch_rows
from memory.extraction.quality.intervals import Precision, measure_precision
from patterns.models import RejectionCount
from patterns.rollout import BUCKETS


@dataclass(frozen=True, slots=True)
class Share:
    """Some of a whole, with the bounds of the true share (Wilson, 95 %), each 0 to 100."""

    part: int
    whole: int
    percent: float
    lower: float
    upper: float

    @property
    def rest(self) -> float:
        """What is above the upper bound: where a drawn interval ends."""
        return 100 - self.upper


@dataclass(frozen=True, slots=True)
class VersionFigures:
    """What one version of a rule did since a moment. Shares are None where nothing was counted."""

    version: int
    facts: int = 0
    active: int = 0
    refused: int = 0
    taken_back: int = 0
    judged: int = 0
    wrong: int = 0

    @property
    def refused_share(self) -> Share | None:
        """Of the times it fired."""
        return measure_share(self.refused, self.facts + self.refused)

    @property
    def taken_back_share(self) -> Share | None:
        """Of its facts, those that users denied or said to be another one's."""
        return measure_share(self.taken_back, self.facts)

    @property
    def wrong_share(self) -> Share | None:
        """Of its facts that reviewers judged."""
        return measure_share(self.wrong, self.judged)


# Index: facts_of_a_rule.
_FACTS = """
SELECT rule_version, count(*), count(*) FILTER (WHERE is_active) FROM user_knowledge
 WHERE tenant_id = %s AND rule = %s AND created_at >= %s AND rule_version IS NOT NULL GROUP BY 1
"""
# Index: facts_of_a_rule.
_FACTS_BY_DAY = """
SELECT (created_at AT TIME ZONE %s)::date, rule_version, count(*) FROM user_knowledge
 WHERE tenant_id = %s AND rule = %s AND created_at >= %s AND rule_version IS NOT NULL GROUP BY 1, 2
"""
# Index: corrections_of_a_tenant_by_time. A fact that only changed since was no mistake.
_TAKEN_BACK = """
SELECT k.rule_version, count(DISTINCT k.id) FROM memory_correction_log c
  JOIN user_knowledge k ON k.user_id = c.user_id AND k.id = c.deactivated_knowledge_id
 WHERE c.tenant_id = %s AND k.rule = %s AND c.created_at >= %s AND k.created_at >= %s AND k.rule_version IS NOT NULL
   AND c.correction_type IN ('user_denied', 'wrong_subject')
 GROUP BY 1
"""
# Index: items_by_decision.
_JUDGED = """
SELECT rule_version, count(*), count(*) FILTER (WHERE verdict <> 'correct') FROM corrections_review_item
 WHERE tenant_id = %s AND rule = %s AND state = 'decided' AND source = 'instant' AND decided_at >= %s
   AND rule_version IS NOT NULL
 GROUP BY 1
"""
# Index: facts_of_a_rule.
_HITS = """
SELECT rule, count(*) FROM user_knowledge WHERE tenant_id = %s AND rule IS NOT NULL AND created_at >= %s GROUP BY 1
"""
# Index: items_by_decision.
_ERRORS = """
SELECT rule, count(*), count(*) FILTER (WHERE verdict <> 'correct') FROM corrections_review_item
 WHERE tenant_id = %s AND state = 'decided' AND source = 'instant' AND decided_at >= %s AND rule <> '' GROUP BY 1
"""
# Index: owner_of_a_message, whose ids are ordered by time. The bucket is that of `patterns.rollout.get_bucket`.
_MESSAGES = f"""
SELECT coalesce(sum(n) FILTER (WHERE bucket < %(percent)s), 0), coalesce(sum(n) FILTER (WHERE bucket >= %(percent)s), 0)
  FROM (SELECT count(*) AS n, (('x' || encode(substring(sha256(convert_to(%(slug)s || ':' || user_id::text, 'UTF8'))
                               FROM 1 FOR 4), 'hex'))::bit(32)::bigint) %% {BUCKETS} AS bucket
          FROM memory_message WHERE tenant_id = %(tenant)s AND id >= %(first)s AND role = 'user' GROUP BY user_id) said
"""


def list_version_figures(*, tenant_id: UUID, slug: str, since: datetime) -> list[VersionFigures]:
    """The figures of each version of a rule that did anything since a moment, the newest version first."""
    values = [tenant_id, slug, since]
    found: dict[int, Counter[str]] = {}
    for version, facts, active in fetch_rows(_FACTS, values):
        found.setdefault(version, Counter()).update(facts=facts, active=active)
    for version, taken_back in fetch_rows(_TAKEN_BACK, [*values, since]):
        found.setdefault(version, Counter()).update(taken_back=taken_back)
    for version, judged, wrong in fetch_rows(_JUDGED, values):
        found.setdefault(version, Counter()).update(judged=judged, wrong=wrong)
    refusals = RejectionCount.objects.filter(tenant_id=tenant_id, rule=slug, day__gte=since.date(), rule_version__gt=0)
    for version, refused in refusals.values_list("rule_version").annotate(total=Sum("count")):
        found.setdefault(version, Counter()).update(refused=refused)
    return [VersionFigures(version, **counts) for version, counts in sorted(found.items(), reverse=True)]


def count_facts_by_day(*, tenant_id: UUID, slug: str, since: datetime, zone: ZoneInfo) -> dict[tuple[date, int], int]:
    """Facts that each version of a rule made on each day of the tenant's calendar, since a moment."""
    rows = fetch_rows(_FACTS_BY_DAY, [zone.key, tenant_id, slug, since])
    return {(day, version): count for day, version, count in rows}


def count_arms(*, tenant_id: UUID, slug: str, percent: int, first_id: UUID) -> tuple[int, int]:
    """Messages of users in a trial of a rule, and of all others, from a message on."""
    values: dict[str, Any] = {"tenant": tenant_id, "slug": slug, "percent": percent, "first": first_id}
    tried, others = fetch_row(_MESSAGES, values)
    return int(tried), int(others)


def count_hits(*, tenant_id: UUID, since: datetime) -> dict[str, int]:
    """Facts made since a moment by rule."""
    return dict(fetch_rows(_HITS, [tenant_id, since]))


def measure_rule_errors(*, tenant_id: UUID, since: datetime) -> dict[str, Share]:
    """The share of wrong ones among the facts that reviewers judged since a moment, by rule."""
    shares = {rule: measure_share(wrong, judged) for rule, judged, wrong in fetch_rows(_ERRORS, [tenant_id, since])}
    return {rule: share for rule, share in shares.items() if share is not None}


def measure_share(part: int, whole: int) -> Share | None:
    """A share with its bounds; None of nothing. A part that is counted otherwise stays within its whole. Pure."""
    if whole <= 0:
        return None
    part = min(part, whole)
    found: Precision = measure_precision(right=part, judged=whole)
    return Share(part, whole, 100 * part / whole, 100 * found.lower, 100 * found.upper)
