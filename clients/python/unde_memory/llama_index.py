"""LlamaIndex: a memory block.

memory = Memory.from_defaults(memory_blocks=[UndeMemoryBlock(memory=unde, user="layla")])
"""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field

from unde_memory.saying import store_said
from unde_memory.sync_client import Memory
from unde_memory.writing import new_id

SAID = ("user", "assistant")


class UndeMemoryBlock(BaseMemoryBlock[str]):
    """Gives the pack for the latest question, and stores what leaves the short-term memory."""

    name: str = Field(default="unde_memory")
    description: str | None = Field(default="What is remembered of the user.")
    memory: Any = Field(exclude=True)
    """The client, an `unde_memory.Memory`."""
    user: str
    conversation: str = "llama-index"

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = [message for message in messages or [] if message.role.value == "user" and message.content]
        if not asked:
            return ""
        client: Memory = self.memory
        pack = await asyncio.to_thread(
            client.context,
            user_id=self.user,
            conversation_id=str(block_kwargs.get("session_id") or self.conversation),
            query=str(asked[-1].content),
        )
        return "\n\n".join(message.content for message in pack.rendered.messages if message.role == "system")

    async def _aput(self, messages: list[ChatMessage]) -> None:
        rows = [
            {
                "user_id": self.user,
                "conversation_id": str(message.additional_kwargs.get("session_id") or self.conversation),
                "role": message.role.value,
                "content": message.content,
                "id": new_id(),
            }
            for message in messages
            if message.role.value in SAID and message.content
        ]
        if rows:
            await asyncio.to_thread(store_said, self.memory, rows)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The end of a pack is its least certain part: it goes first."""
        kept = content[: max(0, len(content) - 4 * tokens_to_truncate)]
        return kept or None
