"""Which values enough users share to be proposed, and how sure that is. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

MIN_CONFIDENCE: Final = 0.75  # SPEC N-8, and the numbers below
MIN_SEEN: Final = 3
MIN_SESSIONS: Final = 2
MAX_CONFLICT: Final = 0.3
MIN_USERS: Final = 3  # D-50: of fewer a value could tell who it is
MAX_VALUE: Final = 80  # characters; longer is a sentence of somebody's
# What is about a person and not about things: measures, money, days, health.
PERSONAL: Final = frozenset({"body_params", "budget", "allergy", "life_event"})
_TELLING: Final = re.compile(r"@|\d{4}|https?:|\+\d")


@dataclass(frozen=True, slots=True)
class Holding:
    """A fact of a user, as far as it counts here. `sessions` and `seen` are of the last 30 days."""

    user_id: UUID
    fact_id: UUID
    knowledge_type: str
    knowledge_key: str
    value: str
    confidence: float
    seen: int
    sessions: int
    is_disputed: bool


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that may be proposed, and the facts behind it."""

    knowledge_type: str
    value: str
    confidence: float
    seen: int
    sessions: int
    conflict: float
    holdings: tuple[Holding, ...]


def read_value(value: Any) -> str | None:
    """A value without anything of its user: short words; None for what may tell who it is of."""
    if not isinstance(value, str):
        return None
    text = " ".join(value.casefold().split())
    return text if text and len(text) <= MAX_VALUE and not _TELLING.search(text) else None


def find_shared(holdings: Iterable[Holding]) -> list[Shared]:
    """The values that pass every threshold, in order of type and value."""
    slots: dict[tuple[str, str], list[Holding]] = defaultdict(list)
    values: dict[tuple[str, str], list[Holding]] = defaultdict(list)
    for one in holdings:
        if one.knowledge_type not in PERSONAL:
            slots[one.knowledge_type, one.knowledge_key].append(one)
            values[one.knowledge_type, one.value].append(one)
    found = (_weigh(group, slots) for _, group in sorted(values.items()))
    return [one for one in found if one is not None]


def _weigh(group: list[Holding], slots: Mapping[tuple[str, str], list[Holding]]) -> Shared | None:
    sure = [one for one in group if not one.is_disputed and one.confidence >= MIN_CONFIDENCE]
    if len({one.user_id for one in sure}) < MIN_USERS:
        return None
    keys = {(one.knowledge_type, one.knowledge_key) for one in group}
    others = [one for key in keys for one in slots[key] if one.value != group[0].value or one.is_disputed]
    conflict = len(others) / (len(others) + len(sure))
    seen, sessions = sum(one.seen for one in sure), sum(one.sessions for one in sure)
    if seen < MIN_SEEN or sessions < MIN_SESSIONS or conflict >= MAX_CONFLICT:
        return None
    confidence = sum(one.confidence for one in sure) / len(sure)
    return Shared(group[0].knowledge_type, group[0].value, confidence, seen, sessions, conflict, tuple(sure))
