"""What is on its way in this tenant, what was changed by whom and why; a rule for those who only look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from config.console.pages import console_page, render_page
from config.console.rules.access import find_status
from config.console.rules.facts import describe_resting
from config.console.rules.figures import describe_figures
from config.console.rules.lifecycle import get_row
from config.console.rules.progress import (
    ShownVersion,
    describe_progress,
    describe_versions,
    list_author_names,
)
from config.console.rules.refusals import list_refusals
from config.parameters import find_id, find_moment
from memory.tenants.access import get_access, has_permission
from patterns.alternatives import lay_out
from patterns.models import EntryVersion, Rule, RuleVersion
from patterns.selectors import list_changes, list_last_plans, list_open_versions, list_pack_loads

FEED: Final = 30
LOADS: Final = 5


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A version of a rule or entry in the list of changes."""

    shown: ShownVersion
    subject: Any
    is_rule: bool
    plan: Any = None
    plan_approver: str = ""


@console_page("edit_patterns", "operate")
def show_changes(request: HttpRequest) -> HttpResponseBase:
    """Drafts and trials, then every version, newest first."""
    tenant_id = get_access(request).tenant.id
    before = _read_place(request.GET.get("before", ""))
    changes = list_changes(tenant_id=tenant_id, before=before, limit=FEED + 1)
    return render_page(
        request,
        "console/rules/changes.html",
        title="Rule changes",
        open_changes=[] if before else _show_all(list_open_versions(tenant_id=tenant_id)),
        changes=_show_all(changes[:FEED]),
        older=_write_place(changes[FEED - 1]) if len(changes) > FEED else None,
        loads=[] if before else list_pack_loads(limit=LOADS),
        may_edit_patterns=has_permission(request, "edit_patterns"),
        rules_status=find_status(request),
    )


def show_rule(request: HttpRequest, rule: Rule) -> HttpResponseBase:
    """A rule as it is, with its figures and versions, without a form."""
    return render_page(
        request,
        "console/rules/rule_seen.html",
        title=f"Rule {rule.slug}",
        row=rule,
        alternatives=lay_out(rule.pattern),
        refusals=list_refusals(request, rule=rule.slug),
        rules_status=find_status(request),
        **describe_resting(request, rule),
        **describe_figures(request, rule),
        **describe_progress(request, rule),
    )


def _show_all(versions: Sequence[RuleVersion | EntryVersion]) -> list[ShownChange]:
    """Versions of many rows with their plans, in as many statements as for one."""
    plans = list_last_plans(versions)
    names = list_author_names(plan.approved_by for plan in plans.values() if plan.approved_by)
    return [
        ShownChange(
            shown,
            get_row(shown.row),
            isinstance(shown.row, RuleVersion),
            plans.get(shown.row.id),
            names.get(plans[shown.row.id].approved_by, "") if shown.row.id in plans else "",
        )
        for shown in describe_versions(versions)
    ]


def _write_place(version: Any) -> str:
    return f"{version.changed_at.isoformat()} {version.id}"


def _read_place(text: str) -> tuple[datetime, UUID] | None:
    """Where the list goes on; None for what is no place in it."""
    moment, _, version = text.rpartition(" ")
    changed_at, version_id = find_moment(moment), find_id(version)
    return (changed_at, version_id) if changed_at and version_id else None
