"""Our own export, on another installation or for another tenant: both logs are taken over, and facts are their fold.

Ids stay as they are, so that actions still name their facts and messages; an import can be repeated without harm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db import IntegrityError, connection

from memory.errors import CodedError, Conflict, InvalidRequest
from memory.imports.lines import ActionLine, ConversationLine, FactLine, MessageLine, read_line
from memory.imports.types import ImportOutcome
from memory.ingest.conversations import OpenConversation, enter_conversations
from memory.ingest.raw import insert_messages
from memory.ingest.types import TenantRef
from memory.ledger import PendingAction
from memory.models import Action, FactRow, Message
from memory.rebuild.comparing import compare_facts
from memory.rebuild.folding import fold_logs
from memory.rebuild.logs import load_logs
from memory.rebuild.running import list_folding_steps
from memory.rebuild.writing import list_slots, write_fold
from memory.registries import rebuilders
from memory.sealing.vault import UserVault
from memory.services.drafts import make_draft
from memory.services.ledgers import insert_actions
from memory.services.user_lock import enter_user
from memory.tenants.scope import tenant_scope
from memory.types import Draft, Fact, RecordedMessage, UserRef
from patterns.registry import get_rule_set

ACTOR = "import"


class IdTaken(Conflict):
    """The export is of a user who is still here under another id of the tenant: ids name one thing only."""

    code = "id_taken"
    default_message = "This export belongs to another user of this tenant. Import it as that user, or elsewhere."


class ImportInconsistent(InvalidRequest):
    """The logs of the file contradict each other; nothing was stored."""

    code = "import_inconsistent"
    default_message = "The logs of this export contradict each other; nothing was stored."


@dataclass(slots=True)
class OwnExport:
    """The lines of one user's export, by kind, with the numbers of the lines of its messages."""

    conversations: dict[UUID, str] = field(default_factory=dict)
    messages: dict[UUID, tuple[int, MessageLine]] = field(default_factory=dict)
    actions: dict[UUID, ActionLine] = field(default_factory=dict)
    facts: dict[UUID, FactLine] = field(default_factory=dict)


def collect_lines(rows: Iterable[tuple[int, dict[str, Any] | InvalidRequest]], outcome: ImportOutcome) -> OwnExport:
    """Every line in its place. What is wrong with a line is noted in the outcome, and the others go on."""
    export = OwnExport()
    for number, row in rows:
        try:
            if isinstance(row, InvalidRequest):
                raise row
            value = read_line(row)
        except CodedError as error:
            outcome.add_error(number, error)
            continue
        if isinstance(value, ConversationLine):
            export.conversations[value.id] = value.external_id
        elif isinstance(value, MessageLine):
            export.messages[value.id] = (number, value)
        elif isinstance(value, ActionLine):
            export.actions[value.id] = value
        elif isinstance(value, FactLine):
            export.facts[value.id] = value
        else:
            outcome.ignored += 1
    return export


def import_export(
    *, tenant: TenantRef, user_external_id: str, export: OwnExport, now: datetime, outcome: ImportOutcome
) -> None:
    """Take over both logs and make facts and index their fold, in one transaction under the user's lock. Writes.

    Raises IdTaken, ImportInconsistent, ErasedPeriod, UserErased, UserBusy; then nothing is stored.
    """
    drafts = _make_drafts(export, user_external_id, now, outcome)
    try:
        with tenant_scope(tenant.id):
            user = enter_user(tenant_id=tenant.id, external_id=user_external_id, now=now, drafts=list(drafts.values()))
            _refuse_taken(user, export)
            _store_messages(user, export, drafts, now, outcome)
            positions = _store_actions(user, export, now, outcome)
            _fold(tenant, user, export, positions, now, outcome)
    except IntegrityError:
        raise ImportInconsistent from None


