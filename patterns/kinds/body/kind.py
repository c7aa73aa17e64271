"""Sizes and measures of the body, as the table of types takes it."""

from __future__ import annotations

from typing import Final

from patterns.kinds.body.measures import read_measures
from patterns.kinds.body.size_reading import read_sizes
from patterns.kinds.kind import Kind

BODY: Final = Kind(
    knowledge_type="body_params",
    readers=(read_measures, read_sizes),
    sorts=(
        "own", "usual", "compared", "wear", "be", "bare", "between", "fits", "half", "garment", "height", "weight",
        "system", "beside",
    ),
    is_valued=True,
)  # fmt: skip
