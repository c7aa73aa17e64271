"""Facts that feedback left hardly believed: each with words and uses, removed or kept by keyboard (SPEC P-9)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page, telling
from config.parameters import find_id
from corrections.quality.calibration.deciding import NOBODY, UNDO, VERBS, decide, list_waiting
from memory.errors import NotFound
from memory.facts.reading import list_facts_by_id
from memory.profile.facts import list_adjustments, list_spans
from memory.profile.summary import get_profile
from memory.profile.types import Adjusted, Span
from memory.tenants.access import get_access, record_view
from memory.types import Fact, UserRef

DONE: Final = {
    "remove": "The fact is removed. Packs no longer contain it.",
    "keep": "The fact is kept. It comes back only when feedback lowers it further.",
    "undo": "The decision is taken back.",
}


@dataclass(frozen=True, slots=True)
class Removal:
    """A fact to decide about: the words it rests on, and how feedback moved its confidence."""

    user_id: UUID
    fact: Fact
    spans: tuple[Span, ...]
    adjusted: tuple[Adjusted, ...]


@console_page("review_facts", "operate")
def show_removals(request: HttpRequest) -> HttpResponseBase:
    """Facts of all users that wait for a decision, a page at a time. Audited under the ids of their users."""
    tenant_id, now = get_access(request).tenant.id, timezone.now()
    limit = settings.UNDE_TUNING.REMOVALS_A_PAGE
    found = list_waiting(
        tenant_id=tenant_id, after=_find_place(request, "user", "fact") or (NOBODY, NOBODY), limit=limit
    )
    cards = list_removals(tenant_id, found)
    if cards:
        users = list({card.user_id for card in cards})
        record_view(request, action="removal.view", object_type="user", object_ids=users, now=now)
    older = urlencode({"user": found[-1][0], "fact": found[-1][1]}) if len(found) == limit else ""
    return render_page(
        request,
        "console/review/removals.html",
        title="To decide",
        cards=cards,
        older=older,
        limit=settings.UNDE_TUNING.REMOVAL_CONFIDENCE,
        last=_find_place(request, "last_user", "last_fact"),
    )


@require_POST
@console_page("review_facts", "operate")
def decide_removal(request: HttpRequest, user_id: UUID, fact_id: UUID, verb: str) -> HttpResponseBase:
    """Remove or keep a fact, or take that back. Audited; the action log names the staff user. Raises NotFound."""
    if verb not in VERBS:
        raise NotFound("This action does not exist.")
    access, now = get_access(request), timezone.now()
    user = get_profile(tenant_id=access.tenant.id, user_id=user_id).user
    last = ""
    with telling(request, but=NotFound):
        decide(user=user, fact_id=fact_id, verb=verb, actor=access.actor_code, now=now)
        messages.success(request, DONE[verb])
        last = "" if verb == UNDO else "?" + urlencode({"last_user": user_id, "last_fact": fact_id})
    return redirect(reverse("console:removals") + last)


def list_removals(tenant_id: UUID, found: list[tuple[UUID, UUID]]) -> list[Removal]:
    """Cards in the order of the list. Reads a user at a time."""
    of_user: dict[UUID, list[UUID]] = defaultdict(list)
    for user_id, fact_id in found:
        of_user[user_id].append(fact_id)
    return [
        card
        for user_id, fact_ids in of_user.items()
        for card in _list_of_user(UserRef(id=user_id, tenant_id=tenant_id), fact_ids)
    ]


def _list_of_user(user: UserRef, fact_ids: list[UUID]) -> list[Removal]:
    facts = list_facts_by_id(user=user, fact_ids=fact_ids)
    adjusted = list_adjustments(user=user, fact_ids=fact_ids)
    spans = list_spans(user=user, message_ids={mid for fact in facts.values() for mid in fact.evidence_message_ids})
    return [
        Removal(
            user.id,
            facts[fact_id],
            tuple(spans[mid] for mid in facts[fact_id].evidence_message_ids if mid in spans),
            tuple(adjusted[fact_id]),
        )
        for fact_id in fact_ids
        if fact_id in facts
    ]


def _find_place(request: HttpRequest, user: str, fact: str) -> tuple[UUID, UUID] | None:
    user_id, fact_id = find_id(request.GET.get(user, "")), find_id(request.GET.get(fact, ""))
    return (user_id, fact_id) if user_id and fact_id else None
