"""Erasers: how rows go. Derived rows first, then what rests on messages, then RAW, then the user (SPEC G-2).

`TableEraser` serves every table whose rows belong to a user and perhaps to messages; other rooms register theirs in
`AppConfig.ready()`:

    erasers.register("snippets", TableEraser(
        name="snippets", models=("retrieval.MessageSnippet",), table="message_snippet", key="message_id",
        message_columns=("message_id",)))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from memory.database.statements import execute, fetch_row, fetch_rows
from memory.types import ErasureScope

DERIVED: Final = 0
EVIDENCE: Final = 10
RAW: Final = 20
SUBJECT: Final = 30

ITEMS: Final = (
    "(SELECT i.message_id FROM erasure_item i WHERE i.user_id = %(user_id)s AND i.erasure_id = %(erasure_id)s)"
)
"""The messages of a part erasure, as a subquery."""


@dataclass(frozen=True, slots=True)
class TableEraser:
    """Deletes the rows of one table that belong to the user; in a part erasure those that name one of its messages.

    `table` has the columns `user_id` and `key`. Without message columns or arrays, or a condition for parts, a part
    erasure leaves the table alone: say why where you register it.
    """

    name: str
    models: tuple[str, ...]
    table: str
    key: str = "id"
    message_columns: tuple[str, ...] = ()
    """Columns that hold a message id."""
    message_arrays: tuple[str, ...] = ()
    """Columns that hold arrays of message ids."""
    part: str = ""
    """A condition on `t`, the row: what else goes in a part erasure. `covers_time` and `covers_thread` make parts."""
    stage: int = DERIVED

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        return run_count(
            f"DELETE FROM {self.table} WHERE user_id = %(user_id)s AND {self.key} IN"
            f" (SELECT t.{self.key} FROM {self.table} t WHERE {self._build_condition(scope)} LIMIT %(limit)s)",
            scope,
            limit=limit,
        )

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        return fetch_count(f"SELECT count(*) FROM {self.table} t WHERE {self._build_condition(scope)}", scope)

    def _build_condition(self, scope: ErasureScope) -> str:
        own = "t.user_id = %(user_id)s"
        if scope.is_whole:
            return own
        named = [f"t.{column} IN {ITEMS}" for column in self.message_columns]
        named += [f"t.{column} && ARRAY{ITEMS}" for column in self.message_arrays]
        named += [self.part] if self.part else []
        return f"{own} AND ({' OR '.join(named) or 'false'})"


def covers_time(column: str) -> str:
    """Whether an erasure is of a range of time, and a moment of the row is in it."""
    return _cover(
        f"""b.scope = 'range' AND t.{column} <= b.erased_up_to AND (b.said_from IS NULL OR t.{column} >= b.said_from)
            AND (b.said_to IS NULL OR t.{column} < b.said_to)"""
    )


def covers_thread() -> str:
    """Whether an erasure is of a conversation, and the row names it by the caller's id (`conversation`, `asked_at`)."""
    return _cover(
        """b.scope = 'conversation' AND t.asked_at <= b.erased_up_to AND t.conversation =
            (SELECT c.external_id FROM memory_conversation c
             WHERE c.user_id = b.user_id AND c.id = b.conversation_id)"""
    )


def _cover(condition: str) -> str:
    return f"""EXISTS (SELECT FROM erasure_request r
      JOIN memory_tombstone b ON b.user_id = r.user_id AND b.id = r.tombstone_id
      WHERE r.user_id = t.user_id AND r.id = %(erasure_id)s AND {condition})"""


def run_count(statement: str, scope: ErasureScope, **more: Any) -> int:
    """Run a statement with the scope's ids as named parameters; how many rows it touched."""
    return execute(statement, _list_parameters(statement, scope, more))


def fetch_count(statement: str, scope: ErasureScope, **more: Any) -> int:
    """The single number that a statement answers, with the scope's ids as named parameters."""
    return int(fetch_row(statement, _list_parameters(statement, scope, more))[0])


def fetch_ids(statement: str, scope: ErasureScope) -> list[UUID]:
    """The ids that a statement answers, with the scope's ids as named parameters."""
    return [row[0] for row in fetch_rows(statement, _list_parameters(statement, scope, {}))]


def _list_parameters(statement: str, scope: ErasureScope, more: dict[str, Any]) -> dict[str, Any]:
    known = {"user_id": scope.user.id, "erasure_id": scope.erasure_id, **more}
    return {name: value for name, value in known.items() if f"%({name})s" in statement}
