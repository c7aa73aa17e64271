"""A rule in figures: each version's facts, refusals, corrections and verdicts, and a trial beside what it was tried
against (SPEC I-2, D-27). Counts alone: rule editors see them without seeing anybody's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils import timezone

from config.console.drawing.pictures import Picture
from config.console.rules.trial_picture import draw_trial
from corrections.selectors.rule_figures import (
    Share,
    VersionFigures,
    count_arms,
    count_facts_by_day,
    list_version_figures,
    measure_share,
)
from memory.ids import get_first_id
from memory.selectors.figures import read_figure
from memory.tenants.access import get_access
from patterns.models import Rule, RuleVersion
from patterns.selectors import find_rule_in_force

DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a trial: which version, whose messages, what came of them. `per_hundred`: facts per 100 messages.

    `refused`: of its matches, over whole days alone, as refusals are counted; None before the first one has begun.
    """

    name: str
    messages: int | None
    figures: VersionFigures
    per_hundred: Share | None
    refused: Share | None


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial beside the version in force, over the same time."""

    since: datetime
    percent: int
    arms: tuple[Arm, Arm]
    picture: Picture | None = None


def describe_figures(request: HttpRequest, rule: Rule) -> dict[str, Any]:
    """What the page of a rule shows in figures; an empty list where they take too long to count."""
    tenant_id = get_access(request).tenant.id
    since = _get_midnight(timezone.now()) - timedelta(days=DAYS)
    figures = read_figure(tenant_id, lambda: list_version_figures(tenant_id=tenant_id, slug=rule.slug, since=since))
    tried = RuleVersion.objects.filter(rule=rule, state="canary").first()
    return {
        "figures": figures or [],
        "figure_days": DAYS,
        "trial": _describe_trial(request, rule, tried) if tried else None,
    }


def _describe_trial(request: HttpRequest, rule: Rule, tried: RuleVersion) -> Trial:
    tenant_id, since = get_access(request).tenant.id, tried.canary_since or tried.changed_at
    row = find_rule_in_force(slug=rule.slug, tenant_id=tenant_id)
    figures = read_figure(tenant_id, lambda: list_version_figures(tenant_id=tenant_id, slug=rule.slug, since=since))
    messages = read_figure(
        tenant_id,
        lambda: count_arms(
            tenant_id=tenant_id, slug=rule.slug, percent=tried.canary_percent, first_id=get_first_id(since)
        ),
    )
    whole = _get_midnight(since) + timedelta(days=1)
    by_day = read_figure(tenant_id, lambda: list_version_figures(tenant_id=tenant_id, slug=rule.slug, since=whole))
    mine, others = messages if messages is not None else (None, None)
    number = row.version if row is not None and row.is_active else 0
    before = f"active, v{number}" if number else "without the rule"
    zone, now = ZoneInfo(get_access(request).tenant.timezone), timezone.now()
    days = read_figure(
        tenant_id, lambda: count_facts_by_day(tenant_id=tenant_id, slug=rule.slug, since=since, zone=zone)
    )
    return Trial(
        since,
        tried.canary_percent,
        (
            _make_arm(f"trial, v{tried.version}", tried.version, mine, figures or [], by_day or []),
            _make_arm(before, number, others, figures or [], by_day or []),
        ),
        draw_trial(days or {}, tried=tried.version, before=number, since=since, now=now, zone=zone),
    )


def _make_arm(
    name: str, version: int, messages: int | None, figures: list[VersionFigures], by_day: list[VersionFigures]
) -> Arm:
    found, whole_days = (
        next((one for one in some if one.version == version), VersionFigures(version)) for some in (figures, by_day)
    )
    per_hundred = measure_share(found.facts, messages) if messages is not None else None
    return Arm(name, messages, found, per_hundred, whole_days.refused_share)


def _get_midnight(moment: datetime) -> datetime:
    """The beginning of its day in UTC, as refusals are counted."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
