"""What callers of the room's services see."""

from __future__ import annotations

from collections.abc import Iterable


class RuleRefused(Exception):
    """The change is not made. `problems`: every reason, each a sentence for the person who wants it."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")
