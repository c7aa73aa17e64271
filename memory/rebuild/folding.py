"""The fold: both logs read in order, from nothing, by the same steps and the same ledger as ingest (D-1).

A message is read again: corrections and instant facts come from its words and the rules of today. Every other action is
carried out as the log recorded it. Nothing here writes; the steps may ask the database for receipts.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from memory.facts.ledger import PendingAction
from memory.ids import new_id
from memory.rebuild.conversations import Memory
from memory.rebuild.ledger import ReplayLedger
from memory.rebuild.types import Fold, LoggedAction, UserLogs
from memory.services.fact_inputs import read_statement
from memory.storing.reading import TextReader
from memory.storing.types import Ingest, IngestStep
from memory.types import FACTS_COVER, Fact, RecordedMessage, Statement, UserRef

Entry = RecordedMessage | LoggedAction
MESSAGE_KINDS = ("instant", "correction", "edit", "withhold")
"""Actions that a message's own words bring about; so does a `confirm` written together with its message."""


def fold_logs(
    *,
    user: UserRef,
    logs: UserLogs,
    zone: ZoneInfo,
    steps: Sequence[IngestStep],
    places: Collection[int] = (),
) -> Fold:
    """What the logs say about a user (SPEC M-4). Reads receipts at most; writes nothing.

    `places`: positions of the action log after which the facts of then are wanted too.
    """
    return _Folding(user=user, logs=logs, zone=zone, steps=steps, places=places).run()


class _Folding:
    """One fold in progress."""

    def __init__(
        self,
        *,
        user: UserRef,
        logs: UserLogs,
        zone: ZoneInfo,
        steps: Sequence[IngestStep],
        places: Collection[int],
    ) -> None:
        self.places = deque(sorted(set(places)))
        self.facts_at: dict[int, list[Fact]] = {}
        self.user = user
        self.logs = logs
        self.zone = zone
        self.steps = steps
        named = {mid for action in logs.actions for mid in action.detail.get("message_ids", ())}
        self.said = logs.messages.find_arrivals(map(UUID, named)).keys()
        self.stored = {fact.id: fact for fact in logs.facts}
        self.memory = Memory(logs.messages.list_before)
        self.ledger = ReplayLedger(
            stored=logs.facts,
            last_position=max((action.position for action in logs.actions), default=0),
            new_id=new_id,
            max_evidence=settings.UNDE_TUNING.MAX_EVIDENCE_MESSAGES,
            confirmed=settings.UNDE_TUNING.CONFIRMED_CONFIDENCE,
            lost=logs.lost,
        )

    def run(self) -> Fold:
        for entry, own in _list_entries(self.logs):
            actions = [entry] if isinstance(entry, LoggedAction) else own
            self.note_facts(before=min((action.position for action in actions), default=0))
            if isinstance(entry, LoggedAction):
                self.carry_out(entry)
            else:
                self.read(entry, own)
            self.ledger.settle()
        self.note_facts(before=None)
        return Fold(
            facts=list(self.ledger.history.values()),
            new_actions=self.ledger.list_new_actions(),
            facts_at=self.facts_at,
        )

    def note_facts(self, *, before: int | None) -> None:
        """Keep the facts of now for the places that lie before the next action; for all that are left with None."""
        while self.places and (before is None or self.places[0] < before):
            self.facts_at[self.places.popleft()] = self.ledger.list_facts()

    def read(self, message: RecordedMessage, own: list[LoggedAction]) -> None:
        """Let the ingest steps read a message again, with the clock and the conversation of then."""
        self.ledger.begin(now=message.received_at, expected=own)
        replaced = self.memory.list_replaced(message)
        ingest = Ingest(
            user=self.user,
            zone=self.zone,
            now=message.received_at,
            actor="system",
            messages=[message],
            load_ledger=lambda: self.ledger,
            load_previous=self.memory.list_previous,
            reader=TextReader(tenant_id=self.user.tenant_id),
            is_replay=True,
            withheld=list_withheld(own),
        )
        ingest.replaces = {message.id: replaced} if replaced else {}
        for step in self.steps:
            # The steps note the language on the message: on a copy, RAW stays as it is.
            step.on_message(ingest, message)
        self.memory.add(message, replaced=replaced)

    def carry_out(self, action: LoggedAction) -> None:
        """Do again what a person or a job did, to the facts to which it was done."""
        self.ledger.begin(now=action.recorded_at, expected=[action])
        pending = self.ledger.open_action(kind=action.kind, said_at=action.said_at, message_id=action.message_id)
        if action.kind in ("onboarding", "explicit", "extraction"):
            self._state(action, pending)
        if action.kind in ("forget", "restore"):
            hidden = self.logs.list_hidden(action)
            (self.memory.forget if action.kind == "forget" else self.memory.restore)(hidden)
        self._close(action, pending)
        for fact_id in action.get_fact_ids("disputed"):
            self._with_active(fact_id, lambda fact: self.ledger.dispute_fact(fact, action=pending))
        if action.kind in ("restore", "verdict"):
            for fact_id in action.get_fact_ids("restored"):
                closed = self.ledger.history.get(fact_id)
                if closed is not None and not closed.is_active:
                    self.ledger.reopen_fact(closed, action=pending)
                elif closed is not None:
                    self._with_active(fact_id, lambda fact: self.ledger.clear_doubt(fact, action=pending))
        if action.kind == "confirm":
            for fact_id in action.get_fact_ids("restored", "renewed"):
                self._with_active(fact_id, lambda fact: self.ledger.confirm_fact(fact, action=pending))
        if action.kind == "calibrate":
            self._calibrate(action, pending)

    def _calibrate(self, action: LoggedAction, pending: PendingAction) -> None:
        for effect in action.effects:
            fact = self.ledger.find_by_id(UUID(effect["fact_id"]))
            if fact is not None and effect["action"] == "calibrated":
                self.ledger.calibrate_fact(fact, effect["confidence"], action=pending)

    def _close(self, action: LoggedAction, pending: PendingAction) -> None:
        for fact_id in action.get_fact_ids("deactivated"):
            fact = self.ledger.find_by_id(fact_id)
            if fact is not None and _is_meant(action, fact):
                self.ledger.deactivate_fact(fact, action=pending, at=_find_end(action, fact))

    def _with_active(self, fact_id: UUID, decide: Any) -> None:
        fact = self.ledger.find_by_id(fact_id)
        if fact is not None:
            decide(fact)

    def _state(self, action: LoggedAction, pending: PendingAction) -> None:
        if action.words and "statement" in action.words:
            self.ledger.set_fact(read_statement(action.words["statement"]), action=pending)
            return
        for effect in action.effects:
            if effect["action"] in ("deactivated", "disputed"):
                continue
            statement = self._find_statement(action, effect)
            if statement is not None:
                self.ledger.set_fact(statement, action=pending)

    def _find_statement(self, action: LoggedAction, effect: Any) -> Statement | None:
        """What an extraction said, from its effect and the fact that it made or renewed: its words are not logged."""
        fact_id = UUID(effect["fact_id"])
        made = self.stored.get(fact_id)
        is_own = made is not None and made.log_position == action.position
        fact = made if is_own else self.ledger.find_by_id(fact_id)
        if fact is None:
            return None
        evidence = tuple(mid for mid in map(UUID, action.detail.get("message_ids", ())) if mid in self.said)
        if not evidence:
            return None
        return Statement(
            knowledge_type=fact.knowledge_type,
            knowledge_key=fact.knowledge_key,
            value=fact.value,
            confidence=effect["confidence"],
            extracted_from=fact.extracted_from if is_own else "batch",
            said_at=fact.valid_at if is_own else action.said_at,
            provenance=fact.provenance,
            epistemic_type=fact.epistemic_type,
            expires_at=datetime.fromisoformat(effect["expires_at"]) if effect["expires_at"] else None,
            evidence_message_ids=evidence,
            language=fact.language,
            rule=fact.rule,
            rule_version=fact.rule_version,
        )


