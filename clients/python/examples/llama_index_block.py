"""LlamaIndex: a memory block. Runs without a model."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage

from unde_memory import Memory
from unde_memory.llama_index import UndeMemoryBlock


async def main() -> None:
    block = UndeMemoryBlock(memory=Memory(), user="layla")
    await block.aput([ChatMessage(role="user", content="my size is M")])
    known = await block.aget([ChatMessage(role="user", content="what size am I?")])
    print("M" in known)


asyncio.run(main())
