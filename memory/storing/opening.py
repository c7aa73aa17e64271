"""Opening a batch: its users under their locks, and all that their new messages need to know (D-6, D-7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct
from msgspec.json import decode, encode

from memory.database.queries import Query
from memory.database.statements import busy_means
from memory.errors import ConsentMissing, MemoryPaused, UserBusy, UserErased
from memory.facts.reading import SealedFact
from memory.fence.user_lock import hold_against_tombstones
from memory.ids import new_id
from memory.storing.types import TURN_LENGTH
from memory.tenants.scope import run_in_scope
from memory.types import Draft, RecordedMessage, UserRef


@dataclass(slots=True)
class OpenConversation:
    """A conversation during the transaction: the next message takes `last_seq + 1`."""

    id: UUID
    last_seq: int
    last_message_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenUser:
    """A user whose lock this transaction has, with the stored state at that moment."""

    user: UserRef
    log_position: int
    has_facts: bool
    has_items: bool
    """Tastes and habits, those that wait for a second evidence among them."""
    conversations: dict[str, OpenConversation]
    """By the tenant's own id: all that the drafts name, new ones made."""
    stored: dict[tuple[UUID, str], tuple[UUID, bytes]] = field(default_factory=dict)
    """Stored messages under the drafts' client ids, by conversation and client id: their id and content hash."""
    turns: dict[UUID, list[RecordedMessage]] = field(default_factory=dict)
    """The last messages of each conversation, newest first. Empty if no draft may answer them."""
    facts: Sequence[SealedFact] | None = None
    """The active facts. None if no draft may change them."""
    withheld: frozenset[str] = frozenset()
    """What may not be kept of the user (`memory.fence.consents`)."""


class _Repeat(Struct, frozen=True):
    client_id: str
    id: UUID
    content_hash: str


class _Conversation(Struct, frozen=True):
    name: str
    id: UUID
    last_seq: int
    last_message_at: datetime | None = None
    repeats: list[_Repeat] | None = None
    turn: list[RecordedMessage] | None = None


_OPEN_BATCH: Final = "SELECT * FROM open_batch_v4(%s::uuid, %s::json, %s::integer, %s::timestamptz, %s::boolean)"


def open_user(*, tenant_id: UUID, drafts: Sequence[Draft], may_change_facts: bool, now: datetime) -> OpenUser:
    """Find or make the user of these drafts and their conversations, under the user's lock. Writes.

    Raises UserBusy if another writer has the lock for over two seconds, UserErased if the user is fenced,
    MemoryPaused if the user has paused their memory and nothing is kept meanwhile, ConsentMissing if the user has not
    agreed that messages are kept, ErasedPeriod for messages of an erased period.
    """
    row = _name_user(0, drafts, may_change_facts=may_change_facts)
    with busy_means(UserBusy):
        rows = _open(tenant_id, [row], now, is_alone=True)
    if not rows:
        raise UserBusy
    _, user_id, fenced_at, has_tombstones, may_be_erased, *rest, is_refusing = rows[0]
    if fenced_at is not None:
        raise UserErased(fields={"user_id": "is being erased"})
    if is_refusing:
        raise MemoryPaused(fields={"user_id": "has paused their memory"})
    if "messages" in (rest[-1] or ()):
        raise ConsentMissing(fields={"user_id": "has not agreed to messages"})
    user = UserRef(id=user_id, tenant_id=tenant_id, external_id=drafts[0].user_external_id)
    if has_tombstones or may_be_erased:
        hold_against_tombstones(user, drafts, is_marked=has_tombstones)
    return _make_open_user(user, *rest)


def open_batch(
    *, tenant_id: UUID, parts: Sequence[Sequence[Draft]], may_change_facts: Sequence[bool], now: datetime
) -> dict[int, OpenUser]:
    """Like `open_user`, for several users in one statement. Writes.

    Each part has the drafts of one user. The result is by place in `parts`.

    Users who are locked, fenced, paused, have tombstones or have not agreed to messages are missing: open them
    alone. Raises UserBusy if nobody can be opened this way.
    """
    # In one order in every process: of two batches with the same new users one waits, never each for the other.
    places = sorted(range(len(parts)), key=lambda place: parts[place][0].user_external_id)
    wanted = [_name_user(place, parts[place], may_change_facts=may_change_facts[place]) for place in places]
    found: dict[int, OpenUser] = {}
    for place, user_id, _, _, may_be_erased, *rest, _ in _open(tenant_id, wanted, now, is_alone=False):
        if may_be_erased:
            raise UserBusy  # erased and back while this ran: opened again where tombstones are looked at
        user = UserRef(id=user_id, tenant_id=tenant_id, external_id=parts[place][0].user_external_id)
        found[place] = _make_open_user(user, *rest)
    return found


def _open(tenant_id: UUID, wanted: list[dict[str, Any]], now: datetime, *, is_alone: bool) -> list[tuple[Any, ...]]:
    values = [tenant_id, encode(wanted).decode(), TURN_LENGTH, now, is_alone]
    return run_in_scope([Query(_OPEN_BATCH, values, is_binary=False)])[0]


def _name_user(place: int, drafts: Sequence[Draft], *, may_change_facts: bool) -> dict[str, Any]:
    names = list(dict.fromkeys(draft.conversation_external_id for draft in drafts))
    return {
        "place": place,
        "external_id": drafts[0].user_external_id,
        "fresh_id": new_id(),
        "names": names,
        "fresh_ids": [new_id() for _ in names],
        "client_ids": [draft.client_id for draft in drafts if draft.client_id],
        "may_change_facts": may_change_facts,
    }


def _make_open_user(
    user: UserRef,
    log_position: int,
    has_facts: bool,
    has_items: bool,
    conversations: str,
    facts: str | None,
    withheld: list[str] | None,
) -> OpenUser:
    opened = OpenUser(
        user=user,
        log_position=log_position,
        has_facts=has_facts,
        has_items=has_items,
        conversations={},
        facts=None if facts is None else decode(facts, type=list[SealedFact]),
        withheld=frozenset(withheld or ()),
    )
    for each in decode(conversations, type=list[_Conversation]):
        opened.conversations[each.name] = OpenConversation(each.id, each.last_seq, each.last_message_at)
        opened.turns[each.id] = each.turn or []
        for repeat in each.repeats or ():
            opened.stored[each.id, repeat.client_id] = (repeat.id, bytes.fromhex(repeat.content_hash))
    return opened
