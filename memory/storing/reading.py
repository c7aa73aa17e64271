"""Readings of the texts of one request. Rules and corrections share them, and they need no database."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.metrics import READING_FAILURES
from patterns.registry import get_rule_set
from patterns.rules.ruleset import RuleSet
from patterns.steps.message import Message
from patterns.text.recurring import MAX_CHARACTERS
from patterns.types import ReadResult

logger = logging.getLogger(__name__)
T = TypeVar("T")
UNKNOWN_LANGUAGE: Final = "other"


class TextReader:
    """Reads texts with the rule set that is active for the tenant when the first text is read."""

    def __init__(self, *, tenant_id: UUID) -> None:
        self._tenant_id = tenant_id
        self._messages: dict[str, Message] = {}
        self._found: dict[Hashable, Any] = {}
        self._concerns: set[str] = set()

    @cached_property
    def rule_set(self) -> RuleSet:
        """The tenant's rules, the same ones for the whole request."""
        return get_rule_set(tenant_id=self._tenant_id)

    def analyse(self, text: str) -> Message:
        """A user's text, normalised and looked up in the vocabulary. Take a `copy` to read it."""
        found = self._messages.get(text)
        if found is None:
            found = self._messages[text] = self.rule_set.analyse_said([text])[0]
        return found

    def detect_language(self, text: str) -> str:
        """The language of a text in which no facts are looked for. `other` if it cannot be read."""
        try:
            return self.rule_set.detect_language(text)
        except Exception as error:
            note_failure(error, step="language")
            return UNKNOWN_LANGUAGE

    def read_all(self, said: Sequence[tuple[str, datetime]], *, zone: ZoneInfo) -> None:
        """Read texts together for `read`, which takes less than one after the other. Not for rules on trial.

        Where one of them cannot be read nothing is kept, and `read` reads each by itself.
        """
        try:
            self._read_all(said, zone)
        except Exception as error:
            note_failure(error, step="together")

    def _read_all(self, said: Sequence[tuple[str, datetime]], zone: ZoneInfo) -> None:
        kept = self.rule_set.results
        unread: dict[Hashable, tuple[str, datetime, Hashable]] = {}
        for text, at in said:
            name, local = _name_facts(text, at, zone), at.astimezone(zone)
            again: Hashable = (text, local.date()) if len(text) <= MAX_CHARACTERS else None  # what it is kept under
            found = None if again is None else kept.find(again)
            if found is None:
                unread[name] = text, local, again
            else:
                self._found[name] = found
        texts = list(dict.fromkeys(text for text, _, _ in unread.values() if text not in self._messages))
        self._messages.update(zip(texts, self.rule_set.analyse_said(texts), strict=True))
        messages = [self._messages[text] for text, _, _ in unread.values()]
        results = self.rule_set.read_all(messages, said_at=[at for _, at, _ in unread.values()])
        for (name, (_, _, again)), result in zip(unread.items(), results, strict=True):
            self._found[name] = result
            if again is not None:
                kept.note(again, result)

    def read(self, text: str, *, said_at: datetime, zone: ZoneInfo, user_id: UUID | None = None) -> ReadResult:
        """The facts that a text states (`RuleSet.read`), with days counted in the tenant's zone.

        A user is needed only if rules are on trial: otherwise all texts are read the same way. A text that
        the rules fail on states nothing: it is counted, and stored all the same (SPEC T-1).
        """
        asked = user_id if self.rule_set.has_trials else None
        name = _name_facts(text, said_at, zone, asked)
        found: ReadResult | None = self._found.get(name)  # not by `keep`: it is asked for several times a message
        if found is None:
            found = self._found[name] = self._read(text, said_at.astimezone(zone), asked)
        return found

    def _read(self, text: str, said_at: datetime, user_id: UUID | None) -> ReadResult:
        try:
            return self.rule_set.read(text, said_at=said_at, user_id=user_id, message=self.analyse(text).copy())
        except Exception as error:
            note_failure(error, step="facts")
            return ReadResult((), (), UNKNOWN_LANGUAGE, False, self.rule_set.version)

    def keep(self, name: Hashable, find: Callable[[], T]) -> T:
        """The result of a step for a text, computed once and stored under a name."""
        found: T | None = self._found.get(name)
        if found is None:
            found = self._found[name] = find()
        return found

    def has(self, name: Hashable) -> bool:
        """Whether something is kept under the name."""
        return name in self._found

    def note_concern(self, text: str) -> None:
        """A message that says this may change facts that are stored."""
        self._concerns.add(text)

    def may_change_facts(self, text: str) -> bool:
        """Whether a step has noted that the text may change facts; rules on trial may, of some users."""
        return text in self._concerns or self.rule_set.has_trials

    def note(self, name: Hashable, found: object) -> None:
        """Store the result for a text that was read together with others."""
        self._found[name] = found


def note_failure(error: Exception, *, step: str) -> None:
    """Count and log a failure on a text: its kind and place, never its message, which may contain the text."""
    READING_FAILURES.labels(step).inc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.name}:{frame.lineno}"
    logger.error("a text could not be read", extra={"step": step, "error": type(error).__name__, "place": place})


def _name_facts(text: str, said_at: datetime, zone: ZoneInfo, user_id: UUID | None = None) -> Hashable:
    return "facts", text, said_at, zone, user_id
