"""How a user leaves proposals: what waits goes with any of its users, what was accepted with the last (D-50)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corrections.models.promotion import PromotionEvidence, PromotionProposal
from corrections.promotion.deciding import withdraw
from memory.erasure.erasers import DERIVED
from memory.selectors.pages import read_rows
from memory.types import ErasureScope, UserRef


@dataclass(frozen=True, slots=True)
class EvidenceEraser:
    """Takes a user out of all proposals. Also in a part erasure: the next night finds again what still stands."""

    name: str = "promotion_evidence"
    models: tuple[str, ...] = ("corrections.PromotionEvidence",)
    stage: int = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        rows = list(PromotionEvidence.objects.filter(user_id=scope.user.id).order_by("id")[:limit])
        PromotionEvidence.objects.filter(user_id=scope.user.id, id__in=[row.id for row in rows]).delete()
        for proposal in PromotionProposal.objects.filter(id__in=[row.proposal_id for row in rows]):
            is_alone = not PromotionEvidence.objects.filter(proposal_id=proposal.id).exists()
            if is_alone or proposal.state == "pending":
                withdraw(proposal, now=datetime.now(UTC))
        return len(rows)

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        return PromotionEvidence.objects.filter(user_id=scope.user.id).count()


def export_promotions(user: UserRef) -> Iterator[dict[str, Any]]:
    """The proposals that a user's facts stand behind."""
    for row in read_rows(user, PromotionEvidence):
        yield {"kind": "promotion_evidence", "proposal_id": str(row.proposal_id), "seen": row.seen}