def list_withheld(own: Iterable[LoggedAction]) -> frozenset[str]:
    """What was not kept of a message when it came, as the log says it. Pure."""
    types = (name for action in own if action.kind == "withhold" for name in action.detail.get("types", ()))
    return frozenset(FACTS_COVER + name for name in types)


def _is_meant(action: LoggedAction, fact: Fact) -> bool:
    """Whether an action closes the fact as it is read today: a withdrawal closes what the versions it names made."""
    if action.kind != "withdraw":
        return True
    return fact.rule == action.detail.get("rule") and fact.rule_version in action.detail.get("rule_versions", ())


def _find_end(action: LoggedAction, fact: Fact) -> datetime:
    """Since when a fact that an action closed does not hold: as each kind of action decides it."""
    if action.kind == "expire":
        return max(fact.expires_at or action.said_at, fact.valid_at)
    return max(action.said_at, fact.valid_at)


def _list_entries(logs: UserLogs) -> Iterator[tuple[Entry, list[LoggedAction]]]:
    """Messages with the actions that they brought about, and the other actions, in the order in which they came.

    Ids are ordered by time and made under the user's lock: so is the order of the two logs together.
    """
    confirmed = {action.message_id for action in logs.actions if action.kind == "confirm" and action.message_id}
    arrived = logs.messages.find_arrivals(confirmed)
    own: dict[UUID, list[LoggedAction]] = defaultdict(list)
    others: list[Entry] = []
    for action in sorted(logs.actions, key=lambda each: each.position):
        if action.message_id is not None and _is_of_message(action, arrived.get(action.message_id)):
            own[action.message_id].append(action)
        else:
            others.append(action)
    said: Iterable[Entry] = logs.messages
    for entry in heapq.merge(said, sorted(others, key=_get_id), key=_get_id):
        yield entry, own.get(entry.id, [])


def _get_id(entry: Entry) -> UUID:
    return entry.id


def _is_of_message(action: LoggedAction, arrived_at: datetime | None) -> bool:
    return action.kind in MESSAGE_KINDS or (action.kind == "confirm" and action.recorded_at == arrived_at)
