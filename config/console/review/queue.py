"""The queue, worked by keyboard: one item at a time, the next one loads itself (SPEC H-1).

Each button is a form that works without JavaScript; `console/review.js` sends it in the background, keeps what a lost
connection did not deliver and sends it again with the same token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, describe_error, render_page
from config.console.review.filters import (
    BATCHES,
    SOURCE_NAMES,
    make_choices,
    read_batch,
    read_filter,
    write_query,
)
from config.console.review.item import make_item_card
from config.parameters import find_number, get_id
from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.assignment import assign_item
from corrections.review.listing import list_choices
from corrections.review.queue import (
    bring_back_skipped,
    count_queue,
    fetch_next_item,
    may_be_shown,
    skip_item,
    take_in_samples,
)
from corrections.review.reopening import reopen_item
from corrections.review.sampling import sample_recent
from corrections.review.types import MESSAGE, Judgement, Remark
from corrections.review.verdicts import find_last_verdict, record_verdict, undo_verdict
from memory.errors import CodedError, NotFound, UserBusy
from memory.selectors.figures import get_day_start
from memory.tenants.access import get_access, record_view
from memory.tenants.selectors import list_reviewers
from memory.types import GUARANTEED_TYPES

VERDICT_BUTTONS: Final = (
    ("1", "correct", "Correct", "good"),
    ("2", "wrong_subject", "Wrong subject", "bad"),
    ("3", "false_fact", "False fact", "bad"),
    ("4", "missed_sarcasm", "Missed sarcasm", "bad"),
)
MISSED_BUTTONS: Final = (
    ("1", "correct", "Nothing to learn", "good"),
    ("2", "missed_fact", "A fact was missed", "bad"),
)
VERDICT_WORDS: Final = {name: words for _, name, words, _ in (*MISSED_BUTTONS, *VERDICT_BUTTONS)}
DRAWS: Final = (
    ("i", "instant", "instant facts"),
    ("c", "correction", "corrections"),
    ("m", "message", "messages without facts"),
)
"""The buttons that draw samples: key, source, words."""
NO_REMARK: Final = Remark()
UNDO_WINDOW: Final = timedelta(hours=12)
SAMPLE_DAYS: Final = 7

NO_ITEM: Final = "This item does not exist."


@console_page("review_facts")
def show_queue(request: HttpRequest) -> HttpResponseBase:
    """The item that is this reviewer's now."""
    return _show(request)


@require_POST
@console_page("review_facts")
def judge_item(request: HttpRequest) -> HttpResponseBase:
    """Store a verdict and show the next item."""
    judgement = Judgement(
        item_id=get_id(request.POST.get("item", ""), missing=NO_ITEM),
        verdict=request.POST.get("verdict", ""),
        token=get_id(request.POST.get("token", ""), missing=NO_ITEM),
        milliseconds=find_number(request.POST.get("milliseconds", "")) or 0,
        remark=_read_remark(request),
    )
    return _do(request, partial(record_verdict, judgement=judgement))


@require_POST
@console_page("review_facts")
def undo_last(request: HttpRequest) -> HttpResponseBase:
    """Take a verdict back and show its item again."""
    verdict_id = get_id(request.POST.get("judged", ""), missing=NO_ITEM)
    return _do(request, partial(undo_verdict, verdict_id=verdict_id))


@require_POST
@console_page("review_facts")
def skip_shown(request: HttpRequest) -> HttpResponseBase:
    """Leave the item to others and show the next one."""
    item_id = get_id(request.POST.get("item", ""), missing=NO_ITEM)
    return _do(request, lambda now, **by: skip_item(item_id=item_id, **by))


@require_POST
@console_page("review_facts")
def show_skipped(request: HttpRequest) -> HttpResponseBase:
    """Bring back what this reviewer skipped."""
    return _do(request, lambda now, **by: bring_back_skipped(**by))


@console_page("review_facts")
def show_item(request: HttpRequest, item_id: UUID) -> HttpResponseBase:
    """Any past item, with its verdicts; one that waits is this reviewer's now. Audited. Raises NotFound."""
    access = get_access(request)
    item = ReviewItem.objects.filter(tenant_id=access.tenant.id, id=item_id).first()
    if item is None or not may_be_shown(item):
        raise NotFound("This item does not exist, or its messages were forgotten.")
    if item.state == "decided":
        return _show(request, decided=item)
    return _show(request, item_id=item_id)


@require_POST
@console_page("review_facts")
def reopen_shown(request: HttpRequest) -> HttpResponseBase:
    """Put a past item back and show it to be judged anew."""
    item_id = get_id(request.POST.get("item", ""), missing=NO_ITEM)
    return _do(request, partial(reopen_item, item_id=item_id))


@require_POST
@console_page("review_facts")
def assign_shown(request: HttpRequest) -> HttpResponseBase:
    """Leave the item to somebody and show the next one."""
    item_id = get_id(request.POST.get("item", ""), missing=NO_ITEM)
    return _do(request, partial(assign_item, item_id=item_id, person=request.POST.get("person", "")))


