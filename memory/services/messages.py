"""Recording messages: RAW first, then the ingest steps, in one transaction of one user or of several (D-7)."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, OperationalError, transaction
from django.utils.module_loading import import_string

from memory.errors import CodedError
from memory.ids import new_id
from memory.ingest.conversations import list_appended
from memory.ingest.raw import find_replaced, place_message, write_messages, write_plain_message
from memory.ingest.reading import TextReader
from memory.ingest.repeats import separate_repeats
from memory.ingest.steps import find_language, list_after_facts
from memory.ingest.types import Concern, Ingest, IngestStep, Recorded, TenantRef
from memory.metrics import MESSAGES
from memory.selectors.messages import list_previous_messages
from memory.services.entering import Entered, enter_at_once, enter_messages
from memory.services.ledgers import load_ledger, save_ledgers
from memory.services.recorded import list_first_answers
from memory.services.user_lock import raise_if_busy
from memory.tenants.database_errors import is_rolled_back
from memory.tenants.scope import read_ahead, run_alone, run_at_end, tenant_scope
from memory.types import Draft, FactChange, RecordedMessage

logger = logging.getLogger(__name__)

MAX_TOGETHER: Final = 50
"""Users whose locks one transaction of a batch holds: a hundredth of a second each, so that nobody waits long."""

MAX_ROUNDS: Final = 4
"""How often those of a batch who were busy are tried together, before each is waited for alone."""

LONG_READING: Final = 10
"""Messages whose texts are read in turn. Fewer never wait for a batch's."""
_reading_turn: Final = threading.Lock()
"""Two threads that read at once take the interpreter and the processor's caches from each other over and over; in turn,
one reads while the other waits for the database (bench/results.md)."""

MAX_NOTED: Final = 100_000
_with_facts: Final[set[int]] = set()
"""Users who had facts when they last wrote, as far as this process knows: whether to try `_record_plainly` first."""


@lru_cache(maxsize=4)
def _load_steps(names: tuple[str, ...]) -> tuple[IngestStep, ...]:
    return tuple(import_string(name)() for name in names)


def list_ingest_steps() -> tuple[IngestStep, ...]:
    """The steps that settings name, in their order, made once a process."""
    return _load_steps(tuple(settings.INGEST_STEPS))


@dataclass(frozen=True, slots=True)
class _Request:
    """Who sends messages when, and what reads them."""

    tenant: TenantRef
    actor: str
    now: datetime
    reader: TextReader


@dataclass(slots=True)
class _Group:
    """One user's part of a request: its drafts, and what becomes of them."""

    drafts: Sequence[Draft]
    ingest: Ingest
    messages: dict[int, RecordedMessage]
    repeats: dict[int, UUID | int]
    first_answers: dict[UUID, Recorded]


def record_message(*, tenant: TenantRef, draft: Draft, actor: str, now: datetime) -> Recorded:
    """Store one message and run the ingest steps. The same client id again gives the first answer and writes nothing.

    Raises DuplicateClientId, InvalidRequest, UserErased, UserBusy and what the steps raise; then nothing is stored.
    """
    request = _open_request(tenant, [draft], actor=actor, now=now)
    return _record_plainly(draft, request) or _record_for_user([draft], request)[0]


def record_messages(
    *, tenant: TenantRef, drafts: Sequence[Draft], actor: str, now: datetime
) -> list[Recorded | CodedError]:
    """Store a batch: each item is atomic, the batch is not (D-7). Answers come in the order of the drafts.

    The users of a batch share transactions, at most MAX_TOGETHER each; whoever is busy, fenced or refused is left out
    of them and gets one of their own. When that fails, the user's messages are tried one by one, so a bad one loses no
    other.
    """
    request = _open_request(tenant, drafts, actor=actor, now=now)
    answers: list[Recorded | CodedError | None] = [None] * len(drafts)
    groups = list(_group_by_user(drafts))
    for start in range(0, len(groups), MAX_TOGETHER):
        places = groups[start : start + MAX_TOGETHER]
        parts = [[drafts[i] for i in group] for group in places]
        for group, found in zip(places, _record_groups(parts, request), strict=True):
            for place, answer in zip(group, found, strict=True):
                answers[place] = answer
    return [answer for answer in answers if answer is not None]


