"""Imports that workers carry out: ids, codes and times; the files and what was in them are nobody's to see here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.imports.models import ImportRun
from memory.imports.progress import read_progress
from memory.tenants.access import has_permission
from memory.tenants.admin_base import LongListAdmin, NamedActors, TenantRows, show_badge, show_id

TONES = {"waiting": "info", "running": "info", "succeeded": "good", "failed": "bad"}


@admin.register(ImportRun)
class ImportRunAdmin(NamedActors, TenantRows, LongListAdmin):
    view_permissions = ("operate", "audit")
    list_display = (
        "short_id",
        "state",
        "progress",
        "file_format",
        "file_size",
        "created_at",
        "finished_at",
        "attempts",
        "shown_actor",
        "owner",
        "doing",
    )
    list_display_links = None
    list_filter = ("status", "file_format")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ImportRun]:
        return super().get_queryset(request).defer("sealed")

    def get_list_display(self, request: HttpRequest) -> Any:
        """Without the column of links for those who may only look."""
        return [name for name in self.list_display if name != "doing" or has_permission(request, "operate")]

    @display(description="Import")
    def short_id(self, row: ImportRun) -> SafeString | str:
        return show_id(row.id)

    @display(description="State", ordering="status")
    def state(self, row: ImportRun) -> SafeString:
        badge = show_badge(row.status, TONES[row.status])
        return format_html("{} <code>{}</code>", badge, row.failure) if row.failure else badge

    @display(description="Progress")
    def progress(self, row: Any) -> str:
        if row.finished_at is not None:
            return "–"
        done, total = read_progress(row.id) or (row.taken, None)
        return f"{done} of {total}" if total is not None else str(done)

    @display(description="Size", ordering="size")
    def file_size(self, row: ImportRun) -> str:
        return filesizeformat(row.size)

    @display(description="User")
    def owner(self, row: ImportRun) -> SafeString | str:
        return show_id(row.user_id)

    @display(description="Actions")
    def doing(self, row: ImportRun) -> SafeString | str:
        if row.finished_at is not None:
            return "–"
        url = reverse("console:cancel_import", args=[row.id])
        return format_html('<a class="quiet-link" href="{}">Cancel</a>', url)
