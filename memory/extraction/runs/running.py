"""One run: read new messages, call the model without an open transaction, judge, write under the user's lock.

A worker may die between any two of these: before the answer is stored nothing has happened, afterwards the next run
finds the answer and goes on from there. Facts, candidates, samples, counters and the run's end are one transaction.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.utils import timezone

from memory.database.statements import execute, fetch_row
from memory.errors import CodedError, UserErased
from memory.extraction.judging.clauses import MessageReader
from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge
from memory.extraction.metrics import COST, DURATION, ERRORS, TOKENS, count_result
from memory.extraction.model.answers import AnswerUnreadable, read_answer
from memory.extraction.model.openai_client import ModelClient, ModelFailed
from memory.extraction.model.prompt import ADAPTIVE_SUFFIX, build_prompt, choose_version, make_material
from memory.extraction.quality.figures import count_tokens
from memory.extraction.quality.samples import sample_changes
from memory.extraction.quality.switches import block_until, get_daily_tokens, get_state, list_quarantined
from memory.extraction.runs.applying import apply_decisions
from memory.extraction.runs.log import (
    StoredAnswer,
    close_run,
    fail_run,
    find_stored_answer,
    get_run,
    hold_run,
    note_judging,
    note_reading,
    store_answer,
    was_read_just_now,
)
from memory.extraction.runs.portions import Portion, choose_portion, number_user_sessions
from memory.extraction.types import ADAPTIVE_TYPES, Answer, Applied, Claim, Completion, Item, Material, RunOutcome
from memory.extraction.unproven.candidates import list_open_candidates
from memory.extraction.unproven.items import list_held_items
from memory.facts.reading import list_active_facts
from memory.facts.writing import load_ledger, save_ledger
from memory.fence.consents import list_withheld, name_types
from memory.fence.user_lock import lock_user
from memory.selectors.messages import list_current_messages
from memory.tenants.database_errors import to_coded_error
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.types import KNOWLEDGE_TYPES, Fact, RecordedMessage, UserRef
from patterns.registry import get_rule_set

log = structlog.get_logger(__name__)

ACTOR = "system"

FindCurrent = Callable[..., dict[UUID, RecordedMessage]]
FindQuarantined = Callable[..., frozenset[tuple[str, str]]]
FindWithheld = Callable[..., frozenset[str]]


class HasFacts(Protocol):
    """A ledger, or what stands for one of an earlier day."""

    def list_facts(self) -> list[Fact]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What the run works on: the portion, the facts shown, the prompt's version, an answer that is already there."""

    portion: Portion
    material: Material
    zone: ZoneInfo
    version: str
    stored: StoredAnswer | None

    @property
    def is_adaptive(self) -> bool:
        """Whether the model was asked for adaptive items too (SPEC X-7)."""
        return self.version.endswith(ADAPTIVE_SUFFIX)


def run_extraction(
    claim: Claim,
    *,
    client: ModelClient,
    clock: Callable[[], datetime] = timezone.now,
    draw: Callable[[], float] = random.random,
) -> RunOutcome:
    """Carry out a claimed run and close it. Never raises for what a model, a lock or the database does; writes.

    Whatever else goes wrong closes the run too: an open one keeps its user waiting until the lease is over.
    """
    started = time.perf_counter()
    try:
        outcome = _run(claim, client=client, clock=clock, draw=draw)
    except (ModelFailed, AnswerUnreadable, CodedError) as failure:
        outcome = _fail(claim, code=failure.code, now=clock())
    except DatabaseError as error:
        outcome = _fail(claim, code=to_coded_error(error).code, now=clock())
    except Exception as error:
        # Its kind alone: the message may quote what the user said.
        log.error("extraction_run_broke", run_id=str(claim.run_id), error=type(error).__name__)
        outcome = _fail(claim, code="internal_error", now=clock())
    DURATION.observe(time.perf_counter() - started)
    log.info("extraction_run", run_id=str(claim.run_id), status=outcome.status, code=outcome.code)
    return outcome


