"""How extraction does in a tenant: what it costs, what comes of it, why the rest is refused, and its switch (O-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.drawing.bars import Bar, make_bars
from config.console.drawing.pictures import Column, Key, Picture, draw_columns
from config.console.pages import console_page, render_page
from config.console.review.numbers import REASONS
from config.parameters import choose_days
from memory.extraction.configuration import describe_extraction
from memory.extraction.quality.figures import ExtractionCosts, count_failures, count_results, count_tokens, get_costs
from memory.extraction.quality.switches import get_daily_tokens, get_state, switch_extraction
from memory.extraction.work_list import count_pending
from memory.tenants.access import get_access, has_permission
from memory.tenants.services.tenants import read_settings

PERIODS: Final = (7, 14, 30)
RESULT_TONES: Final = {"accepted": "good", "staged": "info", "already_known": "soft"}
MODES: Final = {"on": "on", "off": "off"}


@dataclass(frozen=True, slots=True)
class Day:
    """The runs of one day (UTC, as budgets count)."""

    day: date
    costs: ExtractionCosts


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of today and what may be used."""

    used: int
    limit: int

    @property
    def percent(self) -> int:
        """How much of the day is used, 0 to 100."""
        return min(100, round(100 * self.used / self.limit)) if self.limit else 100


@console_page("review_facts", "operate", "audit")
def show_extraction(request: HttpRequest) -> HttpResponseBase:
    """Costs by day and by fact, tokens of today, results of the gate, the switch. Counts and codes alone."""
    access, now = get_access(request), timezone.now()
    tenant_id, tuning = access.tenant.id, settings.UNDE_TUNING
    days = choose_days(request.GET.get("days", ""), PERIODS, default=PERIODS[1])
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = today - timedelta(days=days - 1)
    state = get_state(tenant_id=tenant_id, default_share=tuning.REVIEW_SHARE)
    tenant_settings = read_settings(access.tenant)
    by_day = [_get_day(tenant_id, today - timedelta(days=ago), now) for ago in range(days)]
    return render_page(
        request,
        "console/extraction.html",
        title="Extraction",
        days=days,
        periods=PERIODS,
        total=get_costs(tenant_id=tenant_id, since=since, until=now),
        by_day=by_day,
        daily=draw_days(by_day),
        bars=_make_result_bars(count_results(tenant_id=tenant_id, since=since, until=now)),
        failures=_make_failure_bars(count_failures(tenant_id=tenant_id, since=since, until=now)),
        budget=Budget(
            count_tokens(tenant_id=tenant_id, since=today),
            get_daily_tokens(tenant_id=tenant_id, default=tuning.EXTRACTION_DAILY_TOKENS),
        ),
        extraction=describe_extraction(),
        is_wanted=tenant_settings.is_extraction_on,
        is_adaptive=tenant_settings.is_adaptive_policy_on,
        state=state,
        is_blocked=state.blocked_until is not None and state.blocked_until > now,
        state_reason=REASONS.get(state.reason, state.reason.replace("_", " ")),
        pending=count_pending(),
        has_prices=bool(settings.UNDE_LLM_PRICE_IN or settings.UNDE_LLM_PRICE_OUT),
        has_operate=has_permission(request, "operate"),
        may_see_runs=has_permission(request, "operate", "audit"),
    )


@require_POST
@console_page("operate")
def switch(request: HttpRequest) -> HttpResponseBase:
    """Turn extraction on or off for the tenant. Audited by the service."""
    mode = MODES.get(request.POST.get("mode", ""))
    if mode is not None:
        access = get_access(request)
        switch_extraction(
            tenant_id=access.tenant.id, mode=mode, reason="by_staff", actor=access.actor, now=timezone.now()
        )
        messages.success(request, f"Extraction is {mode}.")
    return redirect("console:extraction")


def _get_day(tenant_id: UUID, start: datetime, now: datetime) -> Day:
    until = min(start + timedelta(days=1), now)
    return Day(start.date(), get_costs(tenant_id=tenant_id, since=start, until=until))


def draw_days(days: Sequence[Day]) -> Picture | None:
    """What came of each day's runs, the oldest first; None where nothing came of any. Pure."""
    keys = (
        Key("good", "changed facts"),
        Key("soft", "new candidates"),
        Key("other", "already known or refused"),
    )
    columns = [
        Column(
            f"{day.day:%d %b}",
            (costs.applied, costs.staged, max(costs.proposed - costs.applied - costs.staged, 0)),
        )
        for day in reversed(days)
        for costs in [day.costs]
    ]
    return draw_columns(name="extraction-days", title="Extraction by day", keys=keys, columns=columns)


def _make_result_bars(results: dict[str, int]) -> list[Bar]:
    return make_bars(
        [
            (
                code.removeprefix("rejected_").replace("_", " "),
                "refused by the gate" if code.startswith("rejected_") else "accepted by the gate",
                [(RESULT_TONES.get(code, "good" if code.startswith("item_") else "warn"), count)],
            )
            for code, count in results.items()
        ]
    )


def _make_failure_bars(failures: dict[str, int]) -> list[Bar]:
    return make_bars([(code.replace("_", " "), code, [("warn", count)]) for code, count in failures.items()])