def _make_drafts(export: OwnExport, user_external_id: str, now: datetime, outcome: ImportOutcome) -> dict[UUID, Draft]:
    """The messages in the form of ingest: what ingest would refuse is refused here too."""
    drafts = {}
    for message_id, (number, line) in export.messages.items():
        try:
            if line.conversation_id not in export.conversations:
                raise InvalidRequest(fields={"conversation_id": "no line of the export names it"})
            drafts[message_id] = make_draft(
                user_id=user_external_id,
                conversation_id=export.conversations[line.conversation_id],
                role=line.role,
                content=line.blocks if line.blocks is not None else line.content,
                now=now,
                created_at=line.created_at,
                client_id=line.client_id,
                receipt_id=line.receipt_id,
                speaker=line.speaker,
                response_description=line.response_description,
                memory_type=line.memory_type,
                mood=line.mood,
                metadata=line.metadata,
            )
        except CodedError as error:
            outcome.add_error(number, error)
    return drafts


def _refuse_taken(user: UserRef, export: OwnExport) -> None:
    wanted: tuple[tuple[Any, Sequence[UUID]], ...] = (
        (Message, list(export.messages)),
        (Action, list(export.actions)),
        (FactRow, list(export.facts)),
    )
    for model, ids in wanted:
        if model.objects.filter(tenant_id=user.tenant_id, id__in=ids).exclude(user_id=user.id).exists():
            raise IdTaken


# --- messages ---------------------------------------------------------------------------------------------------------


def _store_messages(
    user: UserRef, export: OwnExport, drafts: dict[UUID, Draft], now: datetime, outcome: ImportOutcome
) -> None:
    stored = set(Message.objects.filter(user_id=user.id).values_list("id", flat=True))
    fresh = [message_id for message_id in sorted(drafts) if message_id not in stored]
    outcome.repeated += len(drafts) - len(fresh)
    if not fresh:
        return
    conversations = enter_conversations(user, list(drafts.values()), now)
    new_ids = {conversation.id for conversation in conversations.values() if conversation.last_seq == 0}
    taken = _list_client_ids(user)
    places: dict[UUID, set[int]] = defaultdict(set)
    rows = []
    for message_id in fresh:
        line, draft = export.messages[message_id][1], drafts[message_id]
        conversation = conversations[draft.conversation_external_id]
        if draft.client_id and (conversation.id, draft.client_id) in taken:
            outcome.repeated += 1
            continue
        if draft.client_id:
            taken.add((conversation.id, draft.client_id))
        is_new = conversation.id in new_ids
        seq = _take_place(conversation, places[conversation.id], wanted=line.seq, is_new=is_new)
        rows.append(_make_row(user, line, draft, conversation_id=conversation.id, seq=seq, now=now))
        stored.add(message_id)
    known: set[UUID] = set(stored) - {row.id for row in rows}
    for row in rows:
        row.reply_to_id = row.reply_to_id if row.reply_to_id in known else None
        row.replaces_id = row.replaces_id if row.replaces_id in known else None
        known.add(row.id)
    insert_messages(user, rows)
    outcome.messages = len(rows)


def _take_place(conversation: OpenConversation, taken: set[int], *, wanted: int, is_new: bool) -> int:
    """The place of the export in a conversation that is new here; the next one in any other (SPEC M-3)."""
    seq = wanted if is_new and wanted not in taken else conversation.last_seq + 1
    taken.add(seq)
    conversation.last_seq = max(conversation.last_seq, seq)
    return seq


def _list_client_ids(user: UserRef) -> set[tuple[UUID, str]]:
    rows = Message.objects.filter(user_id=user.id).exclude(client_id=None)
    return set(rows.values_list("conversation_id", "client_id"))


