"""Who told us: the app, a model through MCP, or an import; and by which client of theirs (D-39)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.types import TOLD_BY, UserRef

# Words of messages are not read here (D-11), only what stands beside them.
_ROWS: Final = """
SELECT t.id, t.created_at,
       CASE WHEN t.via IN ('mcp', 'import') THEN t.via WHEN t.is_derived THEN 'import' ELSE 'app' END AS via,
       CASE WHEN t.via IN ('mcp', 'import') THEN coalesce(t.client, '')
            WHEN t.is_derived THEN coalesce(t.source, '') ELSE '' END AS client
  FROM (SELECT m.id, m.created_at,
               m.metadata -> %(key)s::text ->> 'via' AS via, m.metadata -> %(key)s::text ->> 'client' AS client,
               m.metadata ->> 'source' AS source, coalesce(m.metadata ->> 'is_derived' = 'true', false) AS is_derived
          FROM memory_message m WHERE m.user_id = %(user)s::uuid AND m.forgotten_at IS NULL) t
"""
_COUNTS: Final = f"""
SELECT via, client, count(*), min(created_at), max(created_at)
  FROM ({_ROWS}) r GROUP BY via, client ORDER BY via, client
"""
_IDS: Final = f"""
SELECT id FROM ({_ROWS}) r WHERE via = %(via)s::text AND client = %(client)s::text ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class Source:
    """One client, and how much of what it told is there."""

    via: str
    client: str
    messages: int
    first_at: datetime
    last_at: datetime


def list_sources(*, user: UserRef) -> list[Source]:
    """Everybody who told something of this user, forgotten messages left out."""
    return [Source(*row) for row in fetch_rows(_COUNTS, {"user": user.id, "key": TOLD_BY})]


def list_messages_of_source(*, user: UserRef, via: str, client: str) -> list[UUID]:
    """The messages of one client that are not forgotten, in the order in which they came."""
    return [row[0] for row in fetch_rows(_IDS, {"user": user.id, "key": TOLD_BY, "via": via, "client": client})]
