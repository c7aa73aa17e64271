"""The types of fact in the order in which a message is read for them. A new type is a folder, data, and a line here."""

from __future__ import annotations

from typing import Final

from patterns.kinds.allergy.kind import ALLERGY
from patterns.kinds.ban.kind import BAN
from patterns.kinds.body.kind import BODY
from patterns.kinds.budget.kind import BUDGET
from patterns.kinds.event.kind import EVENT
from patterns.kinds.kind import Kind

KINDS: Final[tuple[Kind, ...]] = (
    BUDGET,  # before bans and sizes: the words of a limit to pay mean nothing else
    BODY,
    ALLERGY,
    BAN,
    EVENT,
)
VALUED_TYPES: Final = frozenset(kind.knowledge_type for kind in KINDS if kind.is_valued)
SORTS: Final = {kind.knowledge_type: kind.sorts for kind in KINDS}
"""By knowledge type, the sorts of statement that its readers tell apart."""
