"""Google's Agent Development Kit: a memory service.

runner = Runner(agent=agent, memory_service=UndeMemoryService(Memory()), ...)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from unde_memory.saying import store_said
from unde_memory.sync_client import Memory
from unde_memory.writing import new_id

AT_ONCE = 500
APP = "adk_app"


class UndeMemoryService(BaseMemoryService):
    """What is said in sessions goes into the memory of the session's user, and is found and deleted there.

    An app sees what was said in that app.
    """

    def __init__(self, memory: Memory, *, top_k: int = 10) -> None:
        self.memory, self.top_k = memory, top_k

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what was said; an event that is there already is not stored again."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store some events of a session."""
        rows = [
            {
                "user_id": user_id,
                "conversation_id": session_id or app_name,
                "role": "user" if event.author == "user" else "assistant",
                "speaker": "" if event.author in ("user", "model") else event.author,
                "content": text,
                "id": event.id or new_id(),
                "created_at": datetime.fromtimestamp(event.timestamp, tz=timezone.utc),
                "metadata": {**(custom_metadata or {}), APP: app_name},
            }
            for event in events
            if (text := _read(event.content))
        ]
        await asyncio.to_thread(store_said, self.memory, rows)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store entries that an app wrote itself. They are no words of the user, so no fact comes of them."""
        rows = [
            {
                "user_id": user_id,
                "conversation_id": app_name,
                "role": "assistant",
                "content": _read(entry.content),
                "id": entry.id or new_id(),
                "metadata": {**entry.custom_metadata, **(custom_metadata or {}), APP: app_name},
            }
            for entry in memories
            if _read(entry.content)
        ]
        await asyncio.to_thread(store_said, self.memory, rows)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What answers a question, best first."""
        found = await asyncio.to_thread(self._search, app_name, user_id, query)
        return SearchMemoryResponse(memories=found)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget one entry; without an id all that was said in the app."""
        await asyncio.to_thread(self._forget, app_name, user_id, memory_id)

    def _search(self, app_name: str, user_id: str, query: str) -> list[MemoryEntry]:
        if not query.strip():
            return []
        filters = {"metadata": {APP: app_name}}
        found = self.memory.search(user_id=user_id, query=query, top_k=self.top_k, filters=filters)
        return [
            MemoryEntry(
                id=card.message_id,
                author=card.role,
                timestamp=card.created_at.isoformat(),
                content=types.Content(
                    role="user" if card.role == "user" else "model", parts=[types.Part(text=card.raw_excerpt)]
                ),
            )
            for card in found.results
        ]

    def _forget(self, app_name: str, user_id: str, memory_id: str | None) -> None:
        said = self.memory.user(user_id).messages()
        ids = [one.id for one in said if one.metadata.get(APP) == app_name and memory_id in (None, one.id)]
        for start in range(0, len(ids), AT_ONCE):
            self.memory.forget(user_id, message_ids=ids[start : start + AT_ONCE], reason="adk")


def _read(content: types.Content | None) -> str:
    parts = content.parts if content and content.parts else []
    return "\n".join(part.text for part in parts if part.text and not getattr(part, "thought", None))
