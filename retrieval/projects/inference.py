"""An answer from a context (MAAS Inference): by the model of the installation, else the best parts, word for word.

The answer is no source of anything: it goes through write-back. Marks that stand for nothing are taken out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from memory.extraction.types import Completion
from memory.projects.metrics import PROJECT_REFUSALS
from retrieval.projects.bundle import Bundle
from retrieval.projects.lines import write_decision, write_fact

_MARK: Final = re.compile(r"\s*\[(S\d{1,4})\]")
SHOWN: Final = 5


class ChatModel(Protocol):
    """What is asked of a model."""

    def chat(self, messages: Sequence[dict[str, str]]) -> Completion:
        """A reply in plain text. Raises ModelFailed."""
        ...


@dataclass(frozen=True, slots=True)
class Inferred:
    """An answer with the marks that it cites; `refused`: marks that stood for nothing."""

    text: str
    marks: tuple[str, ...]
    refused: int = 0
    origin: str = "rule"


def infer_answer(bundle: Bundle, *, model: ChatModel | None = None) -> Inferred:
    """The answer to the question of a bundle. With a model no transaction may be open. Raises ModelFailed."""
    if model is None:
        return _quote(bundle)
    text = model.chat(list(bundle.rendered)).text
    known = {f"S{number}" for number, _ in enumerate(bundle.snapshot.citations, start=1)}
    used = dict.fromkeys(mark for mark in _MARK.findall(text) if mark in known)
    refused = sum(mark not in known for mark in _MARK.findall(text))
    if refused:
        PROJECT_REFUSALS.labels("unknown_mark").inc(refused)
    cleaned = _MARK.sub(lambda found: found[0] if found[1] in known else "", text)
    return Inferred(cleaned, tuple(used), refused, "model")


def _quote(bundle: Bundle) -> Inferred:
    marks = {source.id: f"S{number}" for number, source in enumerate(bundle.snapshot.citations, start=1)}
    lines: list[str] = []
    used: dict[str, None] = {}
    for decision in bundle.snapshot.decisions[:SHOWN]:
        own = [marks[decision.source.id]] if decision.source and decision.source.id in marks else []
        used |= dict.fromkeys(own)
        lines.append(write_decision(decision, marks=own, language=bundle.language))
    for fact in bundle.snapshot.facts[:SHOWN]:
        own = [marks[source.id] for source in fact.sources if source.id in marks]
        used |= dict.fromkeys(own)
        lines.append(write_fact(fact, marks=own, language=bundle.language))
    return Inferred("\n".join([*lines, *bundle.clarifying_questions]), tuple(used))
