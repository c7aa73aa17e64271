"""The queue, worked by keyboard: one item at a time, the next one loads itself (SPEC H-1).

Each button is a form that works without JavaScript; `console/review.js` sends it in the background, keeps what a lost
connection did not deliver and sends it again with the same token.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.figures import get_day_start
from config.console.pages import console_page, describe_error, render_page
from config.console.review.item import make_item_card
from corrections.review.models import ReviewItem, ReviewVerdict
from corrections.review.queue import (
    bring_back_skipped,
    count_queue,
    fetch_next_item,
    skip_item,
    take_in_samples,
)
from corrections.review.sampling import SAMPLED_SOURCES, sample_recent
from corrections.review.types import Judgement
from corrections.review.verdicts import find_last_verdict, record_verdict, undo_verdict
from memory.errors import CodedError, NotFound, UserBusy
from memory.tenants.access import get_access, record_view
from memory.tenants.services.audit import record_audit_event

VERDICT_BUTTONS: Final = (
    ("1", "correct", "Correct", "good"),
    ("2", "wrong_subject", "Wrong subject", "bad"),
    ("3", "false_fact", "False fact", "bad"),
    ("4", "missed_sarcasm", "Missed sarcasm", "bad"),
)
VERDICT_WORDS: Final = {name: words for _, name, words, _ in VERDICT_BUTTONS}
UNDO_WINDOW: Final = timedelta(hours=12)
SAMPLE_DAYS: Final = 7
DEFAULT_SAMPLES: Final = 20


@console_page("review_facts")
def show_queue(request: HttpRequest) -> HttpResponseBase:
    """The item that is this reviewer's now."""
    return _show(request)


@require_POST
@console_page("review_facts")
def judge_item(request: HttpRequest) -> HttpResponseBase:
    """Store a verdict and show the next item."""
    judgement = Judgement(
        item_id=_read_id(request, "item"),
        verdict=request.POST.get("verdict", ""),
        token=_read_id(request, "token"),
        milliseconds=_read_number(request, "milliseconds"),
    )

    def judge(tenant_id: UUID, reviewer: str, now: datetime) -> None:
        recorded = record_verdict(tenant_id=tenant_id, reviewer=reviewer, judgement=judgement, now=now)
        if not recorded.is_repeat:
            _audit(request, f"review.{judgement.verdict}", judgement.item_id, recorded.verdict.user_id, now)

    return _do(request, judge)


@require_POST
@console_page("review_facts")
def undo_last(request: HttpRequest) -> HttpResponseBase:
    """Take a verdict back and show its item again."""
    verdict_id = _read_id(request, "judged")

    def undo(tenant_id: UUID, reviewer: str, now: datetime) -> UUID:
        item = undo_verdict(tenant_id=tenant_id, reviewer=reviewer, verdict_id=verdict_id, now=now)
        _audit(request, "review.undo", item.id, item.user_id, now)
        return item.id

    return _do(request, undo)


@require_POST
@console_page("review_facts")
def skip_shown(request: HttpRequest) -> HttpResponseBase:
    """Leave the item to others and show the next one."""
    item_id = _read_id(request, "item")

    def skip(tenant_id: UUID, reviewer: str, now: datetime) -> None:
        skip_item(tenant_id=tenant_id, item_id=item_id, reviewer=reviewer)

    return _do(request, skip)


@require_POST
@console_page("review_facts")
def show_skipped(request: HttpRequest) -> HttpResponseBase:
    """Bring back what this reviewer skipped."""

    def bring_back(tenant_id: UUID, reviewer: str, now: datetime) -> None:
        bring_back_skipped(tenant_id=tenant_id, reviewer=reviewer)

    return _do(request, bring_back)


