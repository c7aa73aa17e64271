"""What a person decides about a proposal, and how one goes (D-50). Call inside a tenant scope. Writes."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from corrections.models.promotion import PromotionEvidence, PromotionProposal
from memory.errors import Conflict, NotFound
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.ingest.types import DocumentBody
from retrieval.knowledge.services.ingesting import ingest
from retrieval.knowledge.services.removing import remove_document


def name_document(proposal_id: UUID) -> str:
    """The id of the document that an accepted proposal is in its corpus."""
    return f"promotion-{proposal_id}"


def accept(*, tenant_id: UUID, proposal_id: UUID, corpus: str, staff_id: int, now: datetime) -> None:
    """Write a proposal into a corpus as a document. Raises NotFound, Conflict, CorpusNotFound, CorpusBusy."""
    proposal = _find_pending(tenant_id, proposal_id)
    label = proposal.knowledge_type.replace("_", " ")
    body = DocumentBody(id=name_document(proposal.id), title=label, text=f"{label}: {proposal.value}")
    ingest(tenant_id=tenant_id, corpus=corpus, documents=[body], records=[], now=now)
    _decide(proposal, "accepted", staff_id, now, corpus=corpus)


def refuse(*, tenant_id: UUID, proposal_id: UUID, staff_id: int, now: datetime) -> None:
    """Turn a proposal down: the same value is not proposed again. Raises NotFound, Conflict."""
    _decide(_find_pending(tenant_id, proposal_id), "refused", staff_id, now)


def withdraw(proposal: PromotionProposal, *, now: datetime) -> None:
    """Delete a proposal, and what it became in a corpus."""
    if proposal.corpus:
        with suppress(CorpusNotFound, NotFound):  # somebody deleted it already
            remove_document(
                tenant_id=proposal.tenant_id,
                corpus=proposal.corpus,
                external_id=name_document(proposal.id),
                now=now,
            )
    PromotionEvidence.objects.filter(proposal_id=proposal.id).delete()
    PromotionProposal.objects.filter(id=proposal.id).delete()


def _find_pending(tenant_id: UUID, proposal_id: UUID) -> PromotionProposal:
    proposal = PromotionProposal.objects.filter(tenant_id=tenant_id, id=proposal_id).select_for_update().first()
    if proposal is None:
        raise NotFound("There is no such proposal.")
    if proposal.state != "pending":
        raise Conflict("This proposal has been decided already.")
    return proposal


def _decide(proposal: PromotionProposal, state: str, staff_id: int, now: datetime, *, corpus: str = "") -> None:
    PromotionProposal.objects.filter(id=proposal.id).update(
        state=state, corpus=corpus, staff_id=staff_id, decided_at=now, updated_at=now
    )
