"""The contract of a type of fact: what its folder hands to the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from patterns.steps.draft import Findings, Fired
from patterns.steps.message import Message

Reader = Callable[[Message, list[Fired], Findings], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A type of fact. Its readers follow the triggers of its rules, each reader through the whole message.

    `sorts`: the sorts of statement that they tell apart (`kind` of a rule); a rule of another sort teaches nothing.
    `confidence`: of what they read (SPEC I-5). `is_valued`: the value is the fact, and one said later in a message
    takes its place; of the other types the key is the fact. `prepare`: marks words of a message before it is read.
    """

    knowledge_type: str
    readers: tuple[Reader, ...]
    sorts: tuple[str, ...]
    confidence: float = 0.95
    is_valued: bool = False
    prepare: Callable[[Message], None] | None = None
