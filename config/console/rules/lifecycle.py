"""The buttons between a draft and its trial, and the two ways back: each asks the services, each is audited."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from config.console.pages import console_page
from config.console.rules.access import audit, find_row, get_page_name, get_version, may_change
from config.parameters import find_number
from corrections.backtests.selectors import has_finished_backtest
from memory.errors import NotFound
from memory.outbox.services.events import record_event
from memory.tenants.access import get_access, is_installation_staff
from memory.tenants.scope import tenant_scope
from memory.tenants.services.tenants import read_settings
from patterns.errors import RuleRefused
from patterns.models import EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.services.history import (
    quarantine_entry,
    quarantine_rule,
    restore_entry_version,
    restore_rule_version,
)
from patterns.services.publishing import discard_version, start_canary

WITHOUT_BACKTEST = "Run the backtest first. It shows what would change for your users."
ALONE = "Publishing needs a second person. Until then, the author can run a trial with at most {} % of users."


@require_POST
@console_page("edit_patterns")
def try_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Let a share of the users be read by a draft of a rule or of phrases, or change the share."""
    version = get_version(request, kind, version_id)
    row = get_row(version)
    percent = find_number(request.POST.get("percent", "")) or 0
    if not is_backtested(request, version):
        messages.error(request, WITHOUT_BACKTEST)
    elif _is_too_wide_alone(request, version, percent):
        messages.error(request, ALONE.format(settings.UNDE_TUNING.TRIAL_PERCENT_ALONE))
    elif do_audited(request, f"{name_kind(row)}.canary", row, lambda: start_canary(version, percent=percent)):
        messages.success(
            request, f"Version {version.version} now applies to {percent} % of users (takes a few seconds)."
        )
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def give_up_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Discard a draft or end a trial."""
    version = get_version(request, kind, version_id)
    row = get_row(version)
    was_tried = version.state == "canary"
    if do_audited(request, f"{name_kind(row)}.discard", row, lambda: discard_version(version)):
        done = "Trial ended" if was_tried else "Draft discarded"
        messages.success(request, f"{done}: version {version.version} applies to nobody.")
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def restore_version(request: HttpRequest, kind: str, row_id: UUID, number: int) -> HttpResponseBase:
    """Put an earlier version back in force at once, as the newest one."""
    row = find_row(request, Rule if kind == "rule" else LexiconEntry, row_id)
    if not may_change(request, row):
        raise NotFound("Only staff of the installation can change what all tenants share.")
    actor = get_access(request).actor_code

    def restore() -> Any:
        if isinstance(row, Rule):
            return restore_rule_version(rule=row, version=number, changed_by=actor)
        return restore_entry_version(entry=row, version=number, changed_by=actor)

    try:
        restored = do_audited(request, f"{name_kind(row)}.restore", row, restore)
    except (RuleVersion.DoesNotExist, EntryVersion.DoesNotExist):
        raise NotFound("This version does not exist.") from None
    if restored:
        done = f"Rolled back to version {number}. It is now version {restored.version} (takes a few seconds)."
        messages.success(request, done)
    return redirect(get_page_name(row), row.id)


@require_POST
@console_page("edit_patterns")
def quarantine(request: HttpRequest, kind: str, row_id: UUID) -> HttpResponseBase:
    """Switch a rule or an entry off at once: for all by the installation's staff, else in the tenant alone."""
    row = find_row(request, Rule if kind == "rule" else LexiconEntry, row_id)
    reason = request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, "Enter a reason for the other editors.")
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
    audit(request, action=f"{name_kind(off)}.quarantine", object_type=name_kind(off), object_id=off.id)
    with tenant_scope(access.tenant.id):
        record_event("rule.quarantined", tenant_id=access.tenant.id, data={"kind": name_kind(off), "rule_id": off.id})
    messages.success(request, "Switched off (takes a few seconds). A roll-back or a new version switches it on again.")
    return redirect(get_page_name(off), off.id)


def _switch_off(row: Rule | LexiconEntry, **more: Any) -> Rule | LexiconEntry:
    return quarantine_rule(slug=row.slug, **more) if isinstance(row, Rule) else quarantine_entry(entry=row, **more)


def do_audited(request: HttpRequest, action: str, row: Rule | LexiconEntry, change: Any) -> Any:
    """Make a change and audit it; when it is refused say why and answer None."""
    try:
        with transaction.atomic():
            done = change()
    except RuleRefused as error:
        for problem in error.problems:
            messages.error(request, problem)
        return None
    audit(request, action=action, object_type=name_kind(row), object_id=row.id)
    return done or row


def is_backtested(request: HttpRequest, version: RuleVersion | EntryVersion) -> bool:
    """Whether the version was read against the tenant's messages to the end."""
    return has_finished_backtest(tenant_id=get_access(request).tenant.id, version_id=version.id)


def needs_second_person(request: HttpRequest) -> bool:
    """Whether the tenant wants two people behind what is published."""
    return read_settings(get_access(request).tenant).needs_second_publisher


def _is_too_wide_alone(request: HttpRequest, version: RuleVersion | EntryVersion, percent: int) -> bool:
    """A trial of everybody would be publishing without the second person."""
    is_author = version.changed_by == get_access(request).actor_code
    return is_author and percent > settings.UNDE_TUNING.TRIAL_PERCENT_ALONE and needs_second_person(request)


def get_row(version: RuleVersion | EntryVersion) -> Rule | LexiconEntry:
    """The rule or entry of a version."""
    return version.rule if isinstance(version, RuleVersion) else version.entry


def name_kind(row: Rule | LexiconEntry) -> str:
    """What the audit trail calls it."""
    return "rule" if isinstance(row, Rule) else "lexicon"
