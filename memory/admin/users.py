"""Users: found by the tenant's own id, opened as their memory page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.models import User
from memory.tenants.admin_base import LongListAdmin, TenantRows, show_badge


@admin.register(User)
class UserAdmin(TenantRows, LongListAdmin):
    view_permissions = ("view_user_memory",)
    list_display = ("external", "state", "created_at", "log_position", "rows")
    list_display_links = None
    # Prefix alone: it runs on the index of (tenant, external id).
    search_fields = ("external_id__startswith",)
    search_help_text = "The beginning of your own user id"
    ordering = ("-id",)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("console:user_facts", user_id=self.find_named(request, object_id).pk)

    @display(description="User", ordering="external_id")
    def external(self, user: User) -> SafeString:
        url = reverse("console:user_facts", args=[user.id])
        return format_html('<a class="strong-link" href="{}">{}</a>', url, user.external_id)

    @display(description="State")
    def state(self, user: User) -> SafeString:
        return show_badge("being erased", "bad") if user.fenced_at else show_badge("active", "good")

    @display(description="Lists")
    def rows(self, user: User) -> SafeString:
        names = ("message", "factrow", "action", "forgetbatch")
        urls = [f"{reverse(f'admin:memory_{name}_changelist')}?user_id={user.id}" for name in names]
        return format_html(
            '<a href="{}">messages</a> · <a href="{}">facts</a> · <a href="{}">actions</a> · <a href="{}">forgets</a>',
            *urls,
        )
