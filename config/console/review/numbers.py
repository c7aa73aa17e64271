"""The numbers of review: error rates with their doubt, agreement, and the switches that rest on them (X-4, C-3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.drawing.pictures import Picture, RatePoint, draw_rate
from config.console.pages import console_page, render_page
from config.parameters import choose_days
from corrections.review.figures import (
    SLICES,
    ErrorRate,
    WeeklyRate,
    list_agreement,
    list_error_rates,
    list_missed,
    list_pace,
    list_weekly_errors,
    measure_errors,
)
from corrections.review.watch import list_held_back_rules
from corrections.selectors.rates import count_batch_facts
from memory.errors import NotFound
from memory.extraction.configuration import describe_extraction
from memory.extraction.quality.figures import list_quarantines
from memory.extraction.quality.switches import get_state, lift_quarantine, switch_extraction
from memory.tenants.access import get_access, has_permission

SLICE_TITLES: Final = {
    "source": "By source",
    "type": "By type",
    "language": "By language",
    "rule": "By rule version",
    "prompt": "By prompt version",
    "model": "By model",
}
PERIODS: Final = (7, 14, 30, 90)
WEEKS: Final = 12
REASONS: Final = {
    "review_error_rate": "Reviewers judged too many changes wrong.",
    "facts_taken_back": "Users denied too many of its facts.",
    "precision_too_low": "The lower bound of its precision fell below the limit.",
    "by_staff": "Switched by a person.",
}


@dataclass(frozen=True, slots=True)
class Slice:
    """One table of the page."""

    title: str
    rates: list[ErrorRate]


@console_page("review_facts", "operate", "audit")
def show_numbers(request: HttpRequest) -> HttpResponseBase:
    """Error rates by rule, prompt, model, type and language; agreement; pace; switches with why."""
    access, now = get_access(request), timezone.now()
    tenant_id, tuning, zone = access.tenant.id, settings.UNDE_TUNING, ZoneInfo(access.tenant.timezone)
    days = choose_days(request.GET.get("days", ""), PERIODS, default=PERIODS[2])
    since = now - timedelta(days=days)
    state = get_state(tenant_id=tenant_id, default_share=tuning.REVIEW_SHARE)
    made, taken_back = count_batch_facts(tenant_id=tenant_id, since=now - tuning.HARM_WINDOW, until=now)
    slices = [
        Slice(SLICE_TITLES[name], list_error_rates(tenant_id=tenant_id, slice_name=name, since=since))
        for name in SLICE_TITLES
        if name in SLICES
    ]
    return render_page(
        request,
        "console/review/numbers.html",
        title="Review metrics",
        days=days,
        periods=PERIODS,
        weekly=draw_weeks(list_weekly_errors(tenant_id=tenant_id, zone=zone, now=now, weeks=WEEKS)),
        overall=measure_errors(tenant_id=tenant_id, since=since),
        slices=[one for one in slices if one.rates],
        agreement=list_agreement(tenant_id=tenant_id, since=since),
        missed=list_missed(tenant_id=tenant_id, since=since),
        pace=list_pace(tenant_id=tenant_id, since=since),
        has_model=describe_extraction().startswith("on"),
        state=state,
        state_reason=REASONS.get(state.reason, state.reason.replace("_", " ")),
        quarantines=[(one, REASONS.get(one.reason, one.reason)) for one in list_quarantines(tenant_id=tenant_id)],
        held_back_rules=list_held_back_rules(tenant_id=tenant_id),
        may_edit_rules=has_permission(request, "edit_patterns"),
        made=made,
        taken_back=taken_back,
        tuning=tuning,
        pause_percent=100 * tuning.REVIEW_PAUSE_ERROR,
        harm_percent=100 * tuning.HARM_RATE,
        share_percent=100 * state.sample_share,
        has_operate=has_permission(request, "operate"),
    )


def draw_weeks(weeks: Sequence[WeeklyRate]) -> Picture | None:
    """The error rate by week with its doubt. Pure."""
    points = [RatePoint(f"{week.week:%d %b}", None) if week.precision is None else _make_point(week) for week in weeks]
    return draw_rate(name="weekly-errors", title="Error rate by week", points=points, unit="Week of")


def _make_point(week: WeeklyRate) -> RatePoint:
    found = week.precision
    assert found is not None
    return RatePoint(
        f"{week.week:%d %b}",
        100 * (found.judged - found.right) / found.judged,
        100 * (1 - found.upper),
        100 * (1 - found.lower),
        f"{found.judged - found.right} of {found.judged}",
    )


@require_POST
@console_page("operate")
def release_extraction(request: HttpRequest) -> HttpResponseBase:
    """Switch extraction on again after it paused itself or was turned off. Audited by the service."""
    access = get_access(request)
    is_new = switch_extraction(
        tenant_id=access.tenant.id, mode="on", reason="by_staff", actor=access.actor, now=timezone.now()
    )
    messages.success(request, "Extraction is on." if is_new else "Extraction was on already.")
    return redirect("console:review_numbers")


@require_POST
@console_page("operate")
def release_quarantine(request: HttpRequest, quarantine_id: UUID) -> HttpResponseBase:
    """Let a slice through again. Audited by the service."""
    access = get_access(request)
    is_lifted = lift_quarantine(
        tenant_id=access.tenant.id, quarantine_id=quarantine_id, actor=access.actor, now=timezone.now()
    )
    if not is_lifted:
        raise NotFound("This quarantine does not exist.")
    messages.success(request, "The quarantine is released. Earlier verdicts no longer count.")
    return redirect("console:review_numbers")
