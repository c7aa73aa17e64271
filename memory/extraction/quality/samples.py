"""People judge a share of what extraction did (SPEC X-4, KSP fix 1B). One sample is one reviewer's at a time.

A verdict other than `correct` closes the fact at once; undoing the verdict brings it back, unless its key has moved on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.errors import Conflict, InvalidRequest, NotFound
from memory.extraction.metrics import REVIEWS
from memory.extraction.types import VERDICTS, Applied, Claim
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.models import ExtractionRun, ReviewSample
from memory.services.facts import close_wrong_fact, reopen_judged_fact
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

CORRECT = VERDICTS[0]


class SampleTaken(Conflict):
    """Another reviewer has this sample now, or has judged it."""

    code = "sample_taken"
    default_message = "Another reviewer has this sample, or it is already judged."


def sample_changes(
    claim: Claim, applied: Iterable[Applied], *, share: float, draw: Callable[[], float], now: datetime
) -> int:
    """Put a random share of the changes of a run into the review queue; how many. In the run's transaction."""
    changed = [entry for entry in applied if entry.change is not None and entry.result == "accepted"]
    chosen = [entry for entry in changed if draw() < share]
    if not chosen:
        return 0
    run = ExtractionRun.objects.get(user_id=claim.user.id, id=claim.run_id)
    ReviewSample.objects.bulk_create(_make_sample(entry, run, now) for entry in chosen)
    return len(chosen)


def _make_sample(entry: Applied, run: ExtractionRun, now: datetime) -> ReviewSample:
    assert entry.change is not None
    return ReviewSample(
        id=new_id(),
        tenant_id=run.tenant_id,
        user_id=run.user_id,
        run_id=run.id,
        fact_id=entry.change.fact.id,
        operation=entry.decision.operation.operation,
        knowledge_type=entry.change.fact.knowledge_type,
        language=entry.decision.language,
        model=run.model,
        prompt_version=run.prompt_version,
        evidence_message_ids=list(entry.decision.evidence_message_ids),
        created_at=now,
    )


def record_verdict(*, tenant_id: UUID, sample_id: UUID, verdict: str, reviewer: str, now: datetime) -> ReviewSample:
    """Judge a sample. A fact that is not right is closed, in the name of the reviewer. Writes.

    Raises InvalidRequest, NotFound, SampleTaken, UserErased, UserBusy.
    """
    if verdict not in VERDICTS:
        raise InvalidRequest(fields={"verdict": f"must be one of {', '.join(VERDICTS)}"})
    with tenant_scope(tenant_id):
        user = _find_owner(tenant_id, sample_id)
        lock_user(user=user)
        sample = ReviewSample.objects.select_for_update().get(user_id=user.id, id=sample_id)
        is_with_other = sample.locked_by != reviewer and sample.locked_until is not None and sample.locked_until > now
        if sample.verdict is not None or is_with_other:
            raise SampleTaken
        if verdict != CORRECT and sample.operation != "REMOVE":
            detail = {"sample_id": str(sample.id), "verdict": verdict}
            close_wrong_fact(user=user, fact_id=sample.fact_id, detail=detail, reviewer=reviewer, now=now)
        _store(sample, verdict=verdict, judged_by=reviewer, judged_at=now, locked_until=None, locked_by="")
    REVIEWS.labels(verdict, sample.language).inc()
    return sample


def undo_verdict(
    *, tenant_id: UUID, sample_id: UUID, reviewer: str, now: datetime, may_be_anothers: bool = False
) -> ReviewSample:
    """Take a verdict back: the sample is the reviewer's again, and what it closed is open again. Writes.

    Only one's own verdict, unless it `may_be_anothers`. Raises NotFound, SampleTaken, UserErased, UserBusy.
    """
    with tenant_scope(tenant_id):
        user = _find_owner(tenant_id, sample_id)
        lock_user(user=user)
        sample = ReviewSample.objects.select_for_update().get(user_id=user.id, id=sample_id)
        if sample.verdict is None or (sample.judged_by != reviewer and not may_be_anothers):
            raise SampleTaken
        if sample.verdict != CORRECT and sample.operation != "REMOVE":
            reopen_judged_fact(
                user=user,
                fact_id=sample.fact_id,
                judged_at=sample.judged_at or now,
                detail={"sample_id": str(sample.id), "verdict": "undone"},
                reviewer=reviewer,
                now=now,
            )
        until = now + settings.UNDE_TUNING.REVIEW_LOCK
        _store(sample, verdict=None, judged_by="", judged_at=None, locked_by=reviewer, locked_until=until)
    return sample


def _find_owner(tenant_id: UUID, sample_id: UUID) -> UserRef:
    """Whose sample it is, on an index of its own (D-10)."""
    user_id = ReviewSample.objects.filter(tenant_id=tenant_id, id=sample_id).values_list("user_id", flat=True).first()
    if user_id is None:
        raise NotFound("This sample does not exist.", fields={"sample_id": "unknown"})
    return UserRef(id=user_id, tenant_id=tenant_id)


def _store(sample: ReviewSample, **values: object) -> None:
    for name, value in values.items():
        setattr(sample, name, value)
    ReviewSample.objects.filter(user_id=sample.user_id, id=sample.id).update(**values)
