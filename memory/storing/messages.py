"""Storing messages: RAW first, then the ingest steps, in one transaction (D-7).

A batch of 1 to 500 messages is read (no lock is held meanwhile), opened by one statement, decided by the ingest steps,
and stored. One message is a batch of one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils.module_loading import import_string

from memory.errors import CodedError
from memory.facts.writing import load_ledger, save_ledgers
from memory.metrics import MESSAGES, USER_MESSAGES
from memory.selectors.messages import list_previous_messages
from memory.storing.opening import OpenConversation, OpenUser, open_batch, open_user
from memory.storing.reading import TextReader
from memory.storing.repeats import list_first_answers, separate_repeats
from memory.storing.rows import find_replaced, place_message, write_messages
from memory.storing.types import Ingest, IngestStep, Recorded
from memory.tenants.database_errors import OutcomeUnknown, get_sqlstate, to_coded_error
from memory.tenants.scope import tenant_scope
from memory.tracing import Attributes, traced
from memory.types import Draft, FactChange, RecordedMessage, TenantRef

logger = logging.getLogger(__name__)


@lru_cache(maxsize=4)
def _load_steps(names: tuple[str, ...]) -> tuple[IngestStep, ...]:
    return tuple(import_string(name)() for name in names)


def list_ingest_steps() -> tuple[IngestStep, ...]:
    """The steps that settings name, in their order, made once a process."""
    return _load_steps(tuple(settings.INGEST_STEPS))


@dataclass(frozen=True, slots=True)
class _Request:
    """The sender of the messages, the time, and the reader of their texts."""

    tenant: TenantRef
    actor: str
    now: datetime
    reader: TextReader


@dataclass(slots=True)
class _Part:
    """One user's part of a batch: its drafts and their results."""

    drafts: Sequence[Draft]
    ingest: Ingest
    messages: dict[int, RecordedMessage]
    repeats: dict[int, UUID | int]
    first_answers: dict[UUID, Recorded]


def store_message(*, tenant: TenantRef, draft: Draft, actor: str, now: datetime) -> Recorded:
    """Store one message and run the ingest steps. A repeated client id gets the first answer and writes nothing.

    Raises DuplicateClientId, InvalidRequest, UserErased, UserBusy and what the steps raise; then nothing is stored.
    Only after OutcomeUnknown may it be stored (D-37).
    """
    answer = store_messages(tenant=tenant, drafts=[draft], actor=actor, now=now)[0]
    if isinstance(answer, CodedError):
        raise answer
    return answer


def _note_stored(answers: Sequence[Recorded | CodedError]) -> Attributes:
    stored = [each for each in answers if not isinstance(each, CodedError)]
    facts = sum(len(each.changes) for each in stored)
    return {"gen_ai.memory.record.count": len(stored), "unde.messages": len(answers), "unde.facts": facts}


@traced("unde.store", operation="create_memory", note=_note_stored)
def store_messages(
    *, tenant: TenantRef, drafts: Sequence[Draft], actor: str, now: datetime
) -> list[Recorded | CodedError]:
    """Store a batch: each item is atomic, the batch is not (D-7). Answers come in the order of the drafts.

    The users of a batch share transactions, a few dozen each. Who is busy waits for the next of them; a user who is
    busy all the time, fenced or refused gets a separate one. If that fails, the user's messages are tried one by one,
    so a bad one affects no other.
    """
    request = _Request(tenant, actor, now, TextReader(tenant_id=tenant.id))
    for step in list_ingest_steps():
        step.read(drafts, reader=request.reader, zone=tenant.zone)
    answers: dict[int, Recorded | CodedError] = {}
    groups = list(_group_by_user(drafts))
    for start in range(0, len(groups), settings.UNDE_TUNING.STORED_TOGETHER):
        together = groups[start : start + settings.UNDE_TUNING.STORED_TOGETHER]
        stored = _store_parts([[drafts[place] for place in group] for group in together], request)
        for group, part in zip(together, stored, strict=True):
            answers |= zip(group, part, strict=True)
    return [answers[place] for place in range(len(drafts))]


