"""One page between a draft and everybody: what changes, what the backtest found, when, and who has to agree."""

from __future__ import annotations

from datetime import MAXYEAR, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page
from config.console.rules.access import audit, get_page_name, get_version
from config.console.rules.lifecycle import (
    WITHOUT_BACKTEST,
    get_row,
    is_backtested,
    name_kind,
    needs_second_person,
)
from config.console.rules.progress import (
    describe_version,
    find_shared_row,
    find_shown_backtest,
    is_of_phrases,
    name_author,
)
from memory.errors import NotFound
from memory.tenants.access import get_access
from patterns.errors import RuleRefused
from patterns.models import EntryVersion, Publication, RuleVersion
from patterns.selectors import find_plan
from patterns.services.publications import approve_publication, cancel_publication, plan_publication

BAD_TIME = "Choose a time in the future, or publish now."


@console_page("edit_patterns")
def publish_version(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Ask once, with the difference and the backtest's figures, then publish, plan it, or ask a second person."""
    version = get_version(request, kind, version_id)
    row = get_row(version)
    if not is_backtested(request, version):
        messages.error(request, WITHOUT_BACKTEST)
        return redirect(get_page_name(row), row.id)
    if request.method == "POST":
        publish_at, is_wrong = _read_time(request)
        if not is_wrong:
            return _plan(request, version, publish_at)
        messages.error(request, BAD_TIME)
    return _show(request, version)


@require_POST
@console_page("edit_patterns")
def approve_plan(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Agree as the second person to what the author asked for, at the time that was asked for."""
    version = get_version(request, kind, version_id)
    plan = _get_plan(version)
    return _carry_out(
        request,
        version,
        lambda: approve_publication(plan, approved_by=get_access(request).actor_code, now=timezone.now()),
        audited="approve",
    )


@require_POST
@console_page("edit_patterns")
def cancel_plan(request: HttpRequest, kind: str, version_id: UUID) -> HttpResponseBase:
    """Take back that a version is to be published; the draft stays."""
    version = get_version(request, kind, version_id)
    row, plan = get_row(version), _get_plan(version)
    try:
        cancel_publication(plan, cancelled_by=get_access(request).actor_code, now=timezone.now())
    except RuleRefused as error:
        messages.error(request, error.problems[0])
    else:
        audit(request, action=f"{name_kind(row)}.cancel_publication", object_type=name_kind(row), object_id=row.id)
        messages.success(request, f"Cancelled: version {version.version} will not be published. The draft stays.")
    return redirect(get_page_name(row), row.id)


def _plan(request: HttpRequest, version: RuleVersion | EntryVersion, publish_at: datetime | None) -> HttpResponseBase:
    access = get_access(request)
    return _carry_out(
        request,
        version,
        lambda: plan_publication(
            version,
            tenant_id=access.tenant.id,
            asked_by=access.actor_code,
            now=timezone.now(),
            publish_at=publish_at,
            needs_second_person=needs_second_person(request),
        ),
    )


def _carry_out(request: HttpRequest, version: object, act: object, audited: str = "") -> HttpResponseBase:
    """Do it, write it to the audit trail, and say what happened."""
    row = get_row(version)  # type: ignore[arg-type]
    try:
        plan: Publication = act()  # type: ignore[operator]
    except RuleRefused as error:
        for problem in error.problems:
            messages.error(request, problem)
        return redirect(get_page_name(row), row.id)
    done = {"published": "publish", "scheduled": "schedule", "waiting": "ask_second_person"}[plan.state]
    for action in filter(None, (audited, done)):
        audit(request, action=f"{name_kind(row)}.{action}", object_type=name_kind(row), object_id=row.id)
    messages.success(request, _describe(request, plan))
    return redirect(get_page_name(row), row.id)


def _describe(request: HttpRequest, plan: Publication) -> str:
    plan.version.refresh_from_db()
    name = f"Version {plan.version.version}"
    if plan.state == "published":
        return f"{name} now applies to everybody (takes a few seconds)."
    when = ""
    if plan.publish_at is not None:
        zone = ZoneInfo(get_access(request).tenant.timezone)
        when = f" on {date_format(plan.publish_at.astimezone(zone), 'j M Y, H:i')}"
    if plan.state == "scheduled":
        return f"{name} will be published{when}. Until then you can cancel it."
    return f"{name} is waiting for a second person. It will be published{when or ' when somebody else approves it'}."


def _show(request: HttpRequest, version: RuleVersion | EntryVersion) -> HttpResponseBase:
    row = get_row(version)
    access = get_access(request)
    wants_two, plan = needs_second_person(request), find_plan(version)
    asked = plan if plan is not None and plan.state == "waiting" and plan.author != access.actor_code else None
    return render_page(
        request,
        "console/rules/publish.html",
        title=f"{'Approve' if asked else 'Publish'} version {version.version} of {row}",
        asked=asked,
        asked_by=name_author(asked.asked_by) if asked else "",
        row=row,
        kind="rule" if isinstance(version, RuleVersion) else "entry",
        version=version,
        shown=describe_version(version),
        shared=find_shared_row(row) if row.state == "draft" else None,
        backtest=find_shown_backtest(request, version.id),
        is_of_phrases=is_of_phrases(row),
        wants_two=wants_two,
        must_ask=wants_two and version.changed_by == access.actor_code,
        author=name_author(version.changed_by),
        zone=access.tenant.timezone,
    )


def _read_time(request: HttpRequest) -> tuple[datetime | None, bool]:
    """When to publish, in the tenant's time zone (None: now), and whether what was typed is no time to come."""
    if request.POST.get("when", "now") != "later":
        return None, False
    try:
        typed = datetime.fromisoformat(request.POST.get("publish_at", ""))
    except ValueError:
        return None, True
    at = typed.replace(tzinfo=ZoneInfo(get_access(request).tenant.timezone))
    return at, typed.tzinfo is not None or at <= timezone.now() or at.year == MAXYEAR


def _get_plan(version: RuleVersion | EntryVersion) -> Publication:
    plan = find_plan(version)
    if plan is None:
        raise NotFound("This version is no longer scheduled.")
    return plan
