"""The list of rules with what each did lately: facts made, and how many of those that reviewers judged were wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from corrections.selectors.rule_figures import Share, count_hits, measure_rule_errors
from memory.selectors.figures import read_figure
from memory.tenants.access import get_access, has_permission
from patterns.admin import RuleAdmin
from patterns.models import Rule

HIT_DAYS: Final = 30
ERROR_DAYS: Final = 90

admin.site.unregister(Rule)


@admin.register(Rule)
class CountedRuleAdmin(RuleAdmin):
    """The list of the room with two columns that it knows nothing of. Operators read it, editors change it."""

    def get_list_display(self, request: HttpRequest) -> tuple[Any, ...]:
        """The room's columns, with the figures of the tenant that is worked in beside the name."""
        name, *rest = super().get_list_display(request)
        return (name, *_make_columns(request), *rest)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if not has_permission(request, "edit_patterns") and hasattr(answer, "context_data"):
            answer.context_data["primary_link"] = None
        return answer

    def has_module_permission(self, request: HttpRequest) -> bool:
        return has_permission(request, "edit_patterns", "operate")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return has_permission(request, "edit_patterns", "operate")


def _make_columns(request: HttpRequest) -> list[Callable[[Rule], Any]]:
    """Two columns over figures that are read once for the page: the class of a list lives longer than a request."""
    if not hasattr(request, "rule_columns"):
        tenant_id, now = get_access(request).tenant.id, timezone.now()
        hits = read_figure(tenant_id, lambda: count_hits(tenant_id=tenant_id, since=now - timedelta(days=HIT_DAYS)))
        errors = read_figure(
            tenant_id, lambda: measure_rule_errors(tenant_id=tenant_id, since=now - timedelta(days=ERROR_DAYS))
        )

        @display(description=f"Facts, {HIT_DAYS} days")
        def shown_hits(rule: Rule) -> str:
            return "–" if hits is None else f"{hits.get(rule.slug, 0):,}"

        @display(description=f"Wrong, {ERROR_DAYS} days")
        def shown_errors(rule: Rule) -> SafeString | str:
            return show_error_rate((errors or {}).get(rule.slug))

        request.rule_columns = [shown_hits, shown_errors]  # type: ignore[attr-defined]  # once for the request
    columns: list[Callable[[Rule], Any]] = request.rule_columns  # type: ignore[attr-defined]
    return columns


def show_error_rate(share: Share | None) -> SafeString | str:
    """ "2.1 % of 48", with the bounds of the true share when one points at it."""
    if share is None:
        return "–"
    bounds = f"95 % interval: {share.lower:.1f} to {share.upper:.1f} %"
    return format_html(
        '<span class="nowrap" title="{}">{} % <span class="muted">of {}</span></span>',
        bounds,
        f"{share.percent:.1f}",
        share.whole,
    )