def record_at_once(*, tenant: TenantRef, drafts: Sequence[Draft], actor: str, now: datetime) -> list[Recorded | None]:
    """Store in one transaction those messages whose users are neither busy nor fenced; None for each of the others, and
    for all where one is refused, a text cannot be read or the database says no: nothing of these is stored.

    Raises where the transaction may be stored, or not.
    """
    answers: list[Recorded | None] = [None] * len(drafts)
    groups = list(_group_by_user(drafts))
    try:
        request = _open_request(tenant, drafts, actor=actor, now=now)
    except Exception:  # a text that cannot be read: nothing has begun, and whose it is shows when each goes alone
        return answers
    try:
        found = _record_together([[drafts[i] for i in group] for group in groups], request)
    except (CodedError, DatabaseError) as error:
        if isinstance(error, DatabaseError) and not is_rolled_back(error):
            raise
        return answers
    for place, recorded in found.items():
        for i, answer in zip(groups[place], recorded, strict=True):
            answers[i] = answer
    return answers


def _open_request(tenant: TenantRef, drafts: Sequence[Draft], *, actor: str, now: datetime) -> _Request:
    """The request with its texts read: nobody's lock is held meanwhile, and no transaction is open."""
    request = _Request(tenant, actor, now, TextReader(tenant_id=tenant.id))
    with _reading_turn if len(drafts) >= LONG_READING else nullcontext():
        for step in list_ingest_steps():
            step.read_drafts(drafts, reader=request.reader, zone=tenant.zone)
        users = {draft.user_external_id for draft in drafts}
        holders = {user for user in users if _name_user(tenant, user) in _with_facts}
        replies = list_after_facts(drafts, holders=holders, reader=request.reader, zone=tenant.zone)
        if replies:
            for step in list_ingest_steps():
                step.read_replies(replies, reader=request.reader)
    return request


def _group_by_user(drafts: Sequence[Draft]) -> Iterable[list[int]]:
    groups: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        groups.setdefault(draft.user_external_id, []).append(place)
    return groups.values()


def _record_groups(parts: list[list[Draft]], request: _Request) -> list[list[Recorded | CodedError]]:
    """Several users in one transaction where that goes well, those who are left each in their own.

    Who was busy is mostly free a transaction later: those who are left are tried together again, a few times.
    Raises where the connection went: the transaction may be stored, and storing all of it again would double it.
    """
    answers: dict[int, list[Recorded | CodedError]] = {}
    for _ in range(MAX_ROUNDS):
        left = [place for place in range(len(parts)) if place not in answers]
        if len(left) < 2:
            break
        try:
            found = _record_together([parts[place] for place in left], request)
        except (CodedError, DatabaseError) as error:
            if isinstance(error, DatabaseError) and not is_rolled_back(error):
                raise
            logger.info("a batch goes on user by user", extra={"error": type(error).__name__})
            break
        answers |= {left[place]: list(recorded) for place, recorded in found.items()}
        if not found:
            answers[left[0]] = _record_group(parts[left[0]], request)  # waits for its turn
    return [answers[i] if i in answers else _record_group(part, request) for i, part in enumerate(parts)]


def _record_group(drafts: list[Draft], request: _Request) -> list[Recorded | CodedError]:
    try:
        return list(_record_for_user(drafts, request))
    except CodedError as error:
        if len(drafts) == 1:
            return [error.with_traceback(None)]
    answers: list[Recorded | CodedError] = []
    for draft in drafts:
        try:
            answers.append(_record_for_user([draft], request)[0])
        except CodedError as error:
            answers.append(error.with_traceback(None))  # which leads to the list, and to all drafts of the request
    return answers


