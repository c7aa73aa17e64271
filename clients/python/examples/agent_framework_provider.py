"""Microsoft's Agent Framework: what a provider adds before a run. Runs without a model."""

import asyncio

from agent_framework import AgentSession, Message, SessionContext

from unde_memory import Memory
from unde_memory.agent_framework import UndeContextProvider


async def main() -> None:
    memory = Memory()
    memory.user("layla").add("I am allergic to nickel", conversation="chat-1")
    provider = UndeContextProvider(memory, user="layla", conversation="chat-1")
    context = SessionContext(input_messages=[Message("user", ["which earrings?"])])
    await provider.before_run(agent=None, session=AgentSession(), context=context, state={})
    print("nickel" in "\n".join(context.instructions))


asyncio.run(main())
