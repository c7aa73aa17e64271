"""A message and the edits of it: one thing with one id, that of its first version (D-4, D-57)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.errors import NotFound
from memory.models import Message
from memory.selectors.messages import to_recorded
from memory.types import RecordedMessage, UserRef

# Up to the first version, then down to all that took its place. Index: newer_version_of_a_message.
_VERSIONS: Final = """
WITH RECURSIVE up AS (
  SELECT id, replaces_id FROM memory_message WHERE user_id = %(user)s AND id = %(id)s
  UNION
  SELECT m.id, m.replaces_id FROM up JOIN memory_message m ON m.user_id = %(user)s AND m.id = up.replaces_id),
down AS (
  SELECT id FROM up WHERE replaces_id IS NULL
  UNION
  SELECT m.id FROM down JOIN memory_message m ON m.user_id = %(user)s AND m.replaces_id = down.id)
SELECT id FROM down
"""


def list_versions(*, user: UserRef, message_id: UUID) -> list[RecordedMessage]:
    """Every version of the message that has this one, the first before the newest, forgotten ones too.

    Empty for an id that is no message of the user.
    """
    ids = [row[0] for row in fetch_rows(_VERSIONS, {"user": user.id, "id": message_id})]
    # Ids are made in the order of time, and an edit is made after what it edits.
    return [to_recorded(row) for row in Message.objects.filter(user_id=user.id, id__in=ids).order_by("id")]


def get_versions(*, user: UserRef, message_id: UUID) -> Sequence[RecordedMessage]:
    """As `list_versions`. Raises NotFound where there is none, or where the newest is forgotten: so is the message."""
    versions = list_versions(user=user, message_id=message_id)
    if not versions or versions[-1].forgotten_at is not None:
        raise NotFound("This message does not exist.", fields={"message_id": "unknown"})
    return versions
