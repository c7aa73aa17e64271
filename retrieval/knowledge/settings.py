"""What is set of one corpus (D-49)."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class CorpusSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of a corpus with their defaults; stored as JSON without those."""

    list_max_items: Annotated[
        int, Meta(ge=1, le=10_000, description="Items of a list in an answer's text; `items` has all of them.")
    ] = 20
    tone: Annotated[str, Meta(max_length=200, description="How a model that writes answers is to sound.")] = ""
    min_confidence_for_answer: Annotated[
        float, Meta(ge=0, le=1, description="Under it an answer from texts says that nothing was found. 0: never.")
    ] = 0.5
    graph: Annotated[bool, Meta(description="Whether questions may be answered from the graph.")] = True
    router: Annotated[bool, Meta(description="Whether questions are looked at for an intent.")] = True
    conversation_memory: Annotated[bool, Meta(description="Whether a question may follow the one before.")] = True
    recent_turns: Annotated[int, Meta(ge=0, le=100, description="Questions that a follow-up looks back at.")] = 6
    summary_after_turns: Annotated[
        int, Meta(ge=1, le=1_000, description="Questions after which the older ones are summed up.")
    ] = 6
    summary_characters: Annotated[int, Meta(ge=0, le=10_000, description="The longest such summary.")] = 500
