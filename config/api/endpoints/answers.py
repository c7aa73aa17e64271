"""Values of the rooms as answers of the API."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from config.api.endpoints.fact_structs import AdjustmentView, FactExcerptView, FactView, ForgetAnswer
from config.api.endpoints.structs import (
    AnswerFindingView,
    CorrectionAnswer,
    FactChangeAnswer,
    MessageAnswer,
    MessageView,
)
from config.api.rendering import encode
from memory.epistemics import name_epistemic_type
from memory.profile.types import Adjusted
from memory.services.answered_requests import Done
from memory.services.forgets import ForgetOutcome
from memory.storing.types import Recorded
from memory.tenants.types import Actor, ActorType, Caller
from memory.types import Fact, FactChange, RecordedMessage, TenantRef
from retrieval.replies.answers import Finding
from retrieval.types import FactExcerpt


def make_tenant_ref(caller: Caller) -> TenantRef:
    """Tenant and zone of the request, as ingest takes them."""
    return TenantRef(id=caller.tenant_id, zone=ZoneInfo(caller.timezone))


def make_audit_actor(caller: Caller) -> Actor:
    """Who acts, as the audit trail names it."""
    return Actor(type=ActorType.API_KEY, id=str(caller.key_id))


def make_actor(caller: Caller) -> str:
    """Who acts, as the action log names it."""
    return f"key:{caller.key_id}"


def make_done(answer: object, *, status: int = 200, message_ids: Iterable[UUID] = ()) -> Done:
    """An answer as `ApiView.once` takes it; `message_ids` are those whose content it shows."""
    return Done(status=status, answer=b"" if answer is None else encode(answer), message_ids=tuple(message_ids))


def answer_recorded(
    recorded: Recorded, *, findings: Iterable[Finding] | None = None, indexed: Container[UUID] | None = None
) -> MessageAnswer:
    """The answer to one message, with what it gave away of its pack where it names one.

    `indexed`: the messages that have their vectors, where the caller waited for them.
    """
    return MessageAnswer(
        id=recorded.message_id,
        client_id=recorded.client_id,
        language=recorded.language,
        facts=[answer_change(change) for change in recorded.changes],
        corrections=[
            CorrectionAnswer(
                id=c.id, correction_type=c.correction_type, fact_id=c.fact_id, action=c.action, item_id=c.item_id
            )
            for c in recorded.corrections
        ],
        withheld=recorded.withheld,
        answer_guard=None if findings is None else show_findings(findings),
        indexed=None if indexed is None else recorded.message_id in indexed,
    )


def show_findings(findings: Iterable[Finding]) -> list[AnswerFindingView]:
    """What a reply gave away of its pack."""
    return [AnswerFindingView(finding.code, finding.message_id, finding.fact_id) for finding in findings]


def answer_change(change: FactChange) -> FactChangeAnswer:
    """What was done to one fact."""
    fact = change.fact
    return FactChangeAnswer(
        id=fact.id,
        knowledge_type=fact.knowledge_type,
        knowledge_key=fact.knowledge_key,
        value=fact.value,
        action=change.action,
        superseded_id=change.superseded_id,
        confidence=fact.confidence,
        expires_at=fact.expires_at,
    )


def show_fact(
    fact: Fact, *, at: datetime, excerpts: Sequence[FactExcerpt] = (), adjusted: Sequence[Adjusted] = ()
) -> FactView:
    """A fact with its evidence and provenance, as it counts at a moment, the words it rests on, and how feedback moved
    its confidence."""
    fact = name_epistemic_type(fact, at=at, outdated_after=settings.UNDE_TUNING.OUTDATED_AFTER)
    names = (name for name in FactView.__struct_fields__ if name not in _NOT_OF_FACT)
    return FactView(
        **{name: getattr(fact, name) for name in names},
        evidence_message_ids=list(fact.evidence_message_ids),
        excerpts=[FactExcerptView(excerpt.message_id, excerpt.text) for excerpt in excerpts],
        adjustments=[
            AdjustmentView(one.at, one.rule, one.uses, one.positive, one.corrected, one.before, one.after)
            for one in adjusted
        ],
    )


_NOT_OF_FACT = ("evidence_message_ids", "excerpts", "adjustments")


def show_message(message: RecordedMessage, *, conversation: str) -> MessageView:
    """A stored message under the tenant's own conversation id."""
    names = (name for name in MessageView.__struct_fields__ if name not in ("conversation_id", "metadata"))
    return MessageView(
        **{name: getattr(message, name) for name in names},
        conversation_id=conversation,
        metadata=dict(message.metadata),
    )


def answer_forget(outcome: ForgetOutcome, *, is_plan: bool = False) -> ForgetAnswer:
    """What a forget, a plan or an undoing did."""
    return ForgetAnswer(
        message_ids=outcome.message_ids,
        batch_id=None if is_plan else outcome.batch_id,
        plan_id=outcome.batch_id if is_plan else None,
        facts_deactivated=outcome.facts_deactivated,
        facts_restored=outcome.facts_restored,
        facts_left_inactive=outcome.facts_left_inactive,
        descriptions_cleared=outcome.descriptions_cleared,
        derived=outcome.derived,
        grace_until=outcome.grace_until,
    )
