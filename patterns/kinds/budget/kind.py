"""What may be spent, as the table of types takes it."""

from __future__ import annotations

from typing import Final

from patterns.kinds.budget.reading import read_budget
from patterns.kinds.kind import Kind

BUDGET: Final = Kind(
    knowledge_type="budget",
    readers=(read_budget,),
    sorts=("limit", "word", "open", "alone", "have"),
    is_valued=True,
)
