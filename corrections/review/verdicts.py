"""Verdicts: given once however often they are sent, taken back also after going on (SPEC H-1).

A decision other than `correct` closes the fact at once, in the reviewer's name; taking it back opens it again, unless
its key has moved on. Extraction's samples are judged through `memory.extraction.quality.samples`: its switches rest
on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings

from corrections.metrics import REVIEWED
from corrections.models import ReviewItem, ReviewVerdict
from corrections.review.auditing import audit_item
from corrections.review.decisions import find_decision
from corrections.review.queue import find_owner
from corrections.review.remarks import check_remark, seal_remark
from corrections.review.types import CORRECT, MAX_MILLISECONDS, Judgement, list_verdicts
from memory.database.statements import execute
from memory.errors import Conflict, InvalidRequest, NotFound
from memory.extraction.quality import samples as samples
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.services.facts import close_wrong_fact, reopen_judged_fact
from memory.tenants.scope import tenant_scope
from memory.types import UserRef


class ItemTaken(Conflict):
    """Another reviewer holds the item, or it is decided."""

    default_message = "Another reviewer has this item now, or it is decided."


class VerdictFollowed(Conflict):
    """Somebody judged the item after this verdict."""

    default_message = "Another reviewer has judged this item since. The verdict cannot be undone."


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored verdict; `is_repeat` when it was there before."""

    verdict: ReviewVerdict
    is_repeat: bool


def record_verdict(*, tenant_id: UUID, reviewer: str, judgement: Judgement, now: datetime) -> Recorded:
    """Store a reviewer's verdict and, when it decides the item, do what it demands. Writes.

    The same token, or the same reviewer on the same item, again: the first verdict stands and nothing is written.
    Raises InvalidRequest, NotFound, ItemTaken, UserErased, UserBusy.
    """
    remark = check_remark(judgement.remark)
    if remark.value and judgement.verdict == CORRECT:
        raise InvalidRequest("A correct item needs no other value. Clear the value, or choose another verdict.")
    with tenant_scope(tenant_id):
        user = find_owner(tenant_id=tenant_id, item_id=judgement.item_id)
        lock_user(user=user)
        item = ReviewItem.objects.select_for_update().get(user_id=user.id, id=judgement.item_id)
        if known := _find_known(item, reviewer, judgement):
            return Recorded(known, is_repeat=True)
        if judgement.verdict not in list_verdicts(item.source):
            raise InvalidRequest(fields={"verdict": f"must be one of {', '.join(list_verdicts(item.source))}"})
        is_with_other = item.locked_by != reviewer and item.locked_until is not None and item.locked_until > now
        if item.state != "waiting" or is_with_other:
            raise ItemTaken
        verdict = _insert(item, reviewer, judgement, seal_remark(remark, user=user), now)
        _decide(item, user, reviewer, now)
        audit_item(judgement.verdict, item, reviewer=reviewer, now=now)
    REVIEWED.labels(item.source, judgement.verdict, item.language).inc()
    return Recorded(verdict, is_repeat=False)


def undo_verdict(*, tenant_id: UUID, reviewer: str, verdict_id: UUID, now: datetime) -> ReviewItem:
    """Take one's own verdict back; the item, which is the reviewer's again unless another holds it. Writes.

    A second time nothing happens. Raises NotFound, VerdictFollowed, UserErased, UserBusy.
    """
    with tenant_scope(tenant_id):
        owner = ReviewVerdict.objects.filter(tenant_id=tenant_id, id=verdict_id, reviewer=reviewer)
        user_id = owner.values_list("user_id", flat=True).first()
        if user_id is None:
            raise NotFound("You have no such verdict.", fields={"verdict_id": "unknown"})
        user = UserRef(id=user_id, tenant_id=tenant_id)
        lock_user(user=user)
        verdict = ReviewVerdict.objects.get(user_id=user_id, id=verdict_id)
        item = ReviewItem.objects.select_for_update().get(user_id=user_id, id=verdict.item_id)
        if verdict.undone_at is None:
            _take_back(item, verdict, user, now)
            audit_item("undo", item, reviewer=reviewer, now=now)
    return item