@require_POST
@console_page("review_facts")
def draw_samples(request: HttpRequest) -> HttpResponseBase:
    """Put the next batch into the queue, of what the filter bounds, and show its first item."""
    source, batch, wanted = request.POST.get("source", ""), read_batch(request), read_filter(request)

    def draw(tenant_id: UUID, reviewer: str, now: datetime) -> str:
        since = now - timedelta(days=SAMPLE_DAYS)
        taken = sample_recent(
            tenant_id=tenant_id,
            source=source,
            count=batch,
            since=since,
            now=now,
            wanted=replace(wanted, source=""),
            actor=reviewer,
        )
        return "" if taken else f"No {SOURCE_NAMES[source]} of the last {SAMPLE_DAYS} days are left to review."

    return _do(request, draw)


def _do(request: HttpRequest, run: Callable[..., object]) -> HttpResponseBase:
    """Run a button with `tenant_id`, `reviewer` and `now`; show what comes next: the item or words that it returns."""
    access, now = get_access(request), timezone.now()
    notice, item_id, is_refused = "", None, False
    try:
        answer = run(tenant_id=access.tenant.id, reviewer=access.actor_code, now=now)
        item_id = answer.id if isinstance(answer, ReviewItem) else None
        notice = answer if isinstance(answer, str) else ""
    except UserBusy as error:
        # The browser sends it again; nothing of it was written.
        return render(request, "console/review/busy.html", {"error": error}, status=503)
    except NotFound as error:
        notice = error.message
    except CodedError as error:
        notice, is_refused = describe_error(error), True
    if "HX-Request" not in request.headers:
        if notice:
            messages.warning(request, notice)
        return redirect(reverse("console:review") + write_query(read_filter(request), batch=read_batch(request)))
    return _show(request, item_id=item_id, notice=notice, remark=_read_remark(request) if is_refused else NO_REMARK)


def _show(
    request: HttpRequest,
    *,
    item_id: UUID | None = None,
    decided: ReviewItem | None = None,
    notice: str = "",
    remark: Remark = NO_REMARK,
) -> HttpResponseBase:
    """The reviewer's item, or a decided one to look at. `remark`: what they typed to a verdict that was refused."""
    access, now, wanted = get_access(request), timezone.now(), read_filter(request)
    tenant_id, reviewer, zone = access.tenant.id, access.actor_code, ZoneInfo(access.tenant.timezone)
    take_in_samples(tenant_id=tenant_id)
    item = decided
    if item_id is not None:
        item = fetch_next_item(tenant_id=tenant_id, reviewer=reviewer, now=now, item_id=item_id)
        if item is None:
            notice = "This item is no longer yours: another reviewer has it, or you have already judged it."
    item = item or fetch_next_item(tenant_id=tenant_id, reviewer=reviewer, now=now, wanted=wanted)
    if item is not None:
        ids = [item.id, item.user_id]
        record_view(request, action="review.view_item", object_type="review_item", object_ids=ids, now=now)
    last = find_last_verdict(tenant_id=tenant_id, reviewer=reviewer, since=now - UNDO_WINDOW)
    batch = read_batch(request)
    since = get_day_start(now, zone, days_ago=0)
    context: dict[str, Any] = {
        "card": make_item_card(item=item, zone=zone) if item else None,
        "counts": count_queue(tenant_id=tenant_id, reviewer=reviewer, since=since, wanted=wanted),
        "last": _describe_last(last),
        "notice": notice,
        "remark": remark,
        "verdicts": MISSED_BUTTONS if item is not None and item.source == MESSAGE else VERDICT_BUTTONS,
        "words": VERDICT_WORDS,
        "types": GUARANTEED_TYPES,
        "people": [one for one in list_reviewers(tenant_id=tenant_id) if one[0] != reviewer],
        "draws": DRAWS,
        "sample_days": SAMPLE_DAYS,
        "batch": batch,
        "is_filtered": bool(wanted),
        "query": write_query(wanted, batch=batch),
    }
    if "HX-Request" in request.headers:
        return render(request, "console/review/item.html", context)
    choices = make_choices(list_choices(tenant_id=tenant_id, state="waiting"), wanted)
    page: dict[str, Any] = {
        "choices": choices,
        "batches": BATCHES,
        "all_verdicts": VERDICT_BUTTONS,
        "missed_verdicts": MISSED_BUTTONS,
    }
    return render_page(request, "console/review/queue.html", title="Review queue", **context, **page)


def _describe_last(last: ReviewVerdict | None) -> dict[str, Any] | None:
    """The verdict that undo would take back: codes alone, so that nothing unseen is shown."""
    if last is None:
        return None
    item = ReviewItem.objects.get(user_id=last.user_id, id=last.item_id)
    return {"id": last.id, "verdict": last.verdict, "words": VERDICT_WORDS[last.verdict], "item": item}


def _read_remark(request: HttpRequest) -> Remark:
    names = {"note": "note", "value": "value", "knowledge_type": "type"}
    return Remark(**{field: request.POST.get(name, "").replace("\x00", "") for field, name in names.items()})
