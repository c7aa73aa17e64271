"""What rows of the lexicon have in common, whether they come from a pack's files or from the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Row(Protocol):
    """The words of one canonical value of a category in one language."""

    @property
    def category(self) -> str: ...
    @property
    def canonical(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def aliases(self) -> Sequence[str]: ...
    @property
    def forms(self) -> Sequence[str]: ...
