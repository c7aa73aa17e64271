"""Receipts, vectors still to be made, embedding models."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from memory.admin.owners import NamedOwners, list_owner_names
from memory.selectors.messages import list_messages_by_id
from memory.tenants.access import get_access, has_permission, record_view
from memory.tenants.admin_base import ConsoleAdmin, LongListAdmin, TenantRows, UserRowsAdmin, show_badge, show_id
from memory.types import UserRef
from retrieval.models import EmbeddingModel, EmbeddingTask, RetrievalReceipt
from retrieval.models.receipts import UNCHANGED
from retrieval.reasons import CHOSEN
from retrieval.receipts.reading import find_receipt, list_left_out_facts
from retrieval.replies.selectors import list_findings, list_signals


@admin.register(RetrievalReceipt)
class ReceiptAdmin(NamedOwners, UserRowsAdmin):
    """One search or pack: ids, scores and reasons, no text (D-21)."""

    view_permissions = ("audit", "view_user_memory")
    audit_action = "user.view_receipt_list"
    change_form_template = "console/receipt.html"
    list_display = ("link", "kind", "created_at", "intent", "found", "chosen", "facts", "degraded", "owner")
    list_filter = ("kind", "intent", "language")
    ordering = ("-created_at", "-id")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        try:
            receipt_id = UUID(object_id)
        except ValueError:
            return None
        return find_receipt(receipt_id=receipt_id, tenant_id=get_access(request).tenant.id)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        receipt = self.get_object(request, object_id)
        if isinstance(receipt, RetrievalReceipt) and self.has_view_permission(request, receipt):
            has_text = has_permission(request, "view_user_memory")
            owner = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
            action = "receipt.view_with_text" if has_text else "receipt.view"
            record_view(
                request,
                action=action,
                object_type="receipt",
                object_ids=[receipt.id, receipt.user_id],
                now=timezone.now(),
            )
            extra_context = {
                **(extra_context or {}),
                "receipt": receipt,
                "owner_name": list_owner_names(request, [receipt.user_id]).get(receipt.user_id),
                "candidates": list_candidates(receipt, has_text=has_text),
                "guard_hits": Counter(receipt.guardrail_hits).most_common(),
                "has_text": has_text,
                "facts": list_fact_lines(receipt),
                "others": list_other_lines(receipt),
                "sanitised": sorted(receipt.outcomes.items()),
                "chosen_count": count_chosen(receipt),
                "findings": list_findings(user=owner, receipt_id=receipt.id),
                "signals": list_signals(user=owner, receipt_id=receipt.id),
            }
        return super().change_view(request, object_id, form_url, extra_context)

    @display(description="Receipt")
    def link(self, receipt: RetrievalReceipt) -> SafeString:
        return format_html('<a class="short-id" href="{}/change/">{}</a>', receipt.id, str(receipt.id)[-12:])

    @display(description="Found")
    def found(self, receipt: RetrievalReceipt) -> int:
        return len(receipt.candidate_ids)

    @display(description="Chosen")
    def chosen(self, receipt: RetrievalReceipt) -> int:
        return count_chosen(receipt)

    @display(description="Facts")
    def facts(self, receipt: RetrievalReceipt) -> int:
        return len(receipt.fact_ids)

    @display(description="Degraded")
    def degraded(self, receipt: RetrievalReceipt) -> SafeString | str:
        return show_badge(", ".join(receipt.degraded_reasons), "warn") if receipt.degraded_reasons else "–"


def count_chosen(receipt: RetrievalReceipt) -> int:
    """How many messages were handed out; the others of `chosen_ids` were ranked and left out for a reason."""
    return receipt.decision_reasons.count(CHOSEN)


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """One candidate of a receipt: its score, what was decided about it, and its words for those who may read them."""

    id: UUID
    score: float
    reason: str
    is_chosen: bool
    text: str
    place: int | None = None
    """In the order in which the model read what is remembered; None for what was left out."""
    outcome: str = ""
    """What the sanitiser took out of it."""


def list_candidates(receipt: RetrievalReceipt, *, has_text: bool) -> list[CandidateLine]:
    """Candidates in their order. The words are those of now: a forgotten message has none."""
    reasons = dict(zip(receipt.chosen_ids, receipt.decision_reasons, strict=False))
    user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
    messages = list_messages_by_id(user=user, message_ids=receipt.candidate_ids) if has_text else {}
    places = dict(zip(receipt.chosen_ids, receipt.context_positions, strict=False))
    outcomes = receipt.outcomes
    return [
        CandidateLine(
            id=candidate,
            score=score,
            reason=reasons.get(candidate, "").replace("_", " "),
            is_chosen=reasons.get(candidate) == CHOSEN,
            text=messages[candidate].content if candidate in messages else "",
            place=places.get(candidate),
            outcome=outcomes.get(candidate, ""),
        )
        for candidate, score in zip(receipt.candidate_ids, receipt.candidate_scores, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact of a receipt: why it was in or not, and its place in the pack; no place for what was left out."""

    id: UUID
    reason: str
    place: int | None
    outcome: str


