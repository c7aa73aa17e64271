"""The sidebar: each entry names the permissions that open it, so that staff see what their roles need and no more."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse

from corrections.review.queue import count_waiting
from memory.selectors.figures import read_figure
from memory.tenants.access import StaffAccess, has_permission

MEMORY = ("view_user_memory",)
MAX_BADGE = 99
EVERYONE = ("review_facts", "view_user_memory", "edit_patterns", "operate", "audit")

# Group, then entries: title, icon, URL name, permissions of which one is enough.
GROUPS: tuple[tuple[str, tuple[tuple[str, str, str, tuple[str, ...]], ...]], ...] = (
    ("", (("Dashboard", "dashboard", "admin:index", EVERYONE),)),
    (
        "Memory",
        (
            ("Users", "person_search", "admin:memory_user_changelist", MEMORY),
            ("Messages", "forum", "admin:memory_message_changelist", MEMORY),
            ("Facts", "fact_check", "admin:memory_factrow_changelist", MEMORY),
            ("Actions", "history", "admin:memory_action_changelist", (*MEMORY, "audit")),
            ("Projects", "account_tree", "console:projects", MEMORY),
            ("Erasures", "delete_forever", "admin:memory_erasurerequest_changelist", ("operate", "audit")),
            ("Privacy requests", "shield_person", "admin:privacy_privacyrequest_changelist", ("operate", "audit")),
            ("Imports", "upload_file", "admin:imports_importrun_changelist", ("operate", "audit")),
            ("Forget requests", "ink_eraser", "admin:memory_forgetbatch_changelist", (*MEMORY, "audit")),
        ),
    ),
    (
        "Quality",
        (
            ("Review queue", "fact_check", "console:review", ("review_facts",)),
            ("Review items", "checklist", "console:review_items", ("review_facts", "operate", "audit")),
            ("Candidates", "pending", "console:candidates", MEMORY),
            ("To decide", "rule_folder", "console:removals", ("review_facts", "operate")),
            ("Review metrics", "monitoring", "console:review_numbers", ("review_facts", "operate", "audit")),
            ("Correction rates", "percent", "console:correction_rates", (*MEMORY, "audit")),
            ("Corrections", "rule", "admin:corrections_correctionlog_changelist", (*MEMORY, "audit")),
            ("Quality", "monitoring", "console:quality", ("operate", "audit", "review_facts")),
            ("Extraction", "smart_toy", "console:extraction", ("review_facts", "operate", "audit")),
            ("Extraction runs", "list_alt", "admin:memory_extractionrun_changelist", ("operate", "audit")),
            ("Receipts", "receipt_long", "admin:retrieval_retrievalreceipt_changelist", ("audit",)),
        ),
    ),
    (
        "Patterns",
        (
            ("Test bench", "science", "console:bench", ("edit_patterns",)),
            ("Rules", "regular_expression", "admin:patterns_rule_changelist", ("edit_patterns", "operate")),
            ("Lexicon", "dictionary", "admin:patterns_lexiconentry_changelist", ("edit_patterns",)),
            ("Grammar lists", "format_list_bulleted", "console:word_lists", ("edit_patterns",)),
            ("Reply phrases", "quickreply", "admin:patterns_replyphrases_changelist", ("edit_patterns",)),
            ("Reply bench", "forum", "console:reply_bench", ("edit_patterns",)),
            ("Rule changes", "published_with_changes", "console:rule_changes", ("edit_patterns", "operate")),
            ("Refusals", "block", "console:refusals", ("edit_patterns", "operate")),
            ("Rule packs", "folder_zip", "console:packs", ("edit_patterns",)),
        ),
    ),
    (
        "Knowledge",
        (
            ("Corpora", "menu_book", "console:corpora", ("edit_patterns", "operate", "audit")),
            ("Proposals", "lightbulb", "console:proposals", ("edit_patterns", "operate", "audit")),
        ),
    ),
    (
        "Access",
        (
            ("API keys", "key", "admin:tenants_apikey_changelist", ("operate",)),
            ("Webhooks", "webhook", "admin:outbox_webhookendpoint_changelist", ("operate",)),
            ("Audit trail", "policy", "admin:tenants_auditevent_changelist", ("audit",)),
            ("Purposes", "handshake", "console:purposes", ("operate", "audit")),
            ("Retention", "auto_delete", "console:retention", ("operate", "audit")),
            ("Settings", "tune", "console:settings", ("operate",)),
            ("Tenants", "apartment", "admin:tenants_tenant_changelist", ("operate",)),
            ("Staff roles", "badge", "admin:tenants_staffmembership_changelist", ("operate",)),
        ),
    ),
    (
        "Operations",
        (
            ("Schedules", "schedule", "admin:django_celery_beat_periodictask_changelist", ("operate",)),
            ("Task results", "task", "admin:django_celery_results_taskresult_changelist", ("operate",)),
            ("Embedding queue", "hourglass", "admin:retrieval_embeddingtask_changelist", ("operate",)),
        ),
    ),
)


def list_navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The sidebar of a request in unfold's form. Groups without an entry for this staff user are left out."""
    groups: list[dict[str, Any]] = []
    waiting, marked = count_review_badge(request), getattr(request, "marked_entry", None)
    for title, entries in GROUPS:
        items = [
            {"title": name, "icon": icon, "link": link}
            | ({"badge": waiting, "badge_variant": "info"} if waiting and url_name == "console:review" else {})
            | ({"active": url_name == marked} if marked else {})
            for name, icon, url_name, permissions in entries
            if has_permission(request, *permissions) and (link := find_url(url_name))
        ]
        if items:
            groups.append({"title": title, "items": items, "separator": bool(title)})
    if request.user.is_superuser and groups:
        staff = {"title": "Staff users", "icon": "group", "link": reverse("admin:auth_user_changelist")}
        groups[-1]["items"].append(staff)
    return groups


