"""The action log of one user: what was done to their memory, as ids, kinds and numbers (D-1)."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.admin.owners import NamedOwners
from memory.models import Action
from memory.tenants.admin_base import NamedActors, UserRowsAdmin, show_id


@admin.register(Action)
class ActionAdmin(NamedActors, NamedOwners, UserRowsAdmin):
    view_permissions = ("view_user_memory", "audit")
    audit_action = "user.view_action_list"
    list_display = ("position", "kind", "shown_actor", "changes", "message", "engine_version", "recorded_at", "owner")
    list_filter = ("kind",)
    ordering = ("-position",)

    @display(description="Changes")
    def changes(self, action: Action) -> SafeString | str:
        pairs = ((effect["action"], effect["fact_id"][-12:]) for effect in action.effects)
        return format_html_join(", ", "{} <code>{}</code>", pairs) or "–"

    @display(description="Message")
    def message(self, action: Action) -> SafeString | str:
        return show_id(action.message_id)
