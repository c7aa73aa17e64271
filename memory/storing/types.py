"""Data that passes through the ingest steps.

`read` runs before any lock is taken; `on_message` runs for each new message in order and works in memory; `finish` runs
once, after messages and facts are written, in the same transaction. So a batch folds corrections and facts message by
message (D-7) and still writes with multi-row statements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from memory.facts.ledger import FactLedger
from memory.storing.reading import TextReader
from memory.types import FACTS_COVER, Draft, FactChange, RecordedMessage, UserRef
from patterns.types import Rejection

TURN_LENGTH: Final = 4
"""How many last messages of a conversation are read if a new message may answer them."""


class CorrectionOutcome(Struct, frozen=True):
    """One effect of a correction, as the answer to the message names it (API.md)."""

    id: UUID
    correction_type: str
    fact_id: UUID | None
    action: str
    item_id: UUID | None = None
    """A taste or habit that was closed."""


class Affirmation(Struct, frozen=True):
    """A reply that calls the turn before just right: the pack behind that turn was of use (SPEC C-4)."""

    assistant_message_id: UUID
    receipt_id: UUID
    fact_ids: tuple[UUID, ...]
    """Of the pack's facts those that the turn spoke of."""


class Recorded(Struct):
    """The answer to one message: the stored message, its facts and its corrections."""

    message_id: UUID
    client_id: str | None
    language: str
    is_new: bool
    changes: list[FactChange] = field(default_factory=list)
    corrections: list[CorrectionOutcome] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)
    """Types of facts that the message holds and that were not kept: the user has not agreed."""


