"""The privacy guard: a hit's neighbour is shown only when it is about the question too (KSP fix 12, SPEC S-5, K13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.types import SpanMessage

# The sources' thresholds, made for multilingual sentence models; Arabic ones are less exact there.
SENTENCE_THRESHOLDS: Mapping[str, float] = {"ru": 0.3, "en": 0.3, "ar": 0.25, "arabizi": 0.25, "mixed": 0.25}
OTHER_SENTENCE_THRESHOLD = 0.28
# Hashed vectors share features with unrelated text by chance, word vectors a common part: 91 % of such pairs are below,
# or as many as with hashed vectors (docs/retrieval-quality.md, `manage.py calibrate_guard`).
WORD_THRESHOLDS: Mapping[str, float] = {"hashed": 0.16, "static": 0.35}
NO_VECTOR, NOT_RELATED = "span_without_vector", "span_not_related"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How near a neighbour must be, by language. Rows of `span_threshold` come before the starting values (D-19)."""

    model_name: str
    calibrated: Mapping[str, float] = field(default_factory=dict)

    def choose(self, language: str) -> float:
        """The threshold for questions in a language."""
        if language in self.calibrated:
            return self.calibrated[language]
        of_words = WORD_THRESHOLDS.get(self.model_name.partition("-")[0])
        return SENTENCE_THRESHOLDS.get(language, OTHER_SENTENCE_THRESHOLD) if of_words is None else of_words


def filter_span(
    messages: Sequence[SpanMessage], *, thresholds: Thresholds, language: str
) -> tuple[list[SpanMessage], list[str]]:
    """The neighbours that may be shown, and a code for each that may not.

    Core context always passes; without a vector, none.

    A blind filter is more dangerous than a missing neighbour.
    """
    threshold = thresholds.choose(language)
    kept: list[SpanMessage] = []
    hits: list[str] = []
    for message in messages:
        if message.is_core:
            kept.append(message)
        elif message.similarity is None:
            hits.append(NO_VECTOR)
        elif message.similarity >= threshold:
            kept.append(message)
        else:
            hits.append(NOT_RELATED)
    return kept, hits