def _run(claim: Claim, *, client: ModelClient, clock: Callable[[], datetime], draw: Callable[[], float]) -> RunOutcome:
    if not get_rule_set(tenant_id=claim.user.tenant_id).rules:
        # Without its vocabulary the gate refuses everything, and the messages would count as read.
        return _fail(claim, code="rules_not_in_force", now=clock())
    reading = prepare_reading(claim, client=client, now=clock())
    if isinstance(reading, RunOutcome):
        return reading
    answer = read_answer(ask_model(claim, reading, client=client, now=clock()).text)
    return apply_answer(claim, reading, answer, now=clock(), draw=draw)


# --- before the model -------------------------------------------------------------------------------------------------


def prepare_reading(claim: Claim, *, client: ModelClient, now: datetime) -> Reading | RunOutcome:
    """What is to be read, noted in the run; or the run's end, when there is nothing to ask. Writes and commits."""
    if not has_tokens_left(tenant_id=claim.user.tenant_id, now=now):
        return _close(claim, RunOutcome("skipped", "daily_tokens"), now=now, next_at=now)
    with tenant_scope(claim.user.tenant_id):
        run = get_run(claim)
        tenant = find_tenant(tenant_id=claim.user.tenant_id)
        if run is None or tenant is None:
            return RunOutcome("lost", "not_ours")
        portion = choose_portion(user=claim.user)
        if run.failures >= settings.UNDE_TUNING.EXTRACTION_MAX_FAILURES:
            return _pass_over(claim, portion, RunOutcome("abandoned", "too_many_failures"), now=now)
        if "model" in list_withheld(user=claim.user):
            return _pass_over(claim, portion, RunOutcome("done", "consent_missing"), now=now)
        if not portion.has_user_words:
            return _pass_over(claim, portion, RunOutcome("done", "nothing_said"), now=now)
        is_adaptive = read_settings(tenant).is_adaptive_policy_on
        version = choose_version(is_adaptive=is_adaptive)
        material = make_material(
            messages=portion.messages,
            facts=list_active_facts(user=claim.user, now=now),
            items=list_held_items(user=claim.user) if is_adaptive else (),
        )
        ids = [message.id for message in portion.messages]
        fingerprint = note_reading(claim, message_ids=ids, model=client.endpoint.model, prompt_version=version)
        if was_read_just_now(claim, fingerprint=fingerprint, now=now):
            wait = settings.UNDE_TUNING.EXTRACTION_REPEAT_GAP
            return _close(claim, RunOutcome("skipped", "same_messages"), now=now, next_at=now + wait)
        stored = find_stored_answer(claim, fingerprint=fingerprint, prompt_version=version, now=now)
    return Reading(portion, material, ZoneInfo(tenant.timezone), version, stored)


def has_tokens_left(*, tenant_id: UUID, now: datetime) -> bool:
    """Whether the tenant may ask a model today; when not, nothing is claimed before tomorrow (UTC). Writes then."""
    limit = get_daily_tokens(tenant_id=tenant_id, default=settings.UNDE_TUNING.EXTRACTION_DAILY_TOKENS)
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with tenant_scope(tenant_id):
        used = count_tokens(tenant_id=tenant_id, since=today)
    if used < limit:
        return True
    block_until(tenant_id=tenant_id, until=today + timedelta(days=1))
    return False


def _pass_over(claim: Claim, portion: Portion, outcome: RunOutcome, *, now: datetime) -> RunOutcome:
    """Nothing is asked about these messages: they count as read. They stay in RAW, where search finds them."""
    lock_user(user=claim.user)
    mark_read(user=claim.user, read_up_to=portion.read_up_to)
    return _close(claim, outcome, now=now, next_at=now + settings.UNDE_TUNING.EXTRACTION_MIN_GAP)


def _close(claim: Claim, outcome: RunOutcome, *, now: datetime, next_at: datetime) -> RunOutcome:
    with tenant_scope(claim.user.tenant_id):
        close_run(claim, outcome, now=now, next_at=next_at)
    return outcome


# --- the model --------------------------------------------------------------------------------------------------------


