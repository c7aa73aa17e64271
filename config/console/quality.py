"""The page Quality: service levels with their trend, and what the governor did (SPEC Q-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.drawing.pictures import Picture, draw_line
from config.console.pages import console_page, render_page
from corrections.models import QualityTrend
from corrections.quality.calibration.deciding import count_waiting
from corrections.quality.calibration.night import is_calibration_on, list_nights
from corrections.quality.governor import end_action, list_open, undo_action
from corrections.quality.reading import (
    Indicator,
    list_indicators,
    list_language_shares,
    list_precisions,
    list_trend,
)
from corrections.review.figures import ErrorRate
from corrections.review.watch import keep_rule
from memory.extraction.quality.switches import has_governor
from memory.tenants.access import get_access, has_permission

DAYS: Final = (30, 90)
TITLES: Final = {
    "staleness_rate": "Stale facts",
    "conflict_rate": "Facts that keep changing",
    "injection_quality": "Memories that replies used",
    "retrieval_latency_p95": "Slowest search in twenty",
    "context_overflow_rate": "Packs that were cut",
    "deletion_timeout_rate": "Erasures past their deadline",
    "receipt_completeness_rate": "Complete receipts",
    "evolution_throughput": "Messages read by extraction",
    "tombstone_completion": "Longest erasure",
    "receipt_five_tuple": "Receipts that explain every choice",
    "failover": "Last drill of a fail-over",
    "retrieval_miss_rate": "Questions whose answer was missed",
    "user_repeated_info": "Users who repeat themselves",
}
ACTIONS: Final = {
    "clean_up": "Stale facts were put in doubt; those past their day were closed",
    "conflicts": "Facts that keep changing were put in doubt",
    "extraction_paused": "Extraction is paused",
    "extraction_off": "Extraction is off",
    "extraction_quarantine": "A part of extraction is held back",
    "rule_quarantine": "A rule is held back",
    "rule_warned": "A rule will be held back",
}
TONES: Final = {"PASS": "good", "OBSERVE": "warn", "FAIL": "bad"}
NO_FIGURE: Final = "info"
"""The tone of a level that nothing was measured for: nobody has to look at it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A service level as the page shows it."""

    title: str
    indicator: Indicator
    tone: str
    value: str
    window: str
    passes: str
    fails: str
    picture: Picture | None


@console_page("operate", "audit", "review_facts")
def show_quality(request: HttpRequest) -> HttpResponseBase:
    """Service levels, their trends and the governor."""
    tenant_id, now = get_access(request).tenant.id, timezone.now()
    days = DAYS[-1] if request.GET.get("days") == str(DAYS[-1]) else DAYS[0]
    trend = list_trend(tenant_id=tenant_id, since=now - timedelta(days=days))
    rows = [make_row(one, trend.get(one.level.name, ())) for one in list_indicators(tenant_id=tenant_id, at=now)]
    return render_page(
        request,
        "console/quality.html",
        title="Quality",
        rows=rows,
        actions=[(ACTIONS.get(one.action, one.action), one) for one in list_open(tenant_id=tenant_id, at=now)],
        titles=TITLES,
        nights=list_nights(tenant_id=tenant_id, until=now, limit=settings.UNDE_TUNING.CALIBRATION_NIGHTS),
        is_calibration_on=is_calibration_on(tenant_id=tenant_id),
        to_decide=count_waiting(tenant_id=tenant_id),
        to_decide_most=settings.UNDE_TUNING.REMOVALS_A_PAGE,
        may_decide=has_permission(request, "review_facts", "operate"),
        days=days,
        periods=DAYS,
        is_on=has_governor(tenant_id=tenant_id),
        may_undo=has_permission(request, "operate"),
        languages=[(TITLES[one.indicator], one) for one in list_language_shares(tenant_id=tenant_id, at=now)],
        precisions=[(name, _make_bar(rate)) for name, rate in list_precisions(tenant_id=tenant_id, at=now)],
        limit=100 * settings.UNDE_TUNING.QUARANTINE_LOWER_BOUND,
        measured_at=max((row.indicator.measured_at for row in rows if row.indicator.measured_at), default=None),
    )


@require_POST
@console_page("operate")
def end_governor_action(request: HttpRequest, action_id: UUID, verb: str) -> HttpResponseBase:
    """Undo an action of the governor, or let it stand as seen."""
    access, now = get_access(request), timezone.now()
    if verb not in ("undo", "keep"):
        raise Http404
    if verb == "undo":
        count = undo_action(tenant_id=access.tenant.id, action_id=action_id, actor=access.actor, now=now)
        messages.success(request, f"{count} facts are no longer in doubt. What somebody has decided since stays.")
    else:
        end_action(tenant_id=access.tenant.id, action_id=action_id, actor=access.actor, now=now)
        messages.success(request, "The facts stay in doubt. The governor may act again.")
    return redirect("console:quality")


@require_POST
@console_page("operate")
def keep_warned_rule(request: HttpRequest, warning_id: UUID) -> HttpResponseBase:
    """Let a rule stand that was to be held back."""
    access = get_access(request)
    keep_rule(tenant_id=access.tenant.id, warning_id=warning_id, actor=access.actor, now=timezone.now())
    messages.success(request, "The rule stays active. This version of it is not warned of again.")
    return redirect("console:quality")


def _make_bar(rate: ErrorRate) -> dict[str, object]:
    """A precision in per cent with the bounds of its interval."""
    found = rate.precision
    bounds = {"share": 100 * found.right / found.judged, "lower": 100 * found.lower, "upper": 100 * found.upper}
    return {"value": rate.value, "judged": found.judged, "right": found.right, **bounds}


def make_row(one: Indicator, trend: Sequence[QualityTrend]) -> Row:
    """An indicator in words, with the picture of its trend. Pure."""
    factor, unit = (100, " %") if one.level.unit in ("share", "of the deadline", "of what is allowed") else (1, "")
    unit = " ms" if one.level.unit == "ms" else unit
    title = TITLES[one.level.name]
    points = [(f"{row.measured_at:%d %b}", row.value * factor) for row in trend if row.value is not None]
    return Row(
        title=title,
        indicator=one,
        tone=NO_FIGURE if one.value is None else TONES[one.state],
        value="–" if one.value is None else f"{one.value * factor:.1f}{unit}",
        window=describe_window(one.level.window),
        passes=f"{describe_side(one, is_pass=True)}{one.passes * factor:g}{unit}",
        fails=f"{describe_side(one, is_pass=False)}{one.fails * factor:g}{unit}",
        picture=draw_line(name=one.level.name.replace("_", "-"), title=title, points=points, unit=unit),
    )


def describe_side(one: Indicator, *, is_pass: bool) -> str:
    """On which side of a limit a level passes or fails; nothing where only the limit itself passes. Pure."""
    if is_pass and one.level.is_absolute:
        return ""
    return "more than " if is_pass == (one.passes > one.fails) else "less than "


def describe_window(window: timedelta) -> str:
    """A window in words. Pure."""
    count, unit = (window.days, "day") if window.days else (window.seconds // 3600, "hour")
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
