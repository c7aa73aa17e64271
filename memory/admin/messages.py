"""Messages of one user. The text of a forgotten one is not read from the database."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Case, QuerySet, TextField, Value, When
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.admin.owners import NamedOwners
from memory.models import Message
from memory.tenants.admin_base import UserRowsAdmin, show_badge, show_id

LIST_CHARACTERS = 200
ROLE_TONES = {"user": "info", "assistant": "plain", "system": "warn"}


@admin.register(Message)
class MessageAdmin(NamedOwners, UserRowsAdmin):
    view_permissions = ("view_user_memory",)
    audit_action = "user.view_message_list"
    list_display = ("said_at", "badge", "text", "language", "conversation", "owner", "short_id")
    list_filter = ("role", "memory_type", "language")
    ordering = ("-created_at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        beginning = When(forgotten_at=None, then=Left("content", LIST_CHARACTERS))
        rows: QuerySet[Message] = super().get_queryset(request)
        return rows.defer("content", "blocks", "response_description").annotate(
            shown=Case(beginning, default=Value(""), output_field=TextField())
        )

    @display(description="Said", ordering="created_at")
    def said_at(self, message: Message) -> object:
        return message.created_at

    @display(description="Role", ordering="role")
    def badge(self, message: Message) -> SafeString:
        return show_badge(message.role, ROLE_TONES.get(message.role, "plain"))

    @display(description="Text")
    def text(self, message: Any) -> SafeString:
        if message.forgotten_at:
            return show_badge("forgotten", "warn")
        return format_html('<span class="list-text" dir="auto">{}</span>', message.shown)

    @display(description="Conversation")
    def conversation(self, message: Message) -> SafeString | str:
        return show_id(message.conversation_id)

    @display(description="Id")
    def short_id(self, message: Message) -> SafeString | str:
        return show_id(message.id)
