"""Google's ADK: a session goes into the memory and is found. Runs without a model."""

import asyncio
import time

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai import types

from unde_memory import Memory
from unde_memory.adk import UndeMemoryService


async def main() -> None:
    service = UndeMemoryService(Memory())
    said = types.Content(role="user", parts=[types.Part(text="I am allergic to nickel")])
    event = Event(author="user", content=said, timestamp=time.time(), id="e-1")
    await service.add_session_to_memory(Session(id="s-1", app_name="shop", user_id="layla", events=[event]))
    found = await service.search_memory(app_name="shop", user_id="layla", query="allergic?")
    print([entry.content.parts[0].text for entry in found.memories])


asyncio.run(main())
