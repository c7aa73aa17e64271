"""A user's indexed messages as columns: where each stands, what it is, and its lexemes. Pure (D-13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.types import MEMORY_TYPES
from retrieval.types import SearchFilters

# `message_index.place`, as sql/0001_tables.sql builds it. Ids as `S16` can be sorted and searched; the zeros at their
# end that it hides are padding to every comparison.
PLACE = np.dtype(
    [
        ("message_id", "S16"),
        ("conversation_id", "S16"),
        ("seq", ">i4"),
        ("session_no", ">i4"),
        ("len", ">i4"),
        ("created_at", ">i8"),
        ("received_at", ">i8"),
        ("traits", ">i2"),
        ("entries", ">i2"),
        ("role", ">i2"),
        ("memory_type", ">i2"),
    ]
)
_ROW = np.dtype((np.void, PLACE.itemsize))
CONVERSATION_AT = 16  # the byte of a place at which its conversation begins
ROLES = ("", "user", "assistant")  # by their numbers in a place
TYPES = ("", *MEMORY_TYPES)
SPEAKER_SEPARATOR = "\n"  # names are stored without line ends
EPOCH_2000 = 946_684_800  # PostgreSQL counts microseconds from here
Weights = tuple[float | NDArray[np.float64], ...]
MORE_HEAD = 16 + 4  # a message id and the bytes that follow it


@dataclass(frozen=True, slots=True)
class Places:
    """One place a message, by conversation and seq. `entries` are lexemes (`patterns.text.lexemes`), `rows` whose
    each is.

    `has_previous`, `has_before` and `has_next` say whether the message one before, two before and one after is of the
    same session. `speakers` is None where nobody has a name.
    """

    columns: NDArray[np.void]
    sessions: NDArray[np.int64]
    has_previous: NDArray[np.bool_]
    has_before: NDArray[np.bool_]
    has_next: NDArray[np.bool_]
    entries: NDArray[np.uint16]
    rows: NDArray[np.int32]
    speakers: Sequence[str] | None

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def message_ids(self) -> NDArray[np.bytes_]:
        """The messages' ids."""
        ids: NDArray[np.bytes_] = self.columns["message_id"]
        return ids

    @property
    def said_at(self) -> NDArray[np.float64]:
        """When each was said, in seconds since 1970."""
        return read_seconds(self.columns["created_at"])

    def list_speakers(self, chosen: NDArray[np.int64]) -> NDArray[np.str_]:
        """Whose the messages at the given places are, empty for those without a name."""
        if self.speakers is None:
            return np.zeros(len(chosen), dtype="U1")
        return np.array([self.speakers[place] for place in chosen], dtype=np.str_)

    def choose_weights(self, between_people: Sequence[float], with_assistant: Sequence[float]) -> Weights:
        """The first weights for messages of speakers with names, the others for the rest: numbers, or one a place."""
        if self.speakers is None:
            return tuple(with_assistant)
        has_name = np.fromiter(map(bool, self.speakers), dtype=np.bool_, count=len(self))
        if has_name.all():
            return tuple(between_people)
        pairs = zip(between_people, with_assistant, strict=True)
        return tuple(np.where(has_name, named, unnamed) for named, unnamed in pairs)

    def find_in_scope(
        self, *, filters: SearchFilters, as_of: datetime | None, excluded_ids: Sequence[UUID]
    ) -> NDArray[np.bool_]:
        """Which messages are inside the filters, said by `as_of`, and not excluded."""
        scope = np.ones(len(self), dtype=np.bool_)
        if filters.conversation_id is not None:
            scope &= self.columns["conversation_id"] == np.bytes_(filters.conversation_id.bytes)
        if filters.roles is not None:
            scope &= np.isin(self.columns["role"], _find_numbers(filters.roles, ROLES))
        if filters.memory_types is not None:
            scope &= np.isin(self.columns["memory_type"], _find_numbers(filters.memory_types, TYPES))
        if filters.created_from is not None:
            scope &= self.columns["created_at"] >= count_microseconds(filters.created_from)
        for moment in (filters.created_to, as_of):
            if moment is not None:
                scope &= self.columns["created_at"] <= count_microseconds(moment)
        for message_id in excluded_ids:
            scope &= self.message_ids != np.bytes_(message_id.bytes)
        return scope

    def find_received_after(self, moment: datetime) -> NDArray[np.bool_]:
        """Which messages came after a moment."""
        after: NDArray[np.bool_] = self.columns["received_at"] > count_microseconds(moment)
        return after


