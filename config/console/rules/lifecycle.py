"""The buttons between a draft and everybody, and the two ways back: each asks the services, each is audited."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from config.console.pages import console_page
from config.console.rules.access import audit, find_row, get_page_name, get_version, may_change
from corrections.backtests.selectors import has_finished_backtest
from memory.errors import NotFound
from memory.tenants.access import get_access, is_installation_staff
from patterns.errors import RuleRefused
from patterns.models import EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.services.history import (
    quarantine_entry,
    quarantine_rule,
    restore_entry_version,
    restore_rule_version,
)
from patterns.services.publishing import (
    discard_version,
    publish_entry_version,
    publish_rule_version,
    start_canary,
)

WITHOUT_BACKTEST = "Run its backtest to the end first: it shows what would change for your users."


@require_POST
@console_page("edit_patterns")
def try_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Let a share of the users be read by a draft of a rule or of phrases, or change the share."""
    version = get_version(request, kind, version_id)
    row = _get_row(version)
    percent = _read_percent(request)
    if not _is_backtested(request, version):
        messages.error(request, WITHOUT_BACKTEST)
    elif _do(request, f"{_name(row)}.canary", row, lambda: start_canary(version, percent=percent)):
        messages.success(request, f"Within seconds {percent} % of the users are read by version {version.version}.")
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def publish_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Put a draft, or what is on trial, in force for everybody."""
    version = get_version(request, kind, version_id)
    row = _get_row(version)
    if not _is_backtested(request, version):
        messages.error(request, WITHOUT_BACKTEST)
    elif _do(request, f"{_name(row)}.publish", row, lambda: _publish(version)):
        messages.success(request, f"Version {version.version} is in force within seconds, for everybody.")
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def give_up_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Give up a draft or end a trial."""
    version = get_version(request, kind, version_id)
    row = _get_row(version)
    if _do(request, f"{_name(row)}.discard", row, lambda: discard_version(version)):
        messages.success(request, f"Version {version.version} is given up.")
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def restore_version(request: HttpRequest, kind: str, row_id: UUID, number: int) -> HttpResponseBase:
    """Put an earlier version back in force at once, as the newest one."""
    row = find_row(request, Rule if kind == "rule" else LexiconEntry, row_id)
    if not may_change(request, row):
        raise NotFound("Only the installation's staff change what is for all tenants.")
    actor = get_access(request).actor_code

    def restore() -> Any:
        if isinstance(row, Rule):
            return restore_rule_version(rule=row, version=number, changed_by=actor)
        return restore_entry_version(entry=row, version=number, changed_by=actor)

    try:
        restored = _do(request, f"{_name(row)}.restore", row, restore)
    except (RuleVersion.DoesNotExist, EntryVersion.DoesNotExist):
        raise NotFound("There is no such version.") from None
    if restored:
        messages.success(request, f"Version {number} is back, as version {restored.version}, within seconds.")
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def quarantine(request: HttpRequest, kind: str, row_id: UUID) -> HttpResponseBase:
    """Switch a rule or an entry off at once: for all by the installation's staff, else in the tenant alone."""
    row = find_row(request, Rule if kind == "rule" else LexiconEntry, row_id)
    reason = request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, "Say why, so that the next one knows.")
        return redirect(get_page_name(row), row.id)
    access = get_access(request)
    is_for_all = row.tenant_id is None and is_installation_staff(request) and request.POST.get("scope") == "shared"
    target = None if is_for_all else access.tenant.id
    try:
        off = _switch_off(row, tenant_id=target, reason=reason, changed_by=access.actor_code)
    except RuleRefused as error:
        for problem in error.problems:
            messages.error(request, problem)
        return redirect(get_page_name(row), row.id)
    audit(request, action=f"{_name(off)}.quarantine", object_type=_name(off), object_id=off.id)
    messages.success(request, "It is off within seconds. Put a version back when it is mended.")
    return redirect(get_page_name(off), off.id)


def _switch_off(row: Rule | LexiconEntry, **more: Any) -> Rule | LexiconEntry:
    return quarantine_rule(slug=row.slug, **more) if isinstance(row, Rule) else quarantine_entry(entry=row, **more)


def _do(request: HttpRequest, action: str, row: Rule | LexiconEntry, change: Any) -> Any:
    """Make a change and audit it; when it is refused say why and answer None."""
    try:
        with transaction.atomic():
            done = change()
    except RuleRefused as error:
        for problem in error.problems:
            messages.error(request, problem)
        return None
    audit(request, action=action, object_type=_name(row), object_id=row.id)
    return done or row


def _publish(version: RuleVersion | EntryVersion) -> Any:
    return publish_rule_version(version) if isinstance(version, RuleVersion) else publish_entry_version(version)


def _is_backtested(request: HttpRequest, version: RuleVersion | EntryVersion) -> bool:
    return has_finished_backtest(tenant_id=get_access(request).tenant.id, version_id=version.id)


def _get_row(version: RuleVersion | EntryVersion) -> Rule | LexiconEntry:
    return version.rule if isinstance(version, RuleVersion) else version.entry


def _name(row: Rule | LexiconEntry) -> str:
    return "rule" if isinstance(row, Rule) else "lexicon"


def _read_percent(request: HttpRequest) -> int:
    value = request.POST.get("percent", "")
    return int(value) if value.isdigit() else 0