@require_POST
@console_page("review_facts")
def draw_samples(request: HttpRequest) -> HttpResponseBase:
    """Put a random sample of recent instant facts or corrections into the queue."""
    access, now = get_access(request), timezone.now()
    source = request.POST.get("source", "")
    try:
        taken = sample_recent(
            tenant_id=access.tenant.id,
            source=source,
            count=_read_number(request, "count") or DEFAULT_SAMPLES,
            since=now - timedelta(days=SAMPLE_DAYS),
            now=now,
        )
    except CodedError as error:
        messages.error(request, describe_error(error))
        return redirect("console:review")
    record_audit_event(tenant_id=access.tenant.id, actor=access.actor, action=f"review.sample_{source}", now=now)
    words = {"instant": "instant facts", "correction": "corrections"}[source]
    if taken:
        messages.success(request, f"{taken} {words} are in the queue.")
    else:
        messages.info(request, f"No {words} of the last {SAMPLE_DAYS} days are left to sample.")
    return redirect("console:review")


def _do(request: HttpRequest, run: Callable[[UUID, str, datetime], UUID | None]) -> HttpResponseBase:
    access, now = get_access(request), timezone.now()
    notice, item_id = "", None
    try:
        item_id = run(access.tenant.id, access.actor_code, now)
    except UserBusy as error:
        # The browser sends it again; nothing of it was written.
        return render(request, "console/review/busy.html", {"error": error}, status=503)
    except NotFound:
        notice = "That item is gone: its user is being erased, or it was never here."
    except CodedError as error:
        notice = describe_error(error)
    if "HX-Request" not in request.headers:
        if notice:
            messages.warning(request, notice)
        return redirect("console:review")
    return _show(request, item_id=item_id, notice=notice)


def _show(request: HttpRequest, *, item_id: UUID | None = None, notice: str = "") -> HttpResponseBase:
    access, now = get_access(request), timezone.now()
    tenant_id, reviewer, zone = access.tenant.id, access.actor_code, ZoneInfo(access.tenant.timezone)
    take_in_samples(tenant_id=tenant_id)
    item = None
    if item_id is not None:
        item = fetch_next_item(tenant_id=tenant_id, reviewer=reviewer, now=now, item_id=item_id)
        if item is None:
            notice = "The verdict is taken back; another reviewer has the item now."
    item = item or fetch_next_item(tenant_id=tenant_id, reviewer=reviewer, now=now)
    if item is not None:
        ids = [item.id, item.user_id]
        record_view(request, action="review.view_item", object_type="review_item", object_ids=ids, now=now)
    last = find_last_verdict(tenant_id=tenant_id, reviewer=reviewer, since=now - UNDO_WINDOW)
    context: dict[str, Any] = {
        "card": make_item_card(item=item, zone=zone) if item else None,
        "counts": count_queue(tenant_id=tenant_id, reviewer=reviewer, since=get_day_start(now, zone, days_ago=0)),
        "last": _describe_last(last),
        "notice": notice,
        "verdicts": VERDICT_BUTTONS,
        "sources": SAMPLED_SOURCES,
        "sample_days": SAMPLE_DAYS,
        "default_samples": DEFAULT_SAMPLES,
    }
    if "HX-Request" in request.headers:
        return render(request, "console/review/item.html", context)
    return render_page(request, "console/review/queue.html", title="Review", **context)


def _describe_last(last: ReviewVerdict | None) -> dict[str, Any] | None:
    """The verdict that undo would take back: codes alone, so that nothing unseen is shown."""
    if last is None:
        return None
    item = ReviewItem.objects.get(user_id=last.user_id, id=last.item_id)
    return {"id": last.id, "verdict": last.verdict, "words": VERDICT_WORDS[last.verdict], "item": item}


def _audit(request: HttpRequest, action: str, item_id: UUID, user_id: UUID, now: datetime) -> None:
    access = get_access(request)
    record_audit_event(
        tenant_id=access.tenant.id,
        actor=access.actor,
        action=action,
        now=now,
        object_type="review_item",
        object_ids=[item_id, user_id],
    )


def _read_id(request: HttpRequest, name: str) -> UUID:
    try:
        return UUID(request.POST.get(name, ""))
    except ValueError:
        raise NotFound("There is no such item.") from None


def _read_number(request: HttpRequest, name: str) -> int:
    value = request.POST.get(name, "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else 0