def _make_row(
    user: UserRef, line: MessageLine, draft: Draft, *, conversation_id: UUID, seq: int, now: datetime
) -> RecordedMessage:
    return RecordedMessage(
        id=line.id,
        user_id=user.id,
        tenant_id=user.tenant_id,
        conversation_id=conversation_id,
        seq=seq,
        role=draft.role,
        content=draft.content,
        created_at=draft.created_at,
        received_at=min(line.received_at, now),
        client_id=draft.client_id,
        speaker=draft.speaker,
        response_description=draft.response_description,
        memory_type=draft.memory_type,
        mood=draft.mood,
        language=line.language,
        blocks=draft.blocks,
        metadata=draft.metadata,
        reply_to_id=line.reply_to_id,
        replaces_id=line.replaces_id,
        receipt_id=line.receipt_id,
    )


# --- actions ----------------------------------------------------------------------------------------------------------


def _store_actions(user: UserRef, export: OwnExport, now: datetime, outcome: ImportOutcome) -> dict[int, int]:
    """Append what the log does not hold yet; by position in the export, the position here."""
    stored = dict(Action.objects.filter(user_id=user.id).values_list("id", "position"))
    base = max(stored.values(), default=0)
    vault = UserVault(user_id=user.id)
    positions: dict[int, int] = {}
    with connection.cursor() as cursor:
        for line in sorted(export.actions.values(), key=lambda each: each.position):
            if line.id in stored:
                positions[line.position] = stored[line.id]
                outcome.repeated += 1
                continue
            positions[line.position] = base + line.position
            pending = _make_action(line, position=base + line.position)
            recorded_at = min(line.recorded_at, now)
            insert_actions(cursor, [pending], user=user, actor=ACTOR, vault=vault, now=recorded_at)
            outcome.actions += 1
        last = max(positions.values(), default=0)
        cursor.execute(
            "UPDATE memory_user SET log_position = greatest(log_position, %s) WHERE id = %s", [last, user.id]
        )
    return positions


def _make_action(line: ActionLine, *, position: int) -> PendingAction:
    return PendingAction(
        id=line.id,
        position=position,
        kind=line.action,
        said_at=line.said_at,
        message_id=line.message_id,
        batch_id=line.batch_id,
        rule_set_version=line.rule_set_version,
        detail=msgspec.to_builtins(line.detail),
        secret=msgspec.to_builtins(line.words) if line.words else None,
        logged_effects=[msgspec.to_builtins(effect) for effect in line.effects],
    )


# --- facts ------------------------------------------------------------------------------------------------------------


def _fold(
    tenant: TenantRef,
    user: UserRef,
    export: OwnExport,
    positions: dict[int, int],
    now: datetime,
    outcome: ImportOutcome,
) -> None:
    stored = load_logs(user=user)
    here = {fact.id for fact in stored.facts}
    lent = [_make_fact(line, positions) for line in export.facts.values() if line.id not in here]
    logs = replace(stored, facts=[*stored.facts, *(fact for fact in lent if fact is not None)])
    fold = fold_logs(user=user, logs=logs, zone=tenant.zone, steps=list_folding_steps())
    version = get_rule_set(tenant_id=tenant.id).version
    changed = compare_facts(logs=stored, fold=fold, rule_set_version=version)
    if changed:
        slots = list_slots(logs=stored, fold=fold, fact_ids={each.fact_id for each in changed})
        write_fold(user=user, logs=stored, fold=fold, slots=slots, now=now)
    for rebuild in rebuilders:
        rebuild(user)
    outcome.facts = len(fold.facts)
    wanted = replace(logs, facts=[fact for fact in logs.facts if fact.id in export.facts])
    named = {fact.id for fact in wanted.facts}
    differing = compare_facts(logs=wanted, fold=fold, rule_set_version=version)
    outcome.differing_facts = sum(each.fact_id in named for each in differing) if named else 0


_FACT_FIELDS = tuple(each.name for each in fields(Fact))


def _make_fact(line: FactLine, positions: dict[int, int]) -> Fact | None:
    """The exported fact under the position that its action has here; None when its action is not in the file."""
    if line.log_position not in positions:
        return None
    values = {name: getattr(line, name) for name in _FACT_FIELDS}
    return Fact(**{**values, "log_position": positions[line.log_position]})
