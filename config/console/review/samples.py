"""The list of samples with their verdicts, their export, and golden cases made of them (SPEC X-4, H-1)."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page
from config.console.review.case_form import CaseKind, CaseSubject, edit_case
from config.console.review.downloads import answer_file
from config.console.review.filters import BATCHES, make_choices, read_filter, write_query
from config.console.review.item import ItemCard, make_item_card
from config.console.review.queue import VERDICT_WORDS
from config.parameters import find_moment
from corrections.models import MessageCase, ReviewItem
from corrections.review.assignment import assign_waiting
from corrections.review.golden import LANGUAGES
from corrections.review.listing import STATES, export_verdicts, list_choices, list_items
from corrections.review.message_cases import (
    MessageDraft,
    build_message_case,
    check_message_case,
    export_extraction_cases,
    export_message_cases,
    find_message_case,
    write_facts,
    write_message_case,
)
from corrections.review.types import Remark
from memory.errors import NotFound
from memory.profile.summary import get_profile
from memory.services.fact_inputs import DEFAULT_KEYS, make_slug
from memory.tenants.access import get_access, has_permission
from memory.tenants.selectors import list_reviewers
from memory.types import UserRef

A_PAGE: Final = 50
EXPORT_DAYS: Final = 365
CASE_FORMS: Final = ("instant", "extraction")
OF_MESSAGES: Final = CaseKind(
    draft=MessageDraft,
    build=build_message_case,
    check=check_message_case,
    template="console/review/item_case.html",
    list_page="console:review_items",
    view_action="review.view_case",
    object_type="review_item",
)


@console_page("review_facts", "operate", "audit")
def show_samples(request: HttpRequest) -> HttpResponseBase:
    """Items of the queue with what reviewers said: ids, codes and times, no text."""
    access = get_access(request)
    tenant_id, wanted = access.tenant.id, read_filter(request)
    state = request.GET.get("state", "") if request.GET.get("state") in STATES else ""
    reviewers = list_reviewers(tenant_id=tenant_id)
    person = request.GET.get("person", "") if request.GET.get("person") in dict(reviewers) else ""
    rows = list_items(
        tenant_id=tenant_id,
        state=state,
        wanted=wanted,
        assigned_to=person,
        before=find_moment(request.GET.get("before", "")),
        limit=A_PAGE,
    )
    older = ""
    if len(rows) == A_PAGE:
        before = rows[-1].item.created_at.isoformat()
        older = write_query(wanted, state=state, person=person, before=before)
    return render_page(
        request,
        "console/review/samples.html",
        title="Review items",
        rows=rows,
        words=VERDICT_WORDS,
        state=state,
        states=STATES,
        person=person,
        reviewers=reviewers,
        choices=make_choices(list_choices(tenant_id=tenant_id), wanted),
        is_filtered=bool(wanted or state or person),
        query=write_query(wanted),
        assign_counts=BATCHES,
        older=older,
        case_count=MessageCase.objects.filter(tenant_id=tenant_id).count(),
        may_judge=has_permission(request, "review_facts"),
        may_assign=has_permission(request, "review_facts", "operate"),
    )


@require_POST
@console_page("review_facts", "operate")
def assign_items(request: HttpRequest) -> HttpResponseBase:
    """Give a number of waiting items that the filter names to a person, or to everybody again. Audited."""
    access, now, wanted = get_access(request), timezone.now(), read_filter(request)
    person, count = request.POST.get("person", ""), request.POST.get("count", "")
    assigned = assign_waiting(
        tenant_id=access.tenant.id,
        wanted=wanted,
        person=person,
        count=int(count) if count in map(str, BATCHES) else 0,
        reviewer=access.actor_code,
        now=now,
    )
    name = dict(list_reviewers(tenant_id=access.tenant.id)).get(person, "everybody")
    messages.success(request, f"{assigned} item{'' if assigned == 1 else 's'} assigned to {name}.")
    return redirect(reverse("console:review_items") + write_query(wanted, state="waiting"))


@console_page("review_facts", "operate", "audit")
def download_verdicts(request: HttpRequest) -> HttpResponseBase:
    """Every verdict of a year as JSON Lines: codes, times and ids of items."""
    since = timezone.now() - timedelta(days=EXPORT_DAYS)
    lines = export_verdicts(tenant_id=get_access(request).tenant.id, since=since)
    return answer_file(request, "".join(f"{line}\n" for line in lines), name="verdicts.jsonl", action="verdicts.export")


@console_page("review_facts")
def download_cases(request: HttpRequest, form: str) -> HttpResponseBase:
    """The golden cases of messages: as lines of tests/data/instant, or as cases for run_golden. Raises NotFound."""
    if form not in CASE_FORMS:
        raise NotFound("This format of golden cases does not exist.")
    tenant_id = get_access(request).tenant.id
    if form == "extraction":
        content, name = export_extraction_cases(tenant_id=tenant_id), "extraction-cases.yaml"
    else:
        content = "".join(f"{line}\n" for line in export_message_cases(tenant_id=tenant_id))
        name = "message-cases.jsonl"
    return answer_file(request, content, name=name, action="golden.export")


@console_page("review_facts")
def write_item_case(request: HttpRequest, user_id: UUID, item_id: UUID) -> HttpResponseBase:
    """A reviewer retells what an item rests on as a test case; what the user said stands beside the form (D-27)."""
    access = get_access(request)
    card = _get_card(request, user_id, item_id)

    def write(draft: MessageDraft) -> object:
        user, now = UserRef(id=user_id, tenant_id=access.tenant.id), timezone.now()
        return write_message_case(user=user, item_id=item_id, draft=draft, author=access.actor_code, now=now)

    subject = CaseSubject(item_id, user_id, partial(_make_draft, card), write)
    words = VERDICT_WORDS.get(card.item.verdict or "", "")
    return edit_case(request, OF_MESSAGES, subject, card=card, verdict_words=words)


def _get_card(request: HttpRequest, user_id: UUID, item_id: UUID) -> ItemCard:
    access = get_access(request)
    profile = get_profile(tenant_id=access.tenant.id, user_id=user_id)
    item = ReviewItem.objects.filter(tenant_id=access.tenant.id, user_id=user_id, id=item_id).first()
    if item is None or profile.fenced_at or item.source == "correction":
        raise NotFound("This item does not exist, or its user is being erased.")
    card = make_item_card(item=item, zone=ZoneInfo(access.tenant.timezone))
    if not card.excerpts:
        raise NotFound("The messages of this item were forgotten.")
    return card


def _make_draft(card: ItemCard) -> MessageDraft:
    """The case as it was stored; else an empty text, and the fact as what must be found when it was judged correct."""
    case = find_message_case(tenant_id=card.item.tenant_id, item_id=card.item.id)
    if case is not None:
        content = case.content
        return MessageDraft(case.language, content["text"], write_facts(content), content.get("note", ""))
    language = card.item.language if card.item.language in LANGUAGES else LANGUAGES[0]
    noted = [one.remark for one in card.given if one.remark.value]
    if noted:
        return MessageDraft(language, "", _write_right(card, noted[-1]))
    if card.item.verdict != "correct" or card.fact is None:
        return MessageDraft(language, "", "")
    return MessageDraft(language, "", f"{card.fact.knowledge_type}/{card.fact.knowledge_key} = {card.fact.value}")


def _write_right(card: ItemCard, remark: Remark) -> str:
    """What a reviewer said would have been right, as a line of the form."""
    kind = remark.knowledge_type or (card.fact.knowledge_type if card.fact else "")
    is_measure = kind in DEFAULT_KEYS
    key = card.fact.knowledge_key if card.fact and is_measure else DEFAULT_KEYS.get(kind) or make_slug(remark.value)
    return f"{kind}/{key} = {remark.value if is_measure else key}" if kind else ""