def _group_by_user(drafts: Sequence[Draft]) -> Iterable[list[int]]:
    groups: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        groups.setdefault(draft.user_external_id, []).append(place)
    return groups.values()


def _store_parts(parts: list[list[Draft]], request: _Request) -> list[Sequence[Recorded | CodedError]]:
    """Store several users in one transaction if possible, those who were busy meanwhile in the next, and so on; each of
    the others in a separate one.

    Raises OutcomeUnknown if the connection was lost during COMMIT: storing again could store twice.
    """
    stored: dict[int, list[Recorded]] = {}
    left = list(range(len(parts)))
    while len(left) > 1:
        try:
            found = _store_together([parts[place] for place in left], request)
        except OutcomeUnknown:
            raise
        except (CodedError, DatabaseError) as error:
            logger.info("a batch goes on user by user", extra={"error": type(error).__name__})
            break
        if not found:
            break
        stored |= {left[i]: answers for i, answers in found.items()}
        left = [place for place in left if place not in stored]
    return [stored[i] if i in stored else _store_apart(part, request) for i, part in enumerate(parts)]


def _store_apart(drafts: Sequence[Draft], request: _Request) -> Sequence[Recorded | CodedError]:
    """Store one user's messages in one transaction. If one is refused, store each in a separate one."""
    try:
        return _store_alone(drafts, request)
    except OutcomeUnknown:
        raise
    except CodedError as error:
        refusal = error.with_traceback(None)  # a traceback would keep all drafts of the request
    except DatabaseError as error:
        refusal = to_coded_error(error)
        logger.warning("messages could not be stored", extra={"code": refusal.code, "state": get_sqlstate(error)})
    if len(drafts) == 1:
        return [refusal]
    return [answer for draft in drafts for answer in _store_apart([draft], request)]


def _store_together(parts: list[list[Draft]], request: _Request) -> dict[int, list[Recorded]]:
    """Store the users that can be opened together in one transaction. Returns answers by place."""
    with _open_scope(request.tenant):
        opened = open_batch(
            tenant_id=request.tenant.id,
            parts=parts,
            may_change_facts=[_may_change_facts(drafts, request.reader) for drafts in parts],
            now=request.now,
        )
        begun = {place: _begin(parts[place], opened[place], request) for place in sorted(opened)}
        _run_steps([part.ingest for part in begun.values()])
    return {place: _make_answers(part) for place, part in begun.items()}


def _store_alone(drafts: Sequence[Draft], request: _Request) -> list[Recorded]:
    """One user's messages in one transaction: all of them or none."""
    with _open_scope(request.tenant):
        opened = open_user(
            tenant_id=request.tenant.id,
            drafts=drafts,
            may_change_facts=_may_change_facts(drafts, request.reader),
            now=request.now,
        )
        part = _begin(drafts, opened, request)
        _run_steps([part.ingest])
    return _make_answers(part)


def _open_scope(tenant: TenantRef) -> tenant_scope:
    return tenant_scope(
        tenant.id, statement_timeout_ms=settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS, opens_with_statement=True
    )


def _may_change_facts(drafts: Iterable[Draft], reader: TextReader) -> bool:
    return any(draft.role == "user" and reader.may_change_facts(draft.content) for draft in drafts)


def _begin(drafts: Sequence[Draft], opened: OpenUser, request: _Request) -> _Part:
    """The new messages at their places, and the data that the steps need about their user."""
    fresh, repeats = separate_repeats(drafts, opened.conversations, opened.stored)
    messages = {i: place_message(drafts[i], opened.user, opened.conversations, request.now) for i in fresh}
    stored = [repeat for repeat in repeats.values() if isinstance(repeat, UUID)]
    first_answers = list_first_answers(user=opened.user, message_ids=stored)
    return _Part(drafts, _make_ingest(opened, request, list(messages.values())), messages, repeats, first_answers)


