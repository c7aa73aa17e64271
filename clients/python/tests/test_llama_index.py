"""LlamaIndex's memory block over the service."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage

from unde_memory import Memory
from unde_memory.llama_index import UndeMemoryBlock


def test_what_leaves_the_short_memory_is_known_and_an_assistant_states_no_fact(memory: Memory, user: str) -> None:
    block = UndeMemoryBlock(memory=memory, user=user)
    said = [ChatMessage(role="user", content="my size is M"), ChatMessage(role="assistant", content="Your size is XL")]

    async def use() -> str:
        await block.aput(said)
        assert await block.aget([]) == ""
        return str(await block.aget([ChatMessage(role="user", content="what size am I?")]))

    known = asyncio.run(use())
    assert "M" in known and [fact.value for fact in memory.user(user).facts()] == ["M"]
    assert asyncio.run(block.atruncate(known, 10)) == known[:-40] and asyncio.run(block.atruncate("x", 1)) is None
