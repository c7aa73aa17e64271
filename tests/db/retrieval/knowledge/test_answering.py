"""What a corpus says is answered, and what it does not say is not answered with something near it (N-6).

The questions to a shop were looked at while evidence was weighed; those to a bank were written before and run once.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from retrieval.knowledge.answers.asking import find_answer
from retrieval.knowledge.answers.types import AskQuery, Draft
from retrieval.knowledge.ingest.types import DocumentBody
from retrieval.knowledge.planning.deciding import Switches
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.ingesting import ingest

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SETS: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "data" / "knowledge_answers.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("name", "most_wrong", "most_missed"), [("shop", 9, 7), ("bank", 7, 5)])
def test_questions_without_an_answer_get_none(tenant: TenantRef, name: str, most_wrong: int, most_missed: int) -> None:
    questions = SETS[name]
    documents = [DocumentBody(**body) for body in questions["documents"]]
    with tenant_scope(tenant.id):
        put_corpus(tenant_id=tenant.id, external_id=name, name=None, schema=None, settings=None, now=NOW)
        ingest(tenant_id=tenant.id, corpus=name, documents=documents, records=[], now=NOW)
        corpus = get_corpus(tenant_id=tenant.id, external_id=name)

        def ask(question: str) -> Draft:
            return find_answer(corpus, AskQuery(question), switches=Switches(), now=NOW).draft

        wrong = [question for question in questions["unanswered"] if ask(question).is_found]
        missed = [row["question"] for row in questions["answered"] if not is_answered(ask(row["question"]), row)]
    assert len(wrong) <= most_wrong, wrong
    assert len(missed) <= most_missed, missed


def is_answered(draft: Draft, row: dict[str, str]) -> bool:
    """Whether the answer rests on the text that has it."""
    return draft.is_found and draft.found.hits[0].document_id == row["document"]