def _record_plainly(draft: Draft, request: _Request) -> Recorded | None:
    """A message that touches no fact and nothing else, stored in one exchange; None where there is more to be done."""
    steps, reader = list_ingest_steps(), request.reader
    concerns = [step.find_concern(draft, reader=reader, zone=request.tenant.zone) for step in steps]
    concern = max(concerns, default=Concern.NOTHING)
    if concern is Concern.ANYTHING or (
        concern is Concern.FACTS and _name_user(request.tenant, draft.user_external_id) in _with_facts
    ):
        return None
    message_id = new_id()
    language, count = find_language(draft, tenant=request.tenant, reader=reader, now=request.now)
    stored = write_plain_message(
        draft,
        tenant_id=request.tenant.id,
        message_id=message_id,
        language=language,
        may_concern_facts=concern is Concern.FACTS,
        now=request.now,
    )
    derived = [step.write_plainly(draft, message_id=message_id, reader=reader) for step in steps]
    statements = [stored, *(statement for statement in derived if statement is not None)]
    limit = settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS
    try:
        rows = run_alone(statements, tenant_id=request.tenant.id, statement_timeout_ms=limit)[0]
    except OperationalError as error:
        raise_if_busy(error)
        raise
    if not rows[0][0]:
        return None
    MESSAGES.labels(draft.role).inc()
    if count is not None:
        count()
    return Recorded(message_id=message_id, client_id=draft.client_id, language=language, is_new=True)


def _name_user(tenant: TenantRef, external_id: str) -> int:
    return hash((tenant.id, external_id))


def _note_facts(name: int, *, has_facts: bool) -> None:
    if not has_facts:
        _with_facts.discard(name)
        return
    if len(_with_facts) >= MAX_NOTED:
        _with_facts.clear()
    _with_facts.add(name)


def _record_for_user(drafts: Sequence[Draft], request: _Request) -> list[Recorded]:
    """One user's messages in one transaction: all of them or none."""
    with _open_scope(request.tenant):
        entered = enter_messages(tenant_id=request.tenant.id, drafts=drafts, now=request.now)
        group = _open_group(drafts, entered, request)
        _run_steps([group])
    _note_facts(
        _name_user(request.tenant, drafts[0].user_external_id),
        has_facts=entered.has_facts or group.ingest.touched_ledger is not None,
    )
    return _make_answers(group)


def _record_together(parts: list[list[Draft]], request: _Request) -> dict[int, list[Recorded]]:
    """By place the answers to those users whom nothing stands in the way of, all in one transaction."""
    groups: dict[int, _Group] = {}
    with _open_scope(request.tenant):
        all_entered = enter_at_once(tenant_id=request.tenant.id, parts=parts, now=request.now)
        for place, entered in enumerate(all_entered):
            if entered is not None:
                groups[place] = _open_group(parts[place], entered, request)
        _run_steps(list(groups.values()))
    for place, group in groups.items():
        name = _name_user(request.tenant, parts[place][0].user_external_id)
        _note_facts(name, has_facts=group.ingest.has_stored_facts or group.ingest.touched_ledger is not None)
    return {place: _make_answers(group) for place, group in groups.items()}


def _open_scope(tenant: TenantRef) -> tenant_scope:
    limit = settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS
    return tenant_scope(tenant.id, statement_timeout_ms=limit, opens_with_statement=True, closes_with_statement=True)


def _open_group(drafts: Sequence[Draft], entered: Entered, request: _Request) -> _Group:
    fresh, repeats = separate_repeats(drafts, entered.conversations, entered.seen)
    messages = {i: place_message(drafts[i], entered.user, entered.conversations, request.now) for i in fresh}
    stored = [repeat for repeat in repeats.values() if isinstance(repeat, UUID)]
    first_answers = list_first_answers(user=entered.user, message_ids=stored)
    return _Group(drafts, _open_ingest(entered, request, list(messages.values())), messages, repeats, first_answers)


