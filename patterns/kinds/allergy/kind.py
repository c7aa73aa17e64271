"""What the skin does not bear, as the table of types takes it."""

from __future__ import annotations

from typing import Final

from patterns.kinds.allergy.reading import read_allergies
from patterns.kinds.kind import Kind

ALLERGY: Final = Kind(
    knowledge_type="allergy",
    readers=(read_allergies,),
    sorts=("noun", "sensitive", "reaction", "intolerance", "exposure", "contrast", "only", "linked"),
)
