"""When two pieces of evidence are two (SPEC X-3, KSP fix 1B). Pure.

Independent are: different sessions, different days, or different wordings; never two messages of one exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations
from uuid import UUID

from memory.extraction.judging.recipes import GATE


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """What independence looks at. `session` counts within the conversation; `words` are of the clause that says it."""

    message_id: UUID
    conversation_id: UUID
    seq: int
    said_at: datetime
    day: date
    session: int
    words: frozenset[str]


def number_sessions(times: Sequence[tuple[UUID, datetime]], *, gap: timedelta) -> dict[UUID, int]:
    """The session of each message of one conversation: a longer silence than `gap` starts the next."""
    sessions: dict[UUID, int] = {}
    number = 0
    last: datetime | None = None
    for message_id, said_at in sorted(times, key=lambda one: one[1]):
        if last is not None and said_at - last > gap:
            number += 1
        sessions[message_id] = number
        last = said_at
    return sessions


def are_independent(first: EvidenceView, second: EvidenceView, *, gap: timedelta) -> bool:
    """Whether the two say it twice and not once."""
    if first.message_id == second.message_id:
        return False
    if first.day != second.day:
        return True
    is_same_conversation = first.conversation_id == second.conversation_id
    if is_same_conversation and first.session != second.session:
        return True
    if not is_same_conversation and abs(first.said_at - second.said_at) > gap:
        return True
    if is_same_conversation and abs(first.seq - second.seq) <= GATE.same_exchange:
        return False
    return measure_likeness(first.words, second.words) < GATE.same_wording


def has_two_independent(views: Iterable[EvidenceView], *, gap: timedelta) -> bool:
    """Whether any two of them are independent."""
    return any(are_independent(first, second, gap=gap) for first, second in combinations(list(views), 2))


def measure_likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """Common words over all words, 0 to 1; two empty sets are alike."""
    union = first | second
    return len(first & second) / len(union) if union else 1.0
