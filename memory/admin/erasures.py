"""Erasures of a tenant with their deadlines: ids, codes, times and counts (SPEC G-2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.erasure.selectors import find_erasure_owner, get_erasure
from memory.models import ErasureRequest
from memory.tenants.access import get_access
from memory.tenants.admin_base import LongListAdmin, TenantRows, show_badge, show_id
from memory.tenants.people import get_name

TONES = {"completed": "good", "failed": "bad", "escalated": "bad", "retry_pending": "warn"}
ALERT_TONES = {"warning": "warn", "critical": "bad", "overdue": "bad"}


def list_counts(counts: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Rows by eraser before and after, by name; None where they were not counted yet. Pure."""
    before, after = counts.get("before", {}), counts.get("after", {})
    return [(name, before.get(name), after.get(name)) for name in sorted({*before, *after})]


@admin.register(ErasureRequest)
class ErasureRequestAdmin(TenantRows, LongListAdmin):
    view_permissions = ("operate", "audit")
    change_form_template = "console/erasure.html"
    list_display = ("link", "state", "scope", "reason", "requested_at", "deadline", "attempts", "completed_at", "owner")
    list_display_links = None
    list_filter = ("status", "scope", "alert")
    ordering = ("deadline_at", "id")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> ErasureRequest | None:
        tenant_id = get_access(request).tenant.id
        try:
            owner = find_erasure_owner(tenant_id=tenant_id, erasure_id=UUID(object_id))
        except ValueError:
            return None
        return ErasureRequest.objects.get(user_id=owner.id, id=object_id) if owner else None

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        if row is not None and self.has_view_permission(request, row):
            erasure = get_erasure(tenant_id=row.tenant_id, erasure_id=row.id)
            extra_context = {**(extra_context or {}), "erasure": erasure, "counts": list_counts(erasure.counts)}
            extra_context["asked_by"] = get_name(request, row.actor)
        return super().change_view(request, object_id, form_url, extra_context)

    @display(description="Erasure")
    def link(self, row: ErasureRequest) -> SafeString:
        return format_html('<a class="short-id" href="{}/change/">{}</a>', row.id, str(row.id)[-12:])

    @display(description="State", ordering="status")
    def state(self, row: ErasureRequest) -> SafeString:
        return show_badge(row.status.replace("_", " "), TONES.get(row.status, "info"))

    @display(description="Deadline", ordering="deadline_at")
    def deadline(self, row: ErasureRequest) -> SafeString:
        shown = timezone.localtime(row.deadline_at).strftime("%-d %b %Y")
        badge = show_badge(row.alert, ALERT_TONES.get(row.alert, "warn")) if row.alert else ""
        return format_html("{} {}", shown, badge)

    @display(description="User")
    def owner(self, row: ErasureRequest) -> SafeString | str:
        return show_id(row.user_id)
