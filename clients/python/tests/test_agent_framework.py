"""Microsoft's Agent Framework over the service: the pack goes in before a run, what was said is stored after it."""

import asyncio
from typing import Any

from agent_framework import AgentResponse, AgentSession, Message, SessionContext

from unde_memory import Memory
from unde_memory.agent_framework import UndeContextProvider


def test_a_run_knows_what_was_said_and_is_itself_remembered(memory: Memory, user: str) -> None:
    memory.user(user).add("I am allergic to nickel", conversation="chat-1")
    provider = UndeContextProvider(memory, user=user, conversation="chat-1")
    context = SessionContext(input_messages=[Message("user", ["which earrings?"])])
    state: dict[str, Any] = {}

    async def use() -> None:
        given = {"agent": None, "session": AgentSession(), "context": context, "state": state}
        await provider.before_run(**given)
        assert "nickel" in "\n".join(context.instructions) and state["receipt_id"]
        context._response = AgentResponse(messages=[Message("assistant", ["Titanium ones."])])
        await provider.after_run(**given)

    asyncio.run(use())
    said = {one.content: one.role for one in memory.user(user).messages("chat-1")}
    assert said["which earrings?"] == "user" and said["Titanium ones."] == "assistant" and state == {}
