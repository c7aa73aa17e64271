"""Facts of a rule that was taken back: how many rest on it, closing them, reading messages anew (SPEC I-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page, telling
from config.console.rules.access import find_row
from config.console.rules.progress import name_author
from memory.errors import NotFound
from memory.models import FactJob
from memory.tenants.access import get_access
from memory.withdrawals import jobs
from memory.withdrawals.selectors import OPEN, count_resting_facts, find_job, list_jobs, list_rule_versions
from memory.withdrawals.tasks import send_fact_job
from patterns.models import Rule
from patterns.selectors import find_rule_in_force, list_withdrawn_versions

TITLES: Final = {
    "close": "Closing facts",
    "reopen": "Reopening facts",
    "preview": "Preview of rereading",
    "reread": "Rereading messages",
}
COUNTED: Final = {
    "closed": "facts closed",
    "reopened": "facts reopened",
    "kept_closed": "stay closed: their key has a newer value",
    "added": "facts added",
    "lost": "facts removed",
    "changed": "facts with another value",
    "messages": "messages read",
}


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A work with its progress in words. `percent`: of its users, 0 to 100."""

    row: FactJob
    title: str
    author: str
    percent: int
    is_open: bool
    is_stalled: bool
    counts: tuple[tuple[str, int], ...]
    by_type: tuple[tuple[str, str, int], ...]


def describe_resting(request: HttpRequest, rule: Rule) -> dict[str, Any]:
    """What the page of a rule says of facts that rest on what was taken back, and of the work on them."""
    tenant_id = get_access(request).tenant.id
    versions = list_taken_back(request, rule)
    facts, users = count_resting_facts(tenant_id=tenant_id, rule=rule.slug, versions=versions)
    works = [show_job_row(job) for job in list_jobs(tenant_id=tenant_id, rule=rule.slug)]
    return {"resting": {"facts": facts, "users": users, "versions": versions}, "works": works}


def list_taken_back(request: HttpRequest, rule: Rule) -> list[int]:
    """The versions of a rule that were taken back in this tenant: all that facts name where the rule is off."""
    tenant_id = get_access(request).tenant.id
    row = find_rule_in_force(slug=rule.slug, tenant_id=tenant_id)
    if row is not None and (row.state == "quarantined" or not row.is_active):
        return list_rule_versions(tenant_id=tenant_id, rule=rule.slug)
    return list_withdrawn_versions(slug=rule.slug, tenant_id=tenant_id)


@require_POST
@console_page("edit_patterns")
def close_facts(request: HttpRequest, rule_id: UUID) -> HttpResponseBase:
    """Ask that the facts that rest on what was taken back be closed."""
    rule, access = _get_rule(request, rule_id), get_access(request)
    versions = list_taken_back(request, rule)
    return _ask(
        request,
        rule,
        lambda: jobs.request_closing(
            tenant_id=access.tenant.id,
            rule=rule.slug,
            versions=versions,
            requested_by=access.actor_code,
            now=timezone.now(),
        ),
    )


@require_POST
@console_page("edit_patterns")
def preview_reading(request: HttpRequest, rule_id: UUID) -> HttpResponseBase:
    """Ask what reading stored messages anew would change. It changes nothing."""
    rule, access = _get_rule(request, rule_id), get_access(request)
    return _ask(
        request,
        rule,
        lambda: jobs.request_preview(
            tenant_id=access.tenant.id,
            rule=rule.slug,
            has_all_users=request.POST.get("users") == "all",
            requested_by=access.actor_code,
            now=timezone.now(),
        ),
    )


