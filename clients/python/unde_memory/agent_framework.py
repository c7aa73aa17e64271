"""Microsoft's Agent Framework: a context provider.

agent = Agent(client=client, context_providers=[UndeContextProvider(Memory(), user="layla")])
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agent_framework import ContextProvider, Message

from unde_memory.saying import store_said
from unde_memory.sync_client import Memory
from unde_memory.writing import UNSET, new_id

SAID = ("user", "assistant")


class UndeContextProvider(ContextProvider):
    """Before a run the pack for the question becomes instructions; after it what was said goes into the memory."""

    def __init__(
        self,
        memory: Memory,
        *,
        user: str,
        conversation: str | None = None,
        source_id: str = "unde_memory",
        max_tokens: int | None = None,
    ) -> None:
        super().__init__(source_id)
        self.memory, self.user, self.conversation, self.max_tokens = memory, user, conversation, max_tokens

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Ask for what the reply needs to know."""
        question = "\n".join(_read(message) for message in context.input_messages if _role(message) == "user")
        if not question.strip():
            return
        pack = await asyncio.to_thread(
            self.memory.context,
            user_id=self.user,
            conversation_id=self._name(session),
            query=question,
            max_tokens=self.max_tokens or UNSET,
        )
        state["receipt_id"] = pack.receipt_id
        known = "\n\n".join(message.content for message in pack.rendered.messages if message.role == "system")
        if known:
            context.extend_instructions(self.source_id, known)

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Store question and reply, word for word; the reply names its pack."""
        answer: Sequence[Message] = context.response.messages if context.response else []
        place = {"user_id": self.user, "conversation_id": self._name(session)}
        rows = [
            {**place, "id": new_id(), "role": _role(message), "content": _read(message)}
            for message in [*context.input_messages, *answer]
            if _role(message) in SAID and _read(message).strip()
        ]
        receipt_id = state.pop("receipt_id", None)
        if receipt_id and rows and rows[-1]["role"] == "assistant":
            rows[-1]["receipt_id"] = receipt_id
        if rows:
            await asyncio.to_thread(store_said, self.memory, rows)

    def _name(self, session: Any) -> str:
        return str(self.conversation or getattr(session, "session_id", None) or "default")[:128]


def _role(message: Message) -> str:
    return str(getattr(message.role, "value", message.role))


def _read(message: Message) -> str:
    return str(message.text or "")
