"""Stored answers judged again, each as of its moment: candidates and adaptive items made anew (SPEC M-4).

What people and jobs did to them in between (dismissed, accepted, expired, forgotten) is done again when it was done.
Writes over what is there: the caller compares, keeps it or takes it back. Under the user's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.extraction.judging.gate import judge
from memory.extraction.model.answers import AnswerUnreadable, read_answer
from memory.extraction.model.prompt import ADAPTIVE_SUFFIX, make_material
from memory.extraction.quality.switches import list_quarantined
from memory.extraction.runs.log import PURPOSE as ANSWER
from memory.extraction.runs.portions import Portion
from memory.extraction.runs.running import Reading, build_context
from memory.extraction.types import Decision, Item
from memory.extraction.unproven.candidates import (
    hide_candidates,
    promote_candidate,
    restore_candidates,
    stage_candidate,
)
from memory.extraction.unproven.items import (
    deny_items,
    drop_item,
    hide_items,
    keep_item,
    list_held_items,
    restore_items,
)
from memory.extraction.unproven.merging import find_logged, merge_again, put_apart
from memory.fence.consents import list_withheld
from memory.models import AdaptiveItem, ExtractionRun, FactCandidate, Message
from memory.sealing.vault import UserVault
from memory.selectors.messages import to_recorded
from memory.types import Fact, RecordedMessage, UserRef

Row = FactCandidate | AdaptiveItem
Event = tuple[datetime, Callable[[], object]]
HELD: Final = ("open", "waiting", "active")
ENDS: Final = ("expired", "dismissed", "outdated")
"""States that a job or a person gave a row: they are taken from it, for no log holds them."""


@dataclass(frozen=True, slots=True)
class FactsThen:
    """The facts of a moment of the past, in place of a ledger."""

    facts: Sequence[Fact]

    def list_facts(self) -> list[Fact]:
        """As a ledger lists them."""
        return list(self.facts)


@dataclass(frozen=True, slots=True)
class History:
    """What the replay takes from the logs.

    `facts_at`: by place in the action log; `promoted`: by run and evidence, the fact that a run made of a candidate;
    `accepted`: candidates of which a person made a fact; `forgets`: when which messages were hidden (True) or shown
    again; `to_items`: actions that merged items, took that back or denied some, as (when, kind, detail).
    """

    facts_at: Mapping[int, Sequence[Fact]]
    promoted: Mapping[tuple[UUID, tuple[UUID, ...]], UUID]
    accepted: frozenset[UUID]
    forgets: Sequence[tuple[datetime, bool, frozenset[UUID]]]
    to_items: Sequence[tuple[datetime, str, Mapping[str, Any]]] = ()


def list_judged_runs(*, user: UserRef) -> list[ExtractionRun]:
    """The runs whose answer was judged, in that order."""
    rows = ExtractionRun.objects.filter(user_id=user.id, status="done").exclude(results={})
    return list(rows.order_by("finished_at", "id"))


def find_answer(run: ExtractionRun, *, user: UserRef) -> ExtractionRun | None:
    """The run that keeps the answer: itself, or an earlier one that was killed before it could use it."""
    if run.sealed is not None:
        return run
    rows = ExtractionRun.objects.filter(
        user_id=user.id, fingerprint=run.fingerprint, claimed_at__lte=run.claimed_at, sealed__isnull=False
    )
    return rows.order_by("-claimed_at").first()


def replay_answers(*, user: UserRef, zone: ZoneInfo, stored: Sequence[Row], history: History) -> None:
    """Make the user's candidates and items of nothing but stored answers and what was done to them. Writes."""
    FactCandidate.objects.filter(user_id=user.id).delete()
    AdaptiveItem.objects.filter(user_id=user.id).delete()
    replay = _Replay(user=user, zone=zone, history=history)
    events: list[Event] = [(_end_of(run), partial(replay.judge_again, run)) for run in list_judged_runs(user=user)]
    events += [(at, partial(replay.forget, ids, is_hidden)) for at, is_hidden, ids in history.forgets]
    events += [(at, partial(replay.act, kind, detail, at)) for at, kind, detail in history.to_items]
    events += [(row.updated_at, partial(_end, row)) for row in stored if _was_ended(row, history)]
    for _, happen in sorted(events, key=lambda event: event[0]):
        happen()


def _end_of(run: ExtractionRun) -> datetime:
    assert run.finished_at is not None
    return run.finished_at


def _was_ended(row: Row, history: History) -> bool:
    return row.status in ENDS or (row.status == "promoted" and row.id in history.accepted)


def _end(row: Row) -> None:
    """Give the row that stands for a stored one the end that a person or a job gave it."""
    values: dict[str, Any] = {"status": row.status, "updated_at": row.updated_at}
    if isinstance(row, FactCandidate):
        values["fact_id"] = row.fact_id
    find_twin(row).filter(status__in=HELD).update(**values)


