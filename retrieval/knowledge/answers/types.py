"""What is asked of a corpus in words, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.types import UserRef
from retrieval.knowledge.answers.rendering import Style
from retrieval.knowledge.search.types import Found


@dataclass(frozen=True, slots=True)
class AskQuery:
    """A question to a corpus. Without a user nothing is kept, and `history` stands in for what would have been."""

    text: str
    user: UserRef | None = None
    conversation: str = ""
    history: tuple[str, ...] = ()
    style: Style = "auto"
    model: str = ""
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer in the making: what was found, the text that it rests on first, and the words of the template."""

    found: Found
    text: str
    is_found: bool
    confidence: float
    language: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer as it goes out: by the template, by a model, or by the template because the model's was at fault."""

    draft: Draft
    text: str
    outcome: str = "template"
    fault: str = ""
    model: str = ""
    degraded_reasons: tuple[str, ...] = ()
    receipt_id: UUID | None = None
