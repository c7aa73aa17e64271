"""Google's ADK over the service: what an app stores it finds and deletes, and no other app does."""

import asyncio
import time
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from unde_memory import Memory
from unde_memory.adk import UndeMemoryService


def make_event(name: str, author: str, text: str) -> Event:
    part = types.Part(text=text)
    return Event(id=name, author=author, timestamp=time.time(), content=types.Content(role="user", parts=[part]))


def test_a_session_is_stored_once_found_in_its_app_and_deleted(memory: Memory, user: str) -> None:
    service = UndeMemoryService(memory)
    events = [make_event("e-1", "user", "I am allergic to nickel"), make_event("e-2", "stylist", "No nickel then")]
    session = Session(id="s-1", app_name="shop", user_id=user, events=events)

    async def find(app: str) -> list[tuple[Any, Any]]:
        found = (await service.search_memory(app_name=app, user_id=user, query="nickel")).memories
        return sorted((entry.content.role, entry.content.parts[0].text) for entry in found)

    async def use() -> None:
        for _ in range(2):
            await service.add_session_to_memory(session)
        assert await find("shop") == [("model", "No nickel then"), ("user", "I am allergic to nickel")]
        assert await find("other") == []
        await service.delete_memory(app_name="other", user_id=user)
        found = await service.search_memory(app_name="shop", user_id=user, query="allergic")
        await service.delete_memory(app_name="shop", user_id=user, memory_id=found.memories[0].id)
        assert await find("shop") == [("model", "No nickel then")]

    asyncio.run(use())


def test_what_an_app_writes_itself_is_found_and_is_no_fact(memory: Memory, user: str) -> None:
    service = UndeMemoryService(memory)
    entry = MemoryEntry(content=types.Content(role="user", parts=[types.Part(text="my size is M")]))
    asyncio.run(service.add_memory(app_name="shop", user_id=user, memories=[entry]))
    found = asyncio.run(service.search_memory(app_name="shop", user_id=user, query="size"))
    assert len(found.memories) == 1 and memory.user(user).facts() == []
