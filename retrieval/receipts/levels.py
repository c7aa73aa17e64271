"""Whether a pack or a search kept to its service levels: events for the error budgets (SPEC Q-2)."""

from __future__ import annotations

from django.conf import settings

from retrieval.metrics import LEVEL_EVENTS
from retrieval.receipts.writing import ReceiptDraft


def count_levels(draft: ReceiptDraft) -> None:
    """Count a receipt as kept or not kept under each level that one receipt can say something about."""
    _count("retrieval_latency_p95", sum(draft.timings_ms.values()) < settings.UNDE_TUNING.LATENCY_GOOD_MS)
    is_whole = bool(draft.policy_version and draft.timings_ms)
    _count("receipt_completeness_rate", is_whole and len(draft.chosen) == len(draft.context_positions))
    if draft.kind == "context":
        _count("context_overflow_rate", all(reason != "over_budget" for _, _, reason in draft.chosen))


def _count(indicator: str, is_kept: bool) -> None:
    LEVEL_EVENTS.labels(indicator, "yes" if is_kept else "no").inc()
