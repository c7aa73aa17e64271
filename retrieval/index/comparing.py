"""Index rows and vectors held against what the messages give now (SPEC M-4, `rebuild --diff`)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.db import transaction

from memory.database.statements import fetch_rows
from memory.registries import DerivedDifference
from memory.types import UserRef
from retrieval.index.forgetting import rebuild_user

Row = str
"""Digests by column, as JSON text: equal for equal rows."""
Rows = dict[UUID, list[Row]]
"""By message. One each, but for a message with a vector of a former embedder beside that of the present one."""
TABLES: Final = {
    # Vectors of models that are asked over the network can't be made for a comparison.
    "message_index": "true",
    "message_embedding": "t.model_id IN (SELECT id FROM embedding_model WHERE is_inline)",
}
VERSIONS: Final = frozenset(("tokeniser", "model_id"))
"""Columns that name the engine which wrote a row: where they differ, so may everything else."""
_READ: Final = """
SELECT t.message_id, (SELECT jsonb_object_agg(c.key, md5(c.value)) FROM jsonb_each_text(to_jsonb(t)) c)
  FROM {table} t WHERE t.user_id = %s AND {condition}
"""


def compare_user(user: UserRef) -> list[DerivedDifference]:
    """Rows that are stored otherwise than a rebuild would write them, by table and message.

    Rebuilds and takes it back: what is compared is what a rebuild does. Changes nothing. Under the user's lock.
    """
    stored = {table: _read(table, user) for table in TABLES}
    with transaction.atomic():
        rebuild_user(user)
        rebuilt = {table: _read(table, user) for table in TABLES}
        transaction.set_rollback(True)
    return [found for table in TABLES for found in _compare(table, stored[table], rebuilt[table])]


def _read(table: str, user: UserRef) -> Rows:
    found: Rows = defaultdict(list)
    for message_id, row in fetch_rows(_READ.format(table=table, condition=TABLES[table]), [user.id]):
        found[message_id].append(row)
    return found


def _compare(table: str, stored: Rows, rebuilt: Rows) -> Iterator[DerivedDifference]:
    for message_id in sorted(stored.keys() | rebuilt.keys()):
        if message_id not in stored:
            yield DerivedDifference(table, message_id, "missing")
        elif message_id not in rebuilt:
            yield DerivedDifference(table, message_id, "unfounded")
        else:
            (new,) = rebuilt[message_id]
            for old in stored[message_id]:
                if old != new:
                    columns = _list_columns(json.loads(old), json.loads(new))
                    reason = "drift" if VERSIONS.isdisjoint(columns) else "engine_changed"
                    yield DerivedDifference(table, message_id, "different", columns, reason)


def _list_columns(old: dict[str, str], new: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name)))
