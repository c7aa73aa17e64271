"""The same client id twice stores once and answers the same (SPEC M-1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from json.encoder import encode_basestring as _quote
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from memory.errors import Conflict
from memory.facts.reading import list_facts_by_id
from memory.models import Action, Message
from memory.storing.opening import OpenConversation
from memory.storing.types import CorrectionOutcome, Recorded
from memory.types import Draft, Fact, FactChange, RecordedMessage, UserRef


class DuplicateClientId(Conflict):
    """The client id is taken by another message of this conversation (SPEC M-1)."""

    code = "duplicate_id"
    default_message = "This id was used for another message of this conversation."


def hash_content(message: Draft | RecordedMessage) -> bytes:
    """The identity of a call for repeats: role, content and blocks. A retry may have another time."""
    if message.blocks is None:
        text = f"[{_quote(message.role)}, {_quote(message.content)}, null]"  # as dumps() writes it
    else:
        content = [message.role, message.content, message.blocks]
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


def separate_repeats(
    drafts: Sequence[Draft],
    conversations: dict[str, OpenConversation],
    stored: dict[tuple[UUID, str], tuple[UUID, bytes]],
) -> tuple[list[int], dict[int, UUID | int]]:
    """Places of new messages, and for each repeat the stored id or the place of its first occurrence in this batch."""
    fresh: list[int] = []
    repeats: dict[int, Any] = {}
    here: dict[tuple[str, str], int] = {}  # nearly all ids are new: content is hashed only where one comes again
    for i, draft in enumerate(drafts):
        if not draft.client_id:
            fresh.append(i)
            continue
        name = (draft.conversation_external_id, draft.client_id)
        place = here.get(name)
        if place is not None:
            known: tuple[Any, bytes] | None = place, hash_content(drafts[place])
        else:
            known = stored.get((conversations[draft.conversation_external_id].id, draft.client_id))
        if known is None:
            here[name] = i
            fresh.append(i)
        elif known[1] == hash_content(draft):
            repeats[i] = known[0]
        else:
            raise DuplicateClientId(fields={"id": "taken by a message with other content"})
    return fresh, repeats


def list_first_answers(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, Recorded]:
    """The first answer to each stored message. Reads only."""
    if not message_ids:
        return {}
    actions = list(Action.objects.filter(user_id=user.id, message_id__in=message_ids).order_by("position"))
    facts = list_facts_by_id(user=user, fact_ids=_list_fact_ids(actions))
    messages = Message.objects.filter(user_id=user.id, id__in=message_ids).values_list("id", "client_id", "language")
    answers = {
        mid: Recorded(message_id=mid, client_id=client_id, language=language, is_new=False)
        for mid, client_id, language in messages
    }
    for action in actions:
        if action.message_id:
            _add_action(answers[action.message_id], action, facts)
    return answers


def _list_fact_ids(actions: Iterable[Action]) -> list[UUID]:
    return [UUID(effect["fact_id"]) for action in actions for effect in action.effects]


def _add_action(answer: Recorded, action: Action, facts: dict[UUID, Fact]) -> None:
    answer.withheld.extend(action.detail["types"] if action.kind == "withhold" else ())
    for effect in action.effects:
        fact = facts.get(UUID(effect["fact_id"]))
        if fact is None:
            continue
        if action.kind in ("instant", "correction", "confirm", "edit"):
            answer.changes.append(_restore_change(effect, fact))
    answer.corrections.extend(
        CorrectionOutcome(
            id=UUID(entry["id"]),
            correction_type=entry["correction_type"],
            fact_id=UUID(entry["fact_id"]) if entry["fact_id"] else None,
            action=entry["action"],
            item_id=UUID(entry["item_id"]) if entry.get("item_id") else None,
        )
        for entry in action.detail.get("corrections", [])
    )


def _restore_change(effect: dict[str, Any], fact: Fact) -> FactChange:
    """The change as it was answered: number and date of then, not of now."""
    expires_at = datetime.fromisoformat(effect["expires_at"]) if effect["expires_at"] else None
    superseded_id = UUID(effect["superseded_id"]) if effect["superseded_id"] else None
    then = replace(fact, confidence=effect["confidence"], expires_at=expires_at)
    return FactChange(effect["action"], then, superseded_id=superseded_id)
