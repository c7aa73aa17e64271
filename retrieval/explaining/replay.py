"""A receipt seen again: what it recorded, and what has changed since (D-21, SPEC P-4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory.errors import FactsUnavailable
from memory.facts.reading import list_facts_by_id
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_zone
from memory.types import UserRef
from retrieval.configuration import Pipeline
from retrieval.models import RetrievalReceipt
from retrieval.parts import PackParts as PackParts
from retrieval.pipeline import make_parts
from retrieval.receipts.writing import hash_question, hash_rendering
from retrieval.types import ContextQuery

FACTS_MISSING: Final = FactsUnavailable.code


class OtherQuestion(Exception):
    """The question is not the one that the receipt was written for."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The pack of a receipt made again as of its time.

    `is_same_rendering`: byte for byte what was sent then; None where the receipt keeps no hash to tell (D-52).
    """

    parts: PackParts
    is_same_rendering: bool | None
    changes: tuple[str, ...]


def look_at_pack(query: ContextQuery, *, now: datetime, pipeline: Pipeline) -> PackParts:
    """The parts of a pack for people who want to see them: without facts where those cannot be read. Writes nothing."""
    try:
        with tenant_scope(query.user.tenant_id):
            return make_parts(query, now=now, pipeline=pipeline)
    except FactsUnavailable as failure:
        return make_parts(replace(query, facts_missing=failure.code), now=now, pipeline=pipeline)


def list_changes(receipt: RetrievalReceipt, *, pipeline: Pipeline) -> Iterator[str]:
    """What a receipt named and is otherwise now, one plain sentence each: ids alone, no text. Reads only."""
    user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
    named = dict.fromkeys(
        [*receipt.chosen_ids, *receipt.span_ids, *receipt.recent_ids, *receipt.pending_ids, *receipt.line_ids]
    )
    there = list_messages_by_id(user=user, message_ids=named)
    yield from (f"message {message_id} was forgotten or erased" for message_id in named if message_id not in there)
    facts = list_facts_by_id(user=user, fact_ids=receipt.fact_ids)
    for fact_id in receipt.fact_ids:
        fact = facts.get(fact_id)
        if fact is None:
            yield f"fact {fact_id} was erased"
        elif not fact.is_active:
            yield f"fact {fact_id} no longer holds" + (f", {fact.superseded_by} does" if fact.superseded_by else "")
        elif fact.is_disputed:
            yield f"fact {fact_id} is disputed"
    if receipt.policy_version != pipeline.policy_version:
        yield f"the policy was {receipt.policy_version} and is {pipeline.policy_version}"


def replay_pack(receipt: RetrievalReceipt, *, question: str, pipeline: Pipeline) -> Replay:
    """Make the pack of a receipt again as of its time. The receipt holds no text, so the caller brings the question.

    Raises OtherQuestion when its hash is another; a receipt without a hash takes the question as it is. Writes nothing
    but the key of a user who has none.
    """
    user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
    if receipt.query_hash is not None and hash_question(question, user=user) != bytes(receipt.query_hash):
        raise OtherQuestion
    moment: datetime = receipt.as_of or receipt.created_at
    query = ContextQuery(
        user=user,
        text=question,
        conversation_id=receipt.conversation_id,
        max_tokens=receipt.max_tokens,
        intent=receipt.intent,
        mood=receipt.mood,
        model=receipt.reply_model,
        as_of=moment,
        layers=receipt.has_layers,
        facts_missing=FACTS_MISSING if FACTS_MISSING in receipt.degraded_reasons else "",
        zone=get_zone(tenant_id=receipt.tenant_id),
    )
    parts = make_parts(query, now=receipt.created_at, pipeline=pipeline)
    changes = list(list_changes(receipt, pipeline=pipeline))
    chosen = {card.message_id for card in parts.assembly.cards}
    before = {
        message_id
        for message_id, reason in zip(receipt.chosen_ids, receipt.decision_reasons, strict=True)
        if reason == "chosen"
    }
    changes += [f"message {message_id} was chosen then and is not now" for message_id in sorted(before - chosen)]
    changes += [f"message {message_id} is chosen now and was not then" for message_id in sorted(chosen - before)]
    window = parts.ingredients.context_window
    if window != receipt.context_window:
        changes.append(f"the model's window was {receipt.context_window or 'not known'} and is {window or 'not known'}")
    return Replay(parts, _is_same_rendering(receipt, parts, user=user), tuple(changes))


def _is_same_rendering(receipt: RetrievalReceipt, parts: PackParts, *, user: UserRef) -> bool | None:
    if receipt.rendering_hash is None:
        return None
    return hash_rendering(parts.assembly.rendered, user=user) == bytes(receipt.rendering_hash)
