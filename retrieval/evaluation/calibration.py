"""Finding the privacy guard's thresholds for an embedder (D-19)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from retrieval.embedding.types import EmbeddingProvider
from retrieval.evaluation.dataset import LabelledConversation, LabelledQuestion
from retrieval.evaluation.metrics import find_percentile
from retrieval.search.questions import detect_language

UNRELATED_PER_QUESTION = 5
KEPT_OUT = 0.85
MIN_PAIRS = 50


def find_thresholds(
    *,
    conversations: Sequence[LabelledConversation],
    questions: Sequence[LabelledQuestion],
    provider: EmbeddingProvider,
    kept_out: float = KEPT_OUT,
) -> dict[str, float]:
    """By language of the question: the similarity under which the share `kept_out` of unrelated messages lies.

    Unrelated are random messages of the same user that are no evidence. Languages with under 50 pairs are left out. The
    draw is seeded: the same set gives the same thresholds.
    """
    messages = {conversation.user_id: conversation.messages for conversation in conversations}
    draw = random.Random(0)
    similarities: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        vector = provider.embed_query(question.query)
        others = [message for message in messages[question.user_id] if message.id not in question.evidence]
        texts = [message.text for message in draw.sample(others, min(UNRELATED_PER_QUESTION, len(others)))]
        for other in provider.embed_documents(texts):
            similarities[detect_language(question.query)].append(sum(a * b for a, b in zip(vector, other, strict=True)))
    return choose_thresholds(similarities, kept_out=kept_out)


def choose_thresholds(similarities: Mapping[str, Sequence[float]], *, kept_out: float) -> dict[str, float]:
    """The percentile of each language that has enough pairs."""
    return {
        language: round(find_percentile(values, kept_out), 3)
        for language, values in similarities.items()
        if len(values) >= MIN_PAIRS
    }
