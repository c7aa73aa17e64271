"""What is set of one corpus (D-49)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class CorpusSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of a corpus with their defaults; stored as JSON without those."""

    list_max_items: Annotated[int, Meta(ge=1, le=10_000)] = 20  # of a rendered list; `items` is complete
    tone: Annotated[str, Meta(max_length=200)] = ""  # for a model that writes answers
    min_confidence_for_answer: Annotated[float, Meta(ge=0, le=1)] = 0.0  # under it an answer from text says nothing
    graph: bool = True
    router: bool = True
    conversation_memory: bool = True
    recent_turns: Annotated[int, Meta(ge=0, le=100)] = 6  # questions that follow-ups look back at
    summary_after_turns: Annotated[int, Meta(ge=1, le=1_000)] = 6
    summary_characters: Annotated[int, Meta(ge=0, le=10_000)] = 500
