"""Runs of extraction in a tenant: what triggered them, what came of them, what they cost. Ids, codes and numbers."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.admin.owners import NamedOwners
from memory.models import ExtractionRun
from memory.tenants.admin_base import LongListAdmin, TenantRows, show_badge

TONES = {"done": "good", "failed": "bad", "lost": "bad", "abandoned": "bad", "open": "info"}


@admin.register(ExtractionRun)
class ExtractionRunAdmin(NamedOwners, TenantRows, LongListAdmin):
    view_permissions = ("operate", "audit")
    list_display = (
        "claimed_at",
        "state",
        "triggered_by",
        "model",
        "prompt_version",
        "proposed",
        "applied",
        "staged",
        "tokens",
        "cost_usd",
        "owner",
    )
    list_display_links = None
    list_filter = ("status", "triggered_by", "model")
    ordering = ("-claimed_at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ExtractionRun]:
        # Beside the policy: the index of runs starts with the tenant. Answers of the model are not read here.
        return super().get_queryset(request).defer("sealed")

    @display(description="State", ordering="status")
    def state(self, run: ExtractionRun) -> SafeString:
        words = f"{run.status}: {run.code.replace('_', ' ')}" if run.code else run.status
        return show_badge(words, TONES.get(run.status, "plain"))

    @display(description="Tokens")
    def tokens(self, run: ExtractionRun) -> int:
        return run.prompt_tokens + run.completion_tokens
