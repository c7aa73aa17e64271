"""What is on its way in this tenant, what was changed by whom and why; a rule for those who only look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from config.console.pages import console_page, render_page
from config.console.rules.access import find_status
from config.console.rules.facts import describe_resting
from config.console.rules.figures import describe_figures
from config.console.rules.progress import ShownVersion, describe_progress, describe_version, name_author
from config.console.rules.refusals import list_refusals
from config.parameters import find_id, find_moment
from memory.tenants.access import get_access, has_permission
from patterns.alternatives import lay_out
from patterns.models import Rule, RuleVersion
from patterns.selectors import find_last_plan, list_changes, list_open_versions, list_pack_loads

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
        open_changes=[] if before else [_show(one) for one in list_open_versions(tenant_id=tenant_id)],
        changes=[_show(one) for one in changes[:FEED]],
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


def _show(version: Any) -> ShownChange:
    is_rule = isinstance(version, RuleVersion)
    subject = version.rule if is_rule else version.entry
    plan = find_last_plan(version)
    approver = name_author(plan.approved_by) if plan and plan.approved_by else ""
    return ShownChange(describe_version(version), subject, is_rule, plan, approver)


def _write_place(version: Any) -> str:
    return f"{version.changed_at.isoformat()} {version.id}"


def _read_place(text: str) -> tuple[datetime, UUID] | None:
    """Where the list goes on; None for what is no place in it."""
    moment, _, version = text.rpartition(" ")
    changed_at, version_id = find_moment(moment), find_id(version)
    return (changed_at, version_id) if changed_at and version_id else None