def find_last_verdict(*, tenant_id: UUID, reviewer: str, since: datetime) -> ReviewVerdict | None:
    """The reviewer's newest verdict that stands: what undo takes back. Index: verdicts_of_a_reviewer."""
    rows = ReviewVerdict.objects.filter(tenant_id=tenant_id, reviewer=reviewer, undone_at=None, judged_at__gte=since)
    return rows.order_by("-judged_at", "-id").first()


def _find_known(item: ReviewItem, reviewer: str, judgement: Judgement) -> ReviewVerdict | None:
    rows = ReviewVerdict.objects.filter(user_id=item.user_id, item_id=item.id)
    return (
        rows.filter(token=judgement.token, reviewer=reviewer).first()
        or rows.filter(reviewer=reviewer, undone_at=None).first()
    )


def _insert(
    item: ReviewItem, reviewer: str, judgement: Judgement, remark: bytes | None, now: datetime
) -> ReviewVerdict:
    verdict = ReviewVerdict(
        id=new_id(),
        tenant_id=item.tenant_id,
        user_id=item.user_id,
        item_id=item.id,
        token=judgement.token,
        reviewer=reviewer,
        verdict=judgement.verdict,
        milliseconds=min(max(judgement.milliseconds, 0), MAX_MILLISECONDS),
        judged_at=now,
        remark=remark,
    )
    verdict.save(force_insert=True)
    return verdict


def _decide(item: ReviewItem, user: UserRef, reviewer: str, now: datetime) -> None:
    given = ReviewVerdict.objects.filter(user_id=item.user_id, item_id=item.id, undone_at=None)
    decision = find_decision(list(given.values_list("verdict", flat=True)), wanted=item.reviewers_wanted)
    values = {"locked_by": "", "locked_until": None}
    if decision is None:
        _store(item, **values)
        return
    if item.source == "extraction":
        samples.record_verdict(
            tenant_id=item.tenant_id, sample_id=item.id, verdict=decision, reviewer=reviewer, now=now
        )
    elif item.source == "instant" and decision != CORRECT:
        detail = {"item_id": str(item.id), "verdict": decision}
        close_wrong_fact(user=user, fact_id=item.fact_id, detail=detail, reviewer=reviewer, now=now)
    _store(item, **values, state="decided", verdict=decision, decided_at=now)


def _take_back(item: ReviewItem, verdict: ReviewVerdict, user: UserRef, now: datetime) -> None:
    reviewer = verdict.reviewer
    later = ReviewVerdict.objects.filter(user_id=user.id, item_id=item.id, undone_at=None, id__gt=verdict.id)
    if item.state == "decided":
        if later.exists():
            raise VerdictFollowed
        undo_effect(item, user=user, reviewer=reviewer, now=now)
    ReviewVerdict.objects.filter(user_id=user.id, id=verdict.id).update(undone_at=now)
    is_free = item.locked_until is None or item.locked_until <= now or item.locked_by == reviewer
    put_back(item, reviewer=reviewer if is_free else None, now=now)
    execute(
        "UPDATE corrections_review_item SET skipped_by = array_remove(skipped_by, %s) WHERE user_id = %s AND id = %s",
        [reviewer, user.id, item.id],
    )


def undo_effect(item: ReviewItem, *, user: UserRef, reviewer: str, now: datetime) -> None:
    """Undo what the decision did to memory. Under the user's lock. Writes."""
    if item.source == "extraction":
        samples.undo_verdict(
            tenant_id=item.tenant_id, sample_id=item.id, reviewer=reviewer, now=now, may_be_anothers=True
        )
    elif item.source == "instant" and item.verdict != CORRECT:
        reopen_judged_fact(
            user=user,
            fact_id=item.fact_id,
            judged_at=item.decided_at or now,
            detail={"item_id": str(item.id), "verdict": "undone"},
            reviewer=reviewer,
            now=now,
        )


def put_back(item: ReviewItem, *, reviewer: str | None, now: datetime) -> None:
    """The item waits again; for the reviewer first, where one is named. Writes."""
    values: dict[str, object] = {"state": "waiting", "verdict": None, "decided_at": None}
    if reviewer is not None:
        values |= {"locked_by": reviewer, "locked_until": now + settings.UNDE_TUNING.REVIEW_LOCK}
    _store(item, **values)


def _store(item: ReviewItem, **values: object) -> None:
    for name, value in values.items():
        setattr(item, name, value)
    ReviewItem.objects.filter(user_id=item.user_id, id=item.id).update(**values)
