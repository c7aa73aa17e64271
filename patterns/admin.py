"""Rules and words as lists. They are changed on pages of the console, through `patterns.services.publishing`.

The room knows no tenants: who asks, and for which tenant, is what the console put on the request.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import display

from patterns.admin_rows import FoundRows, show_badge
from patterns.grammar.kinds import GRAMMAR_ROWS
from patterns.matching.phrases import PHRASES
from patterns.matching.word_lists import UNASKED, find_purpose, is_listed, search_lists
from patterns.models import LexiconEntry, RejectionCount, ReplyPhrases, Rule


def is_editor(request: HttpRequest) -> bool:
    """Whether the staff user of the request may edit patterns in the tenant they work in."""
    access = getattr(request, "staff_access", None)
    return access is not None and access.has_permission("edit_patterns")


class PatternsAdmin(FoundRows, ModelAdmin):
    """A list for pattern editors: shared rows and those of the tenant they work in."""

    list_fullwidth = True
    list_filter_sheet = False
    list_display_links = None
    list_before_template: str | None = "console/list_button.html"
    list_per_page = 100
    actions = None
    edit_url = ""
    new_url = ""
    new_label = ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        access = getattr(request, "staff_access", None)
        own = Q(tenant_id=access.tenant.id) if access else Q()
        return super().get_queryset(request).filter(Q(tenant_id=None) | own)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        link = (reverse(self.new_url), self.new_label)
        return super().changelist_view(request, {**(extra_context or {}), "primary_link": link})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect(self.edit_url, self.find_named(request, object_id).pk)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_editor(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_editor(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @display(description="For")
    def shown_for(self, row: Any) -> SafeString:
        return show_badge("this tenant", "info") if row.tenant_id else show_badge("all", "plain")

    @display(description="State", ordering="is_active")
    def shown_state(self, row: Any) -> SafeString:
        if row.state != "published":
            return show_badge(row.state, "info" if row.state == "draft" else "bad")
        return show_badge("on", "good") if row.is_active else show_badge("off", "plain")


@admin.register(Rule)
class RuleAdmin(PatternsAdmin):
    edit_url, new_url, new_label = "console:edit_rule", "console:new_rule", "New rule"
    list_display = ("name", "knowledge_type", "language", "shown_state", "shown_for", "purpose", "shown_trigger")
    list_filter = ("knowledge_type", "language", "purpose", "is_active")
    search_fields = ("slug", "pattern")
    search_help_text = "Name or pattern"
    ordering = ("knowledge_type", "language", "slug")

    @display(description="Rule", ordering="slug")
    def name(self, rule: Rule) -> SafeString:
        url = reverse(self.edit_url, args=[rule.id])
        return format_html(
            '<a class="strong-link nowrap" href="{}">{}</a> <span class="muted">v{}</span>',
            url,
            rule.slug,
            rule.version,
        )

    @display(description="Pattern")
    def shown_trigger(self, rule: Rule) -> SafeString:
        shown = rule.pattern if len(rule.pattern) <= 32 else f"{rule.pattern[:31]}…"
        return format_html('<code class="short-id" dir="auto">{}</code>', shown or f"category {rule.category}")


@admin.register(LexiconEntry)
class LexiconEntryAdmin(PatternsAdmin):
    edit_url, new_url, new_label = "console:edit_entry", "console:new_entry", "New entry"
    list_display = ("name", "category", "language", "words", "shown_state", "shown_for")
    list_filter = ("category", "language", "is_active")
    search_fields = ("canonical", "aliases")
    search_help_text = "Canonical value, a word, or the purpose of a grammar list"
    ordering = ("category", "canonical", "language")

    @display(description="Canonical", ordering="canonical")
    def name(self, entry: LexiconEntry) -> SafeString:
        url = reverse(self.edit_url, args=[entry.id])
        link = format_html('<a class="strong-link" href="{}">{}</a>', url, entry.canonical)
        if not is_listed(entry.category):
            return link
        purpose = find_purpose(category=entry.category, canonical=entry.canonical)
        if purpose is None:
            return format_html('{}<span class="list-text muted">{}</span>', link, UNASKED)
        every = reverse("console:word_list", args=[entry.canonical])
        return format_html(
            '{}<span class="list-text muted">{} · <a class="quiet-link nowrap" href="{}">all languages</a></span>',
            link,
            purpose,
            every,
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """As every list, and words of the grammar by the sentence on what they are asked for."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        names = search_lists(search_term) if search_term.strip() else []
        if names:
            found = found | queryset.filter(category__in=GRAMMAR_ROWS, canonical__in=names)
        return found, may_repeat

    @display(description="Words")
    def words(self, entry: LexiconEntry) -> SafeString:
        shown = ", ".join(entry.aliases[:8])
        more = len(entry.aliases) + len(entry.forms) - min(8, len(entry.aliases))
        return format_html(
            '<span dir="auto">{}</span> <span class="muted">{}</span>', shown, f"+{more}" if more else ""
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).exclude(category__startswith=PHRASES)


@admin.register(ReplyPhrases)
class ReplyPhrasesAdmin(PatternsAdmin):
    edit_url, new_url, new_label = "console:edit_entry", "console:new_phrases", "New reply phrases"
    list_display = ("name", "language", "words", "shown_state", "shown_for")
    list_filter = ("language", "is_active")
    search_fields = ("category", "canonical", "aliases")
    search_help_text = "A meaning, or a phrase as it is written"
    ordering = ("category", "canonical", "language")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(category__startswith=PHRASES)

    @display(description="Meaning", ordering="category")
    def name(self, entry: ReplyPhrases) -> SafeString:
        category = entry.category.removeprefix(PHRASES)
        shown = category if category == entry.canonical else f"{category}, {entry.canonical}"
        url = reverse(self.edit_url, args=[entry.id])
        return format_html('<a class="strong-link nowrap" href="{}">{}</a>', url, shown.replace("_", " "))

    @display(description="Phrases")
    def words(self, entry: ReplyPhrases) -> SafeString:
        more = len(entry.aliases) - 4
        shown = " · ".join(text if len(text) <= 60 else f"{text[:59]}…" for text in entry.aliases[:4])
        return format_html(
            '<span dir="auto">{}</span> <span class="muted">{}</span>', shown, f"+{more}" if more > 0 else ""
        )


@admin.register(RejectionCount)
class RejectionCountAdmin(PatternsAdmin):
    list_before_template = None
    list_display = ("day", "rule", "reason", "count")
    list_filter = ("reason",)
    search_fields = ("rule",)
    ordering = ("-day", "-count")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RejectionCount]:
        """Counts of the tenant alone: nothing of them is shared, as rules and words are."""
        access = getattr(request, "staff_access", None)
        own = RejectionCount.objects.none() if access is None else ModelAdmin.get_queryset(self, request)
        return own.filter(tenant_id=access.tenant.id) if access else own

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return ModelAdmin.changelist_view(self, request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self.find_named(request, object_id)
        return redirect("admin:patterns_rejectioncount_changelist")