def ask_model(claim: Claim, reading: Reading, *, client: ModelClient, now: datetime) -> Completion:
    """The answer, stored before it is used. Raises ModelFailed. No transaction is open while the model thinks."""
    if reading.stored is not None:
        return reading.stored.completion
    prompt = build_prompt(reading.material, now=now, zone=reading.zone, version=reading.version)
    started = time.perf_counter()
    completion = client.complete(prompt)
    cost = client.endpoint.count_cost(completion)
    TOKENS.labels("prompt").inc(completion.prompt_tokens)
    TOKENS.labels("completion").inc(completion.completion_tokens)
    COST.inc(cost)
    store_answer(
        claim,
        completion=completion,
        facts={ref: fact.id for ref, fact in reading.material.facts.items()},
        cost_usd=cost,
        duration_ms=round((time.perf_counter() - started) * 1000),
    )
    return completion


# --- after the model --------------------------------------------------------------------------------------------------


def apply_answer(
    claim: Claim, reading: Reading, answer: Answer, *, now: datetime, draw: Callable[[], float]
) -> RunOutcome:
    """Judge the proposals against what holds now and write what passes, all in one transaction under the lock."""
    state = get_state(tenant_id=claim.user.tenant_id, default_share=settings.UNDE_TUNING.REVIEW_SHARE)
    readers = analyse_messages(claim.user, reading, answer, now=now)
    with tenant_scope(claim.user.tenant_id):
        lock_user(user=claim.user)
        if not hold_run(claim):
            return RunOutcome("lost", "not_ours")
        ledger = load_ledger(user=claim.user, now=now)
        context = build_context(claim.user, reading, ledger, readers=readers, now=now)
        note_judging(claim, log_position=ledger.log_position, rule_set_version=context.rules.version)
        decisions = judge(answer.operations, context)
        applied = apply_decisions(
            decisions, ledger=ledger, user=claim.user, run_id=claim.run_id, rules=context.rules, now=now
        )
        save_ledger(ledger, user=claim.user, actor=ACTOR, now=now)
        sample_changes(claim, applied, share=state.sample_share, draw=draw, now=now)
        left = mark_read(user=claim.user, read_up_to=reading.portion.read_up_to)
        outcome = make_outcome(applied, answer)
        gap = settings.UNDE_TUNING.EXTRACTION_MIN_GAP
        # A backlog (an import, or a day without endpoint) is read on at once; the tenant's tokens bound it.
        has_backlog = left >= settings.UNDE_TUNING.EXTRACTION_PENDING_MESSAGES
        close_run(claim, outcome, now=now, next_at=now if has_backlog else now + gap)
    for entry in applied:
        count_result(entry.result, operation=entry.decision.operation.operation)
    return outcome


def analyse_messages(user: UserRef, reading: Reading, answer: Answer, *, now: datetime) -> dict[UUID, MessageReader]:
    """Analyse the messages that the answer is about before the lock is taken: grammar takes time, and others wait."""
    context = make_context(user, reading, reading.material, now=now)
    judge(answer.operations, context)
    return context.readers


def build_context(
    user: UserRef,
    reading: Reading,
    ledger: HasFacts,
    *,
    readers: dict[UUID, MessageReader],
    now: datetime,
    find_current: FindCurrent = list_current_messages,
    find_quarantined: FindQuarantined = list_quarantined,
    find_withheld: FindWithheld = list_withheld,
) -> GateContext:
    """What the gate looks at, as it is under the lock: messages forgotten or edited meanwhile are no evidence.

    A rebuild says what was current and quarantined at its moment of the past.
    """
    candidates = {candidate.slot: candidate for candidate in list_open_candidates(user=user)}
    shown_ids = [message.id for message in reading.material.messages.values()]
    items = {item.slot: item for item in list_held_items(user=user)} if reading.is_adaptive else {}
    earlier_ids = [mid for candidate in candidates.values() for mid in candidate.evidence_message_ids]
    earlier_ids += [mid for item in items.values() for mid in item.evidence_message_ids]
    current = find_current(user=user, message_ids=[*shown_ids, *earlier_ids])
    material = Material(
        messages={
            ref: current[message.id] for ref, message in reading.material.messages.items() if message.id in current
        },
        facts=rename_facts(reading, ledger),
        items=_list_shown_items(reading, items),
    )
    return replace(
        make_context(user, reading, material, now=now),
        candidates=candidates,
        earlier=current,
        sessions=number_user_sessions(user=user, messages=current.values(), gap=settings.UNDE_TUNING.SESSION_GAP),
        quarantined=find_quarantined(tenant_id=user.tenant_id),
        withheld=name_unproposed(find_withheld(user=user)),
        readers=readers,
        items=items,
    )


