"""How extraction does: precision by slice, costs, results, the review queue (SPEC X-4, O-2). Reads only, in a scope."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Count, Sum

from memory.database.statements import fetch_row, fetch_rows
from memory.extraction.quality.intervals import Precision, measure_precision
from memory.models import ExtractionQuarantine, ExtractionRun, ReviewSample

SLICES: Final = {
    "all": "''",
    "type": "s.knowledge_type",
    "language": "s.language",
    "version": "'extraction.' || s.prompt_version",
    "model": "s.model || ' ' || s.prompt_version",
}
"""What precision is kept by. `version` is the rule's name in the facts; `model` tells models apart under one prompt."""


@dataclass(frozen=True, slots=True)
class ExtractionCosts:
    """Costs and results of extraction in a period. Cost is 0 if no price is set."""

    runs: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    proposed: int
    applied: int
    staged: int
    refused: int

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost_per_fact(self) -> float | None:
        """USD for one applied change; None when there was none."""
        return self.cost_usd / self.applied if self.applied else None

    @property
    def tokens_per_fact(self) -> float | None:
        """Tokens for one applied change; None when there was none."""
        return self.tokens / self.applied if self.applied else None

    @property
    def rejection_rate(self) -> float | None:
        """Share of proposals that the gate refused. Already known values do not count."""
        return self.refused / self.proposed if self.proposed else None

    @property
    def rejection_percent(self) -> float | None:
        """The same in a hundred."""
        return None if self.rejection_rate is None else 100 * self.rejection_rate


FAILED: Final = ("failed", "lost", "abandoned")
"""What a run is in the end that brought nothing."""

# Index: runs_of_a_tenant_by_time.
_COSTS = """
SELECT count(*), count(*) FILTER (WHERE status = ANY(%s)),
       coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), coalesce(sum(cost_usd), 0)::float8,
       coalesce(sum(proposed), 0), coalesce(sum(applied), 0), coalesce(sum(staged), 0),
       coalesce(sum((SELECT sum(value::integer) FROM jsonb_each_text(results) WHERE key LIKE 'rejected%%')), 0)::bigint
  FROM extraction_run WHERE tenant_id = %s AND claimed_at >= %s AND claimed_at < %s
"""


def get_costs(*, tenant_id: UUID, since: datetime, until: datetime) -> ExtractionCosts:
    """Runs, tokens, money and what they brought, of the runs that began in [since, until)."""
    return ExtractionCosts(*fetch_row(_COSTS, [list(FAILED), tenant_id, since, until]))


def count_results(*, tenant_id: UUID, since: datetime, until: datetime) -> dict[str, int]:
    """How the proposals of a period ended, by the gate's code. Index: runs_of_a_tenant_by_time."""
    rows = fetch_rows(
        "SELECT e.key, sum(e.value::integer) FROM extraction_run r CROSS JOIN LATERAL jsonb_each_text(r.results) e"
        " WHERE r.tenant_id = %s AND r.claimed_at >= %s AND r.claimed_at < %s GROUP BY 1 ORDER BY 2 DESC, 1",
        [tenant_id, since, until],
    )
    return {code: int(count) for code, count in rows}


def count_failures(*, tenant_id: UUID, since: datetime, until: datetime) -> dict[str, int]:
    """Runs of a period that came to nothing, by code, the most frequent first. Index: runs_of_a_tenant_by_time."""
    failed = ExtractionRun.objects.filter(
        tenant_id=tenant_id, claimed_at__gte=since, claimed_at__lt=until, status__in=FAILED
    )
    return dict(failed.values_list("code").annotate(count=Count("id")).order_by("-count", "code"))


def measure_slice(*, tenant_id: UUID, slice_name: str, since: datetime) -> dict[str, Precision]:
    """Precision of each value of a slice over the verdicts since a moment, with its interval.

    Verdicts from before a quarantine of that value was lifted do not count. Index: samples_by_verdict.
    """
    value = SLICES[slice_name]
    rows = fetch_rows(
        f"SELECT {value}, count(*), count(*) FILTER (WHERE s.verdict = 'correct') FROM review_sample s"
        " WHERE s.tenant_id = %s AND s.verdict IS NOT NULL AND s.judged_at >= greatest(%s, coalesce("
        "   (SELECT max(q.lifted_at) FROM extraction_quarantine q"
        f"    WHERE q.tenant_id = s.tenant_id AND q.slice = %s AND q.value = {value}), '-infinity'))"
        " GROUP BY 1 ORDER BY 1",
        [tenant_id, since, slice_name],
    )
    return {row[0]: measure_precision(right=row[2], judged=row[1]) for row in rows}


def measure_all(*, tenant_id: UUID, since: datetime) -> Precision:
    """Precision over all verdicts since a moment."""
    found = measure_slice(tenant_id=tenant_id, slice_name="all", since=since)
    return found.get("", measure_precision(right=0, judged=0))


def find_first_verdict(*, tenant_id: UUID) -> datetime | None:
    """When the first sample of the tenant was judged."""
    rows = ReviewSample.objects.filter(tenant_id=tenant_id, verdict__isnull=False).order_by("judged_at")
    return rows.values_list("judged_at", flat=True).first()


def list_quarantines(*, tenant_id: UUID) -> list[ExtractionQuarantine]:
    """Current quarantines, oldest first."""
    return list(ExtractionQuarantine.objects.filter(tenant_id=tenant_id, lifted_at=None).order_by("since"))


def count_tokens(*, tenant_id: UUID, since: datetime) -> int:
    """Tokens that the tenant's runs have used since a moment. In a tenant scope. Index: runs_of_a_tenant_by_time."""
    rows = ExtractionRun.objects.filter(tenant_id=tenant_id, claimed_at__gte=since)
    used = rows.aggregate(asked=Sum("prompt_tokens"), answered=Sum("completion_tokens"))
    return int(used["asked"] or 0) + int(used["answered"] or 0)
