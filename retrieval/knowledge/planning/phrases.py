"""Phrases in a text without a plan: what a message says, matched as the triggers of intents are. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.planning.matching import compile_plan, find_phrases
from retrieval.knowledge.planning.wording import split_question


@dataclass(frozen=True, slots=True)
class PhraseHit:
    """A name one of whose phrases is in the text: how many words the longest has, and which word is the first."""

    name: str
    length: int
    first: int


class PhraseTable:
    """Phrases by name. Words match by stem, in order, with a few others between them; `=` asks for this very form."""

    def __init__(self, phrases: Mapping[str, Sequence[str]]) -> None:
        self._plan = compile_plan([Intent(name, triggers=tuple(each)) for name, each in phrases.items()])

    def find(self, text: str) -> list[PhraseHit]:
        """The names whose phrases the text holds, in the order of the table."""
        found = find_phrases(self._plan, split_question(text), masked=frozenset())
        return [PhraseHit(match.intent.name, match.strength, min(match.places)) for match in found]


def list_words(text: str) -> list[str]:
    """The words of a text in small letters, as phrases see them."""
    return [word.low for word in split_question(text)]