def list_fact_lines(receipt: RetrievalReceipt) -> list[FactLine]:
    """Facts of the pack in their order, then those that were stored and not in."""
    taken = [
        FactLine(
            id=UUID(one["fact_id"]),
            reason=(one["decision_reason"] or "not kept").replace("_", " "),
            place=one["context_position"],
            outcome=receipt.outcomes.get(UUID(one["fact_id"]), ""),
        )
        for one in receipt.list_facts()
    ]
    left_out = list_left_out_facts(receipt)
    return [*taken, *(FactLine(fact_id, reason.replace("_", " "), None, "") for fact_id, reason in left_out)]


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A line of a summary, an entity or a passage of knowledge: what it is, its place and why it was in or not."""

    what: str
    id: UUID | int
    reason: str
    place: int | None
    outcome: str
    episode_id: UUID | None = None


def list_other_lines(receipt: RetrievalReceipt) -> list[OtherLine]:
    """What the pack held beside facts and messages, in its order, then what had no room."""
    rows = [_make_other("line of a message", one, one["message_id"]) for one in receipt.list_lines()]
    rows += [_make_other(f"{one['kind']} in a message", one, one["message_id"]) for one in receipt.list_entities()]
    rows += [_make_other("passage of knowledge", one, one["chunk_id"]) for one in receipt.list_chunks()]
    return sorted(rows, key=lambda row: row.place or sys.maxsize)


def _make_other(what: str, one: Mapping[str, Any], named: str | int) -> OtherLine:
    outcome = one.get("sanitiser_outcome") or ""
    return OtherLine(
        what=what,
        id=UUID(named) if isinstance(named, str) else named,
        reason=(one["decision_reason"] or "not kept").replace("_", " "),
        place=one["context_position"],
        outcome="" if outcome == UNCHANGED else outcome,
        episode_id=UUID(one["episode_id"]) if one.get("episode_id") else None,
    )


@admin.register(EmbeddingTask)
class EmbeddingTaskAdmin(TenantRows, LongListAdmin):
    view_permissions = ("operate",)
    list_display = ("message", "model", "priority", "attempts", "received_at", "available_at", "state")
    list_display_links = None
    list_filter = ("priority", "model")
    ordering = ("priority", "available_at")

    @display(description="Message")
    def message(self, task: EmbeddingTask) -> SafeString | str:
        return show_id(task.message_id)

    @display(description="State")
    def state(self, task: EmbeddingTask) -> SafeString:
        if task.orphaned_at:
            return show_badge("failed", "bad")
        return show_badge("in progress", "info") if task.claimed_at else show_badge("waiting")


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(ConsoleAdmin):
    view_permissions = ("operate",)
    list_display = ("name", "dimensions", "is_inline", "created_at")
    list_display_links = None
