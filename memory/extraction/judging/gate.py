"""The gate: a model proposes, these rules decide (SPEC X-3, D-24, KSP fix 1B). Pure and deterministic.

A proposal passes a table of checks on its form, then its value is looked for where the user said it. What is found
there decides: what the instant grammar reads is a fact, what is only bound to its trigger needs a second independent
evidence and waits for it as a candidate, what merely stands in the same message is refused. Each refusal has a code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from memory.dates import end_of_day
from memory.extraction.judging.adaptive import judge_item
from memory.extraction.judging.around.exchanges import (
    is_framed,
    is_revoked_later,
    is_spoken_of_later,
    is_unsaid_after,
)
from memory.extraction.judging.clauses import BARE, BOUND, BRAND, DECLARED, Mention
from memory.extraction.judging.context import GateContext, list_evidence, reject
from memory.extraction.judging.form import check_evidence, check_quarantine, check_subject
from memory.extraction.judging.independence import EvidenceView, has_two_independent
from memory.extraction.judging.recipes import GATE
from memory.extraction.judging.removals import judge_removal
from memory.extraction.judging.values import Wanted, make_wanted, want_fact
from memory.extraction.types import (
    ADAPTIVE_TYPES,
    EXTRACTABLE_TYPES,
    Candidate,
    Decision,
    Operation,
)
from memory.types import RecordedMessage, Statement

CONTRADICTIONS: Final = frozenset({"negated", "past", "cancelled", "sarcasm"})


def judge(operations: Iterable[Operation], context: GateContext) -> list[Decision]:
    """A decision for each proposal, in order; a key is decided once a run. Never raises on any proposal."""
    decisions: list[Decision] = []
    decided: set[tuple[str, str]] = set()
    for operation in operations:
        decision = judge_one(operation, context)
        slot = _get_slot(decision, context)
        if decision.effect and slot in decided:
            decision = reject(operation, "decided_already")
        elif decision.effect and slot is not None:
            decided.add(slot)
        decisions.append(decision)
    return decisions


def judge_one(operation: Operation, context: GateContext) -> Decision:
    """The decision on one proposal by itself."""
    if operation.knowledge_type in context.withheld and operation.operation != "REMOVE":
        return reject(operation, "consent_missing")
    if operation.knowledge_type in ADAPTIVE_TYPES:
        return judge_item(operation, context)
    for check in CHECKS:
        reason = check(operation, context)
        if reason is not None:
            return reject(operation, reason)
    if operation.operation == "REMOVE":
        return judge_removal(operation, context)
    wanted = _find_wanted(operation, context)
    return reject(operation, wanted) if isinstance(wanted, str) else _judge_statement(operation, wanted, context)


# --- checks of form: the first that answers decides ------------------------------------------------------------------


def _check_type(operation: Operation, context: GateContext) -> str | None:
    return None if operation.knowledge_type in EXTRACTABLE_TYPES else "type_not_guaranteed"


def _check_confidence(operation: Operation, context: GateContext) -> str | None:
    return None if operation.confidence >= GATE.min_confidence else "low_confidence"


def _check_fact(operation: Operation, context: GateContext) -> str | None:
    if operation.operation == "ADD":
        return None
    fact = context.material.facts.get(operation.knowledge_id or "")
    return None if fact is not None and fact.knowledge_type == operation.knowledge_type else "unknown_fact"


CHECKS: Final[tuple[Callable[[Operation, GateContext], str | None], ...]] = (
    _check_type,
    check_subject,
    _check_confidence,
    check_evidence,
    _check_fact,
    check_quarantine,
)


# --- statements ------------------------------------------------------------------------------------------------------


def _find_wanted(operation: Operation, context: GateContext) -> Wanted | str:
    if operation.operation == "CONFIRM":
        fact = context.material.facts[operation.knowledge_id or ""]
        return want_fact(fact.knowledge_type, fact.knowledge_key, fact.value)
    wanted = make_wanted(operation, rules=context.rules)
    if isinstance(wanted, str) or operation.operation == "ADD":
        return wanted
    fact = context.material.facts[operation.knowledge_id or ""]
    return wanted if wanted.slot == fact.slot and not wanted.is_literal else "wrong_fact"


@dataclass(frozen=True, slots=True)
class _Evidence:
    message: RecordedMessage
    mention: Mention


def _judge_statement(operation: Operation, wanted: Wanted, context: GateContext) -> Decision:
    found = _find_evidence(operation, wanted, context)
    if isinstance(found, str):
        return reject(operation, found)
    current = context.find_current(wanted.slot)
    said_at = found[-1].message.created_at
    if current is not None and current.value == wanted.value:
        if {e.message.id for e in found} <= set(current.evidence_message_ids):
            return Decision(operation, "already_known", fact_id=current.id)
    elif current is not None and said_at < current.last_validated_at:
        return reject(operation, "older_than_fact")
    return _weigh(operation, wanted, found, context)


def _find_evidence(operation: Operation, wanted: Wanted, context: GateContext) -> list[_Evidence] | str:
    """The cited messages that say the value with nothing against it, or the code of what is wrong with all of them."""
    cited = list_evidence(operation, context)
    own = [message for message in cited if not context.is_echo(message)]
    if not own:
        return "echo"
    speaking = [(m, mentions) for m in own if (mentions := context.read(m).list_mentions(wanted))]
    if not speaking:
        return "value_not_in_evidence"
    # The last statement counts: "size M" and later "not M any more" is no M.
    vetoes = [mention.veto for mention in speaking[-1][1]]
    if all(vetoes):
        return f"veto_{vetoes[0]}"
    if _is_contradicted(wanted, after=own[-1], context=context):
        return "contradicted_later"
    speaking = [(m, mentions) for m, mentions in speaking if not is_framed(m, context)]
    if not speaking:
        return "framed"
    if is_revoked_later(speaking[0][0], context, wanted):
        return "contradicted_later"
    best = [_Evidence(m, mention) for m, mentions in speaking if (mention := _find_best(mentions)) is not None]
    bound = [evidence for evidence in best if evidence.mention.strength >= BOUND]
    if bound:
        kept = [evidence for evidence in bound if not is_unsaid_after(evidence.message, wanted, context)]
        return [_weaken(evidence, wanted, context) for evidence in kept] or "contradicted_later"
    return "value_not_bound" if any(evidence.mention.strength > BARE for evidence in best) else "no_anchor"


def _weaken(evidence: _Evidence, wanted: Wanted, context: GateContext) -> _Evidence:
    """What is spoken of again later and not stated there is no declaration any more."""
    if evidence.mention.strength < DECLARED or not is_spoken_of_later(evidence.message, wanted, context):
        return evidence
    return replace(evidence, mention=replace(evidence.mention, strength=BOUND))


def _find_best(mentions: Sequence[Mention]) -> Mention | None:
    clear = [mention for mention in mentions if mention.veto is None]
    return max(clear, key=lambda mention: mention.strength, default=None)


def _is_contradicted(wanted: Wanted, *, after: RecordedMessage, context: GateContext) -> bool:
    """A later message of the user, cited or not, takes the value back."""
    later = [
        message
        for message in context.material.messages.values()
        if message.role == "user" and (message.created_at, message.seq) > (after.created_at, after.seq)
    ]
    return any(
        mention.veto in CONTRADICTIONS for message in later for mention in context.read(message).list_mentions(wanted)
    )


def _weigh(operation: Operation, wanted: Wanted, found: list[_Evidence], context: GateContext) -> Decision:
    """Declared, twice said, or only staged. All evidence binds the value."""
    strength = max(evidence.mention.strength for evidence in found)
    candidate = context.candidates.get(wanted.slot)
    if candidate is not None and candidate.value != wanted.value:
        candidate = None
    views = _list_views(found, wanted, candidate, context)
    if wanted.is_literal:
        return _stage(operation, wanted, found, context, kind="unknown_allergen")
    # A known and bound value is said again: a confirmation adds no value.
    if strength == DECLARED or operation.operation == "CONFIRM":
        return _accept(operation, wanted, found, candidate, context, is_declared=True)
    if has_two_independent(views, gap=context.session_gap):
        return _accept(operation, wanted, found, candidate, context, is_declared=False)
    return _stage(operation, wanted, found, context, kind="second_evidence")


def _list_views(
    found: Sequence[_Evidence], wanted: Wanted, candidate: Candidate | None, context: GateContext
) -> list[EvidenceView]:
    """The evidence of now and of the candidate, as independence looks at it."""
    views = [_make_view(evidence.message, evidence.mention, context) for evidence in found]
    known = {view.message_id for view in views}
    for message_id in candidate.evidence_message_ids if candidate else ():
        message = context.earlier.get(message_id)
        if message is None or message_id in known:
            continue
        best = _find_best(context.read(message).list_mentions(wanted))
        if best is not None and best.strength >= BOUND:
            views.append(_make_view(message, best, context))
    return views


def _make_view(message: RecordedMessage, mention: Mention, context: GateContext) -> EvidenceView:
    return EvidenceView(
        message_id=message.id,
        conversation_id=message.conversation_id,
        seq=message.seq,
        said_at=message.created_at,
        day=message.created_at.astimezone(context.zone).date(),
        session=context.sessions.get(message.id, 0),
        words=mention.words,
    )


def _accept(
    operation: Operation,
    wanted: Wanted,
    found: Sequence[_Evidence],
    candidate: Candidate | None,
    context: GateContext,
    *,
    is_declared: bool,
) -> Decision:
    said_at = found[-1].message.created_at
    evidence = _join_evidence(found, candidate, context)
    statement = Statement(
        knowledge_type=wanted.knowledge_type,
        knowledge_key=wanted.knowledge_key,
        value=wanted.value,
        confidence=min(operation.confidence, GATE.declared_cap if is_declared else GATE.analysis_cap),
        extracted_from="batch",
        said_at=said_at,
        provenance="confirmed_by_user" if is_declared else "analysis",
        epistemic_type="preference" if wanted.knowledge_type == BRAND else "fact",
        expires_at=_find_expiry(wanted, found, context),
        evidence_message_ids=evidence,
        language=context.read(found[-1].message).language,
        rule=context.rule_name,
        rule_version=context.rule_version,
    )
    return Decision(
        operation,
        "accepted",
        effect="set",
        statement=statement,
        said_at=said_at,
        evidence_message_ids=evidence,
        candidate_id=candidate.id if candidate else None,
        language=statement.language,
    )


def _stage(
    operation: Operation, wanted: Wanted, found: Sequence[_Evidence], context: GateContext, *, kind: str
) -> Decision:
    candidate = context.candidates.get(wanted.slot)
    is_same = candidate is not None and candidate.value == wanted.value
    evidence = _join_evidence(found, candidate if is_same else None, context)
    language = context.read(found[-1].message).language
    statement = Statement(
        knowledge_type=wanted.knowledge_type,
        knowledge_key=wanted.knowledge_key,
        value=wanted.value,
        confidence=min(operation.confidence, GATE.analysis_cap),
        extracted_from="batch",
        said_at=found[-1].message.created_at,
        provenance="analysis",
        evidence_message_ids=evidence,
        language=language,
    )
    return Decision(
        operation,
        "staged",
        effect="stage",
        statement=statement,
        said_at=statement.said_at,
        evidence_message_ids=evidence,
        candidate_id=candidate.id if candidate else None,
        candidate_kind=kind,
        language=language,
    )


def _join_evidence(found: Sequence[_Evidence], candidate: Candidate | None, context: GateContext) -> tuple[UUID, ...]:
    """What the candidate rests on and is still there, then what was found now."""
    earlier = [mid for mid in candidate.evidence_message_ids if mid in context.earlier] if candidate else []
    return tuple(dict.fromkeys([*earlier, *(evidence.message.id for evidence in found)]))


def _find_expiry(wanted: Wanted, found: Sequence[_Evidence], context: GateContext) -> datetime | None:
    """The date that the user said, else the default; the model's own idea of a date is not asked (SPEC F-5)."""
    if wanted.knowledge_type != "life_event":
        return None
    dated = [evidence.mention.expires_on for evidence in found if evidence.mention.expires_on is not None]
    last_day = found[-1].message.created_at.astimezone(context.zone).date() + timedelta(days=context.event_days)
    return end_of_day(dated[-1] if dated else last_day, context.zone)


def _get_slot(decision: Decision, context: GateContext) -> tuple[str, str] | None:
    if decision.item is not None:
        return (decision.item.item_type, decision.item.key)
    if decision.statement is not None:
        return (decision.statement.knowledge_type, decision.statement.knowledge_key)
    fact = next((f for f in context.material.facts.values() if f.id == decision.fact_id), None)
    return fact.slot if fact else None