def _open_ingest(entered: Entered, request: _Request, messages: list[RecordedMessage]) -> Ingest:
    user = entered.user
    return Ingest(
        user=user,
        zone=request.tenant.zone,
        now=request.now,
        actor=request.actor,
        messages=messages,
        has_stored_facts=entered.has_facts,
        log_position=entered.log_position,
        reader=request.reader,
        appended=list_appended(entered.conversations, messages),
        opened=frozenset(each.id for each in entered.conversations.values() if each.last_message_at is None),
        load_ledger=lambda: load_ledger(
            user=user, now=request.now, log_position=entered.log_position, has_facts=entered.has_facts
        ),
        load_previous=lambda message, limit: list_previous_messages(
            user=user,
            conversation_id=message.conversation_id,
            before=message.created_at,
            before_seq=message.seq,
            limit=limit,
        ),
    )


def _run_steps(groups: Sequence[_Group]) -> None:
    """Each step sees each message in order; then everything is written; then the steps finish what they derive."""
    ingests = [group.ingest for group in groups if group.ingest.messages]
    if not ingests:
        return
    steps = list_ingest_steps()
    _read_replies(ingests, steps)
    _read_ahead(ingests, steps)
    for ingest in ingests:
        ingest.replaces = find_replaced(ingest.user, ingest.messages)
        for message in ingest.messages:
            for step in steps:
                step.on_message(ingest, message)
    _store(ingests)
    for step in steps:
        step.finish_all(ingests)
    transaction.on_commit(partial(_count_stored, ingests))


def _store(ingests: Sequence[Ingest]) -> None:
    """Messages, and where facts change, actions and facts of all users, in one exchange: at the latest with COMMIT."""
    stored = write_messages([message for ingest in ingests for message in ingest.messages])
    ledgers = [(ingest.user, ingest.ledger) for ingest in ingests if ingest.touched_ledger and ingest.ledger.actions]
    # Facts are looked at when they are written: they cannot wait for the end.
    if ledgers or not run_at_end(stored):
        save_ledgers(ledgers, actor=ingests[0].actor, now=ingests[0].now, first=[stored])


def _read_replies(ingests: Sequence[Ingest], steps: Iterable[IngestStep]) -> None:
    """What those said of whom this process did not know that they have facts: it is read anyway, and dearer alone."""
    said = [message for ingest in ingests if ingest.has_stored_facts for message in ingest.messages]
    if len(said) > 1:
        for step in steps:
            step.read_replies(said, reader=ingests[0].reader)


def _read_ahead(ingests: Iterable[Ingest], steps: Iterable[IngestStep]) -> None:
    """What all steps are going to ask of all users, in one exchange."""
    read_ahead([read for ingest in ingests for step in steps for read in step.list_reads(ingest)])


def _count_stored(ingests: Iterable[Ingest]) -> None:
    for role, count in Counter(message.role for ingest in ingests for message in ingest.messages).items():
        MESSAGES.labels(role).inc(count)
    for ingest in ingests:
        for count_one in ingest.when_stored:
            count_one()


def _make_answers(group: _Group) -> list[Recorded]:
    """An answer for each draft: a repeat of what is stored has the first one, a repeat within the batch its twin's."""
    changes, corrections = _list_changes(group.ingest), group.ingest.corrections
    answers = []
    for i, draft in enumerate(group.drafts):
        repeat = group.repeats.get(i)
        if isinstance(repeat, UUID):
            answers.append(group.first_answers[repeat])
            continue
        message = group.messages[i if repeat is None else repeat]
        answers.append(
            Recorded(
                message_id=message.id,
                client_id=draft.client_id,
                language=message.language,
                is_new=repeat is None,
                changes=changes.get(message.id, []) if changes else [],
                corrections=corrections.get(message.id, []) if corrections else [],
            )
        )
    return answers


def _list_changes(ingest: Ingest) -> dict[UUID, list[FactChange]]:
    """What was done to facts, by the message that did it, in order."""
    changes: dict[UUID, list[FactChange]] = {}
    for action in ingest.touched_ledger.actions if ingest.touched_ledger else []:
        if action.message_id is not None:
            changes.setdefault(action.message_id, []).extend(action.changes)
    return changes
