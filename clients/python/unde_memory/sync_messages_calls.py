"""Calls about messages, questions and packs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from unde_memory.sync_sending import Sending
from unde_memory.errors import Unreachable
from unde_memory.transport import (
    STREAM_TRIES,
    UNSET,
    UnsetType,
    fill,
    new_id,
    once,
    operation,
    read_chat_event,
)
from unde_memory.types import (
    BatchResults,
    ChatEvent,
    ChatReply,
    EditedMessage,
    Forgotten,
    MemoryType,
    MessageHistory,
    OneMessage,
    Pack,
    Receipt,
    ReplySources,
    Role,
    SearchResults,
    StoredMessage,
)


class MessagesCalls(Sending):
    """Calls about messages, questions, packs and single facts."""

    @operation("POST /v1/context")
    def context(
        self,
        *,
        user_id: str,
        conversation_id: str,
        query: str,
        max_tokens: int | UnsetType | None = UNSET,
        intent: str | UnsetType = UNSET,
        mood: str | UnsetType = UNSET,
        model: str | UnsetType = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        trace: bool | UnsetType = UNSET,
        corpora: Sequence[str] | UnsetType = UNSET,
        layers: bool | UnsetType | None = UNSET,
        allow_without_facts: bool | UnsetType = UNSET,
    ) -> Pack:
        """The context pack: what the model should know for this reply, ready to send."""
        return self.request(
            "POST",
            "/v1/context",
            Pack,
            body={
                "user_id": user_id,
                "conversation_id": conversation_id,
                "query": query,
                "max_tokens": max_tokens,
                "intent": intent,
                "mood": mood,
                "model": model,
                "as_of": as_of,
                "trace": trace,
                "corpora": corpora,
                "layers": layers,
                "allow_without_facts": allow_without_facts,
            },
        )

    @operation("POST /v1/feedback")
    def send_feedback(
        self,
        *,
        receipt_id: str,
        items: Sequence[Mapping[str, Any]],
        assistant_message_id: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> None:
        """Say what was done with the parts of a pack."""
        self.request(
            "POST",
            "/v1/feedback",
            None,
            body={"receipt_id": receipt_id, "items": items, "assistant_message_id": assistant_message_id},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/messages")
    def add_message(
        self,
        *,
        user_id: str,
        conversation_id: str,
        role: Role,
        content: str | Sequence[Mapping[str, Any]],
        id: str | None = None,
        created_at: datetime | UnsetType | None = UNSET,
        reply_to_id: str | UnsetType | None = UNSET,
        replaces_id: str | UnsetType | None = UNSET,
        receipt_id: str | UnsetType | None = UNSET,
        speaker: str | UnsetType = UNSET,
        response_description: str | UnsetType | None = UNSET,
        memory_type: MemoryType | UnsetType = UNSET,
        mood: str | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        wait_for_index: bool | UnsetType = UNSET,
    ) -> StoredMessage:
        """Store one message; what it states plainly becomes facts in the same request."""
        own_id = id or new_id()
        return self.request(
            "POST",
            "/v1/messages",
            StoredMessage,
            body={
                "user_id": user_id,
                "conversation_id": conversation_id,
                "role": role,
                "content": content,
                "id": own_id,
                "created_at": created_at,
                "reply_to_id": reply_to_id,
                "replaces_id": replaces_id,
                "receipt_id": receipt_id,
                "speaker": speaker,
                "response_description": response_description,
                "memory_type": memory_type,
                "mood": mood,
                "metadata": metadata,
                "wait_for_index": wait_for_index,
            },
        )

    @operation("GET /v1/messages/{message_id}")
    def get_message(self, message_id: str) -> OneMessage:
        """One message, word for word, in its newest version."""
        return self.request("GET", fill("/v1/messages/{message_id}", message_id=message_id), OneMessage)

    @operation("PATCH /v1/messages/{message_id}")
    def edit_message(
        self,
        message_id: str,
        *,
        content: str | Sequence[Mapping[str, Any]] | UnsetType = UNSET,
        id: str | None = None,
        created_at: datetime | UnsetType = UNSET,
        speaker: str | UnsetType = UNSET,
        response_description: str | UnsetType = UNSET,
        memory_type: MemoryType | UnsetType = UNSET,
        mood: str | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> EditedMessage:
        """Edit a message; it keeps its id. What is left out stays as it is."""
        return self.request(
            "PATCH",
            fill("/v1/messages/{message_id}", message_id=message_id),
            EditedMessage,
            body={
                "content": content,
                "id": id if id is not None else UNSET,
                "created_at": created_at,
                "speaker": speaker,
                "response_description": response_description,
                "memory_type": memory_type,
                "mood": mood,
                "metadata": metadata,
            },
            headers=once(idempotency_key),
        )

    @operation("DELETE /v1/messages/{message_id}")
    def delete_message(self, message_id: str, *, idempotency_key: str | None = None) -> Forgotten:
        """Forget a message with all of its versions. It can be undone by the answer's `batch_id`."""
        return self.request(
            "DELETE",
            fill("/v1/messages/{message_id}", message_id=message_id),
            Forgotten,
            headers=once(idempotency_key),
        )

    @operation("GET /v1/messages/{message_id}/history")
    def get_history(self, message_id: str) -> MessageHistory:
        """Every version of a message, oldest first."""
        return self.request(
            "GET", fill("/v1/messages/{message_id}/history", message_id=message_id), MessageHistory
        )

    @operation("POST /v1/messages/{message_id}/forget")
    def forget_message(
        self, message_id: str, *, reason: str | UnsetType | None = UNSET, idempotency_key: str | None = None
    ) -> Forgotten:
        """Hide a message from all reads at once, with everything derived from it."""
        return self.request(
            "POST",
            fill("/v1/messages/{message_id}/forget", message_id=message_id),
            Forgotten,
            body={"reason": reason},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/messages/{message_id}/restore")
    def restore_message(
        self, message_id: str, *, reason: str | UnsetType | None = UNSET, idempotency_key: str | None = None
    ) -> Forgotten:
        """Restore a forgotten message within its grace period."""
        return self.request(
            "POST",
            fill("/v1/messages/{message_id}/restore", message_id=message_id),
            Forgotten,
            body={"reason": reason},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/messages/batch")
    def add_messages(self, messages: Sequence[Mapping[str, Any]]) -> BatchResults:
        """Store up to 500 messages; one bad item does not lose the others."""
        return self.request("POST", "/v1/messages/batch", BatchResults, body={"messages": messages})

    @operation("GET /v1/receipts/{receipt_id}")
    def get_receipt(self, receipt_id: str) -> Receipt:
        """A receipt: why a search or a pack held what it held."""
        return self.request("GET", fill("/v1/receipts/{receipt_id}", receipt_id=receipt_id), Receipt)

    @operation("GET /v1/receipts/{receipt_id}/page")
    def get_sources(self, receipt_id: str) -> ReplySources:
        """The sources of a reply in words: what it was given, what was left out and why."""
        return self.request("GET", fill("/v1/receipts/{receipt_id}/page", receipt_id=receipt_id), ReplySources)

    @operation("POST /v1/search")
    def search(
        self,
        *,
        user_id: str,
        query: str,
        top_k: int | UnsetType = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        filters: Mapping[str, Any] | UnsetType = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        trace: bool | UnsetType = UNSET,
    ) -> SearchResults:
        """Find messages of one user that answer a question."""
        return self.request(
            "POST",
            "/v1/search",
            SearchResults,
            body={
                "user_id": user_id,
                "query": query,
                "top_k": top_k,
                "conversation_id": conversation_id,
                "filters": filters,
                "as_of": as_of,
                "trace": trace,
            },
        )

    @operation("POST /v1/chat")
    def chat(
        self,
        *,
        user_id: str,
        conversation_id: str,
        message: str,
        id: str | None = None,
        corpora: Sequence[str] | UnsetType = UNSET,
        project_id: str | UnsetType | None = UNSET,
        skills: Sequence[str] | UnsetType | None = UNSET,
    ) -> ChatReply:
        """Say something and get the reply: store, pack, model or skill, store the reply. As a stream: `stream_chat`."""
        return self.request(
            "POST",
            "/v1/chat",
            ChatReply,
            body={
                "user_id": user_id,
                "conversation_id": conversation_id,
                "message": message,
                "id": id or new_id(),
                "corpora": corpora,
                "project_id": project_id,
                "skills": skills,
            },
        )

    def stream_chat(
        self,
        *,
        user_id: str,
        conversation_id: str,
        message: str,
        id: str | None = None,
        corpora: Sequence[str] | UnsetType = UNSET,
        project_id: str | UnsetType | None = UNSET,
        skills: Sequence[str] | UnsetType | None = UNSET,
    ) -> Iterator[ChatEvent]:
        """As `chat`, the reply as it is made. A stream that breaks is taken up where it was, a few times.

        Raises what the service refuses, also in the middle: then the same call with the same `id` goes on.
        """
        body = {
            "user_id": user_id,
            "conversation_id": conversation_id,
            "message": message,
            "id": id or new_id(),
            "stream": True,
            "corpora": corpora,
            "project_id": project_id,
            "skills": skills,
        }
        last = ""
        for attempt in range(STREAM_TRIES):
            try:
                headers = {"Last-Event-ID": last} if last else None
                for name, event_id, data in self.stream_events("/v1/chat", body=body, headers=headers):
                    last = event_id or last
                    event = read_chat_event(name, data)
                    yield event
                    if event.kind == "reply":
                        return
                raise Unreachable("The stream ended too early.")
            except Unreachable:
                if attempt + 1 == STREAM_TRIES:
                    raise
