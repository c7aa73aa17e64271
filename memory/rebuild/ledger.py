"""The ledger of a fold over whole logs: it keeps closed facts too, and names what it makes as the stored log does."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from msgspec.structs import replace

from memory.facts.ledger import FactLedger, PendingAction, close_superseded
from memory.rebuild.types import LoggedAction, LostFact
from memory.types import Fact, Statement
from memory.version import ENGINE_VERSION

Slot = tuple[str, str]


class ReplayLedger(FactLedger):
    """A FactLedger that begins with nothing. Actions and facts that are stored already get their stored ids.

    The decisions are those of FactLedger, unchanged: what ingest does and what a rebuild gives cannot differ.
    """

    def __init__(
        self,
        *,
        stored: Iterable[Fact],
        last_position: int,
        new_id: Callable[[], UUID],
        max_evidence: int,
        confirmed: float,
        lost: Iterable[LostFact] = (),
    ) -> None:
        """`stored` lends ids alone, and so does `lost`, of which only the type is known, in the order of its ids;
        `last_position` is the end of the stored log, after which new actions go.
        """
        super().__init__(
            facts=(),
            find_closed_at=self._find_closed,
            get_log_position=lambda: last_position,
            now=datetime.min.replace(tzinfo=UTC),
            new_id=new_id,
            max_evidence=max_evidence,
            confirmed=confirmed,
        )
        self.history: dict[UUID, Fact] = {}
        self.new_actions: list[PendingAction] = []
        self._stored_ids: dict[tuple[int, Slot], deque[UUID]] = defaultdict(deque)
        for fact in stored:
            self._stored_ids[(fact.log_position, fact.slot)].append(fact.id)
        self._lost_ids: dict[tuple[int, str], deque[UUID]] = defaultdict(deque)
        for gone in lost:
            self._lost_ids[(gone.log_position, gone.knowledge_type)].append(gone.id)
        self._expected: list[LoggedAction] = []
        self._versions: dict[Slot, int] = {}
        self._settled = 0

    def begin(self, *, now: datetime, expected: Sequence[LoggedAction]) -> None:
        """Go to the next entry of the logs: the clock of then, and the stored actions that it wrote."""
        self._now = now
        self._expected = list(expected)

    def settle(self) -> None:
        """Take the changes since the last call into the history, as the database does when they are written."""
        for action in self.actions[self._settled :]:
            for change in action.changes:
                self.history[change.fact.id] = change.fact
                if change.superseded_id is not None:
                    self.history[change.superseded_id] = close_superseded(
                        self.history[change.superseded_id], by=change.fact
                    )
        self._settled = len(self.actions)

    def find_by_id(self, fact_id: UUID) -> Fact | None:
        """The active fact of that id."""
        return next((fact for fact in self._active.values() if fact.id == fact_id), None)

    def open_action(self, *, kind: str, said_at: datetime, message_id: UUID | None = None) -> PendingAction:
        """The stored action of that kind where the log holds one here; a new one at the end of the log otherwise."""
        stored = next((action for action in self._expected if action.kind == kind), None)
        if stored is None:
            action = super().open_action(kind=kind, said_at=said_at, message_id=message_id)
            self.new_actions.append(action)
            return action
        self._expected.remove(stored)
        action = PendingAction(
            id=stored.id, position=stored.position, kind=kind, said_at=said_at, message_id=message_id
        )
        self.actions.append(action)
        return action

    def list_new_actions(self) -> list[LoggedAction]:
        """The actions that the stored log does not hold and that changed something."""
        return [
            LoggedAction(
                id=action.id,
                position=action.position,
                kind=action.kind,
                message_id=action.message_id,
                batch_id=None,
                effects=[{"fact_id": str(change.fact.id), "action": change.action} for change in action.changes],
                detail=action.detail,
                words=None,
                rule_set_version=action.rule_set_version,
                engine_version=ENGINE_VERSION,
                said_at=action.said_at,
                recorded_at=action.said_at,
            )
            for action in self.new_actions
            if action.changes
        ]

    def _find_closed(self, knowledge_type: str, knowledge_key: str) -> datetime | None:
        slot = (knowledge_type, knowledge_key)
        ends = [fact.invalid_at for fact in self.history.values() if fact.slot == slot and fact.invalid_at]
        return max(ends, default=None)

    def _make_fact(self, statement: Statement, action: PendingAction, *, version: int = 1) -> Fact:
        slot = (statement.knowledge_type, statement.knowledge_key)
        self._versions[slot] = self._versions.get(slot, 0) + 1
        fact = super()._make_fact(statement, action, version=self._versions[slot])
        lent = self._stored_ids.get((action.position, slot)) or self._lost_ids.get((action.position, slot[0]))
        return replace(fact, id=lent.popleft()) if lent else fact
