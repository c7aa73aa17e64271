"""The correction log of a tenant, newest first: ids and codes. The words are on the user's own page."""

from __future__ import annotations

from django.contrib import admin
from django.urls import reverse
from django.utils.safestring import SafeString
from unfold.decorators import display

from corrections.models import CorrectionLog
from memory.admin.owners import NamedOwners
from memory.tenants.admin_base import LongListAdmin, TenantRows, show_badge, show_id

TONES = {"accepted": "good", "rejected": "plain", "candidate": "info"}


@admin.register(CorrectionLog)
class CorrectionLogAdmin(NamedOwners, TenantRows, LongListAdmin):
    view_permissions = ("view_user_memory", "audit")
    list_display = ("created_at", "kind", "language", "closed", "disputed", "written", "golden", "owner")
    list_display_links = None
    list_filter = ("correction_type", "language", "golden_status")
    ordering = ("-created_at", "-id")

    @display(description="Type", ordering="correction_type")
    def kind(self, row: CorrectionLog) -> SafeString:
        return show_badge(row.correction_type.replace("_", " "), "warn")

    @display(description="Fact closed")
    def closed(self, row: CorrectionLog) -> SafeString | str:
        return show_id(row.deactivated_knowledge_id)

    @display(description="Fact disputed")
    def disputed(self, row: CorrectionLog) -> SafeString | str:
        return show_id(row.disputed_knowledge_id)

    @display(description="Fact written")
    def written(self, row: CorrectionLog) -> SafeString | str:
        return show_id(row.set_knowledge_id)

    @display(description="Golden case", ordering="golden_status")
    def golden(self, row: CorrectionLog) -> SafeString:
        return show_badge(row.golden_status, TONES.get(row.golden_status, "plain"))

    @staticmethod
    def get_owner_url(row: CorrectionLog) -> str:
        return f"{reverse('console:user_corrections', args=[row.user_id])}#correction-{row.id}"