class Ingest(Struct):
    """One user's transaction: the new messages, the ledger, and data that steps share."""

    user: UserRef
    zone: ZoneInfo
    now: datetime
    actor: str
    messages: Sequence[RecordedMessage]
    load_ledger: Callable[[], FactLedger]
    load_previous: Callable[[RecordedMessage, int], list[RecordedMessage]]
    reader: TextReader
    has_stored_facts: bool = True
    """False if the user certainly has no active fact in the database."""
    has_stored_items: bool = True
    """False if the user certainly holds no taste or habit in the database."""
    turns: Mapping[UUID, list[RecordedMessage]] = field(default_factory=dict)
    """The last stored messages of each conversation, newest first, if known without a query."""
    appended: frozenset[UUID] = frozenset()
    """Conversations whose new messages are all later than stored ones. Their earlier messages are read once."""
    opened: frozenset[UUID] = frozenset()
    """Conversations that begin with these messages: nothing is stored before them."""
    denied: dict[UUID, set[tuple[str, str]]] = field(default_factory=dict)
    """By message: (type, key) pairs that a correction in it has dealt with; never read again as fresh facts (D-31)."""
    corrections: dict[UUID, list[CorrectionOutcome]] = field(default_factory=dict)
    denied_items: list[UUID] = field(default_factory=list)
    """Tastes and habits that the new messages deny."""
    affirmed: list[Affirmation] = field(default_factory=list)
    """Packs that the new messages call right; no fact moves by it."""
    replaces: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    """The messages that each message replaces: stored, or earlier in this transaction."""
    replaced_ids: list[UUID] = field(default_factory=list)
    """Older versions and regenerated replies that leave index, facts and packs (D-4)."""
    refusals: list[Rejection] = field(default_factory=list)
    """Matches in the new messages that the rules refused."""
    withheld: frozenset[str] = frozenset()
    """What may not be kept of the user (`memory.fence.consents`)."""
    held_back: dict[UUID, list[str]] = field(default_factory=dict)
    """By message: types of facts that it holds and that are not kept."""
    when_stored: list[Callable[[], None]] = field(default_factory=list)
    """Counted after the commit: a transaction that is rolled back and repeated counts once."""
    is_replay: bool = False
    """The message is read again for a rebuild: what is no fact is taken from the log."""
    _items: list[Any] | None = None
    _ledger: FactLedger | None = None
    _own: dict[UUID, list[RecordedMessage]] = field(default_factory=dict)
    _own_orders: dict[UUID, list[tuple[datetime, int]]] = field(default_factory=dict)
    _tails: dict[UUID, tuple[int, list[RecordedMessage]]] = field(default_factory=dict)
    """By conversation how many messages of its end were asked for, and those."""

    @property
    def ledger(self) -> FactLedger:
        """The user's facts, loaded at the first use: most messages never need them."""
        if self._ledger is None:
            self._ledger = self.load_ledger()
        return self._ledger

    @property
    def may_have_facts(self) -> bool:
        """Whether there can be anything to correct. Reads nothing."""
        return self.has_stored_facts or (self._ledger is not None and bool(self._ledger.list_facts()))

    @property
    def touched_ledger(self) -> FactLedger | None:
        """The ledger if a step has used it."""
        return self._ledger

    def keep_items(self, load: Callable[[], list[Any]]) -> list[Any]:
        """The user's tastes and habits, loaded at the first use if there can be any."""
        if self._items is None:
            self._items = load() if self.has_stored_items else []
        return self._items

    def deny_items(self, item_ids: Sequence[UUID]) -> None:
        """These are to be closed: later messages of the batch find them no more."""
        self.denied_items.extend(item_ids)
        self._items = [item for item in self._items or [] if item.id not in item_ids]

    def holds_back(self, message: RecordedMessage, knowledge_type: str) -> bool:
        """Whether facts of this type may not be kept. Then the action log says that the message held one (D-1)."""
        if FACTS_COVER + knowledge_type not in self.withheld:
            return False
        types = self.held_back.setdefault(message.id, [])
        if not types:
            action = self.ledger.open_action(kind="withhold", said_at=message.created_at, message_id=message.id)
            action.detail = {"types": types}
        if knowledge_type not in types:
            types.append(knowledge_type)
        return True

    def find_own_previous(self, message: RecordedMessage) -> RecordedMessage | None:
        """The newest of `list_previous_messages` where that is one of the new messages; None where it has to be asked.

        Reads nothing.
        """
        if message.conversation_id not in self.appended or self.replaced_ids:
            return None
        own = self._list_own(message.conversation_id)
        place = self._find_place(message)
        return own[place - 1] if place else None

    def list_previous_messages(self, message: RecordedMessage, *, limit: int = 4) -> list[RecordedMessage]:
        """The messages before `message` in its conversation, newest first: those of this batch, then stored ones.

        Without what an edit or another reply of this batch has taken the place of by then (D-4).
        """
        own = self._list_own(message.conversation_id)
        place = self._find_place(message)
        limit_of_own = limit + len(self.replaced_ids)
        before = self._leave_replaced(own[max(0, place - limit_of_own) : place][::-1])
        if message.conversation_id not in self.appended:
            mixed = [*before, *self._leave_replaced(self.load_previous(message, limit))]
            return sorted(mixed, key=_order, reverse=True)[:limit]
        if len(before) < limit:
            before += self._leave_replaced(self._get_tail(message, limit))
        return before[:limit]

    def _leave_replaced(self, messages: list[RecordedMessage]) -> list[RecordedMessage]:
        return [each for each in messages if each.id not in self.replaced_ids] if self.replaced_ids else messages

    def _list_own(self, conversation_id: UUID) -> list[RecordedMessage]:
        """This batch's messages of a conversation as they were said."""
        if not self._own:
            for message in sorted(self.messages, key=_order):
                self._own.setdefault(message.conversation_id, []).append(message)
            self._own_orders = {name: [_order(message) for message in own] for name, own in self._own.items()}
        return self._own.get(conversation_id, [])

    def _find_place(self, message: RecordedMessage) -> int:
        """How many of this batch's messages of its conversation were said before it."""
        return bisect_left(self._own_orders.get(message.conversation_id, ()), _order(message))

    def _get_tail(self, message: RecordedMessage, limit: int) -> list[RecordedMessage]:
        """The last messages of the conversation stored before this batch, newest first: at least `limit`, or all."""
        name = message.conversation_id
        if name in self.opened:
            return []
        known = self.turns.get(name)
        read, tail = self._tails.get(name) or (TURN_LENGTH if known else 0, known or [])
        if read < limit and (not read or len(tail) >= read):
            read, tail = limit, self.load_previous(self._list_own(name)[0], limit)
        self._tails[name] = (read, tail)
        return tail


def _order(message: RecordedMessage) -> tuple[datetime, int]:
    return (message.created_at, message.seq)


class IngestStep:
    """Base of the steps in `settings.INGEST_STEPS`. A step overrides what it needs; it keeps no state of its own."""

    is_admission = False
    """The step only says whether a message may come in: for what has come in already it is not asked again."""

    def read(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Compute what depends only on texts, before any lock is taken, and keep it in `reader`. Writes nothing.

        A step that may look at a user's facts because of a text says so with `reader.note_concern`: the facts, and what
        was said last, then come with the statement that opens the batch.
        """

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        """Called for each new message, in order, before anything is written. May change `ingest.ledger`."""

    def finish(self, ingests: Sequence[Ingest]) -> None:
        """Called once for all users of a batch after messages and facts are written, in the same transaction."""
