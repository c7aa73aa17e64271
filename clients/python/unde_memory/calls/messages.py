"""Calls about messages, questions and packs."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from unde_memory import types as t
from unde_memory.calling import Calls, delete, get, patch, post
from unde_memory.writing import UNSET


class MessagesCalls(Calls):
    """Calls about messages, questions and packs."""

    @post("/v1/context")
    def context(self, *, user_id: str, conversation_id: str, query: str, max_tokens: int | None = UNSET,
            intent: str = UNSET, mood: str = UNSET, model: str = UNSET, as_of: datetime | None = UNSET,
            trace: bool = UNSET, corpora: Sequence[str] = UNSET, layers: bool | None = UNSET,
            allow_without_facts: bool = UNSET) -> t.Pack:
        """The context pack: what the model should know for this reply, ready to send."""

    @post("/v1/feedback")
    def send_feedback(self, *, receipt_id: str, items: Sequence[Mapping[str, Any]],
            assistant_message_id: str | None = UNSET, idempotency_key: str | None = None) -> None:
        """Say what was done with the parts of a pack."""

    @post("/v1/messages", makes_id=True)
    def add_message(self, *, user_id: str, conversation_id: str, role: t.Role,
            content: str | Sequence[Mapping[str, Any]], id: str | None = None, created_at: datetime | None = UNSET,
            reply_to_id: str | None = UNSET, replaces_id: str | None = UNSET, receipt_id: str | None = UNSET,
            speaker: str = UNSET, response_description: str | None = UNSET, memory_type: t.MemoryType = UNSET,
            mood: str = UNSET, metadata: Mapping[str, Any] = UNSET, wait_for_index: bool = UNSET) -> t.StoredMessage:
        """Store one message; what it states plainly becomes facts in the same request."""

    @get("/v1/messages/{message_id}")
    def get_message(self, message_id: str) -> t.OneMessage:
        """One message, word for word, in its newest version."""

    @patch("/v1/messages/{message_id}")
    def edit_message(self, message_id: str, *, content: str | Sequence[Mapping[str, Any]] = UNSET,
            id: str | None = None, created_at: datetime = UNSET, speaker: str = UNSET,
            response_description: str = UNSET, memory_type: t.MemoryType = UNSET, mood: str = UNSET,
            metadata: Mapping[str, Any] = UNSET, idempotency_key: str | None = None) -> t.EditedMessage:
        """Edit a message; it keeps its id. What is left out stays as it is."""

    @delete("/v1/messages/{message_id}")
    def delete_message(self, message_id: str, *, idempotency_key: str | None = None) -> t.Forgotten:
        """Forget a message with all of its versions. It can be undone by the answer's `batch_id`."""

    @get("/v1/messages/{message_id}/history")
    def get_history(self, message_id: str) -> t.MessageHistory:
        """Every version of a message, oldest first."""

    @post("/v1/messages/{message_id}/forget")
    def forget_message(self, message_id: str, *, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Forgotten:
        """Hide a message from all reads at once, with everything derived from it."""

    @post("/v1/messages/{message_id}/restore")
    def restore_message(self, message_id: str, *, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Forgotten:
        """Restore a forgotten message within its grace period."""

    @get("/v1/receipts/{receipt_id}")
    def get_receipt(self, receipt_id: str) -> t.Receipt:
        """A receipt: why a search or a pack held what it held."""

    @get("/v1/receipts/{receipt_id}/page")
    def get_sources(self, receipt_id: str) -> t.ReplySources:
        """The sources of a reply in words: what it was given, what was left out and why."""

    @post("/v1/search")
    def search(self, *, user_id: str, query: str, top_k: int = UNSET, conversation_id: str | None = UNSET,
            filters: Mapping[str, Any] = UNSET, as_of: datetime | None = UNSET, trace: bool = UNSET) -> t.SearchResults:
        """Find messages of one user that answer a question."""

    @post("/v1/chat", makes_id=True)
    def chat(self, *, user_id: str, conversation_id: str, message: str, id: str | None = None,
            corpora: Sequence[str] = UNSET, project_id: str | None = UNSET,
            skills: Sequence[str] | None = UNSET) -> t.ChatReply:
        """Say something and get the reply: store, pack, model or skill, store the reply. As a stream: `stream_chat`."""
