"""What goes by age: the switch, what would go before it is on, and how far the nights are (D-54)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.console.pages import console_page, render_page
from config.parameters import find_id
from memory.consents.selectors import list_purposes
from memory.retention.selectors import list_over_age, list_runs
from memory.retention.services import switch_retention
from memory.tenants.access import get_access, has_permission
from memory.tenants.scope import tenant_scope
from memory.tenants.services.tenants import read_settings


class DaysForm(forms.Form):
    """For how many days messages are kept; nothing: as the purposes say."""

    days = forms.IntegerField(
        label="Days messages are kept", required=False, min_value=1, max_value=settings.UNDE_TUNING.MAX_RETENTION_DAYS
    )


@console_page("operate", "audit")
def show_retention(request: HttpRequest) -> HttpResponseBase:
    """The switch, the nights, and a dry run: counts by user, a page at a time. It changes nothing."""
    tenant = get_access(request).tenant
    stored, now = read_settings(tenant), timezone.now()
    form = DaysForm(request.GET if "days" in request.GET else None, initial={"days": stored.retention_days})
    is_good = not form.is_bound or form.is_valid()
    days = form.cleaned_data["days"] if form.is_bound and is_good else stored.retention_days
    with tenant_scope(tenant.id):
        found = list_page(tenant.id, days=days, after=find_id(request.GET.get("after", ""))) if is_good else []
        purposes = [one for one in list_purposes(tenant_id=tenant.id) if one.kept_days]
        runs = list_runs(tenant_id=tenant.id, limit=settings.UNDE_TUNING.RETENTION_RUNS_SHOWN)
    limit = settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE
    return render_page(
        request,
        "console/retention.html",
        title="Retention",
        form=form,
        stored=stored,
        days=days,
        is_good=is_good,
        found=found[:limit],
        older=found[limit - 1].user.id if len(found) > limit else None,
        purposes=purposes,
        runs=runs,
        now=now,
        has_operate=has_permission(request, "operate"),
    )


@console_page("operate")
def switch(request: HttpRequest) -> HttpResponseBase:
    """Switch on after a page that says what goes tonight; switch off, or change the days, likewise."""
    access = get_access(request)
    form = DaysForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        return redirect("console:retention")
    days, is_on = form.cleaned_data["days"], request.POST.get("to") == "on"
    if request.POST.get("sure") != "yes":
        return _ask(request, days=days, is_on=is_on)
    switch_retention(tenant=access.tenant, is_on=is_on, days=days, actor=access.actor, now=timezone.now())
    messages.success(request, "Retention is on from the next night." if is_on else "Retention is off.")
    return redirect("console:retention")


def list_page(tenant_id: UUID, *, days: int | None, after: UUID | None) -> list[Any]:
    """A page of users with something over its age, and one more. In a tenant scope."""
    limit = settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE
    return list_over_age(tenant_id=tenant_id, days=days, at=timezone.now(), after=after, limit=limit + 1)


def _ask(request: HttpRequest, *, days: int | None, is_on: bool) -> TemplateResponse:
    tenant = get_access(request).tenant
    details = []
    if is_on:
        with tenant_scope(tenant.id):
            found = list_page(tenant.id, days=days, after=None)
        limit = settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE
        more = " at least" if len(found) > limit else ""
        counts = f"{sum(one.messages for one in found)} messages and {sum(one.items for one in found)} items"
        details = [
            f"messages are kept for {days} days" if days else "messages are kept as the purposes say",
            f"tonight{more} {counts} of{more} {len(found)} users go",
            "this cannot be undone: each is an erasure with a certificate",
        ]
    return render_page(
        request,
        "console/retention_switch.html",
        title="Switch retention on" if is_on else "Switch retention off",
        is_on=is_on,
        days=days,
        details=details,
        back_url=reverse("console:retention") + (f"?days={days or ''}" if is_on else ""),
    )
