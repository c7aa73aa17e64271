"""What travels through the ingest steps.

`on_message` runs for each new message in order and works in memory; `finish` runs once, after messages and facts are
written, in the same transaction. So a batch folds corrections and facts message by message (D-7) and still writes with
multi-row statements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from memory.exchange import Statement
from memory.ingest.reading import TextReader
from memory.ledger import FactLedger
from memory.types import Draft, FactChange, RecordedMessage, UserRef
from patterns.types import Rejection


class CorrectionOutcome(Struct, frozen=True):
    """One effect of a correction, as the answer to the message names it (API.md)."""

    id: UUID
    correction_type: str
    fact_id: UUID | None
    action: str


@dataclass(frozen=True, slots=True)
class TenantRef:
    """Whose request it is, and the zone in which relative dates of its users are counted."""

    id: UUID
    zone: ZoneInfo


class Recorded(Struct):
    """The answer to one message: what was stored, what it taught, what it corrected."""

    message_id: UUID
    client_id: str | None
    language: str
    is_new: bool
    changes: list[FactChange] = field(default_factory=list)
    corrections: list[CorrectionOutcome] = field(default_factory=list)


class Ingest(Struct):
    """One user's transaction: the new messages, the ledger, and what the steps leave for each other."""

    user: UserRef
    zone: ZoneInfo
    now: datetime
    actor: str
    messages: Sequence[RecordedMessage]
    load_ledger: Callable[[], FactLedger]
    load_previous: Callable[[RecordedMessage, int], list[RecordedMessage]]
    reader: TextReader
    has_stored_facts: bool = True
    """False where the user is known to have no active fact in the database."""
    log_position: int | None = None
    """The user's place in the action log before this, where it is known; 0: nothing was ever done to their facts."""
    appended: frozenset[UUID] = frozenset()
    """Conversations whose new messages all come after what is stored: what is stored before them is read once."""
    opened: frozenset[UUID] = frozenset()
    """Conversations that begin with these messages: nothing is stored before them."""
    denied: dict[UUID, set[tuple[str, str]]] = field(default_factory=dict)
    """By message: (type, key) pairs that a correction in it has dealt with; never read again as fresh facts (D-31)."""
    corrections: dict[UUID, list[CorrectionOutcome]] = field(default_factory=dict)
    replaces: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    """By message: the messages whose place it takes, stored or earlier ones of this transaction."""
    replaced_ids: list[UUID] = field(default_factory=list)
    """Older versions and regenerated replies that leave index, facts and packs (D-4)."""
    refusals: list[Rejection] = field(default_factory=list)
    """What the rules refused to read in the new messages."""
    when_stored: list[Callable[[], None]] = field(default_factory=list)
    """What is counted when the transaction is in: one that is taken back and made again counts once."""
    _ledger: FactLedger | None = None
    _own: dict[UUID, list[RecordedMessage]] = field(default_factory=dict)
    _own_orders: dict[UUID, list[tuple[datetime, int]]] = field(default_factory=dict)
    _tails: dict[UUID, list[RecordedMessage]] = field(default_factory=dict)

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

    def list_firsts(self) -> list[tuple[RecordedMessage, RecordedMessage | None]]:
        """The earliest new message of each conversation that goes on from what is stored, and the earliest that is not
        the assistant's: what a user says after that one answers nothing that was stored before.
        """
        named = dict.fromkeys(message.conversation_id for message in self.messages)
        own = [self._list_own(each) for each in named if each in self.appended and each not in self.opened]
        return [(each[0], next((message for message in each if message.role != "assistant"), None)) for each in own]

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
        """What was said before `message` in its conversation, newest first: this batch's own messages, then RAW.

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
        """What was stored last in the conversation before this batch, newest first."""
        if message.conversation_id in self.opened:
            return []
        if message.conversation_id not in self._tails:
            first = self._list_own(message.conversation_id)[0]
            self._tails[message.conversation_id] = self.load_previous(first, limit)
        return self._tails[message.conversation_id]


def _order(message: RecordedMessage) -> tuple[datetime, int]:
    return (message.created_at, message.seq)


class Concern(IntEnum):
    """What of a user's memory a step may have to look at or change for a message, told by the message alone."""

    NOTHING = 0
    FACTS = 1
    """Facts that are stored: nothing where the user has none."""
    ANYTHING = 2


class IngestStep:
    """Base of the steps in `settings.INGEST_STEPS`. A step overrides what it needs; it keeps no state of its own."""

    is_admission = False
    """The step only says whether a message may come in: for what has come in already it is not asked again."""

    def read_drafts(self, drafts: Sequence[Draft], *, reader: TextReader, zone: ZoneInfo) -> None:
        """Find what texts alone tell and keep it in `reader`: called before anybody's lock is taken. Writes nothing."""

    def read_replies(self, drafts: Sequence[Draft | RecordedMessage], *, reader: TextReader) -> None:
        """The same for what is only asked of users who have facts: `drafts` are those of who is known to have some.

        Called again under the locks for those of whom that was not known before.
        """

    def find_concern(self, draft: Draft, *, reader: TextReader, zone: ZoneInfo) -> Concern:
        """What the step needs to know beside the message. What concerns nothing needs no transaction of its own."""
        return Concern.ANYTHING

    def write_plainly(self, draft: Draft, *, message_id: UUID, reader: TextReader) -> Statement | None:
        """The statement of the step for a message that concerns nothing; it finds the message only if it is stored."""
        return None

    def list_reads(self, ingest: Ingest) -> list[Statement]:
        """What the step is going to ask the database, as far as it can tell: asked in one exchange for all steps."""
        return []

    def on_message(self, ingest: Ingest, message: RecordedMessage) -> None:
        """Called for each new message, in order, before anything is written. May change `ingest.ledger`."""

    def finish(self, ingest: Ingest) -> None:
        """Called once after messages and facts are written, in the same transaction."""

    def finish_all(self, ingests: Sequence[Ingest]) -> None:
        """As `finish`, once for all users of a batch; a step that writes their rows together overrides it."""
        for ingest in ingests:
            self.finish(ingest)
