"""A user's memory, read: five tabs. Each look is audited under the user's id (SPEC H-1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from config.api.endpoints.sources.views import find_key_names
from config.console.pages import console_page, render_page
from config.console.purposes import name_kind
from config.console.user import episodes
from config.parameters import find_id, find_number
from corrections.selectors.cards import list_correction_cards
from memory.consents.selectors import list_consents, list_past_consents
from memory.extraction.unproven.candidates import list_open_candidates
from memory.extraction.unproven.items import list_held_items
from memory.fence.consents import list_withheld
from memory.profile.actions import list_actions
from memory.profile.facts import list_fact_groups
from memory.profile.messages import list_message_page, list_taught_messages
from memory.profile.summary import get_profile
from memory.profile.types import Profile
from memory.selectors.sources import list_sources
from memory.tenants.access import get_access, has_permission, record_view
from retrieval.reasons import CHOSEN
from retrieval.receipts.reading import list_receipts, list_receipts_using

ROWS_A_PAGE: Final = 100
TABS: Final = (
    ("facts", "Facts", "fact_check"),
    ("messages", "Messages", "forum"),
    ("episodes", "Episodes", "auto_stories"),
    ("actions", "Actions", "history"),
    ("corrections", "Corrections", "rule"),
    ("packs", "Receipts", "receipt_long"),
    ("sources", "Sources", "record_voice_over"),
    ("consents", "Consents", "handshake"),
)

WAYS: Final = {"app": "the app", "mcp": "a model through MCP", "import": "an import"}

TabView = Callable[[HttpRequest, Profile], dict[str, Any]]


def user_tab(name: str) -> Callable[[TabView], Callable[..., HttpResponseBase]]:
    """A tab of a user's memory: finds the user, audits the look, renders `console/user_<name>.html`.

    A user who is being erased is named by id and nothing of theirs is read (SPEC G-2).
    """

    def decorate(fill: TabView) -> Callable[..., HttpResponseBase]:
        @console_page("view_user_memory")
        @wraps(fill)
        def show(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
            profile = get_profile(tenant_id=get_access(request).tenant.id, user_id=user_id)
            if profile.fenced_at:
                return render_page(request, "console/refusal.html", title="This user is being erased", status=410)
            record_view(
                request, action=f"user.view_{name}", object_type="user", object_ids=[user_id], now=timezone.now()
            )
            return _render_tab(request, profile, name, fill(request, profile))

        return show

    return decorate


def _render_tab(request: HttpRequest, profile: Profile, name: str, content: dict[str, Any]) -> TemplateResponse:
    return render_page(
        request,
        f"console/user_{name}.html",
        title="User's memory",
        profile=profile,
        user_tabs=list_tabs(profile, here=name),
        has_operate=has_permission(request, "operate"),
        now=timezone.now(),
        **content,
    )


def list_tabs(profile: Profile, *, here: str) -> list[dict[str, Any]]:
    """The tabs of a user's memory, the one that is open marked."""
    return [
        {
            "title": title,
            "icon": icon,
            "url": reverse(f"console:user_{tab}", args=[profile.user.id]),
            "is_here": tab == here,
        }
        for tab, title, icon in TABS
    ]


@user_tab("facts")
def show_facts(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """Facts by type, each with its evidence in context and the versions of its key."""
    groups, closed = list_fact_groups(user=profile.user, now=timezone.now())
    return {
        "groups": groups,
        "closed_groups": closed,
        "candidates": list_open_candidates(user=profile.user),
        "items": list_held_items(user=profile.user),
    }


@user_tab("messages")
def show_messages(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """One conversation, the newest message last."""
    page = list_message_page(
        user=profile.user,
        conversation_id=find_id(request.GET.get("conversation", "")),
        before_seq=find_number(request.GET.get("before", "")),
    )
    taught = list_taught_messages(user=profile.user, message_ids=[one["id"] for one in page.messages])
    for message in page.messages:
        message["taught"] = list(taught.get(message["id"], {}).items())
    return {"page": page}


@user_tab("episodes")
def show_episodes(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """A user's life as a picture, and the episode that was clicked in words."""
    return episodes.list_page(
        user=profile.user,
        chosen_id=find_id(request.GET.get("episode", "")),
        before=find_id(request.GET.get("before", "")),
        now=timezone.now(),
    )


@user_tab("actions")
def show_actions(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """The action log, newest first."""
    actions = list_actions(user=profile.user, before=find_number(request.GET.get("before", "")), limit=ROWS_A_PAGE)
    return {"actions": actions, "older": actions[-1].position if len(actions) == ROWS_A_PAGE else None}


@user_tab("corrections")
def show_corrections(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """What the user said was wrong."""
    return {
        "cards": list_correction_cards(user=profile.user, limit=ROWS_A_PAGE),
        "has_review": has_permission(request, "review_facts"),
    }


@user_tab("packs")
def show_packs(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """Receipts of searches and packs, newest first; with `message` or `fact` those that handed it out alone."""
    message_id, fact_id = find_id(request.GET.get("message", "")), find_id(request.GET.get("fact", ""))
    if message_id or fact_id:
        receipts = list_receipts_using(user=profile.user, message_id=message_id, fact_id=fact_id, limit=ROWS_A_PAGE)
    else:
        receipts = list_receipts(user=profile.user, limit=ROWS_A_PAGE)
    return {
        "receipts": [(receipt, receipt.decision_reasons.count(CHOSEN)) for receipt in receipts],
        "used_id": message_id or fact_id,
        "used_kind": "message" if message_id else "fact",
    }


@user_tab("sources")
def show_sources(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """Who told us: the app, a model through MCP, an import, by client (D-39)."""
    rows = list_sources(user=profile.user)
    names = find_key_names(profile.user.tenant_id, [row.client for row in rows])
    return {"sources": [(row, WAYS[row.via], names.get(row.client, "")) for row in rows]}


@user_tab("consents")
def show_consents(request: HttpRequest, profile: Profile) -> dict[str, Any]:
    """What the user agreed to, what is therefore not kept, and what they said before."""
    past = list_past_consents(user=profile.user, before=find_id(request.GET.get("before", "")), limit=ROWS_A_PAGE)
    return {
        "consents": [
            (view, [name_kind(kind) for kind in view.purpose.covers]) for view in list_consents(user=profile.user)
        ],
        "withheld": [name_kind(kind) for kind in sorted(list_withheld(user=profile.user))],
        "past": past,
        "older": past[-1].id if len(past) == ROWS_A_PAGE else None,
    }
