"""Where a rule or an entry stands: what is in force, what is on its way and how far, and every version before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.http import HttpRequest
from django.utils import timezone

from config.console.rules.access import may_change
from config.console.rules.lifecycle import get_row
from corrections.backtests.comparing import CHANGES
from corrections.backtests.selectors import find_last_backtest
from corrections.models import Backtest
from memory.tenants.access import get_access, has_permission, is_installation_staff
from memory.tenants.people import name_person
from patterns.matching.phrases import is_phrases
from patterns.models import OPEN_STATES, EntryVersion, LexiconEntry, Publication, Rule, RuleVersion
from patterns.rules.differences import FieldDifference, list_differences
from patterns.selectors import find_last_plan, list_published_before, list_shared_rows, read_rule_row
from patterns.services.packs import make_rule_content

VERSIONS_SHOWN: Final = 30
STALLED_AFTER: Final = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version with who made it and what it changed."""

    row: Any
    author: str
    differences: list[FieldDifference]
    is_in_force: bool


@dataclass(frozen=True, slots=True)
class ShownBacktest:
    """A backtest with its totals. `is_stalled`: no worker has been at it for a while."""

    row: Backtest
    total: dict[str, int]
    languages: list[tuple[str, dict[str, int]]]
    is_open: bool
    is_stalled: bool


def describe_progress(request: HttpRequest, row: Rule | LexiconEntry | None) -> dict[str, Any]:
    """What the page of a rule or entry shows beside the form; empty for a new one."""
    if row is None:
        return {}
    versions: list[RuleVersion | EntryVersion] = list(row.versions.order_by("-version")[:VERSIONS_SHOWN])
    authors = list_author_names(version.changed_by for version in versions)
    shown = [
        ShownVersion(
            row=version,
            author=authors.get(version.changed_by, version.changed_by),
            differences=_list_changes(version, versions[place + 1 :], row),
            is_in_force=row.state == "published" and version.version == row.version,
        )
        for place, version in enumerate(versions)
    ]
    open_version = next((one for one in shown if one.row.state in OPEN_STATES), None)
    plan = find_last_plan(open_version.row) if open_version else None
    return {
        "kind": "rule" if isinstance(row, Rule) else "entry",
        "versions": shown,
        "open": open_version,
        "plan": plan,
        "plan_names": _name_plan(plan),
        "shared": find_shared_row(row) if row.state == "draft" else None,
        "may_approve": plan is not None and plan.author != get_access(request).actor_code,
        "is_of_phrases": is_of_phrases(row),
        "has_trials": isinstance(row, Rule) or is_of_phrases(row),
        "may_change": may_change(request, row) and has_permission(request, "edit_patterns"),
        "may_edit": has_permission(request, "edit_patterns"),
        "rule_zone": get_access(request).tenant.timezone,
        "is_installation": is_installation_staff(request),
        "backtest": find_shown_backtest(request, open_version.row.id) if open_version else None,
    }


def describe_versions(versions: Sequence[RuleVersion | EntryVersion]) -> list[ShownVersion]:
    """Versions of many rows, each against what was in force when it was made, in as many statements as for one."""
    authors = list_author_names(version.changed_by for version in versions)
    before = list_published_before(versions)
    shared = list_shared_rows(get_row(version) for version in versions if version.id not in before)
    shown = []
    for version in versions:
        earlier = before.get(version.id)
        content = earlier.content if earlier else _read_content(shared.get(get_row(version).id))
        differences = list_differences(content, version.content)
        shown.append(ShownVersion(version, authors[version.changed_by], differences, False))
    return shown


def describe_version(version: RuleVersion | EntryVersion) -> ShownVersion:
    """One version against what was in force when it was made."""
    return describe_versions([version])[0]


def name_author(code: str) -> str:
    """The name of who wrote a version or asked for something."""
    return list_author_names([code])[code]


def _name_plan(plan: Publication | None) -> dict[str, str]:
    codes = [plan.asked_by, plan.approved_by, plan.ended_by] if plan else []
    names = list_author_names(codes)
    return {} if plan is None else {
        "asked": names.get(plan.asked_by, plan.asked_by), "ended": names.get(plan.ended_by, plan.ended_by)
    }  # fmt: skip


def is_of_phrases(row: Rule | LexiconEntry) -> bool:
    """Whether a row holds phrases of replies."""
    return isinstance(row, LexiconEntry) and is_phrases(row.category)


def find_shown_backtest(request: HttpRequest, version_id: Any) -> ShownBacktest | None:
    """The newest backtest of a version in this tenant."""
    backtest = find_last_backtest(tenant_id=get_access(request).tenant.id, version_id=version_id)
    return show_backtest_row(backtest) if backtest else None


def show_backtest_row(backtest: Backtest) -> ShownBacktest:
    """A backtest with its totals over all languages."""
    languages = sorted(backtest.counts.items(), key=lambda item: -item[1].get("read", 0))
    filled = [(name, {key: counts.get(key, 0) for key in ("read", *CHANGES)}) for name, counts in languages]
    total = {key: sum(counts[key] for _, counts in filled) for key in ("read", *CHANGES)}
    is_open = backtest.state in ("queued", "running")
    last_sign = backtest.heartbeat_at or backtest.created_at
    return ShownBacktest(backtest, total, filled, is_open, is_open and timezone.now() - last_sign > STALLED_AFTER)


def _list_changes(version: Any, earlier: list[Any], row: Rule | LexiconEntry) -> list[FieldDifference]:
    """Against what was in force when it was made: the newest earlier version that was ever published.

    The first version of a tenant's own row is told against the shared one that it takes the place of, as that is now.
    """
    before = next((one for one in earlier if one.state == "published"), None)
    return list_differences(before.content if before else _find_shared_content(row), version.content)


def _find_shared_content(row: Rule | LexiconEntry) -> dict[str, Any] | None:
    """What the shared row of the same name holds; None for a shared row itself and where there is none."""
    return _read_content(find_shared_row(row))


def _read_content(shared: Rule | LexiconEntry | None) -> dict[str, Any] | None:
    if isinstance(shared, Rule):
        return make_rule_content(read_rule_row(shared))
    return {"aliases": shared.aliases, "forms": shared.forms, "is_active": shared.is_active} if shared else None


def find_shared_row(row: Rule | LexiconEntry) -> Rule | LexiconEntry | None:
    """The row for all tenants whose place a tenant's own row takes, drafts aside."""
    if row.tenant_id is None:
        return None
    if isinstance(row, Rule):
        return Rule.objects.filter(slug=row.slug, tenant_id=None).exclude(state="draft").first()
    name = {"category": row.category, "canonical": row.canonical, "language": row.language}
    return LexiconEntry.objects.filter(**name, tenant_id=None).exclude(state="draft").first()


def list_author_names(codes: Iterable[str]) -> dict[str, str]:
    """Names of who wrote versions, by code: staff by name, rule packs as such."""
    names = {code: name_person(code) for code in set(codes)}
    return {code: f"rule pack {code}" if name == code else name for code, name in names.items()}
