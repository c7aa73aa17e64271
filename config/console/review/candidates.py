"""Candidates: what waits for its second evidence, what became of it, and what a person says to it (SPEC X-3, D-25)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page, telling
from config.console.review.marking import find_marks
from config.console.rules.samples import Piece, cut_marks
from config.parameters import find_moment
from memory.errors import NotFound
from memory.extraction.types import Candidate
from memory.extraction.unproven.candidates import (
    UNKNOWN_ALLERGEN,
    count_candidates,
    dismiss_candidate,
    list_tenant_candidates,
    open_candidate,
)
from memory.extraction.unproven.items import dismiss_item
from memory.extraction.unproven.merging import part_item
from memory.extraction.unproven.promotion import accept_candidate
from memory.models import FactCandidate, User
from memory.profile.summary import get_profile
from memory.sealing.errors import SealBroken
from memory.sealing.vault import UserVault
from memory.selectors.messages import list_messages_by_id
from memory.tenants.access import get_access, has_permission, record_view
from memory.types import Fact, RecordedMessage, UserRef
from patterns.registry import get_rule_set

STATES: Final = {
    "open": "waiting",
    "promoted": "promoted to facts",
    "expired": "expired",
    "replaced": "replaced",
    "dismissed": "dismissed",
}
A_PAGE: Final = 30
MAX_QUOTES: Final = 3


@dataclass(frozen=True, slots=True)
class Quote:
    """An evidence message, the words that say the value marked."""

    said_at: datetime
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class CandidateCard:
    """A candidate with what the user said for it."""

    row: FactCandidate
    candidate: Candidate
    quotes: tuple[Quote, ...]

    @property
    def is_unknown_allergen(self) -> bool:
        """Whether it waits for the vocabulary and not for more evidence."""
        return self.candidate.kind == UNKNOWN_ALLERGEN

    @property
    def may_be_accepted(self) -> bool:
        """Whether a person may make it a fact: a brand is the user's own to confirm."""
        return self.row.status == "open" and self.candidate.knowledge_type != "brand_preference"


@console_page("review_facts", "view_user_memory")
def show_candidates(request: HttpRequest) -> HttpResponseBase:
    """Candidates of all users in one state, the last changed first. Audited under the ids of their users."""
    access, now = get_access(request), timezone.now()
    state = request.GET.get("state") if request.GET.get("state") in STATES else "open"
    rows = list_tenant_candidates(
        tenant_id=access.tenant.id, status=str(state), before=find_moment(request.GET.get("before", "")), limit=A_PAGE
    )
    cards = list_cards(access.tenant.id, rows, zone=ZoneInfo(access.tenant.timezone))
    users = list({card.row.user_id for card in cards})
    record_view(request, action="candidate.view", object_type="user", object_ids=users, now=now)
    counts = count_candidates(tenant_id=access.tenant.id)
    older = urlencode({"state": state, "before": rows[-1].updated_at.isoformat()}) if len(rows) == A_PAGE else ""
    return render_page(
        request,
        "console/review/candidates.html",
        title="Candidates",
        cards=cards,
        state=state,
        states=[(name, words, counts.get(name, 0)) for name, words in STATES.items()],
        older=older,
        lifetime_days=settings.UNDE_TUNING.CANDIDATE_LIFETIME.days,
        may_judge=has_permission(request, "review_facts", "operate"),
        may_edit_words=has_permission(request, "edit_patterns"),
    )


@require_POST
@console_page("review_facts", "operate")
def judge_candidate(request: HttpRequest, user_id: UUID, candidate_id: UUID, verb: str) -> HttpResponseBase:
    """Make a fact of a candidate, or say that it is not so. Audited; the action log names the staff user.

    Raises NotFound, also for a candidate of which nothing is left to judge.
    """
    if verb not in _JUDGEMENTS:
        raise NotFound("This action does not exist.")
    access, now = get_access(request), timezone.now()
    user = get_profile(tenant_id=access.tenant.id, user_id=user_id).user
    judge, done = _JUDGEMENTS[verb]
    with telling(request, but=NotFound):
        judge(user=user, candidate_id=candidate_id, actor=access.actor_code, now=now)
        messages.success(request, done)
    return redirect("console:candidates")


