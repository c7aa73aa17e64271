"""The erasers of this room's own tables, and which of its tables are kept and why."""

from __future__ import annotations

from typing import Final

from memory.erasure.erasers import EVIDENCE, ITEMS, RAW, SUBJECT, TableEraser, fetch_count, run_count
from memory.registries import Eraser, erasers, kept_models
from memory.types import ErasureScope

KEPT: Final = {
    "memory.Tombstone": "holds ids, times and HMACs; keeps the erased from coming back",
    "memory.ErasureRequest": "holds codes, times and counts; what was asked and done",
    "memory.ErasureEvent": "holds codes and times; the history of the erasure",
    "memory.ErasureItem": "holds message ids; lets a part erasure be proved afterwards",
    "memory.ErasureCertificate": "holds ids, counts and a signature; the proof itself",
}


class FactEraser:
    """Facts that rest on erased messages lose them; with none left the row goes (SPEC T-2).

    What a person stated outright (onboarding, explicit, review) stays without evidence, as it was before it had any.
    """

    name = "facts"
    models = ("memory.FactRow",)
    stage = EVIDENCE

    _left = f"(SELECT array_agg(e) FROM unnest(evidence_message_ids) e WHERE e NOT IN {ITEMS})"
    _resting = f"user_id = %(user_id)s AND evidence_message_ids && ARRAY{ITEMS}"
    _falls = f"""
      (coalesce(cardinality({_left}), 0) = 0 AND extracted_from NOT IN ('onboarding', 'explicit', 'review')
       OR coalesce(cardinality({_left}), 0) < 2 AND knowledge_type = 'brand_preference' AND extracted_from = 'batch')
    """

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch. A user has some tens of facts, a part erasure touches few: all at once."""
        if scope.is_whole:
            return run_count(_delete_some("user_knowledge"), scope, limit=limit)
        gone = run_count(f"DELETE FROM user_knowledge WHERE {self._resting} AND {self._falls}", scope)
        return gone + run_count(
            f"UPDATE user_knowledge SET evidence_message_ids = coalesce({self._left}, '{{}}') WHERE {self._resting}",
            scope,
        )

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        where = "user_id = %(user_id)s" if scope.is_whole else self._resting
        return fetch_count(f"SELECT count(*) FROM user_knowledge WHERE {where}", scope)


class ActionEraser:
    """Actions on erased messages go. One that a surviving fact hangs on keeps its ids and loses its words."""

    name = "actions"
    models = ("memory.Action",)
    stage = EVIDENCE + 1

    _named = f"""
      a.user_id = %(user_id)s AND (a.message_id IN {ITEMS} OR a.batch_id IN (
        SELECT f.batch_id FROM memory_forget_item f WHERE f.user_id = %(user_id)s AND f.message_id IN {ITEMS}))
    """
    _is_held = "EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = a.user_id AND k.action_id = a.id)"

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        if scope.is_whole:
            return run_count(_delete_some("memory_action"), scope, limit=limit)
        gone = run_count(f"DELETE FROM memory_action a WHERE {self._named} AND NOT {self._is_held}", scope)
        return gone + run_count(
            f"UPDATE memory_action a SET sealed = NULL WHERE {self._named} AND a.sealed IS NOT NULL", scope
        )

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left. An action without words that a fact hangs on is not left over."""
        where = f"{self._named} AND (a.sealed IS NOT NULL OR NOT {self._is_held})"
        if scope.is_whole:
            where = "a.user_id = %(user_id)s"
        return fetch_count(f"SELECT count(*) FROM memory_action a WHERE {where}", scope)


