"""Words of a project: sealed, and the keys by which they are compared and found. Nothing of them is kept in plain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from memory.projects.types import ProjectRef
from memory.sealing.vault import UserVault
from patterns.text.polarity import split_stance
from patterns.text.tokens import clean_text, tokenise

FACT: Final = "project fact"
DECISION: Final = "project decision"
STATE: Final = "project state"
PROJECT: Final = "project"
ARTIFACT: Final = "project artifact"
SOURCE: Final = "project source"
QUESTION: Final = "project question"
CONFLICT: Final = "project conflict"
MAX_TERMS: Final = 200
"""Lexemes of a record that it is found by: a long description is found by its beginning."""
_TERM_BYTES: Final = 7  # fits a bigint, whatever its sign
_END_MARKS: Final = " .,;:!?…"
_NUMBER: Final = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?")


@dataclass(frozen=True, slots=True)
class FactKeys:
    """What tells that two statements are of one subject, say the same, or the opposite."""

    subject: bytes
    value: bytes
    stance: bytes
    is_negative: bool


class ProjectWords:
    """Seals, opens and keys the words of one project."""

    def __init__(self, project: ProjectRef) -> None:
        self._vault = UserVault(user_id=project.vault_id)
        self._vault_id = project.vault_id

    def seal(self, content: Any, *, purpose: str) -> bytes:
        """Sealed JSON. Makes the key when there is none."""
        return self._vault.seal(content, purpose=purpose)

    def open_all(self, envelopes: Sequence[bytes | memoryview], *, purpose: str) -> list[Any]:
        """What was sealed, in order. The key is fetched once."""
        return self._vault.open_all(envelopes, purpose=purpose) if envelopes else []

    def open(self, envelope: bytes | memoryview, *, purpose: str) -> Any:
        """What was sealed."""
        return self._vault.open(envelope, purpose=purpose)

    def make_key(self, use: str, text: str) -> bytes:
        """Equal for equal texts of this project and use."""
        return self._vault.fingerprint(use, text)

    def key_fact(self, subject: str, value: Any) -> FactKeys:
        """The keys of a statement."""
        about, said = normalise_words(subject), write_value(value)
        stance, is_negative = split_stance(said)
        return FactKeys(
            subject=self.make_key("subject", about),
            value=self.make_key("value", normalise_value(value)),
            stance=self.make_key("stance", stance),
            is_negative=is_negative,
        )

    def key_title(self, title: str) -> bytes:
        """The key of a decision's title."""
        return self.make_key("title", normalise_words(title))

    def number_terms(self, *texts: str) -> list[int]:
        """The lexemes of texts as numbers that say nothing without the key, each once, in order of their value."""
        lexemes = dict.fromkeys(each for text in texts for each in list_lexemes(text))
        return sorted(self.number_lexemes(list(lexemes)[:MAX_TERMS]))

    def number_lexemes(self, lexemes: Iterable[str]) -> set[int]:
        """The numbers of lexemes."""
        return {int.from_bytes(self.make_key("term", each)[:_TERM_BYTES], "big") for each in lexemes}


def list_lexemes(text: str) -> list[str]:
    """What a text is found by: the stem of each content word, and what bridges scripts."""
    return [lexeme for token in tokenise(text) for lexeme, _ in token.lexemes]


def normalise_words(text: str) -> str:
    """Case, spaces and the mark at the end do not tell texts apart; words and the signs in them do: C and C++."""
    return " ".join(clean_text(text).casefold().split()).rstrip(_END_MARKS)


def normalise_value(value: Any) -> str:
    """Equal for values that mean the same: 10, 10.0 and "10"; objects whatever the order of their names."""
    if isinstance(value, str):
        return f"n {value.strip()}" if _is_plain_number(value.strip()) else f"t {normalise_words(value)}"
    if isinstance(value, bool) or value is None:
        return f"j {json.dumps(value)}"
    if isinstance(value, int | float):
        return f"n {_write_number(str(value))}"
    return "j " + json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def write_value(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _is_plain_number(text: str) -> bool:
    """Whether a text is written as the number would be: "1.10" is a version, "007" a code."""
    return text.isascii() and _NUMBER.fullmatch(text) is not None and _write_number(text) == text


def _write_number(text: str) -> str:
    return format(Decimal(text).normalize(), "f")
