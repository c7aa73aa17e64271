"""Receipts: the stored account of one search or one pack. Ids, scores and codes, no text (SPEC P-4, D-21)."""

from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models import OfUser
from retrieval.reasons import CHOSEN, OVER_BUDGET

UNCHANGED = "unchanged"
"""What the sanitiser did to nearly every text."""


class RetrievalReceipt(OfUser):
    """What was considered, what was taken and why.

    Arrays of one name's candidates, choices and reasons are parallel.
    """

    kind = models.CharField(max_length=16)
    conversation_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()
    as_of = models.DateTimeField(null=True, blank=True)
    query_hash = models.BinaryField(max_length=32, null=True)
    """Under the user's key (D-52), as the one below. None: there was no key, or a part of the user was erased since."""
    rendering_hash = models.BinaryField(max_length=32, null=True)
    language = models.CharField(max_length=16, blank=True, default="")
    intent = models.CharField(max_length=40, blank=True, default="")
    policy_version = models.CharField(max_length=80)
    max_tokens = models.IntegerField(null=True, blank=True)
    mood = models.CharField(max_length=40, blank=True, default="")
    reply_model = models.CharField(max_length=100, blank=True, default="")
    tokenizer = models.CharField(max_length=80, blank=True, default="")
    ranking_version = models.IntegerField(default=0)
    model_id = models.SmallIntegerField(null=True, blank=True)
    log_position = models.BigIntegerField(default=0)
    candidate_ids = ArrayField(models.UUIDField(), default=list)
    candidate_scores = ArrayField(models.FloatField(), default=list)
    chosen_ids = ArrayField(models.UUIDField(), default=list)
    chosen_scores = ArrayField(models.FloatField(), default=list)
    decision_reasons = ArrayField(models.TextField(), default=list)
    guardrail_hits = ArrayField(models.TextField(), default=list)
    span_ids = ArrayField(models.UUIDField(), default=list)
    fact_ids = ArrayField(models.UUIDField(), default=list)
    recent_ids = ArrayField(models.UUIDField(), default=list)
    pending_ids = ArrayField(models.UUIDField(), default=list)
    unproven_ids = ArrayField(models.UUIDField(), default=list)
    degraded_reasons = ArrayField(models.TextField(), default=list)
    stores = ArrayField(models.TextField(), default=list)
    context_positions = ArrayField(models.SmallIntegerField(null=True), default=list)
    fact_reasons = ArrayField(models.TextField(), default=list)
    excerpt_ids = ArrayField(models.UUIDField(), default=list)
    sanitised_ids = ArrayField(models.UUIDField(), default=list)
    sanitiser_outcomes = ArrayField(models.TextField(), default=list)
    context_window = models.IntegerField(null=True, blank=True)
    has_layers = models.BooleanField(default=False)
    line_ids = ArrayField(models.UUIDField(), default=list)
    """Messages of which a sentence was shown."""
    episode_ids = ArrayField(models.UUIDField(), default=list)
    chunk_ids = ArrayField(models.BigIntegerField(), default=list)
    """Chunks of knowledge in a pack, in its order."""
    line_positions = ArrayField(models.SmallIntegerField(), default=list)
    """Of each of `line_ids`, as the two below; none in receipts from before they were kept."""
    line_reasons = ArrayField(models.TextField(), default=list)
    line_episode_ids = ArrayField(models.UUIDField(null=True), default=list)
    left_out_line_ids = ArrayField(models.UUIDField(), default=list)
    chunk_positions = ArrayField(models.SmallIntegerField(), default=list)
    left_out_chunk_ids = ArrayField(models.BigIntegerField(), default=list)
    entity_kinds = ArrayField(models.TextField(), default=list)
    entity_message_ids = ArrayField(models.UUIDField(), default=list)
    """Of each of `entity_kinds`: the first message that says it. Its words are not kept."""
    entity_positions = ArrayField(models.SmallIntegerField(null=True), default=list)
    budget = models.JSONField(default=dict)
    timings = models.JSONField(default=dict)

    class Meta:
        db_table = "retrieval_receipt"
        verbose_name = "receipt"

    def to_public_dict(self) -> dict[str, Any]:
        """The fields that callers may read (GET /v1/receipts/{id}): ids, scores and codes."""
        return {
            "id": str(self.id),
            "kind": self.kind,
            "created_at": self.created_at.isoformat(),
            "as_of": self.as_of.isoformat() if self.as_of else None,
            "policy_version": self.policy_version,
            "language": self.language,
            "intent": self.intent,
            "max_tokens": self.max_tokens,
            "mood": self.mood,
            "model": self.reply_model,
            "tokenizer": self.tokenizer,
            "ranking_version": self.ranking_version,
            "context_window": self.context_window,
            "candidates": self.list_candidates(),
            "facts": self.list_facts(),
            "summary_lines": self.list_lines(),
            "knowledge": self.list_chunks(),
            "entities": self.list_entities(),
            "sanitised": [{"id": str(one), "outcome": outcome} for one, outcome in self.outcomes.items()],
            "excerpt_message_ids": [str(message_id) for message_id in self.excerpt_ids],
            "span_message_ids": [str(message_id) for message_id in self.span_ids],
            "fact_ids": [str(fact_id) for fact_id in self.fact_ids],
            "recent_message_ids": [str(message_id) for message_id in self.recent_ids],
            "unproven_ids": [str(unproven_id) for unproven_id in self.unproven_ids],
            "pending_message_ids": [str(message_id) for message_id in self.pending_ids],
            "has_layers": self.has_layers,
            "line_message_ids": [str(message_id) for message_id in self.line_ids],
            "episode_ids": [str(episode_id) for episode_id in self.episode_ids],
            "chunk_ids": list(self.chunk_ids),
            "guardrail_hits": list(self.guardrail_hits),
            "degraded_reasons": list(self.degraded_reasons),
            "stores": list(self.stores),
            "budget_allocation": self.budget,
            "timings_ms": self.timings,
        }

    @property
    def outcomes(self) -> dict[UUID, str]:
        """What the sanitiser took out of a part, by its id; parts that it left alone are not there."""
        return dict(zip(self.sanitised_ids, self.sanitiser_outcomes, strict=True))

    def list_candidates(self) -> list[dict[str, Any]]:
        """What was considered: score, reason, place in the pack and what the sanitiser did.

        Place and outcome are None for what was left out, and in receipts from before they were kept.
        """
        places = self.context_positions or [None] * len(self.chosen_ids)
        rows = zip(self.chosen_ids, self.chosen_scores, self.decision_reasons, places, strict=True)
        return [
            {
                "message_id": str(message_id),
                "candidate_score": score,
                "decision_reason": reason,
                "context_position": place,
                "sanitiser_outcome": None if place is None else self._name_outcome(message_id),
            }
            for message_id, score, reason, place in rows
        ]

    def list_facts(self) -> list[dict[str, Any]]:
        """The facts of the pack in their order, each with the reason why it is in. Facts stand before all else."""
        reasons: list[str | None] = [*self.fact_reasons] or [None] * len(self.fact_ids)
        rows = enumerate(zip(self.fact_ids, reasons, strict=True), start=1)
        return [
            {
                "fact_id": str(fact_id),
                "decision_reason": reason,
                "context_position": place,
                "sanitiser_outcome": self._name_outcome(fact_id) if reason else None,
            }
            for place, (fact_id, reason) in rows
        ]

    def list_lines(self) -> list[dict[str, Any]]:
        """The lines of summaries in the order of the pack, then messages whose line had no room.

        Receipts from before have neither reasons nor places.
        """
        blanks = [None] * len(self.line_ids)
        columns = (self.line_episode_ids or blanks, self.line_reasons or blanks, self.line_positions or blanks)
        rows = [*zip(self.line_ids, *columns, strict=True)]
        rows += [(one, None, OVER_BUDGET, None) for one in self.left_out_line_ids]
        return [
            {
                "message_id": str(message_id),
                "episode_id": None if episode_id is None else str(episode_id),
                "decision_reason": reason,
                "context_position": place,
                "sanitiser_outcome": None if place is None else self._name_outcome(message_id),
            }
            for message_id, episode_id, reason, place in rows
        ]

    def list_chunks(self) -> list[dict[str, Any]]:
        """The chunks of knowledge in the order of the pack, then those that had no room."""
        reason = CHOSEN if self.chunk_positions else None
        places: list[int | None] = [*self.chunk_positions] or [None] * len(self.chunk_ids)
        taken = zip(self.chunk_ids, places, strict=True)
        rows = [*((one, reason, place) for one, place in taken)]
        rows += [(one, OVER_BUDGET, None) for one in self.left_out_chunk_ids]
        return [{"chunk_id": one, "decision_reason": reason, "context_position": place} for one, reason, place in rows]

    def list_entities(self) -> list[dict[str, Any]]:
        """The entities in the order of the pack: kinds and messages, no words."""
        rows = zip(self.entity_kinds, self.entity_message_ids, self.entity_positions, strict=True)
        return [
            {
                "kind": kind,
                "message_id": str(message_id),
                "decision_reason": OVER_BUDGET if place is None else CHOSEN,
                "context_position": place,
            }
            for kind, message_id, place in rows
        ]

    def _name_outcome(self, one: UUID) -> str | None:
        return self.outcomes.get(one, UNCHANGED) if self.kind == "context" else None