class ForgetEraser:
    """Forgets that hid erased messages: their entries go, with every description they kept for the way back.

    The forget itself stays in a part erasure: times and a status, so that its id still answers that it is over.
    """

    name = "forgets"
    models = ("memory.ForgetBatch", "memory.ForgetItem")
    stage = RAW

    _touched = f"""
      SELECT f.batch_id FROM memory_forget_item f WHERE f.user_id = %(user_id)s AND f.message_id IN {ITEMS}
    """

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch. Entries of a batch go with it."""
        if scope.is_whole:
            return run_count(_delete_some("memory_forget_batch"), scope, limit=limit)
        return run_count(
            f"""
            DELETE FROM memory_forget_item f
             WHERE f.user_id = %(user_id)s AND f.batch_id IN ({self._touched})
               AND (f.part = 'description' OR f.message_id IN {ITEMS})
            """,
            scope,
        )

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        if scope.is_whole:
            return fetch_count("SELECT count(*) FROM memory_forget_batch WHERE user_id = %(user_id)s", scope)
        return fetch_count(f"SELECT count(*) FROM ({self._touched}) t", scope)


class ConversationEraser:
    """Conversations with nothing left in them go; the others count anew what they hold."""

    name = "conversations"
    models = ("memory.Conversation",)
    stage = RAW + 2

    _is_empty = """
      c.user_id = %(user_id)s AND NOT EXISTS (
        SELECT FROM memory_message m WHERE m.user_id = c.user_id AND m.conversation_id = c.id)
    """

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        if scope.is_whole:
            return run_count(_delete_some("memory_conversation"), scope, limit=limit)
        run_count(_RECOUNT, scope)
        return run_count(f"DELETE FROM memory_conversation c WHERE {self._is_empty}", scope)

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        where = "c.user_id = %(user_id)s" if scope.is_whole else self._is_empty
        return fetch_count(f"SELECT count(*) FROM memory_conversation c WHERE {where}", scope)


# `last_seq` stays: a place in a conversation is never given twice.
_RECOUNT = """
UPDATE memory_conversation c
   SET last_message_at = left_over.last_message_at, pending_count = left_over.pending,
       pending_since = CASE WHEN left_over.pending > 0 THEN left_over.pending_since END
  FROM (SELECT o.id, max(m.created_at) AS last_message_at,
               count(m.id) FILTER (WHERE m.received_at >= o.pending_since) AS pending,
               min(m.received_at) FILTER (WHERE m.received_at >= o.pending_since) AS pending_since
          FROM memory_conversation o
          JOIN memory_message m ON m.user_id = o.user_id AND m.conversation_id = o.id
         WHERE o.user_id = %(user_id)s GROUP BY o.id) left_over
 WHERE c.user_id = %(user_id)s AND c.id = left_over.id
   AND (c.last_message_at, c.pending_count) IS DISTINCT FROM (left_over.last_message_at, left_over.pending::integer)
"""


class EventEraser:
    """Events of an erased user are deleted, and with them their deliveries and the user's counter.

    A part erasure leaves them, or the numbers would have a gap: they hold ids alone, and lose that of the message.
    """

    name = "events"
    models = ("outbox.Event",)
    stage = EVIDENCE + 2

    _named = f"user_id = %(user_id)s AND message_id IN {ITEMS}"

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        if not scope.is_whole:
            return run_count(f"UPDATE memory_event SET message_id = NULL WHERE {self._named}", scope)
        gone = run_count(
            "DELETE FROM memory_event WHERE user_id = %(user_id)s AND id IN"
            " (SELECT id FROM memory_event WHERE user_id = %(user_id)s LIMIT %(limit)s)",
            scope,
            limit=limit,
        )
        return gone or run_count("DELETE FROM memory_event_counter WHERE owner_id = %(user_id)s", scope)

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        where = "user_id = %(user_id)s" if scope.is_whole else self._named
        return fetch_count(f"SELECT count(*) FROM memory_event WHERE {where}", scope)


class UserEraser:
    """The user itself: the last row to go, and only when the whole user is erased."""

    name = "user"
    models = ("memory.User",)
    stage = SUBJECT

    def erase_batch(self, scope: ErasureScope, *, limit: int) -> int:
        """See Eraser.erase_batch."""
        return run_count("DELETE FROM memory_user WHERE id = %(user_id)s", scope) if scope.is_whole else 0

    def count_left(self, scope: ErasureScope) -> int:
        """See Eraser.count_left."""
        return fetch_count("SELECT count(*) FROM memory_user WHERE id = %(user_id)s", scope) if scope.is_whole else 0


def register_erasers() -> None:
    """Called once at start."""
    messages = TableEraser(
        name="messages", models=("memory.Message",), table="memory_message", message_columns=("id",), stage=RAW + 1
    )
    answers = TableEraser(
        name="answered_requests",
        models=("memory.AnsweredRequest",),
        table="answered_request",
        message_arrays=("message_ids",),
    )
    # A key of one user dies with the user; a part erasure leaves it alone.
    keys = TableEraser(name="user_keys", models=("tenants.ApiKey",), table="api_key")
    own: list[Eraser] = [
        answers,
        keys,
        FactEraser(),
        EventEraser(),
        ActionEraser(),
        ForgetEraser(),
        messages,
        ConversationEraser(),
        UserEraser(),
    ]
    for eraser in own:
        erasers.register(eraser.name, eraser)
    kept_models.update(KEPT)


def _delete_some(table: str) -> str:
    return (
        f"DELETE FROM {table} WHERE user_id = %(user_id)s AND id IN"
        f" (SELECT id FROM {table} WHERE user_id = %(user_id)s LIMIT %(limit)s)"
    )
