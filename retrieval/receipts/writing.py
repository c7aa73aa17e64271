"""Writing receipts: the stored account of one search or one pack (SPEC P-4, D-21). Ids, scores and codes, no text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.database.queries import Query
from memory.disks import is_storage_full
from memory.ids import new_id
from memory.sealing import text_hashes
from memory.tenants.scope import run_in_scope
from memory.types import UserRef
from retrieval.sql import read_sql, write_array, write_codes

NOT_STORED = "receipt_not_stored"


@dataclass(slots=True)
class ReceiptDraft:
    """Everything a receipt holds, in the making."""

    user: UserRef
    kind: str
    question: str
    created_at: datetime
    policy_version: str
    conversation_id: UUID | None = None
    as_of: datetime | None = None
    language: str = ""
    intent: str = ""
    max_tokens: int | None = None
    mood: str = ""
    reply_model: str = ""
    tokenizer: str = ""
    ranking_version: int = 0
    model_name: str = ""
    dimensions: int = 0
    log_position: int = 0
    candidate_ids: Sequence[str] = ()
    """In hexadecimal digits (`Ranking.write_ids`)."""
    candidate_scores: Sequence[float] = ()
    chosen: Sequence[tuple[UUID, float, str]] = ()
    """Message id, score, and the reason why it is in or not, in the order of the pack."""
    guardrail_hits: Sequence[str] = ()
    span_ids: Sequence[UUID] = ()
    context_positions: Sequence[int | None] = ()
    """Of each of `chosen`: its place in the rendered pack or among the results, None for what was left out."""
    fact_ids: Sequence[UUID] = ()
    fact_reasons: Sequence[str] = ()
    excerpt_ids: Sequence[UUID] = ()
    """Messages whose words came along with the facts."""
    sanitised: Mapping[UUID, str] = field(default_factory=dict)
    """What the sanitiser took out of a part, by its id; parts that it left alone are not there."""
    context_window: int | None = None
    recent_ids: Sequence[UUID] = ()
    pending_ids: Sequence[UUID] = ()
    unproven_ids: Sequence[UUID] = ()
    has_layers: bool = False
    line_ids: Sequence[UUID] = ()
    """Messages of which a sentence was shown."""
    episode_ids: Sequence[UUID] = ()
    chunk_ids: Sequence[int] = ()
    """Chunks of knowledge, in the order of the pack."""
    line_positions: Sequence[int] = ()
    """Of each of `line_ids`, as the two below."""
    line_reasons: Sequence[str] = ()
    line_episode_ids: Sequence[UUID | None] = ()
    left_out_line_ids: Sequence[UUID] = ()
    chunk_positions: Sequence[int] = ()
    left_out_chunk_ids: Sequence[int] = ()
    entity_kinds: Sequence[str] = ()
    entity_message_ids: Sequence[UUID] = ()
    """Of each of `entity_kinds`: the first message that says it."""
    entity_positions: Sequence[int | None] = ()
    degraded_reasons: Sequence[str] = ()
    stores: Sequence[str] = ()
    budget: Mapping[str, Any] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    rendered: Sequence[Mapping[str, str]] = ()


def write_receipt(draft: ReceiptDraft, *, waits_for_disk: bool = False) -> UUID:
    """Store a receipt and give its id.

    On a full disk nothing is stored, which `list_gaps` says, so that searches and packs go on.
    Otherwise the transaction commits without waiting for the disk, so it must not write messages or facts: a caller
    that does passes `waits_for_disk`.
    """
    receipt_id = new_id()
    if is_storage_full():
        return receipt_id
    parameters = list_parameters(draft) | {
        "id": receipt_id,
        "synchronous_commit": "on" if waits_for_disk else "off",
    }
    run_in_scope([Query(read_sql("write_receipt"), parameters)])
    return receipt_id


def list_gaps() -> tuple[str, ...]:
    """The reason to give with an answer whose receipt will not be stored; none otherwise."""
    return (NOT_STORED,) if is_storage_full() else ()


def list_parameters(draft: ReceiptDraft) -> dict[str, Any]:
    """The draft as the statement takes it."""
    return {
        "tenant_id": draft.user.tenant_id,
        "user_id": draft.user.id,
        "kind": draft.kind,
        "conversation_id": draft.conversation_id,
        "created_at": draft.created_at,
        "as_of": draft.as_of,
        "query_hash": hash_question(draft.question, user=draft.user),
        "rendering_hash": hash_rendering(draft.rendered, user=draft.user) if draft.rendered else None,
        "language": draft.language,
        "intent": draft.intent[:40],
        "max_tokens": draft.max_tokens,
        "mood": draft.mood[:40],
        "reply_model": draft.reply_model[:100],
        "tokenizer": draft.tokenizer[:80],
        "ranking_version": draft.ranking_version,
        "policy_version": draft.policy_version,
        "model": draft.model_name,
        "dimensions": draft.dimensions,
        "log_position": draft.log_position,
        "candidate_ids": write_array(draft.candidate_ids[: settings.UNDE_TUNING.RECEIPT_CANDIDATES]),
        "candidate_scores": write_array(draft.candidate_scores[: settings.UNDE_TUNING.RECEIPT_CANDIDATES]),
        "chosen_ids": write_array([message_id for message_id, _, _ in draft.chosen]),
        "chosen_scores": write_array([score for _, score, _ in draft.chosen]),
        "decision_reasons": write_codes([reason for _, _, reason in draft.chosen]),
        "guardrail_hits": write_codes(draft.guardrail_hits),
        "span_ids": write_array(draft.span_ids),
        "context_positions": _write_gaps(draft.context_positions),
        "fact_ids": write_array(draft.fact_ids),
        "fact_reasons": write_codes(draft.fact_reasons),
        "excerpt_ids": write_array(draft.excerpt_ids),
        "sanitised_ids": write_array(list(draft.sanitised)),
        "sanitiser_outcomes": write_codes(list(draft.sanitised.values())),
        "context_window": draft.context_window,
        "recent_ids": write_array(draft.recent_ids),
        "pending_ids": write_array(draft.pending_ids),
        "unproven_ids": write_array(draft.unproven_ids),
        "has_layers": draft.has_layers,
        "line_ids": write_array(draft.line_ids),
        "episode_ids": write_array(draft.episode_ids),
        "chunk_ids": write_array(draft.chunk_ids),
        "line_positions": write_array(draft.line_positions),
        "line_reasons": write_codes(draft.line_reasons),
        "line_episode_ids": _write_gaps(draft.line_episode_ids),
        "left_out_line_ids": write_array(draft.left_out_line_ids[: settings.UNDE_TUNING.RECEIPT_LEFT_OUT_LINES]),
        "chunk_positions": write_array(draft.chunk_positions),
        "left_out_chunk_ids": write_array(draft.left_out_chunk_ids),
        "entity_kinds": write_codes(draft.entity_kinds),
        "entity_message_ids": write_array(draft.entity_message_ids),
        "entity_positions": _write_gaps(draft.entity_positions),
        "degraded_reasons": write_codes(draft.degraded_reasons),
        "stores": write_codes(draft.stores),
        "budget": json.dumps(draft.budget),
        "timings": json.dumps(draft.timings_ms),
    }


def _write_gaps(values: Sequence[UUID | int | None]) -> str:
    return write_array(["NULL" if each is None else each for each in values])


def hash_question(question: str, *, user: UserRef) -> bytes | None:
    """A hash of a question under the user's key: equal for the same question, confirms nothing without the key (D-52).

    None where there is no key (`memory.sealing.text_hashes`).
    """
    return text_hashes.hash_text(question, use="receipt question", user=user)


def hash_rendering(rendered: Sequence[Mapping[str, str]], *, user: UserRef) -> bytes | None:
    """The same of what was sent to the model, so that a replay can be compared byte for byte."""
    text = json.dumps(list(rendered), ensure_ascii=False, sort_keys=True)
    return text_hashes.hash_text(text, use="receipt rendering", user=user)
