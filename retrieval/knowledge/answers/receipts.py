"""Receipts of answers: what an answer rests on and how it was made, without text (SPEC P-4, N-6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory.ids import new_id
from memory.imports.rows import dump_row
from memory.models import User
from memory.selectors.pages import read_rows
from memory.types import UserRef
from retrieval.knowledge.answers.types import Outcome
from retrieval.knowledge.models import AnswerReceipt, Chunk, Corpus, Entity

MAX_IDS: Final = 200  # of a receipt: an answer of ten thousand items is read again, not stored twice
KEPT: Final = timedelta(days=90)  # as receipts of packs


def draft_receipt(corpus: Corpus, user: UserRef | None, outcome: Outcome, *, now: datetime) -> AnswerReceipt:
    """The account of an answer, not stored yet."""
    found, decision = outcome.draft.found, outcome.draft.found.decision
    hits = [hit for hit in found.hits if hit.chunk_id is not None][:MAX_IDS]
    return AnswerReceipt(
        id=new_id(),
        tenant_id=corpus.tenant_id,
        corpus_id=corpus.id,
        user_id=user.id if user else None,
        created_at=now,
        intent=decision.intent,
        tool=decision.tool,
        policy=decision.policy,
        plan_version=found.plan_version,
        corpus_version=corpus.version,
        is_found=outcome.draft.is_found,
        is_follow_up=found.follow_up.is_follow_up,
        confidence=outcome.draft.confidence,
        outcome=outcome.outcome,
        fault=outcome.fault,
        reply_model=outcome.model[:120],
        language=outcome.draft.language,
        entity_ids=list(dict.fromkeys(hit.entity_id for hit in (*decision.starts, *decision.entities)))[:MAX_IDS],
        item_ids=[item.entity_id for item in found.result.items[:MAX_IDS]] if found.result else [],
        chunk_ids=[hit.chunk_id for hit in hits],
        chunk_scores=[hit.score for hit in hits],
        steps=list(decision.steps),
        degraded_reasons=[*found.degraded_reasons, *outcome.degraded_reasons],
        timings=found.timings_ms,
    )


def find_answer_receipt(*, tenant_id: UUID, receipt_id: UUID) -> AnswerReceipt | None:
    """A receipt by its id; none of a user who is being erased (G-2). Inside a tenant scope."""
    fenced = User.objects.filter(id=OuterRef("user_id"), fenced_at__isnull=False)
    return AnswerReceipt.objects.filter(~Exists(fenced), tenant_id=tenant_id, id=receipt_id).first()


def describe_receipt(receipt: AnswerReceipt) -> dict[str, Any]:
    """The fields that callers may read: ids are theirs where the thing is still there."""
    corpus = Corpus.objects.get(id=receipt.corpus_id)
    entities = Entity.objects.filter(corpus_id=corpus.id, id__in=[*receipt.entity_ids, *receipt.item_ids])
    named = {row.id: {"type": row.type, "key": row.key} for row in entities}
    kept = set(Chunk.objects.filter(corpus_id=corpus.id, id__in=receipt.chunk_ids).values_list("id", flat=True))
    scored = zip(receipt.chunk_ids, receipt.chunk_scores, strict=True)
    return {
        "id": str(receipt.id),
        "kind": "ask",
        "created_at": receipt.created_at.isoformat(),
        "corpus": corpus.external_id,
        "corpus_version": receipt.corpus_version,
        "plan_version": receipt.plan_version,
        "intent": receipt.intent,
        "tool": receipt.tool,
        "policy": receipt.policy,
        "found": receipt.is_found,
        "is_follow_up": receipt.is_follow_up,
        "confidence": round(receipt.confidence, 3),
        "outcome": receipt.outcome,
        "fault": receipt.fault,
        "model": receipt.reply_model,
        "language": receipt.language,
        "entities": [named[one] for one in receipt.entity_ids if one in named],
        "items": [named[one] for one in receipt.item_ids if one in named],
        "chunks": [{"chunk_id": one, "score": round(score, 6)} for one, score in scored if one in kept],
        "steps": list(receipt.steps),
        "degraded_reasons": list(receipt.degraded_reasons),
        "timings_ms": receipt.timings,
    }


def export_receipts(user: UserRef) -> Iterator[dict[str, Any]]:
    """The receipts of a user's questions to corpora as JSON objects, oldest first, in pages."""
    for receipt in read_rows(user, AnswerReceipt):
        yield {"kind": "answer_receipt", **dump_row(receipt)}
