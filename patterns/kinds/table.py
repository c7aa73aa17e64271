"""The types of fact in the order in which a message is read for them. A new type is a folder, data, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from patterns.kinds.allergy.reading import read_allergies
from patterns.kinds.ban.reading import read_bans
from patterns.kinds.body.measures import read_measures
from patterns.kinds.body.size_reading import read_sizes
from patterns.kinds.budget.reading import read_budget
from patterns.kinds.event.reading import consume_relations, read_events
from patterns.steps.draft import Findings, Fired
from patterns.steps.message import Message

Reader = Callable[[Message, list[Fired], Findings], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of fact. Its readers follow the triggers of its rules, each reader through the whole message.

    `confidence`: of what they read (SPEC I-5). `prepare`: marks words of a message before anything is read in it.
    """

    knowledge_type: str
    readers: tuple[Reader, ...]
    confidence: float = 0.95
    prepare: Callable[[Message], None] | None = None


KINDS: Final = (
    Kind("budget", (read_budget,)),  # before bans and sizes: the words of a limit to pay mean nothing else
    Kind("body_params", (read_measures, read_sizes)),
    Kind("allergy", (read_allergies,)),
    Kind("hard_ban", (read_bans,)),
    Kind("life_event", (read_events,), confidence=0.85, prepare=consume_relations),  # its date may be inexact
)
CONFIDENCE: Final = {kind.knowledge_type: kind.confidence for kind in KINDS}
