"""One user and one conversation over threads, the short way. Made from the file of `async_` by name: change that one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from unde_memory.types import BatchResults, Fact, Forgotten, Message, Pack, Role, SearchResults, StoredMessage
from unde_memory.writing import UNSET, new_id

if TYPE_CHECKING:
    from unde_memory.sync_client import Memory


class User:
    """One user of the memory."""

    def __init__(self, memory: Memory, user_id: str) -> None:
        self.memory, self.id = memory, user_id

    def add(
        self,
        content: str | Sequence[Mapping[str, Any]],
        *,
        conversation: str = "default",
        role: Role = "user",
        id: str | None = None,
        created_at: datetime = UNSET,
        receipt_id: str = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        wait_for_index: bool = UNSET,
    ) -> StoredMessage:
        """Store one message, word for word; the answer says which facts it taught."""
        return self.memory.add_message(
            user_id=self.id,
            conversation_id=conversation,
            role=role,
            content=content,
            id=id or new_id(),
            created_at=created_at,
            receipt_id=receipt_id,
            metadata=metadata,
            wait_for_index=wait_for_index,
        )

    def add_all(self, messages: Sequence[Mapping[str, Any]], *, conversation: str = "default") -> BatchResults:
        """Store up to 500 messages (`role` and `content`, as chat APIs have them), in order."""
        own = {"user_id": self.id, "conversation_id": conversation}
        return self.memory.add_messages([{**own, "id": new_id(), **one} for one in messages])

    def context(self, query: str, *, conversation: str = "default", **options: Any) -> Pack:
        """What one reply needs to know. `pack.to_openai()` and `pack.to_anthropic()` are ready to send."""
        return self.memory.context(user_id=self.id, conversation_id=conversation, query=query, **options)

    def search(self, query: str, **options: Any) -> SearchResults:
        """Messages that a question may mean, best first."""
        return self.memory.search(user_id=self.id, query=query, **options)

    def facts(self, knowledge_type: str = UNSET, *, as_of: datetime = UNSET) -> list[Fact]:
        """What is known now, or was at a moment: all of it."""
        return self._list_all(self.memory.list_facts, knowledge_type=knowledge_type, as_of=as_of)

    def set_facts(self, *facts: Mapping[str, Any]) -> Any:
        """State facts that the app knows: `knowledge_type`, `value`, and `source` onboarding or explicit."""
        return self.memory.put_facts(self.id, [{"source": "explicit", **fact} for fact in facts])

    def forget(
        self,
        query: str | None = None,
        *,
        message_ids: Sequence[str] | None = None,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> Forgotten:
        """Hide messages and what rests on them. A query is planned and then carried out, unless `dry_run`."""
        if message_ids is not None:
            return self.memory.forget(self.id, message_ids=message_ids, dry_run=dry_run, reason=reason)
        plan = self.memory.forget(self.id, query=query, dry_run=True)
        if dry_run or plan.plan_id is None:
            return plan
        return self.memory.forget(self.id, plan_id=plan.plan_id, reason=reason)

    def messages(self, conversation: str = UNSET) -> list[Message]:
        """Everything that was said, word for word, oldest first."""
        return self._list_all(self.memory.list_messages, conversation_id=conversation)

    def _list_all(self, call: Callable[..., Any], **filters: Any) -> list[Any]:
        found, after = [], UNSET
        while after is not None:
            page = call(self.id, after=after, limit=200, **filters)
            found += page.results
            after = page.next
        return found

    def items(self) -> Memory:
        """A client whose kept items are this user's."""
        return self.memory.as_user(self.id)


class Session:
    """One conversation: what is said goes in, and what the next reply needs comes out."""

    def __init__(self, memory: Memory, user_id: str, conversation_id: str) -> None:
        self.user, self.conversation = User(memory, user_id), conversation_id
        self.receipt_id: str | None = None
        """Of the last pack: the reply that is added next names it."""

    def add(self, content: str, *, role: Role = "user", **more: Any) -> StoredMessage:
        """Store a message. A reply of the assistant names the pack that it was made from."""
        is_reply = role == "assistant" and self.receipt_id is not None
        if is_reply:
            more.setdefault("receipt_id", self.receipt_id)
        stored = self.user.add(content, conversation=self.conversation, role=role, **more)
        if is_reply:  # only now: a reply that could not be stored is added again
            self.receipt_id = None
        return stored

    def context(self, query: str, **options: Any) -> Pack:
        """What the next reply needs to know."""
        pack = self.user.context(query, conversation=self.conversation, **options)
        self.receipt_id = pack.receipt_id
        return pack

    def messages(self) -> list[Message]:
        """What was said in it, oldest first."""
        return self.user.messages(self.conversation)