@require_POST
@console_page("operate")
def dismiss_adaptive_item(request: HttpRequest, user_id: UUID, item_id: UUID) -> HttpResponseBase:
    """A person says that a taste or habit is not so: packs show it no more (SPEC X-7). Audited. Raises NotFound."""
    access, now = get_access(request), timezone.now()
    user = get_profile(tenant_id=access.tenant.id, user_id=user_id).user
    with telling(request, but=NotFound):
        dismiss_item(user=user, item_id=item_id, actor=access.actor_code, now=now)
        messages.success(request, "Dismissed. Packs no longer contain it.")
        return redirect("console:user_facts", user_id)
    return redirect("console:candidates")


@require_POST
@console_page("operate")
def part_adaptive_item(request: HttpRequest, user_id: UUID, item_id: UUID) -> HttpResponseBase:
    """A person takes the merging of tastes back: its members are held again (SPEC X-7). Audited. Raises NotFound."""
    access, now = get_access(request), timezone.now()
    user = get_profile(tenant_id=access.tenant.id, user_id=user_id).user
    count = part_item(user=user, item_id=item_id, actor=access.actor_code, now=now)
    messages.success(request, f"Taken apart: {count} items are held again, and are not merged again.")
    return redirect("console:user_facts", user_id)


_JUDGEMENTS: Final[dict[str, tuple[Callable[..., object], str]]] = {
    "accept": (accept_candidate, "The candidate is now a fact."),
    "dismiss": (dismiss_candidate, "The candidate is dismissed."),
}


def list_cards(tenant_id: UUID, rows: list[FactCandidate], *, zone: ZoneInfo) -> list[CandidateCard]:
    """Cards in the order of the rows; without users who are being erased and without what cannot be opened."""
    of_user: dict[UUID, list[FactCandidate]] = defaultdict(list)
    for row in rows:
        of_user[row.user_id].append(row)
    open_users = User.objects.filter(tenant_id=tenant_id, id__in=list(of_user), fenced_at=None)
    cards: dict[UUID, CandidateCard] = {}
    for user_id in open_users.values_list("id", flat=True):
        cards |= _open_cards(UserRef(id=user_id, tenant_id=tenant_id), of_user[user_id], zone)
    return [cards[row.id] for row in rows if row.id in cards]


def _open_cards(user: UserRef, rows: list[FactCandidate], zone: ZoneInfo) -> dict[UUID, CandidateCard]:
    vault = UserVault(user_id=user.id)
    wanted = [message_id for row in rows for message_id in row.evidence_message_ids[-MAX_QUOTES:]]
    said = list_messages_by_id(user=user, message_ids=wanted)
    cards = {}
    for row in rows:
        try:
            candidate = open_candidate(row, vault=vault)
        except SealBroken:
            continue
        found = [said[mid] for mid in row.evidence_message_ids[-MAX_QUOTES:] if mid in said]
        quotes = tuple(_make_quote(message, candidate, zone) for message in found)
        cards[row.id] = CandidateCard(row, candidate, quotes)
    return cards


def _make_quote(message: RecordedMessage, candidate: Candidate, zone: ZoneInfo) -> Quote:
    marks = find_marks(
        message.content,
        fact=_as_fact(candidate),
        rule_set=get_rule_set(tenant_id=message.tenant_id),
        said_at=message.created_at.astimezone(zone),
    )
    return Quote(message.created_at, tuple(cut_marks(message.content, marks)))


def _as_fact(candidate: Candidate) -> Fact:
    """The fact that it would be, to look for its words."""
    return Fact(
        id=candidate.id,
        knowledge_type=candidate.knowledge_type,
        knowledge_key=candidate.knowledge_key,
        value=candidate.value,
        confidence=candidate.confidence,
        extracted_from="batch",
        provenance="analysis",
        valid_at=candidate.last_said_at,
        last_validated_at=candidate.last_said_at,
        log_position=0,
    )