def _make_ingest(opened: OpenUser, request: _Request, messages: list[RecordedMessage]) -> Ingest:
    user = opened.user
    return Ingest(
        user=user,
        zone=request.tenant.zone,
        now=request.now,
        actor=request.actor,
        messages=messages,
        has_stored_facts=opened.has_facts,
        has_stored_items=opened.has_items,
        reader=request.reader,
        appended=_list_appended(opened.conversations, messages),
        opened=frozenset(each.id for each in opened.conversations.values() if each.last_message_at is None),
        turns=opened.turns,
        withheld=opened.withheld,
        load_ledger=lambda: load_ledger(
            user=user,
            now=request.now,
            log_position=opened.log_position,
            has_facts=opened.has_facts,
            sealed=opened.facts,
        ),
        load_previous=lambda message, limit: list_previous_messages(
            user=user,
            conversation_id=message.conversation_id,
            before=message.created_at,
            before_seq=message.seq,
            limit=limit,
        ),
    )


def _list_appended(conversations: dict[str, OpenConversation], messages: Sequence[RecordedMessage]) -> frozenset[UUID]:
    """Conversations whose new messages are all later than every stored one."""
    first_at: dict[UUID, datetime] = {}
    for message in messages:
        name = message.conversation_id
        first_at[name] = min(message.created_at, first_at.get(name, message.created_at))
    return frozenset(
        each.id
        for each in conversations.values()
        if each.id in first_at and (each.last_message_at is None or each.last_message_at <= first_at[each.id])
    )


@traced("unde.store.steps")
def _run_steps(all_ingests: Iterable[Ingest]) -> None:
    """Give each step each message in order, write everything, then let the steps finish."""
    ingests = [ingest for ingest in all_ingests if ingest.messages]
    if not ingests:
        return
    steps = list_ingest_steps()
    for ingest in ingests:
        ingest.replaces = find_replaced(ingest.user, ingest.messages)
        for message in ingest.messages:
            for step in steps:
                step.on_message(ingest, message)
    _store(ingests)
    for step in steps:
        step.finish(ingests)
    transaction.on_commit(partial(_count_stored, ingests))


@traced("unde.store.write")
def _store(ingests: Sequence[Ingest]) -> None:
    """Write messages of all users, and changed facts with their actions, in one round trip."""
    stored = write_messages([message for ingest in ingests for message in ingest.messages])
    ledgers = [(ingest.user, ingest.ledger) for ingest in ingests if ingest.touched_ledger and ingest.ledger.actions]
    save_ledgers(ledgers, actor=ingests[0].actor, now=ingests[0].now, first=[stored])


def _count_stored(ingests: Iterable[Ingest]) -> None:
    for role, count in Counter(message.role for ingest in ingests for message in ingest.messages).items():
        MESSAGES.labels(role).inc(count)
    said = Counter(one.language for ingest in ingests for one in ingest.messages if one.role == "user")
    for language, count in said.items():
        USER_MESSAGES.labels(language or "other").inc(count)
    for ingest in ingests:
        for count_one in ingest.when_stored:
            count_one()


def _make_answers(part: _Part) -> list[Recorded]:
    """One answer per draft. A repeat of a stored message gets the first answer, a repeat in the batch its twin's."""
    changes = _list_changes(part.ingest)
    answers = []
    for i, draft in enumerate(part.drafts):
        repeat = part.repeats.get(i)
        if isinstance(repeat, UUID):
            answers.append(part.first_answers[repeat])
            continue
        message = part.messages[i if repeat is None else repeat]
        answers.append(
            Recorded(
                message_id=message.id,
                client_id=draft.client_id,
                language=message.language,
                is_new=repeat is None,
                changes=changes.get(message.id, []),
                corrections=part.ingest.corrections.get(message.id, []),
                withheld=part.ingest.held_back.get(message.id, []),
            )
        )
    return answers


def _list_changes(ingest: Ingest) -> dict[UUID, list[FactChange]]:
    """The changes to facts by message, in order."""
    changes: dict[UUID, list[FactChange]] = {}
    for action in ingest.touched_ledger.actions if ingest.touched_ledger else []:
        if action.message_id is not None:
            changes.setdefault(action.message_id, []).extend(action.changes)
    return changes
