"""The test bench of patterns: paste messages, see what the working rule set makes of them. Nothing is stored."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from config.console.pages import console_page, render_page
from config.console.rules.samples import read_samples, split_samples
from memory.tenants.access import get_access
from patterns.registry import get_rule_set


@console_page("edit_patterns")
def show_bench(request: HttpRequest) -> HttpResponseBase:
    """The page on GET; the results alone on POST, which the page sends while somebody types."""
    if request.method != "POST":
        return render_page(request, "console/bench.html", title="Test bench")
    tenant = get_access(request).tenant
    rule_set = get_rule_set(tenant_id=tenant.id)
    samples = read_samples(
        split_samples(request.POST.get("messages", "")),
        rule_set=rule_set,
        said_at=timezone.now().astimezone(ZoneInfo(tenant.timezone)),
    )
    return render(request, "console/bench_results.html", {"samples": samples, "version": rule_set.version})
