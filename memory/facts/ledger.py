"""The fold: facts are what remains when both logs are read in order (D-1, D-2).

Pure. A `FactLedger` holds one user's facts, takes decisions one at a time and remembers what each of them did; the
service layer loads it before and writes it after, under the user's lock. `rebuild` runs the same code over the whole
logs, so that what ingest does and what a rebuild gives cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct, field
from msgspec.structs import replace

from memory.types import EXTRACTED_ONLY_TYPES, PROVENANCES, Fact, FactChange, Statement


class PendingAction(Struct):
    """A row of the action log before it is written, with the fact changes it made, in order."""

    id: UUID
    position: int
    kind: str
    said_at: datetime
    message_id: UUID | None = None
    batch_id: UUID | None = None
    rule_set_version: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    secret: dict[str, Any] | None = None
    """User text that belongs to the action (a reason given in words); sealed before it is stored."""
    logged_effects: list[dict[str, Any]] | None = None
    """What the action did where it was first written, for one that is taken over from another log."""
    changes: list[FactChange] = field(default_factory=list)


class TouchedFact(Struct):
    """A fact as it is after all actions of a ledger. `action_id`: which of them made it; None: it was there before.

    `successor_id`: nothing else was done to the fact than that this new one took its place.
    """

    fact: Fact
    action_id: UUID | None = None
    successor_id: UUID | None = None


def close_superseded(fact: Fact, *, by: Fact) -> Fact:
    """The row whose place another one took: as the database closes it too, where that was not said."""
    return replace(fact, is_active=False, is_disputed=False, superseded_by=by.id, invalid_at=by.valid_at)


class FactLedger:
    """One user's facts, and the changes made to them since they were loaded."""

    def __init__(
        self,
        *,
        facts: Iterable[Fact],
        find_closed_at: Callable[[str, str], datetime | None],
        get_log_position: Callable[[], int],
        now: datetime,
        new_id: Callable[[], UUID],
        max_evidence: int,
        confirmed: float,
    ) -> None:
        """`facts` are the active rows; `find_closed_at` says when a type and key was last closed, if it ever was;
        `confirmed` is the least confidence of what a user has confirmed.

        The two callables are asked only when a decision needs them: most messages load the facts and change nothing.
        """
        self._active: dict[tuple[str, str], Fact] = {fact.slot: fact for fact in facts}
        self._closed_here: dict[tuple[str, str], datetime] = {}
        self._find_closed_at = find_closed_at
        self._get_log_position = get_log_position
        self._now = now
        self._new_id = new_id
        self._max_evidence = max_evidence
        self._confirmed = confirmed
        self._log_position: int | None = None
        self.actions: list[PendingAction] = []

    # --- reading ----------------------------------------------------------------------------------------------------

    def find_fact(self, knowledge_type: str, knowledge_key: str) -> Fact | None:
        """The active fact of a key, if there is one."""
        return self._active.get((knowledge_type, knowledge_key))

    def list_facts(self) -> list[Fact]:
        """Active facts in the order of their log position."""
        return sorted(self._active.values(), key=lambda fact: fact.log_position)

    @property
    def log_position(self) -> int:
        """Position of the newest action, those of this ledger included."""
        if self._log_position is None:
            self._log_position = self._get_log_position()
        return self._log_position

    def list_touched(self) -> list[TouchedFact]:
        """Every fact that the actions changed, once, those that were made in their order."""
        touched: dict[UUID, TouchedFact] = {}
        for action in self.actions:
            for change in action.changes:
                if change.superseded is not None:
                    closed = close_superseded(change.superseded, by=change.fact)
                    alone = TouchedFact(closed, successor_id=change.fact.id)
                    touched.setdefault(closed.id, alone).fact = closed
                made_by = action.id if change.is_new_row else None
                touched.setdefault(change.fact.id, TouchedFact(change.fact, made_by)).fact = change.fact
        return list(touched.values())

    # --- deciding ---------------------------------------------------------------------------------------------------

    def open_action(self, *, kind: str, said_at: datetime, message_id: UUID | None = None) -> PendingAction:
        """A new entry of the action log, at the next position. It is written even when it changes nothing."""
        self._log_position = self.log_position + 1
        action = PendingAction(
            id=self._new_id(), position=self.log_position, kind=kind, said_at=said_at, message_id=message_id
        )
        self.actions.append(action)
        return action

    def set_fact(self, statement: Statement, *, action: PendingAction) -> FactChange:
        """Write what a statement says: added, superseded, renewed, restored or stored inactive (D-2, D-5)."""
        current = self.find_fact(statement.knowledge_type, statement.knowledge_key)
        if self._is_over(statement):
            change = self._store_inactive(statement, action, superseded_by=None, invalid_at=statement.expires_at)
        elif current is None:
            change = self._add(statement, action)
        elif current.value == statement.value:
            change = self._renew(current, statement)
        elif statement.said_at >= current.last_validated_at:
            change = self._supersede(current, statement, action)
        else:
            until = max(statement.said_at, current.valid_at)
            change = self._store_inactive(statement, action, superseded_by=current.id, invalid_at=until)
        action.changes.append(change)
        return change

    def deactivate_fact(self, fact: Fact, *, action: PendingAction, at: datetime | None = None) -> FactChange | None:
        """Close a fact. Nothing happens when the decision is older than the fact (D-2: it is only logged)."""
        closed_at = at or action.said_at
        if self._active.get(fact.slot) is None or closed_at < fact.valid_at:
            return None
        closed = replace(fact, is_active=False, is_disputed=False, invalid_at=closed_at)
        del self._active[fact.slot]
        self._closed_here[fact.slot] = closed_at
        return self._note(action, FactChange("deactivated", closed))

    def dispute_fact(self, fact: Fact, *, action: PendingAction) -> FactChange | None:
        """Mark a fact as doubted: it stays, is never asserted, and waits for a confirmation or a denial (SPEC C-1)."""
        if fact.is_disputed or action.said_at < fact.valid_at:
            return None
        return self._note(action, FactChange("disputed", self._keep(replace(fact, is_disputed=True))))

    def clear_doubt(self, fact: Fact, *, action: PendingAction) -> FactChange | None:
        """Take a doubt back that was not a user's: the fact is as it was, and nobody has confirmed it."""
        if not fact.is_disputed:
            return None
        return self._note(action, FactChange("restored", self._keep(replace(fact, is_disputed=False))))

    def calibrate_fact(self, fact: Fact, confidence: float, *, action: PendingAction) -> FactChange:
        """Set how sure the fact is, by the outcome of packs: nothing else of it changes (SPEC P-9)."""
        return self._note(action, FactChange("calibrated", self._keep(replace(fact, confidence=confidence))))

    def note_decision(self, fact: Fact, *, decision: str, action: PendingAction) -> FactChange:
        """A person decided about a fact that is hardly believed; the fact is as it was."""
        return self._note(action, FactChange(decision, self._keep(fact)))

    def confirm_fact(self, fact: Fact, *, action: PendingAction) -> FactChange:
        """The user says it is right: a disputed fact is restored, a sound one renewed; both are `confirmed_by_user`.

        What lost confidence to feedback is believed again as far as `confirmed`.
        """
        confirmed = replace(
            fact,
            is_disputed=False,
            confidence=max(fact.confidence, self._confirmed),
            provenance="confirmed_by_user",
            last_validated_at=max(fact.last_validated_at, action.said_at),
        )
        name = "restored" if fact.is_disputed else "renewed"
        return self._note(action, FactChange(name, self._keep(confirmed)))

    def withdraw_evidence(self, fact: Fact, message_ids: set[UUID], *, action: PendingAction) -> FactChange | None:
        """Some of a fact's evidence is gone (edited away). Without evidence there is no fact (SPEC T-2).

        A brand preference rests on two (SPEC F-1): with one of them it falls.
        """
        left = tuple(mid for mid in fact.evidence_message_ids if mid not in message_ids)
        if len(left) == len(fact.evidence_message_ids):
            return None
        is_brand = fact.knowledge_type in EXTRACTED_ONLY_TYPES and fact.extracted_from == "batch"
        if (not left and fact.extracted_from not in ("onboarding", "explicit")) or (is_brand and len(left) < 2):
            return self.deactivate_fact(fact, action=action, at=max(action.said_at, fact.valid_at))
        return self._note(action, FactChange("renewed", self._keep(replace(fact, evidence_message_ids=left))))

    def reopen_fact(self, fact: Fact, *, action: PendingAction) -> FactChange:
        """Bring back what a forget closed; it stays inactive when its key has moved on or its day has passed (D-28)."""
        is_past = fact.expires_at is not None and fact.expires_at <= self._now
        if is_past or self.find_fact(*fact.slot) is not None:
            change = FactChange("stored_inactive", fact)
        else:
            change = FactChange("restored", self._keep(replace(fact, is_active=True, invalid_at=None)))
        return self._note(action, change)

    # --- the cases of set_fact --------------------------------------------------------------------------------------

    def _is_over(self, statement: Statement) -> bool:
        """An event whose date has passed, or a statement older than the moment its key was closed."""
        if statement.expires_at is not None and statement.expires_at <= self._now:
            return True
        slot = (statement.knowledge_type, statement.knowledge_key)
        if slot in self._active:
            return False
        closed_at = self._closed_here.get(slot) or self._find_closed_at(*slot)
        return closed_at is not None and statement.said_at < closed_at

    def _add(self, statement: Statement, action: PendingAction) -> FactChange:
        return FactChange("added", self._keep(self._make_fact(statement, action)), is_new_row=True)

    def _supersede(self, current: Fact, statement: Statement, action: PendingAction) -> FactChange:
        fact = self._make_fact(statement, action, version=current.version + 1)
        return FactChange("superseded", self._keep(fact), superseded_id=current.id, is_new_row=True, superseded=current)

    def _renew(self, current: Fact, statement: Statement) -> FactChange:
        """The same value again: no new row; expiry, evidence and the day of validation move on (D-5)."""
        is_later = statement.said_at >= current.last_validated_at
        evidence = tuple(dict.fromkeys((*current.evidence_message_ids, *statement.evidence_message_ids)))
        renewed = replace(
            current,
            is_disputed=False if is_later else current.is_disputed,
            last_validated_at=max(current.last_validated_at, statement.said_at),
            expires_at=statement.expires_at if is_later else current.expires_at,
            confidence=max(current.confidence, statement.confidence),
            provenance=max(current.provenance, statement.provenance, key=PROVENANCES.index),
            evidence_message_ids=evidence[-self._max_evidence :],
        )
        name = "restored" if current.is_disputed and is_later else "renewed"
        return FactChange(name, self._keep(renewed))

    def _store_inactive(
        self,
        statement: Statement,
        action: PendingAction,
        *,
        superseded_by: UUID | None,
        invalid_at: datetime | None,
    ) -> FactChange:
        fact = replace(
            self._make_fact(statement, action),
            is_active=False,
            superseded_by=superseded_by,
            invalid_at=invalid_at or self._now,
        )
        return FactChange("stored_inactive", fact, is_new_row=True)

    def _make_fact(self, statement: Statement, action: PendingAction, *, version: int = 1) -> Fact:
        return Fact(
            id=self._new_id(),
            knowledge_type=statement.knowledge_type,
            knowledge_key=statement.knowledge_key,
            value=statement.value,
            confidence=statement.confidence,
            extracted_from=statement.extracted_from,
            provenance=statement.provenance,
            epistemic_type=statement.epistemic_type,
            valid_at=statement.said_at,
            last_validated_at=statement.said_at,
            log_position=action.position,
            version=version,
            expires_at=statement.expires_at,
            evidence_message_ids=statement.evidence_message_ids,
            language=statement.language,
            rule=statement.rule,
            rule_version=statement.rule_version,
        )

    def _keep(self, fact: Fact) -> Fact:
        self._active[fact.slot] = fact
        return fact

    def _note(self, action: PendingAction, change: FactChange) -> FactChange:
        action.changes.append(change)
        return change
