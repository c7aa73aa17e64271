"""Dot products of a user's messages, each added to its neighbours' of the session (D-12). Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

# One message and one vector as sql/read_places.sql packs them; seq is negative outside the filters. Ids as `S16` can be
# sorted and searched; the zeros at their end that it hides are padding to every comparison.
PLACE = np.dtype([("message_id", "S16"), ("seq", ">i4"), ("session", ">i4")])
DOT = np.dtype([("message_id", "S16"), ("dot", ">f4")])


@dataclass(frozen=True, slots=True)
class Places:
    """A user's messages by conversation and seq, with smoothed dot products (NaN for a message without a vector).

    `starts` has the first place of each conversation, by id, and where its messages end.
    """

    starts: dict[UUID, tuple[int, int]]
    message_ids: NDArray[np.bytes_]
    seqs: NDArray[np.int32]
    smoothed: NDArray[np.float64]
    in_scope: NDArray[np.bool_]

    def find_smoothed(self, conversation_id: UUID, seq: int) -> float | None:
        """The smoothed dot product of the message at a place; None without a vector or such a message."""
        start, end = self.starts.get(conversation_id, (0, 0))
        place = bisect_left(self.seqs, seq, start, end)
        if place >= end or self.seqs[place] != seq or np.isnan(self.smoothed[place]):
            return None
        return float(self.smoothed[place])

    def count_in_scope(self) -> int:
        """How many messages are inside the filters."""
        return int(self.in_scope.sum())

    def list_without_vector(self, message_ids: Sequence[UUID]) -> list[UUID]:
        """Those of the messages that have no vector."""
        if not message_ids:
            return []
        waiting = {bytes(message_id) for message_id in self.message_ids[np.isnan(self.smoothed)]}
        return [message_id for message_id in message_ids if message_id.bytes.rstrip(b"\0") in waiting]

    def choose_nearest(self, *, depth: int) -> list[UUID]:
        """At most `depth` messages inside the filters with the greatest smoothed dot products above 0, best first."""
        places = np.flatnonzero((self.smoothed > 0) & self.in_scope)
        if len(places) > depth:
            least = np.partition(self.smoothed[places], -depth)[-depth]
            places = places[self.smoothed[places] >= least]
        best = places[np.argsort(-self.smoothed[places], kind="stable")][:depth]
        return [UUID(bytes=bytes(self.message_ids[place]).ljust(16, b"\0")) for place in best]


def unpack_places(
    rows: Sequence[tuple[UUID, bytes]], packed_dots: bytes, *, weights: tuple[float, float, float]
) -> Places:
    """Put packed places and dot products together and smooth these over sessions.

    `weights` are those of the previous message, the one before it and the next one.
    """
    ordered = sorted(rows, key=lambda row: row[0].bytes)
    data = np.frombuffer(b"".join(packed for _, packed in ordered), dtype=PLACE)
    ends = np.cumsum([len(packed) // PLACE.itemsize for _, packed in ordered], dtype=np.int64)
    counts = np.diff(ends, prepend=0)
    conversations = np.repeat(np.arange(len(ordered)), counts)
    seqs = np.abs(data["seq"].astype(np.int32))
    order = np.lexsort((seqs, conversations))
    data, seqs = data[order], seqs[order]
    sessions = data["session"].astype(np.int64) + (conversations.astype(np.int64) << 32)
    return Places(
        starts={
            conversation_id: (int(end - count), int(end))
            for (conversation_id, _), end, count in zip(ordered, ends, counts, strict=True)
        },
        message_ids=data["message_id"],
        seqs=seqs,
        smoothed=smooth(find_dots(data["message_id"], packed_dots), sessions, weights=weights),
        in_scope=data["seq"] > 0,
    )


def find_dots(message_ids: NDArray[np.bytes_], packed_dots: bytes) -> NDArray[np.float64]:
    """The dot product of each message, NaN for those without a vector."""
    dots = np.frombuffer(packed_dots, dtype=DOT)
    found = np.full(len(message_ids), np.nan)
    if len(dots):
        ids, values = np.ascontiguousarray(dots["message_id"]), dots["dot"].astype(np.float64)
        order = np.argsort(ids, kind="stable")
        places = np.minimum(np.searchsorted(ids, message_ids, sorter=order), len(ids) - 1)
        nearest = order[places]
        has_vector = ids[nearest] == message_ids
        found[has_vector] = values[nearest[has_vector]]
    return found


def smooth(
    dots: NDArray[np.float64], sessions: NDArray[np.int64], *, weights: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Each dot product with its neighbours' of the same session added.

    A message without a vector (NaN) adds nothing and stays NaN.
    """
    known = np.nan_to_num(dots, nan=0.0)
    result = dots.copy()
    previous, before, following = weights
    for shift, weight in ((1, previous), (2, before)):
        result[shift:] += weight * np.where(sessions[shift:] == sessions[:-shift], known[:-shift], 0.0)
    result[:-1] += following * np.where(sessions[:-1] == sessions[1:], known[1:], 0.0)
    return result
