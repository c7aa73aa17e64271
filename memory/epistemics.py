"""What kind of knowledge something is: fact, opinion, preference, outdated (SPEC F-4). Pure; `docs/facts.md` says when.

Stored is what a fact was when it was said. Outdated is what time makes of it, so it is found when somebody reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from memory.types import Fact

OUTDATED: Final = "outdated"
UNPROVEN_TYPES: Final[Mapping[str, str]] = {"candidate": "opinion", "preference": "preference"}
"""Of what is no fact: a declared taste is a preference; an unchecked allergen and a habit are opinions."""


def find_epistemic_type(fact: Fact, *, at: datetime, outdated_after: Mapping[str, timedelta]) -> str:
    """What the fact is at a moment: outdated when it had been closed or its day had passed by then, or when nobody had
    said or confirmed it for longer than its type allows; otherwise as it was stored."""
    ends = (fact.invalid_at, fact.expires_at)
    is_over = any(end is not None and end <= at for end in ends)
    limit = outdated_after.get(fact.knowledge_type)
    is_old = limit is not None and at - fact.last_validated_at > limit
    return OUTDATED if is_over or is_old else fact.epistemic_type


def name_epistemic_type(fact: Fact, *, at: datetime, outdated_after: Mapping[str, timedelta]) -> Fact:
    """The fact with its epistemic type of that moment."""
    found = find_epistemic_type(fact, at=at, outdated_after=outdated_after)
    return fact if found == fact.epistemic_type else replace(fact, epistemic_type=found)


def find_unproven_type(source: str, knowledge_type: str) -> str:
    """The epistemic type of a candidate or an adaptive item."""
    return UNPROVEN_TYPES.get(source) or UNPROVEN_TYPES.get(knowledge_type, "opinion")