@console_page("edit_patterns")
def show_work(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """How far a work is; asked for by the page itself while it goes on, it answers the moving part alone."""
    job = _get(request, job_id)
    shown, rule = show_job_row(job), _find_rule(request, job)
    if request.headers.get("HX-Request"):
        answer = render(request, "console/rules/work_progress.html", {"work": shown})
        if not shown.is_open:
            answer["HX-Refresh"] = "true"
        return answer
    is_old = rule is not None and job.created_at < rule.changed_at
    return render_page(
        request, "console/rules/work.html", title=f"{shown.title}: {job.rule}", work=shown, rule=rule, is_old=is_old
    )


@require_POST
@console_page("edit_patterns")
def undo_closing(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """Ask that what a work closed be opened again."""
    job, access = _get(request, job_id), get_access(request)
    return _ask(
        request,
        _find_rule(request, job),
        lambda: jobs.request_reopening(
            tenant_id=access.tenant.id, job_id=job.id, requested_by=access.actor_code, now=timezone.now()
        ),
    )


@require_POST
@console_page("edit_patterns")
def read_anew(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """Ask that messages be read anew, as the preview showed it."""
    job, access = _get(request, job_id), get_access(request)
    rule = _find_rule(request, job)
    return _ask(
        request,
        rule,
        lambda: jobs.request_reading(
            tenant_id=access.tenant.id,
            preview_id=job.id,
            changed_at=rule.changed_at if rule else job.created_at,
            requested_by=access.actor_code,
            now=timezone.now(),
        ),
    )


@require_POST
@console_page("edit_patterns")
def stop_work(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """Stop after the user it is at."""
    job = _get(request, job_id)
    actor = get_access(request).actor_code
    jobs.cancel_job(tenant_id=job.tenant_id, job_id=job.id, actor=actor, now=timezone.now())
    return redirect("console:rule_work", job.id)


@require_POST
@console_page("edit_patterns")
def continue_work(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
    """Go on from where it stopped."""
    job = _get(request, job_id)
    actor = get_access(request).actor_code
    with telling(request):
        jobs.resume_job(tenant_id=job.tenant_id, job_id=job.id, actor=actor, now=timezone.now())
        _send(request, job.id)
    return redirect("console:rule_work", job.id)


def show_job_row(job: FactJob) -> ShownJob:
    """A work as people see it."""
    is_open = job.state in OPEN
    last_sign = job.heartbeat_at or job.created_at
    total = max(job.users_total or 0, job.users_done)
    kinds = [(name, label) for name, label in COUNTED.items() if name in job.counts]
    types = sorted((name, count) for name, count in job.counts.items() if ":" in name)
    return ShownJob(
        row=job,
        title=TITLES[job.kind],
        author=name_author(job.requested_by),
        percent=round(100 * job.users_done / total) if total else 0 if is_open else 100,
        is_open=is_open,
        is_stalled=is_open and timezone.now() - last_sign > settings.UNDE_TUNING.FACT_JOB_STALE_AFTER,
        counts=tuple((label, job.counts[name]) for name, label in kinds),
        by_type=tuple((*name.split(":", 1), count) for name, count in types),
    )


def _ask(request: HttpRequest, rule: Rule | None, request_job: Any) -> HttpResponseBase:
    """Ask for a work, wake a worker, and go to its page; when it is refused say why."""
    with telling(request):
        job: FactJob = request_job()
        _send(request, job.id)
        return redirect("console:rule_work", job.id)
    return redirect("console:edit_rule", rule.id) if rule else redirect("console:rule_changes")


def _send(request: HttpRequest, job_id: UUID) -> None:
    # After the page's transaction: a worker must find the row.
    tenant_id = get_access(request).tenant.id
    transaction.on_commit(lambda: send_fact_job(tenant_id=tenant_id, job_id=job_id), robust=True)


def _get(request: HttpRequest, job_id: UUID) -> FactJob:
    job = find_job(tenant_id=get_access(request).tenant.id, job_id=job_id)
    if job is None:
        raise NotFound("This task does not exist in this tenant.")
    return job


def _get_rule(request: HttpRequest, rule_id: UUID) -> Rule:
    rule: Rule = find_row(request, Rule, rule_id)
    return rule


def _find_rule(request: HttpRequest, job: FactJob) -> Rule | None:
    return find_rule_in_force(slug=job.rule, tenant_id=get_access(request).tenant.id)