def find_twin(row: Row) -> Any:
    """The replayed row in the place of a stored one: of the same key, first staged by the same run."""
    kind = {"knowledge_type": row.knowledge_type} if isinstance(row, FactCandidate) else {"item_type": row.item_type}
    return type(row).objects.filter(user_id=row.user_id, key_hash=row.key_hash, created_at=row.created_at, **kind)


class _Replay:
    """One replay in progress."""

    def __init__(self, *, user: UserRef, zone: ZoneInfo, history: History) -> None:
        self.user = user
        self.zone = zone
        self.history = history
        self.hidden: set[UUID] = set()
        self.vault = UserVault(user_id=user.id)

    def forget(self, message_ids: frozenset[UUID], is_hidden: bool) -> None:
        """What a forget and its way back did to what waits."""
        ids = sorted(message_ids)
        if is_hidden:
            self.hidden |= message_ids
            hide_candidates(self.user, ids)
            hide_items(self.user, ids)
        else:
            self.hidden -= message_ids
            restore_candidates(self.user, ids)
            restore_items(self.user, ids)

    def act(self, kind: str, detail: Mapping[str, Any], at: datetime) -> None:
        """What an action of the log did to items."""
        if kind == "merge":
            merge_again(detail, user=self.user, now=at)
        elif kind == "part" and "item_id" in detail:
            put_apart(user=self.user, item_id=UUID(detail["item_id"]), now=at)
        else:
            found = [find_logged(one, user=self.user) for one in detail.get("denied_items", ())]
            deny_items(user=self.user, item_ids=[row.id for row in found if row is not None], now=at)

    def judge_again(self, run: ExtractionRun) -> None:
        """Put the stored answer through the gate with the facts, messages and items of then."""
        now = _end_of(run)
        kept = find_answer(run, user=self.user)
        assert kept is not None and kept.sealed is not None and run.log_position is not None
        content = self.vault.open(kept.sealed, purpose=ANSWER)
        try:
            answer = read_answer(content["answer"])
        except AnswerUnreadable:
            return
        facts = self.history.facts_at[run.log_position]
        reading = self._make_reading(run, content["facts"], facts, knows_items=kept.id == run.id)
        context = build_context(
            self.user,
            reading,
            FactsThen(facts),
            readers={},
            now=now,
            find_current=partial(self._find_current, now),
            find_quarantined=partial(list_quarantined, at=now),
            find_withheld=partial(list_withheld, at=now),
        )
        for decision in judge(answer.operations, context):
            self._write(decision, run=run, now=now)

    def _make_reading(
        self, run: ExtractionRun, names: Mapping[str, str], facts: Sequence[Fact], *, knows_items: bool
    ) -> Reading:
        found = self._read_messages(run.message_ids)
        is_adaptive = run.prompt_version.endswith(ADAPTIVE_SUFFIX)
        items: list[Item] = list_held_items(user=self.user) if is_adaptive and knows_items else []
        messages = [found[message_id] for message_id in run.message_ids if message_id in found]
        by_id = {fact.id: fact for fact in facts}
        shown = {name: by_id[UUID(fact_id)] for name, fact_id in names.items() if UUID(fact_id) in by_id}
        material = make_material(messages=messages, facts=(), items=items)
        portion = Portion(tuple(messages), {}, has_user_words=True)
        return Reading(portion, replace(material, facts=shown), self.zone, run.prompt_version, None)

    def _read_messages(self, message_ids: Sequence[UUID]) -> dict[UUID, RecordedMessage]:
        rows = Message.objects.filter(user_id=self.user.id, id__in=list(message_ids))
        return {row.id: to_recorded(row) for row in rows}

    def _find_current(self, at: datetime, *, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, RecordedMessage]:
        """Those of the messages that counted at a moment: neither forgotten nor replaced by then."""
        found = self._read_messages(message_ids)
        newer = Message.objects.filter(user_id=user.id, replaces_id__in=list(found), received_at__lte=at)
        gone = self.hidden | set(newer.values_list("replaces_id", flat=True))
        return {message_id: message for message_id, message in found.items() if message_id not in gone}

    def _write(self, decision: Decision, *, run: ExtractionRun, now: datetime) -> None:
        """As `apply_decisions` does, but for facts: what became of those is in the log."""
        if decision.effect == "stage":
            stage_candidate(decision, user=self.user, run_id=run.id, now=now)
        if decision.item is not None:
            keep_item(decision.item, user=self.user, run_id=run.id, now=now)
        if decision.item_id is not None:
            drop_item(user=self.user, item_id=decision.item_id, now=now)
        if decision.candidate_id is not None:
            fact_id = self.history.promoted.get((run.id, decision.evidence_message_ids))
            if fact_id is not None:
                promote_candidate(user=self.user, candidate_id=decision.candidate_id, fact_id=fact_id, now=now)


def list_stored(*, user: UserRef) -> list[Row]:
    """The user's candidates and items, whatever became of them."""

    return [*FactCandidate.objects.filter(user_id=user.id), *AdaptiveItem.objects.filter(user_id=user.id)]
