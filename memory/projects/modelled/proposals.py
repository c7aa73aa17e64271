"""The gate: a model's fact or decision stands on words that a user said, letter by letter, or it is refused. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.projects.types import LEVELS, Level
from patterns.text.tokens import clean_text, tokenise

MAX_PROPOSALS: Final = 50


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as the model was shown it."""

    id: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ProposedFact:
    """A fact that passed the gate."""

    message_id: str
    quote: str
    subject: str
    value: Any
    level: Level


@dataclass(frozen=True, slots=True)
class ProposedDecision:
    """A decision that passed the gate."""

    message_id: str
    quote: str
    title: str
    owner: str


@dataclass(frozen=True, slots=True)
class Passed:
    """What passed, and the reason of each refusal."""

    facts: Sequence[ProposedFact] = ()
    decisions: Sequence[ProposedDecision] = ()
    refusals: Sequence[str] = ()


def pass_proposals(answer: Any, *, turns: Sequence[Turn]) -> Passed:
    """Hold an answer of a model against the messages that it was shown."""
    by_id = {turn.id: turn for turn in turns}
    facts, decisions, refusals = [], [], []
    for kind, raw in _list_proposals(answer):
        try:
            found = _check(kind, raw, by_id)
        except _Refused as refused:
            refusals.append(refused.reason)
            continue
        if isinstance(found, ProposedFact):
            facts.append(found)
        else:
            decisions.append(found)
    return Passed(facts, decisions, refusals)


def keep_said(proposed: Iterable[Any], *, text: str) -> tuple[list[str], int]:
    """Those of a model's strings that stand in a text, letter by letter, and how many do not."""
    told = [each for each in proposed if isinstance(each, str) and each.strip()]
    kept = [each.strip() for each in told if each.strip() in text]
    return list(dict.fromkeys(kept)), len(told) - len(kept)


class _Refused(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _list_proposals(answer: Any) -> list[tuple[str, Any]]:
    if not isinstance(answer, Mapping):
        return [("", None)]
    found: list[tuple[str, Any]] = []
    for kind in ("facts", "decisions"):
        part = answer.get(kind, [])
        found += [(kind, each) for each in part] if isinstance(part, list) else [("", None)]
    return found[:MAX_PROPOSALS]


def _check(kind: str, raw: Any, by_id: Mapping[str, Turn]) -> ProposedFact | ProposedDecision:
    if not kind or not isinstance(raw, Mapping):
        raise _Refused("malformed")
    message_id, quote = raw.get("message_id"), raw.get("quote")
    if not isinstance(message_id, str) or not isinstance(quote, str) or not quote.strip():
        raise _Refused("malformed")
    turn = by_id.get(message_id)
    if turn is None:
        raise _Refused("unknown_message")
    if turn.role != "user":
        raise _Refused("not_the_users_words")
    if quote not in turn.text:
        raise _Refused("quote_not_there")
    return _check_fact(raw, turn, quote) if kind == "facts" else _check_decision(raw, turn, quote)


def _check_fact(raw: Mapping[str, Any], turn: Turn, quote: str) -> ProposedFact:
    subject, value, level = raw.get("subject"), raw.get("value"), raw.get("level", "fact")
    if not isinstance(subject, str) or not subject.strip() or not isinstance(value, str | int | float):
        raise _Refused("malformed")
    if level not in LEVELS:
        raise _Refused("malformed")
    if not _says(quote, str(value)):
        raise _Refused("value_not_in_quote")
    if not _says(turn.text, subject):
        raise _Refused("subject_not_in_message")
    return ProposedFact(turn.id, quote, subject.strip()[:500], value, level)


def _check_decision(raw: Mapping[str, Any], turn: Turn, quote: str) -> ProposedDecision:
    title, owner = raw.get("title"), raw.get("owner") or ""
    if not isinstance(title, str) or not title.strip() or not isinstance(owner, str):
        raise _Refused("malformed")
    if not _says(quote, title):
        raise _Refused("value_not_in_quote")
    return ProposedDecision(turn.id, quote, title.strip()[:500], owner if owner in turn.text else "")


def _says(text: str, words: str) -> bool:
    """Whether a text has all content words of another, in whatever form; signs alone must stand there as they are."""
    wanted = {token.lexemes[0][0] for token in tokenise(words)}
    own = {lexeme for token in tokenise(text) for lexeme, _ in token.lexemes}
    return wanted <= own if wanted else clean_text(words).casefold() in clean_text(text).casefold()
