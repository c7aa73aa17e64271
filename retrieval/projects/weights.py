"""How the parts of a snapshot are ordered: the highest first, the lowest cut first. Pure numbers, no times of day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

RECIPE: Final = "snapshot-2"
"""Part of what tells a snapshot from another: raise it with any number below."""

# What a part is worth before anything is asked; a question adds up to 1 for what it names.
DECISION: Final = 0.5
FACT: Final = 0.4
QUESTION: Final = 0.6  # a conflict that is not asked about is never resolved
EVENT: Final = 0.05  # the short history is the first to go
STATES: Final = {
    "accepted": 0.2, "implemented": 0.2, "verified": 0.2, "proposed": 0.0, "rejected": -0.3, "superseded": -0.3
}  # fmt: skip
CLOSED: Final = ("rejected", "superseded")
LEVELS: Final = {"fact": 0.2, "interpretation": 0.1, "hypothesis": 0.0}
REFUTED: Final = -0.3
AUTHORITY: Final = 0.1
RECENCY: Final = 0.3
HALF_LIFE: Final = timedelta(days=90)  # of recency, counted back from the newest record of the project
LONGEST_SHARE: Final = 0.25  # of the budget that one part may take: a longer one is left out and named
MAX_QUESTIONS: Final = 10
LIMITS: Final = {"open_questions": 5, "timeline": 10}
"""How many parts of a section at most, whatever the budget."""
MAX_EVENTS: Final = 20
LEAST_TOKENS: Final = 15  # of a part: no more parts of a kind than fit at this size are opened
SPARE: Final = 20
MAX_CONSIDERED: Final = 300  # facts whose words are opened: more never fit a context


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a part before its words are opened."""

    base: float
    at: datetime
    matched: float = 0.0
    """The share of the question's words that it has."""


def score(signals: Signals, *, newest: datetime) -> float:
    """What a part is worth. The same records and question always give the same number."""
    age = max(timedelta(0), newest - signals.at) / HALF_LIFE
    return signals.base + signals.matched + RECENCY * float(2.0**-age)
