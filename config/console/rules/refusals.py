"""Which step turned down which rule how often: the page over all rules, and the part on a rule's own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.console.pages import console_page, render_page
from memory.tenants.access import get_access
from patterns.rules.reasons import Reason, explain_reason
from patterns.selectors import list_refusal_counts

DAYS: Final = 14
ROWS: Final = 60


@dataclass(frozen=True, slots=True)
class RefusalRow:
    """One rule and reason over the days shown; `days`: (day, count, share of the greatest count in percent)."""

    rule: str
    code: str
    reason: Reason
    total: int
    days: tuple[tuple[date, int, int], ...]


@console_page("edit_patterns", "operate")
def show_refusals(request: HttpRequest) -> HttpResponseBase:
    """Counts by rule and reason for each of the last days: which guard eats recall (SPEC I-2)."""
    rule, reason = request.GET.get("rule", "").strip(), request.GET.get("reason", "")
    rows = list_refusals(request, rule=rule, reason=reason)
    return render_page(
        request,
        "console/rules/refusals.html",
        title="Refusals",
        rows=rows[:ROWS],
        left_out=max(0, len(rows) - ROWS),
        steps=_sum_steps(rows),
        rule=rule,
        reason=reason,
    )


def list_refusals(request: HttpRequest, *, rule: str = "", reason: str = "") -> list[RefusalRow]:
    """Why rules, or one of them, were turned down in this tenant, the most frequent reason first."""
    today = timezone.now().astimezone(UTC).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    counts = list_refusal_counts(tenant_id=get_access(request).tenant.id, since=days[0], rule=rule, reason=reason)
    return _make_rows(counts, days)


def _make_rows(counts: Iterable[dict[str, Any]], days: list[date]) -> list[RefusalRow]:
    by_row: dict[tuple[str, str], Counter[date]] = {}
    for count in counts:
        by_row.setdefault((count["rule"], count["reason"]), Counter())[count["day"]] += count["total"]
    rows = []
    for (rule, code), by_day in by_row.items():
        top = max(by_day.values())
        shown = tuple((day, by_day[day], round(100 * by_day[day] / top)) for day in days)
        rows.append(RefusalRow(rule, code, explain_reason(code), sum(by_day.values()), shown))
    return sorted(rows, key=lambda row: (-row.total, row.rule, row.code))


def _sum_steps(rows: list[RefusalRow]) -> list[tuple[str, int, int]]:
    """Step, refusals, share of the greatest in percent."""
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row.reason.step] += row.total
    top = max(totals.values(), default=1)
    return [(step, total, round(100 * total / top)) for step, total in totals.most_common()]