def name_unproposed(kinds: frozenset[str]) -> frozenset[str]:
    """The types of which a model may propose nothing, of a user for whom these kinds may not be kept. Pure."""
    return frozenset((*KNOWLEDGE_TYPES, *ADAPTIVE_TYPES)) if "model" in kinds else name_types(kinds)


def _list_shown_items(reading: Reading, items: Mapping[tuple[str, str], Item]) -> dict[str, Item]:
    """The items under the names under which the model saw them; a stored answer's names are of another day."""
    if reading.stored is not None:
        return {}
    return {ref: items[item.slot] for ref, item in reading.material.items.items() if item.slot in items}


def make_context(user: UserRef, reading: Reading, material: Material, *, now: datetime) -> GateContext:
    """A context over this material alone."""
    tuning = settings.UNDE_TUNING
    return GateContext(
        material=material,
        rules=get_rule_set(tenant_id=user.tenant_id),
        zone=reading.zone,
        now=now,
        session_gap=tuning.SESSION_GAP,
        event_days=tuning.EVENT_DEFAULT_DAYS,
        rule_name=f"extraction.{reading.version}",
        rule_version=int(reading.version.removesuffix(ADAPTIVE_SUFFIX).removeprefix("v")),
        is_adaptive=reading.is_adaptive,
    )


def rename_facts(reading: Reading, ledger: HasFacts) -> Mapping[str, Fact]:
    """The facts of now under the names under which the model saw them; others under names that it cannot have used."""
    names = {fact.id: ref for ref, fact in reading.material.facts.items()}
    if reading.stored is not None:
        names = {fact_id: ref for ref, fact_id in reading.stored.facts.items()}
    return {names.get(fact.id, f"new-{fact.id}"): fact for fact in ledger.list_facts()}


def make_outcome(applied: list[Applied], answer: Answer) -> RunOutcome:
    """How the proposals ended, by code."""
    results = Counter(entry.result for entry in applied)
    results.update({"rejected_malformed": answer.malformed, "rejected_too_many": answer.left_out})
    return RunOutcome(
        "done",
        applied=results["accepted"],
        staged=results["staged"],
        results={code: count for code, count in sorted(results.items()) if count},
    )


_MARK_READ = """
UPDATE memory_conversation c
   SET extracted_seq = greatest(c.extracted_seq, %s),
       last_extraction_at = (SELECT max(m.received_at) FROM memory_message m
                              WHERE m.user_id = c.user_id AND m.conversation_id = c.id AND m.seq <= %s),
       pending_count = left_over.pending, pending_since = left_over.since
  FROM (SELECT count(*)::integer AS pending, min(m.received_at) AS since FROM memory_message m
         WHERE m.user_id = %s AND m.conversation_id = %s AND m.seq > %s) left_over
 WHERE c.user_id = %s AND c.id = %s
"""


def mark_read(*, user: UserRef, read_up_to: Mapping[UUID, int]) -> int:
    """Messages up to these places are read; how many of the user are left. Writes under the user's lock."""
    for conversation_id, seq in sorted(read_up_to.items()):
        execute(_MARK_READ, [seq, seq, user.id, conversation_id, seq, user.id, conversation_id])
    (left,) = fetch_row(
        "SELECT coalesce(sum(pending_count), 0)::integer FROM memory_conversation WHERE user_id = %s", [user.id]
    )
    return int(left)


def _fail(claim: Claim, *, code: str, now: datetime) -> RunOutcome:
    """Note the failure. A user erased meanwhile has taken its run along."""
    ERRORS.labels(code).inc()
    if code == UserErased.code:
        return RunOutcome("lost", code)
    return fail_run(claim, code=code, now=now)
