"""Facts of one user, opened for the page that is shown."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.facts.reading import open_fact
from memory.models import FactRow
from memory.sealing.vault import UserVault
from memory.tenants.admin_base import UserRowsAdmin, show_badge


@admin.register(FactRow)
class FactAdmin(UserRowsAdmin):
    view_permissions = ("view_user_memory",)
    audit_action = "user.view_fact_list"
    list_display = ("knowledge_type", "opened", "state", "version", "confidence", "origin", "valid_at", "invalid_at")
    list_filter = ("is_active", "knowledge_type", "extracted_from", "provenance")
    ordering = ("-id",)

    @display(description="Key and value")
    def opened(self, row: FactRow) -> SafeString:
        fact = open_fact(row, vault=UserVault(user_id=row.user_id))
        return format_html(
            '<span dir="auto"><b>{}</b> <span class="muted">{}</span></span>', fact.value, fact.knowledge_key
        )

    @display(description="State", ordering="is_active")
    def state(self, row: FactRow) -> SafeString:
        if row.is_disputed:
            return show_badge("disputed", "warn")
        if row.is_active:
            return show_badge("active", "good")
        return show_badge("superseded" if row.superseded_by else "closed")

    @display(description="From", ordering="extracted_from")
    def origin(self, row: FactRow) -> SafeString:
        rule = f"{row.rule} v{row.rule_version}" if row.rule else ""
        return format_html('{} <code class="muted">{}</code>', row.extracted_from, rule)