def unpack_places(
    places: bytes | None, entries: bytes | None, *, speakers: str | None = None, more: bytes | None = None
) -> Places:
    """The columns of a user from what sql/read_index.sql answers, put in order."""
    columns = np.frombuffer(places or b"", dtype=PLACE)
    count = len(columns)
    conversations = read_halves(columns, start=CONVERSATION_AT)
    order = _find_order(columns, *conversations)
    found = np.frombuffer(entries or b"", dtype=np.dtype("<u2")).reshape(-1, 3)
    # Entries stay as they came: each knows its row.
    rows = np.repeat(np.arange(count, dtype=np.int32) if order is None else _invert(order), columns["entries"])
    if order is not None:
        conversations = (conversations[0][order], conversations[1][order])
        # Rows as plain bytes: field by field it takes twenty times as long.
        columns = columns.view(_ROW).take(order).view(PLACE)
    if more:
        found, rows = _add_more(found, rows, columns["message_id"], more)
    sessions, has_previous, has_before, has_next = _find_sessions(columns, *conversations)
    names = None
    if speakers and len(speakers) >= count:
        names = speakers.split(SPEAKER_SEPARATOR)
        names = names if order is None else [names[place] for place in order.tolist()]
    return Places(columns, sessions, has_previous, has_before, has_next, found, rows, names)


def _find_order(
    columns: NDArray[np.void], high: NDArray[np.uint64], low: NDArray[np.uint64]
) -> NDArray[np.int64] | None:
    """The rows by conversation, of which both halves are given, and seq; None where they are so already."""
    numbers = columns["seq"].astype(np.int32)
    is_same = (high[1:] == high[:-1]) & (low[1:] == low[:-1])
    if (np.where(is_same, numbers[1:] > numbers[:-1], high[1:] > high[:-1])).all():
        return None
    order = np.lexsort((numbers, high))
    high, low = high[order], low[order]
    # Conversations begin with their time: those of one millisecond may begin alike.
    is_mixed = ((high[1:] == high[:-1]) & (low[1:] != low[:-1])).any()
    return np.lexsort((numbers, low[_invert(order)], high[_invert(order)])) if is_mixed else order


def _invert(order: NDArray[np.int64]) -> NDArray[np.int32]:
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _find_sessions(
    columns: NDArray[np.void], high: NDArray[np.uint64], low: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """The number of each place's session, and whether the one before, two before and after are of it."""
    count = len(columns)
    starts = np.ones(count, dtype=np.bool_)
    numbers = columns["session_no"]
    starts[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1]) | (numbers[1:] != numbers[:-1])
    sessions = np.cumsum(starts, dtype=np.int64)
    has_before = np.zeros(count, dtype=np.bool_)
    has_before[2:] = sessions[2:] == sessions[:-2]
    has_next = np.zeros(count, dtype=np.bool_)
    has_next[:-1] = ~starts[1:]
    return sessions, ~starts, has_before, has_next


def order_ids(columns: NDArray[np.void]) -> NDArray[np.int64]:
    """The rows in order of their message ids."""
    if not len(columns):
        return np.zeros(0, dtype=np.int64)
    high, low = read_halves(columns, start=0)
    order = np.argsort(high, kind="stable")
    beginnings = high[order]
    # Ids begin with their time: those of one millisecond may begin alike.
    return np.lexsort((low, high)) if (beginnings[1:] == beginnings[:-1]).any() else order


def read_halves(columns: NDArray[np.void], *, start: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Both halves of each row's id that begins at a byte, as numbers: in the order of the ids."""
    raw = np.ascontiguousarray(columns).view(np.uint8).reshape(-1, columns.dtype.itemsize)[:, start : start + 16]
    pairs = np.ascontiguousarray(raw).view(">u8").astype(np.uint64)
    return pairs[:, 0], pairs[:, 1]


def count_microseconds(moment: datetime) -> int:
    """A moment as PostgreSQL stores it: microseconds since 2000."""
    return round((moment.timestamp() - EPOCH_2000) * 1_000_000)


def _add_more(
    entries: NDArray[np.uint16], rows: NDArray[np.int32], message_ids: NDArray[np.bytes_], more: bytes
) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    place_of = {message_id: place for place, message_id in enumerate(message_ids.tolist())}
    all_entries, all_rows, start = [entries], [rows], 0
    while start < len(more):
        message_id = more[start : start + 16].rstrip(b"\0")
        size = int.from_bytes(more[start + 16 : start + MORE_HEAD])
        start += MORE_HEAD
        part = np.frombuffer(more[start : start + size], dtype=np.dtype("<u2")).reshape(-1, 3)
        start += size
        all_entries.append(part)
        all_rows.append(np.full(len(part), place_of[message_id], dtype=np.int32))
    return np.concatenate(all_entries), np.concatenate(all_rows)


def _find_numbers(names: Sequence[str], known: Sequence[str]) -> list[int]:
    return [known.index(name) for name in names if name in known]


def read_seconds(microseconds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Seconds since 1970 of moments as PostgreSQL counts them."""
    return microseconds.astype(np.float64) / 1_000_000 + EPOCH_2000