def find_pages(request: HttpRequest, text: str) -> list[dict[str, str]]:
    """Pages of the sidebar whose name has the text in it, with the group that they stand in. Blank text finds none."""
    wanted = text.strip().casefold()
    return [
        {"title": item["title"], "description": group["title"] or "Start", "link": item["link"]}
        for group in list_navigation(request)
        for item in group["items"]
        if wanted and wanted in item["title"].casefold()
    ]


def mark_entry(request: HttpRequest, url_name: str) -> None:
    """Have the sidebar mark the entry with this URL name, whatever the address of the page says."""
    request.marked_entry = url_name  # type: ignore[attr-defined]  # Django's way to hand something on


def count_review_badge(request: HttpRequest) -> str:
    """How many items wait for this reviewer: "7", "99+", or "" for none and for those who do not review."""
    access = getattr(request, "staff_access", None)
    if not isinstance(access, StaffAccess) or not access.has_permission("review_facts"):
        return ""
    tenant_id = access.tenant.id
    count = read_figure(
        tenant_id,
        lambda: count_waiting(tenant_id=tenant_id, reviewer=access.actor_code, at_most=MAX_BADGE + 1),
    )
    return "" if not count else f"{MAX_BADGE}+" if count > MAX_BADGE else f"{count}"


def find_url(url_name: str) -> str | None:
    """The address of a page, None when its room is not installed."""
    try:
        return reverse(url_name)
    except NoReverseMatch:
        return None


def get_stylesheet(request: HttpRequest) -> str:
    """Our one stylesheet, written on unfold's variables."""
    return static("console/console.css")


def get_script(request: HttpRequest) -> str:
    """The little that pages do in the browser beside unfold's own."""
    return static("console/console.js")


def get_icon(request: HttpRequest) -> str:
    """The mark in the browser's tab."""
    return static("console/icon.svg")


def get_tenant_label(request: HttpRequest) -> str:
    """The line under the name of the product: which tenant is worked in."""
    access = getattr(request, "staff_access", None)
    return access.tenant.name if access else ""
