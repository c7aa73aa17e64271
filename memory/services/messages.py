"""Recording messages: RAW first, then the ingest steps, in one transaction a user (ARCHITECTURE section 1, D-7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from memory.errors import CodedError
from memory.ingest.conversations import list_appended
from memory.ingest.raw import find_replaced, insert_messages, place_message
from memory.ingest.reading import TextReader
from memory.ingest.repeats import separate_repeats
from memory.ingest.types import Ingest, IngestStep, Recorded, TenantRef
from memory.metrics import MESSAGES
from memory.selectors.messages import list_previous_messages
from memory.services.entering import Entered, enter_messages
from memory.services.ledgers import load_ledger, save_ledger
from memory.services.recorded import list_first_answers
from memory.tenants.scope import tenant_scope
from memory.types import Draft, FactChange, RecordedMessage


@lru_cache(maxsize=4)
def _load_steps(names: tuple[str, ...]) -> tuple[IngestStep, ...]:
    return tuple(import_string(name)() for name in names)


def list_ingest_steps() -> tuple[IngestStep, ...]:
    """The steps that settings name, in their order, made once a process."""
    return _load_steps(tuple(settings.INGEST_STEPS))


def record_message(*, tenant: TenantRef, draft: Draft, actor: str, now: datetime) -> Recorded:
    """Store one message and run the ingest steps. The same client id again gives the first answer and writes nothing.

    Raises DuplicateClientId, InvalidRequest, UserErased, UserBusy and what the steps raise; then nothing is stored.
    """
    return _record_for_user(tenant=tenant, drafts=[draft], actor=actor, now=now)[0]


def record_messages(
    *, tenant: TenantRef, drafts: Sequence[Draft], actor: str, now: datetime
) -> list[Recorded | CodedError]:
    """Store a batch: each item is atomic, the batch is not (D-7). Answers come in the order of the drafts.

    One transaction a user; when that fails, the user's messages are tried one by one, so a bad one loses no other.
    """
    answers: list[Recorded | CodedError | None] = [None] * len(drafts)
    for places in _group_by_user(drafts):
        for place, answer in zip(places, _record_group(tenant, [drafts[i] for i in places], actor, now), strict=True):
            answers[place] = answer
    return [answer for answer in answers if answer is not None]


def _group_by_user(drafts: Sequence[Draft]) -> Iterable[list[int]]:
    groups: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        groups.setdefault(draft.user_external_id, []).append(place)
    return groups.values()


def _record_group(tenant: TenantRef, drafts: list[Draft], actor: str, now: datetime) -> list[Recorded | CodedError]:
    try:
        return list(_record_for_user(tenant=tenant, drafts=drafts, actor=actor, now=now))
    except CodedError as error:
        if len(drafts) == 1:
            return [error]
    answers: list[Recorded | CodedError] = []
    for draft in drafts:
        try:
            answers.append(record_message(tenant=tenant, draft=draft, actor=actor, now=now))
        except CodedError as error:
            answers.append(error)
    return answers


def _record_for_user(*, tenant: TenantRef, drafts: Sequence[Draft], actor: str, now: datetime) -> list[Recorded]:
    """One user's messages in one transaction: all of them or none."""
    with tenant_scope(tenant.id, opens_with_statement=True):
        entered = enter_messages(tenant_id=tenant.id, drafts=drafts, now=now)
        fresh, repeats = separate_repeats(drafts, entered.conversations, entered.seen)
        messages = {i: place_message(drafts[i], entered.user, entered.conversations, now) for i in fresh}
        ingest = _open_ingest(entered, tenant, list(messages.values()), actor, now)
        _run_steps(ingest)
        first_answers = list_first_answers(
            user=entered.user, message_ids=[repeat for repeat in repeats.values() if isinstance(repeat, UUID)]
        )
    return _make_answers(drafts, messages, repeats, first_answers, ingest)


def _open_ingest(
    entered: Entered, tenant: TenantRef, messages: list[RecordedMessage], actor: str, now: datetime
) -> Ingest:
    user = entered.user
    return Ingest(
        user=user,
        zone=tenant.zone,
        now=now,
        actor=actor,
        messages=messages,
        has_stored_facts=entered.has_facts,
        reader=TextReader(tenant_id=tenant.id),
        appended=list_appended(entered.conversations, messages),
        load_ledger=lambda: load_ledger(
            user=user, now=now, log_position=entered.log_position, has_facts=entered.has_facts
        ),
        load_previous=lambda message, limit: list_previous_messages(
            user=user,
            conversation_id=message.conversation_id,
            before=message.created_at,
            before_seq=message.seq,
            limit=limit,
        ),
    )


def _run_steps(ingest: Ingest) -> None:
    """Each step sees each message in order; then everything is written; then the steps finish what they derive."""
    if not ingest.messages:
        return
    ingest.replaces = find_replaced(ingest.user, ingest.messages)
    steps = list_ingest_steps()
    for message in ingest.messages:
        for step in steps:
            step.on_message(ingest, message)
    insert_messages(ingest.user, ingest.messages)
    if ingest.touched_ledger is not None:
        save_ledger(ingest.touched_ledger, user=ingest.user, actor=ingest.actor, now=ingest.now)
    for step in steps:
        step.finish(ingest)
    for role, count in Counter(message.role for message in ingest.messages).items():
        MESSAGES.labels(role).inc(count)


def _make_answers(
    drafts: Sequence[Draft],
    messages: dict[int, RecordedMessage],
    repeats: dict[int, UUID | int],
    first_answers: dict[UUID, Recorded],
    ingest: Ingest,
) -> list[Recorded]:
    """An answer for each draft: a repeat of what is stored has the first one, a repeat within the batch its twin's."""
    changes = _list_changes(ingest)
    answers = []
    for i, draft in enumerate(drafts):
        repeat = repeats.get(i)
        if isinstance(repeat, UUID):
            answers.append(first_answers[repeat])
            continue
        message = messages[i if repeat is None else repeat]
        answers.append(
            Recorded(
                message_id=message.id,
                client_id=draft.client_id,
                language=message.language,
                is_new=repeat is None,
                changes=changes.get(message.id, []),
                corrections=ingest.corrections.get(message.id, []),
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
