"""The same client id twice stores once and answers the same (SPEC M-1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from json.encoder import encode_basestring as _quote
from typing import Any
from uuid import UUID

from memory.errors import Conflict
from memory.ingest.conversations import OpenConversation
from memory.types import Draft, RecordedMessage


class DuplicateClientId(Conflict):
    """The client id is taken by another message of this conversation (SPEC M-1)."""

    code = "duplicate_id"
    default_message = "This id was used for another message of this conversation."


def hash_content(message: Draft | RecordedMessage) -> bytes:
    """What makes a repeated call the same: role, content and blocks. Times are left out, a retry may have another."""
    if message.blocks is None:
        text = f"[{_quote(message.role)}, {_quote(message.content)}, null]"  # as dumps() writes it
    else:
        content = [message.role, message.content, message.blocks]
        text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


def separate_repeats(
    drafts: Sequence[Draft],
    conversations: dict[str, OpenConversation],
    seen: dict[tuple[UUID, str], tuple[UUID, bytes]],
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
            known = seen.get((conversations[draft.conversation_external_id].id, draft.client_id)) if seen else None
        if known is None:
            here[name] = i
            fresh.append(i)
        elif known[1] == hash_content(draft):
            repeats[i] = known[0]
        else:
            raise DuplicateClientId(fields={"id": "taken by a message with other content"})
    return fresh, repeats
