"""Requests of privacy desks, for the privacy officer: what was asked, until when, what became of it, who was told."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.erasure.selectors import list_certified
from memory.privacy.models import PrivacyCallback, PrivacyRequest
from memory.tenants.access import get_access
from memory.tenants.admin_base import LongListAdmin, TenantRows, show_badge, show_id

TONES = {"pending": "info", "in_progress": "info", "completed": "good", "cancelled": "plain"}
CALL_TONES = {"waiting": "info", "delivered": "good", "failed": "bad"}


@admin.register(PrivacyRequest)
class PrivacyRequestAdmin(TenantRows, LongListAdmin):
    view_permissions = ("operate", "audit")
    list_before_template = "console/privacy_note.html"
    list_display = (
        "received_at",
        "asked",
        "kind",
        "state",
        "deadline",
        "finished_at",
        "results_count",
        "proof",
        "told",
        "owner",
    )
    list_display_links = None
    list_filter = ("status", "kind", "regulation")
    ordering = ("-id",)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """With each row of the page what was told of it, and whether its erasure is certified, in two queries."""
        page = super().get_changelist_instance(request)
        rows, tenant_id = list(page.result_list), get_access(request).tenant.id
        calls = PrivacyCallback.objects.filter(tenant_id=tenant_id, request_id__in=[row.id for row in rows])
        certified = list_certified(tenant_id=tenant_id, erasure_ids=[row.erasure_id for row in rows if row.erasure_id])
        for row in rows:
            row.is_certified = row.erasure_id in certified
            row.call_states = sorted(call.state for call in calls if call.request_id == row.id)
        page.result_list = rows
        return page

    @display(description="Request")
    def asked(self, row: PrivacyRequest) -> str:
        return show_id(row.subject_request_id)

    @display(description="State", ordering="status")
    def state(self, row: PrivacyRequest) -> SafeString:
        badge = show_badge(row.status.replace("_", " "), TONES[row.status])
        return format_html("{} <code>{}</code>", badge, row.failure) if row.failure else badge

    @display(description="Deadline", ordering="deadline_at")
    def deadline(self, row: PrivacyRequest) -> SafeString:
        shown = timezone.localtime(row.deadline_at).strftime("%-d %b %Y")
        is_late = row.finished_at is None and row.deadline_at < timezone.now()
        return format_html("{} {}", shown, show_badge("overdue", "bad") if is_late else "")

    @display(description="Certificate")
    def proof(self, row: Any) -> SafeString | str:
        if row.erasure_id is None:
            return "–"
        url = reverse("admin:memory_erasurerequest_change", args=[row.erasure_id])
        label = "Certificate" if row.is_certified else "Erasure"
        return format_html('<a class="quiet-link" href="{}">{}</a>', url, label)

    @display(description="Callbacks")
    def told(self, row: Any) -> SafeString | str:
        if not row.call_states:
            return "–"
        worst = next(state for state in ("failed", "waiting", "delivered") if state in row.call_states)
        return show_badge(f"{row.call_states.count(worst)} {worst}", CALL_TONES[worst])

    @display(description="User")
    def owner(self, row: PrivacyRequest) -> SafeString | str:
        return show_id(row.user_id) if row.user_id else "–"
