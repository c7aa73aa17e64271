"""A session of the OpenAI Agents SDK: items come back exactly, and facts are learnt. Runs without a model."""

import asyncio

from unde_memory import Memory
from unde_memory.openai_agents import UndeSession


async def main() -> None:
    memory = Memory()
    session = UndeSession(memory, user="layla", session_id="chat-1")
    await session.add_items([{"role": "user", "content": "my size is M"}])
    print(await session.get_items())
    print([(fact.knowledge_type, fact.value) for fact in memory.user("layla").facts()])


asyncio.run(main())
