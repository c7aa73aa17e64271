"""Counters of the wing. Labels are codes; no user text."""

from __future__ import annotations

from prometheus_client import Counter

ANSWERS = Counter("unde_knowledge_answers_total", "Answers of corpora by how they were worded", ["outcome"])
FAULTS = Counter("unde_knowledge_answer_faults_total", "Answers of models that were not given, by fault", ["fault"])


def count_answer(outcome: str, fault: str) -> None:
    """Count an answer, and the fault of one that a template had to take the place of."""
    ANSWERS.labels(outcome).inc()
    if fault:
        FAULTS.labels(fault).inc()
