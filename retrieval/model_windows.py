"""How many tokens the model of a reply reads and writes at most: it bounds the budget of a pack (SPEC P-2). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

TENANT, INSTALLATION = "tenant", "installation"


@dataclass(frozen=True, slots=True)
class ModelWindow:
    """The window that was used: its tokens (what goes in and comes out), the pattern that fitted, whose table it is."""

    tokens: int
    pattern: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """As API.md names it."""
        return {"tokens": self.tokens, "pattern": self.pattern, "source": self.source}


def find_window(model: str, *, own: Mapping[str, int], shared: Mapping[str, int]) -> ModelWindow | None:
    """The window of a model: the tenant's own table first, in each the first pattern that fits.

    Capitals do not count, and neither does what stands before the last slash ("openai/gpt-4o"). None for a model that
    no table knows: then nothing bounds the budget.
    """
    name = model.lower().strip()
    names = {name, name.rpartition("/")[2]} - {""}
    for source, table in ((TENANT, own), (INSTALLATION, shared)):
        for pattern, tokens in table.items():
            if any(fnmatchcase(each, pattern.lower()) for each in names):
                return ModelWindow(tokens, pattern, source)
    return None
