"""Runs of the offline measures: user by user, each step kept, so that a run goes on where it stopped (SPEC Q-3).

A run keeps its own `now` (`began_at`) and its counts: gone on with a day later it gives the figure of its beginning.
Its rows hold counts by language; no words, and no user once it is finished.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError

from corrections.models import QualityRun
from corrections.quality.levels import MISSES, OFFLINE, REPEATS
from corrections.quality.measuring import Figure, note_levels
from corrections.quality.offline.misses import count_misses
from corrections.quality.offline.repeats import count_repeats
from corrections.quality.offline.types import Counts
from memory.errors import CodedError
from memory.ids import new_id
from memory.models import User
from memory.selectors.users import list_users
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

MEASURES: Final[dict[str, Callable[..., Counts]]] = {MISSES: count_misses, REPEATS: count_repeats}
log = structlog.get_logger(__name__)


class RunTaken(CodedError):
    """Somebody else goes on with this run, or has begun it anew."""

    code = "quality_run_taken"
    status = 409
    default_message = "Another process works at this run. Try again when it has stopped."


@dataclass(frozen=True, slots=True)
class Step:
    """Where a run stands after a user."""

    users: int
    skipped: int
    n: int
    bad: int


def open_run(*, tenant_id: UUID, indicator: str, share: float, now: datetime, is_anew: bool = False) -> QualityRun:
    """The run to go on with, or a new one. Writes. `share`: of the users, under 1 for a sample.

    A whole run and a sample stand side by side; of each a tenant has one unfinished at most. Raises RunTaken where
    another process begins one at the same moment.
    """
    try:
        return _open_run(tenant_id, indicator, share, now, is_anew)
    except IntegrityError:
        raise RunTaken from None


def _open_run(tenant_id: UUID, indicator: str, share: float, now: datetime, is_anew: bool) -> QualityRun:
    with tenant_scope(tenant_id):
        rows = QualityRun.objects.filter(tenant_id=tenant_id, indicator=indicator, finished_at=None)
        rows = rows.filter(share__lt=1.0) if share < 1.0 else rows.filter(share=1.0)
        found = rows.select_for_update().first()
        is_stale = found is not None and found.worked_at < now - settings.UNDE_TUNING.OFFLINE_STALE_AFTER
        if found is not None and not is_anew and not (is_stale and share < 1.0):
            return found
        rows.delete()
        run = QualityRun(
            id=new_id(), tenant_id=tenant_id, indicator=indicator, share=share, began_at=now, worked_at=now
        )
        run.save(force_insert=True)
    return run


def has_run_lately(*, tenant_id: UUID, indicator: str, now: datetime) -> bool:
    """Whether a run of this measure, of all users or a sample, was begun and finished within half a day."""
    with tenant_scope(tenant_id):
        rows = QualityRun.objects.filter(tenant_id=tenant_id, indicator=indicator, finished_at__isnull=False)
        return rows.filter(finished_at__gte=now - settings.UNDE_TUNING.OFFLINE_NOT_AGAIN_WITHIN).exists()


def go_on(run: QualityRun, *, clock: Callable[[], datetime], seconds: float | None = None) -> Iterator[Step]:
    """Measure the users that are left, one after the other; where the run stands after each. Writes.

    Each step is kept before it is told, so that an interruption loses one user's work at most. `seconds`: stop after
    so long; the run stays open. Raises RunTaken.
    """
    started = time.monotonic()
    for user in _list_left(run):
        if seconds is not None and time.monotonic() - started >= seconds:
            return
        _measure_user(run, user, clock)
        counts = read_counts(run)
        yield Step(run.users, run.skipped, counts.n, counts.bad)
    _finish(run, clock())


def read_counts(run: QualityRun) -> Counts:
    """What a run has counted so far."""
    counts = Counts()
    counts.merge(run.counts)
    return counts


def _list_left(run: QualityRun) -> Iterator[UserRef]:
    after = run.after_id
    while True:
        with tenant_scope(run.tenant_id):
            page = list_users(tenant_id=run.tenant_id, after=after, limit=settings.UNDE_TUNING.OFFLINE_USERS_AT_ONCE)
        yield from (_make_ref(row) for row in page if is_sampled(row.id, run))
        if len(page) < settings.UNDE_TUNING.OFFLINE_USERS_AT_ONCE:
            return
        after = page[-1].id


def _make_ref(row: User) -> UserRef:
    return UserRef(id=row.id, tenant_id=row.tenant_id, external_id=row.external_id)


def is_sampled(user_id: UUID, run: QualityRun) -> bool:
    """Whether a run looks at a user: the same ones when it goes on, others in another run. Pure."""
    digest = hashlib.sha256(run.id.bytes + user_id.bytes).digest()
    return int.from_bytes(digest[:8]) < run.share * 2**64


def _measure_user(run: QualityRun, user: UserRef, clock: Callable[[], datetime]) -> None:
    counts, skipped = read_counts(run), run.skipped
    since = run.began_at - OFFLINE[run.indicator].window
    try:
        counts.merge(MEASURES[run.indicator](user=user, since=since, until=run.began_at).by_language)
    except CodedError as error:
        log.warning("offline_measure_left_a_user", user_id=str(user.id), code=error.code)
        skipped += 1
    _keep(run, clock(), after_id=user.id, users=run.users + 1, skipped=skipped, counts=counts.by_language)


def _keep(run: QualityRun, now: datetime, **values: object) -> None:
    """Store a step. Of two processes at one run the second finds that the place has moved."""
    with tenant_scope(run.tenant_id):
        rows = QualityRun.objects.filter(tenant_id=run.tenant_id, id=run.id, users=run.users, finished_at=None)
        if not rows.update(worked_at=now, **values):
            raise RunTaken
    for name, value in values.items():
        setattr(run, name, value)


def _finish(run: QualityRun, now: datetime) -> None:
    counts = read_counts(run)
    figure = Figure(counts.bad / counts.n if counts.n else None, counts.n)
    _keep(run, now, finished_at=now, after_id=None)
    with tenant_scope(run.tenant_id):
        note_levels(tenant_id=run.tenant_id, figures={run.indicator: figure}, now=run.began_at)
        _drop_old(run, now)


def _drop_old(run: QualityRun, now: datetime) -> None:
    """Runs are kept as long as the trend is."""
    rows = QualityRun.objects.filter(tenant_id=run.tenant_id, indicator=run.indicator)
    rows.filter(finished_at__lt=now - timedelta(days=settings.UNDE_TUNING.QUALITY_TREND_DAYS)).delete()
