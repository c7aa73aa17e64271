"""A backtest's life: asked for, read page by page, stopped or finished. Each page is a transaction (SPEC I-2).

It goes on where it stopped: the place is in its row. Two workers at one backtest take turns at its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db.models import Q

from corrections.backtests.comparing import ADDED, SUPERSEDED, compare_readings
from corrections.backtests.replies import compare_replies, find_changed_place
from corrections.backtests.selectors import list_fenced, list_messages_before
from corrections.models import Backtest, BacktestSample
from memory.errors import CodedError, NotFound
from memory.facts.reading import list_active_facts
from memory.ids import new_id
from memory.models import Message
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.audit import record_staff_act
from memory.types import UserRef
from patterns.errors import RuleRefused
from patterns.matching.phrases import is_phrases
from patterns.models import EntryVersion, RuleVersion
from patterns.rules.pack import PackError, compile_packs
from patterns.rules.ruleset import RuleSet
from patterns.selectors import find_version, get_stored_pack
from patterns.services.publishing import make_change
from patterns.services.trials import try_change
from patterns.types import Reading

log = structlog.get_logger(__name__)

OPEN: Final = ("queued", "running")
LANGUAGES: Final = ("ru", "en", "ar", "arabizi", "mixed", "other")


@dataclass(slots=True)
class _Run:
    """What one worker holds while it reads: both sets, and how many samples of each kind are kept."""

    live: RuleSet
    tried: RuleSet
    zone: ZoneInfo
    is_of_phrases: bool = False
    """Whether phrases of replies are tried: then what a message corrects counts, not what it states."""
    kept: Counter[str] = field(default_factory=Counter)
    facts: dict[UUID, dict[tuple[str, str], Any]] = field(default_factory=dict)


def request_backtest(
    *,
    tenant_id: UUID,
    version: RuleVersion | EntryVersion,
    messages_per_language: int,
    requested_by: str,
    now: datetime,
) -> Backtest:
    """Note that a version is to be read against the tenant's last messages; a worker does it. Writes.

    Takes the place of an unfinished one of the same version. The last ten of a rule or entry are kept.
    """
    is_rule = isinstance(version, RuleVersion)
    subject_id = version.rule_id if isinstance(version, RuleVersion) else version.entry_id
    with tenant_scope(tenant_id):
        rows = Backtest.objects.filter(tenant_id=tenant_id, subject_id=subject_id)
        rows.filter(version_id=version.id, state__in=OPEN).update(state="cancelled", finished_at=now)
        old = list(rows.order_by("-id").values_list("id", flat=True)[settings.UNDE_TUNING.BACKTESTS_KEPT - 1 :])
        BacktestSample.objects.filter(backtest_id__in=old).delete()
        Backtest.objects.filter(id__in=old).delete()
        backtest = Backtest.objects.create(
            id=new_id(),
            tenant_id=tenant_id,
            subject_kind="rule" if is_rule else "entry",
            subject_id=subject_id,
            version_id=version.id,
            requested_by=requested_by,
            messages_per_language=messages_per_language,
            created_at=now,
        )
        _audit("start", backtest.id, tenant_id=tenant_id, actor=requested_by, now=now)
    return backtest


def cancel_backtest(*, tenant_id: UUID, backtest_id: UUID, actor: str, now: datetime) -> None:
    """Stop a backtest after the page it is reading; what it has counted stays. Writes."""
    with tenant_scope(tenant_id):
        rows = Backtest.objects.filter(tenant_id=tenant_id, id=backtest_id, state__in=OPEN)
        rows.update(state="cancelled", finished_at=now)
        _audit("cancel", backtest_id, tenant_id=tenant_id, actor=actor, now=now)


def resume_backtest(*, tenant_id: UUID, backtest_id: UUID, actor: str, now: datetime) -> None:
    """Let a stopped or failed backtest go on from where it stopped. Raises NotFound. Writes; a worker does the rest."""
    with tenant_scope(tenant_id):
        rows = Backtest.objects.filter(tenant_id=tenant_id, id=backtest_id).exclude(state="done")
        if not rows.update(state="queued", finished_at=None, error_code=""):
            raise NotFound("This backtest does not exist or cannot be continued.")
        _audit("resume", backtest_id, tenant_id=tenant_id, actor=actor, now=now)


def _audit(verb: str, backtest_id: UUID, *, tenant_id: UUID, actor: str, now: datetime) -> None:
    record_staff_act(
        tenant_id=tenant_id,
        actor=actor,
        action=f"backtest.{verb}",
        now=now,
        object_type="backtest",
        object_ids=[backtest_id],
    )


def run_backtest(*, tenant_id: UUID, backtest_id: UUID, clock: Callable[[], datetime]) -> str:
    """Read page after page until enough of each language is read or somebody stops it; the state it ends in. Writes."""
    try:
        with tenant_scope(tenant_id):
            run = _prepare(tenant_id, backtest_id, clock())
        if run is None:
            return "gone"
        while True:
            with tenant_scope(tenant_id):
                state = _read_page(run, tenant_id, backtest_id, clock())
            if state != "running":
                return state
    except (CodedError, PackError, RuleRefused) as error:
        code = getattr(error, "code", "rule_refused")
        with tenant_scope(tenant_id):
            Backtest.objects.filter(tenant_id=tenant_id, id=backtest_id).update(
                state="failed", error_code=str(code)[:40], finished_at=clock()
            )
        log.warning("backtest_failed", backtest_id=str(backtest_id), code=code)
        return "failed"


def _prepare(tenant_id: UUID, backtest_id: UUID, now: datetime) -> _Run | None:
    backtest = Backtest.objects.select_for_update().filter(tenant_id=tenant_id, id=backtest_id, state__in=OPEN).first()
    tenant = find_tenant(tenant_id=tenant_id)
    if backtest is None or tenant is None:
        return None
    # From the rows, not this process's set: a word published a second ago must count.
    live = compile_packs([get_stored_pack(tenant_id=tenant_id)], version=find_version() or 0)
    change = make_change(_get_version(backtest))
    tried = try_change(change, base=live, tenant_id=tenant_id)
    backtest.state, backtest.heartbeat_at, backtest.rule_set_version = "running", now, live.version
    backtest.save(update_fields=["state", "heartbeat_at", "rule_set_version"])
    kept = Counter(BacktestSample.objects.filter(backtest_id=backtest_id).values_list("change", flat=True))
    is_of_phrases = change.entry is not None and is_phrases(change.entry.category)
    return _Run(live, tried, ZoneInfo(tenant.timezone), is_of_phrases, kept)


def _get_version(backtest: Backtest) -> RuleVersion | EntryVersion:
    visible = Q(**{f"{backtest.subject_kind}__tenant_id": None}) | Q(
        **{f"{backtest.subject_kind}__tenant_id": backtest.tenant_id}
    )
    model = RuleVersion if backtest.subject_kind == "rule" else EntryVersion
    found: RuleVersion | EntryVersion | None = (
        model.objects.select_related(backtest.subject_kind).filter(visible, id=backtest.version_id).first()
    )
    if found is None:
        raise NotFound("The version of this backtest no longer exists.")
    return found


def _read_page(run: _Run, tenant_id: UUID, backtest_id: UUID, now: datetime) -> str:
    backtest = Backtest.objects.select_for_update().get(tenant_id=tenant_id, id=backtest_id)
    if backtest.state != "running":
        return backtest.state
    messages = list_messages_before(
        tenant_id=tenant_id, before=backtest.cursor_id, limit=settings.UNDE_TUNING.BACKTEST_PAGE
    )
    fenced = list_fenced({message.user_id for message in messages})
    samples: list[BacktestSample] = []
    for message in messages:
        if message.user_id not in fenced:
            samples += _read_message(run, backtest, message)
    BacktestSample.objects.bulk_create(samples)
    backtest.scanned += len(messages)
    backtest.heartbeat_at = now
    if messages:
        backtest.cursor_id = messages[-1].id
    if len(messages) < settings.UNDE_TUNING.BACKTEST_PAGE or _is_enough(backtest):
        backtest.state, backtest.finished_at = "done", now
    backtest.save()
    return backtest.state


def _is_enough(backtest: Backtest) -> bool:
    wanted = backtest.messages_per_language
    counts = backtest.counts.values()
    return backtest.scanned >= wanted * settings.UNDE_TUNING.BACKTEST_SCANNED_PER_WANTED or (
        len(counts) >= len(LANGUAGES) and all(count["read"] >= wanted for count in counts)
    )


def _read_message(run: _Run, backtest: Backtest, message: Message) -> list[BacktestSample]:
    language = message.language or "other"
    counts = backtest.counts.setdefault(language, {"read": 0})
    if counts["read"] >= backtest.messages_per_language:
        return []
    counts["read"] += 1
    said_at = message.created_at.astimezone(run.zone)
    if run.is_of_phrases:
        return _read_reply(run, backtest, message, language, said_at)
    before = run.live.read(message.content, said_at=said_at).readings
    after = run.tried.read(message.content, said_at=said_at).readings
    samples: list[BacktestSample] = []
    for change in compare_readings(before, after):
        kind = change.change
        if kind == ADDED and _is_superseding(run, backtest.tenant_id, message, change.reading):
            kind = SUPERSEDED
        if _count(run, counts, kind):
            place = (change.reading.start, change.reading.end)
            samples.append(_make_sample(backtest, message, change.reading.knowledge_type, kind, place=place))
    return samples


def _read_reply(
    run: _Run, backtest: Backtest, message: Message, language: str, said_at: datetime
) -> list[BacktestSample]:
    """As for rules, with what the message corrects (SPEC C-1); users whose facts can not be opened are passed over."""
    user = UserRef(id=message.user_id, tenant_id=backtest.tenant_id)
    try:
        changes = compare_replies(message, user=user, said_at=said_at, live=run.live, tried=run.tried)
    except CodedError:
        return []
    samples: list[BacktestSample] = []
    for kind, knowledge_type in changes:
        if _count(run, backtest.counts[language], kind):
            place = find_changed_place(message.content, live=run.live, tried=run.tried)
            samples.append(_make_sample(backtest, message, knowledge_type, kind, place=place))
    return samples


def _count(run: _Run, counts: dict[str, int], kind: str) -> bool:
    """Count a change; whether it is kept as a sample."""
    counts[kind] = counts.get(kind, 0) + 1
    run.kept[kind] += 1
    return bool(run.kept[kind] <= settings.UNDE_TUNING.BACKTEST_SAMPLES)


def _is_superseding(run: _Run, tenant_id: UUID, message: Message, reading: Reading) -> bool:
    """Whether the user has another value under this key now: the added fact would take its place."""
    if message.user_id not in run.facts:
        if len(run.facts) >= settings.UNDE_TUNING.BACKTEST_FACT_LOOKUPS:
            return False
        user = UserRef(id=message.user_id, tenant_id=tenant_id)
        try:
            run.facts[message.user_id] = {fact.slot: fact.value for fact in list_active_facts(user=user)}
        except CodedError:
            run.facts[message.user_id] = {}
    held = run.facts[message.user_id].get((reading.knowledge_type, reading.knowledge_key), reading.value)
    return bool(held != reading.value)


def _make_sample(
    backtest: Backtest, message: Message, knowledge_type: str, change: str, *, place: tuple[int, int]
) -> BacktestSample:
    return BacktestSample(
        id=new_id(),
        tenant_id=backtest.tenant_id,
        user_id=message.user_id,
        backtest_id=backtest.id,
        message_id=message.id,
        change=change,
        knowledge_type=knowledge_type,
        language=message.language or "other",
        first_character=place[0],
        last_character=place[1],
    )
