"""Forgets of one user: planned, done and still undoable, undone, over (SPEC G-1, G-5)."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.admin.owners import NamedOwners
from memory.models import ForgetBatch
from memory.tenants.admin_base import UserRowsAdmin, show_badge, show_id

TONES = {"planned": "plain", "done": "warn", "restored": "good", "finished": "bad"}


@admin.register(ForgetBatch)
class ForgetBatchAdmin(NamedOwners, UserRowsAdmin):
    view_permissions = ("view_user_memory", "audit")
    audit_action = "user.view_forget_list"
    list_display = ("short_id", "badge", "created_at", "done_at", "grace_until", "restored_at", "owner")
    list_filter = ("status",)
    ordering = ("-id",)

    @display(description="Forget")
    def short_id(self, batch: ForgetBatch) -> SafeString | str:
        return show_id(batch.id)

    @display(description="State", ordering="status")
    def badge(self, batch: ForgetBatch) -> SafeString:
        return show_badge(batch.status, TONES.get(batch.status, "plain"))
