"""Life events ahead of the user, as the table of types takes it."""

from __future__ import annotations

from typing import Final

from patterns.kinds.event.reading import consume_relations, read_events
from patterns.kinds.kind import Kind

EVENT: Final = Kind(
    knowledge_type="life_event",
    readers=(read_events,),
    sorts=("event", "age"),
    confidence=0.85,  # its date may be inexact
    prepare=consume_relations,
)
