"""What the texts of one request say, read once: rules and corrections share it, and it needs no database."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from uuid import UUID

from patterns.registry import get_rule_set
from patterns.ruleset import RuleSet
from patterns.steps.message import Message
from patterns.types import ReadResult


class TextReader:
    """Reads texts by the rule set that is in force for a tenant when the first of them comes."""

    def __init__(self, *, tenant_id: UUID) -> None:
        self._tenant_id = tenant_id
        self._messages: dict[str, Message] = {}
        self._results: dict[tuple[str, datetime], ReadResult] = {}

    @cached_property
    def rule_set(self) -> RuleSet:
        """The tenant's rules, the same ones for the whole request."""
        return get_rule_set(tenant_id=self._tenant_id)

    def analyse(self, text: str) -> Message:
        """The text normalised and looked up in the vocabulary, by nobody read yet."""
        found = self._messages.get(text)
        if found is None:
            found = self._messages[text] = self.rule_set.analyse(text)
        return found.copy()

    def read(self, text: str, *, said_at: datetime, user_id: UUID | None = None) -> ReadResult:
        """The facts that a text states (`RuleSet.read`). `said_at` is in the tenant's zone.

        A user is asked for only where rules are on trial: without trials everybody's words are read alike.
        """
        if self.rule_set.has_trials:
            return self.rule_set.read(text, said_at=said_at, user_id=user_id, message=self.analyse(text))
        key = (text, said_at)
        if key not in self._results:
            self._results[key] = self.rule_set.read(text, said_at=said_at, message=self.analyse(text))
        return self._results[key]
