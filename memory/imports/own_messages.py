"""Messages of our own export into RAW: under their ids, at their places where these are free (SPEC M-3, M-7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.database.statements import execute
from memory.errors import CodedError, InvalidRequest
from memory.ids import new_id
from memory.imports.lines import MessageLine
from memory.imports.types import ImportOutcome
from memory.models import Conversation, Message
from memory.services.drafts import make_draft
from memory.storing.opening import OpenConversation
from memory.storing.rows import insert_messages
from memory.types import Draft, RecordedMessage, TenantRef, UserRef

Drafted = list[tuple[MessageLine, Draft]]


@dataclass(slots=True)
class ImportedConversations:
    """The conversations of one import: what the export calls them, which they are here, which came from it."""

    names: dict[UUID, str] = field(default_factory=dict)
    """The tenant's own id by the id in the export."""
    ids: dict[str, UUID] = field(default_factory=dict)
    """The id here by the tenant's own id."""
    own: set[UUID] = field(default_factory=set)
    """Conversations that the import made, now or in an earlier run: their messages keep the places of the export."""

    def find_id(self, exported_id: UUID | None) -> UUID | None:
        """The id here of a conversation of the export."""
        name = self.names.get(exported_id) if exported_id else None
        return self.ids.get(name) if name else None


def draft_messages(
    lines: Sequence[tuple[int, MessageLine]],
    *,
    names: dict[UUID, str],
    user_external_id: str,
    now: datetime,
    outcome: ImportOutcome,
) -> Drafted:
    """The messages in the form of ingest: what ingest would refuse is refused here too, and noted in the outcome."""
    drafted: Drafted = []
    for number, line in lines:
        try:
            if line.conversation_id not in names:
                raise InvalidRequest(fields={"conversation_id": "is not in an earlier line"})
            drafted.append((line, _make_draft(line, names[line.conversation_id], user_external_id, now)))
        except CodedError as error:
            outcome.add_error(number, error)
    return drafted


def store_messages(
    drafted: Drafted,
    *,
    user: UserRef,
    tenant: TenantRef,
    conversations: ImportedConversations,
    now: datetime,
    outcome: ImportOutcome,
) -> None:
    """Write those that are not there yet. Under the user's lock. Writes."""
    found = _enter_conversations(user, [draft for _, draft in drafted], now)
    conversations.ids.update({name: each.id for name, each in found.items()})
    conversations.own.update(each.id for each in found.values() if each.last_seq == 0)
    stored = _list_stored(user, drafted, conversations)
    fresh = sorted((pair for pair in drafted if pair[0].id not in stored), key=lambda pair: pair[0].id)
    taken = _list_client_ids(user, fresh)
    places = _list_places(user, fresh, found)
    rows: list[RecordedMessage] = []
    for line, draft in fresh:
        conversation = found[draft.conversation_external_id]
        if draft.client_id and (conversation.id, draft.client_id) in taken:
            continue
        taken.add((conversation.id, draft.client_id or ""))
        is_own = conversation.id in conversations.own
        seq = _take_place(conversation, places[conversation.id], wanted=line.seq, is_own=is_own)
        rows.append(_make_row(user, line, draft, conversation_id=conversation.id, seq=seq, now=now))
    _drop_unknown_references(user, rows)
    if rows:
        insert_messages(rows)
    outcome.messages += len(rows)
    outcome.repeated += len(drafted) - len(rows)


_ENTER_CONVERSATIONS = """
INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
SELECT %s, %s, fresh.id, fresh.external_id, %s FROM unnest(%s::uuid[], %s::varchar[]) AS fresh (id, external_id)
ON CONFLICT ON CONSTRAINT a_conversation_id_is_unique_within_its_user DO NOTHING
"""


def _enter_conversations(user: UserRef, drafts: Sequence[Draft], now: datetime) -> dict[str, OpenConversation]:
    """The conversations that the drafts name, by the tenant's own id; those that are new are made. Writes."""
    names = list(dict.fromkeys(draft.conversation_external_id for draft in drafts))
    execute(_ENTER_CONVERSATIONS, [user.tenant_id, user.id, now, [new_id() for _ in names], names])
    rows = Conversation.objects.filter(user_id=user.id, external_id__in=names)
    return {row.external_id: OpenConversation(row.id, row.last_seq, row.last_message_at) for row in rows}


def _make_draft(line: MessageLine, conversation: str, user_external_id: str, now: datetime) -> Draft:
    return make_draft(
        user_id=user_external_id,
        conversation_id=conversation,
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


def _list_stored(user: UserRef, drafted: Drafted, conversations: ImportedConversations) -> set[UUID]:
    """Those that are there already; a conversation in which one has its place of the export is the import's own."""
    wanted = {line.id: line.seq for line, _ in drafted}
    rows = Message.objects.filter(user_id=user.id, id__in=list(wanted)).values_list("id", "conversation_id", "seq")
    stored = set()
    for message_id, conversation_id, seq in rows:
        stored.add(message_id)
        if wanted[message_id] == seq:
            conversations.own.add(conversation_id)
    return stored


def _list_client_ids(user: UserRef, fresh: Drafted) -> set[tuple[UUID, str]]:
    named = [draft.client_id for _, draft in fresh if draft.client_id]
    rows = Message.objects.filter(user_id=user.id, client_id__in=named)
    found = rows.values_list("conversation_id", "client_id")
    return {(conversation_id, client_id) for conversation_id, client_id in found if client_id}


def _list_places(user: UserRef, fresh: Drafted, found: dict[str, OpenConversation]) -> defaultdict[UUID, set[int]]:
    """Which of the wanted places are taken."""
    ids = {found[draft.conversation_external_id].id for _, draft in fresh}
    wanted = {line.seq for line, _ in fresh}
    rows = Message.objects.filter(user_id=user.id, conversation_id__in=list(ids), seq__in=list(wanted))
    places: defaultdict[UUID, set[int]] = defaultdict(set)
    for conversation_id, seq in rows.values_list("conversation_id", "seq"):
        places[conversation_id].add(seq)
    return places


def _take_place(conversation: OpenConversation, taken: set[int], *, wanted: int, is_own: bool) -> int:
    """The place of the export in a conversation that came from it; the next one in any other (SPEC M-3)."""
    seq = wanted if is_own and wanted not in taken else conversation.last_seq + 1
    taken.add(seq)
    conversation.last_seq = max(conversation.last_seq, seq)
    return seq


def _drop_unknown_references(user: UserRef, rows: Sequence[RecordedMessage]) -> None:
    """References to messages that are not there, or come only later, are left out."""
    named = {mid for row in rows for mid in (row.reply_to_id, row.replaces_id) if mid}
    known = set(Message.objects.filter(user_id=user.id, id__in=list(named)).values_list("id", flat=True))
    for row in rows:
        row.reply_to_id = row.reply_to_id if row.reply_to_id in known else None
        row.replaces_id = row.replaces_id if row.replaces_id in known else None
        known.add(row.id)


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
