"""Words of the wing as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CorpusRef:
    """A corpus that is being written: its number, its tenant and its schema. The row is locked."""

    id: int
    tenant_id: UUID
    external_id: str
    schema: Mapping[str, Any]

    @property
    def has_types(self) -> bool:
        """Whether the schema names types. Without them titles of documents are entities."""
        return bool(self.schema["types"])


@dataclass(slots=True)
class Changes:
    """What a write touched so far, and what must follow from it before it is over."""

    entities: set[int] = field(default_factory=set)
    """Whose record, titles or edges came or went."""
    references: set[str] = field(default_factory=set)
    """That may mean another entity than before."""
    aliases: set[str] = field(default_factory=set)
    """That came, went or changed."""
    chunks: set[int] = field(default_factory=set)
    """New ones, to be read for names."""
