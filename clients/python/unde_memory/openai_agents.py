"""OpenAI Agents SDK: a session that keeps items exactly as they are, and lets the memory learn from what was said.

session = UndeSession(Memory(), user="layla", session_id="chat-1")
await Runner.run(agent, "my size is M", session=session)
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Mapping
from typing import Any

from agents.items import TResponseInputItem
from agents.memory import SessionSettings
from agents.memory.session import SessionABC
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from unde_memory.kept_json import read_kept, write_kept
from unde_memory.saying import store_said
from unde_memory.sync_client import Memory
from unde_memory.types import FoundItem

PAGE = 1000
AT_ONCE = 400
LABEL = 128  # characters that a label of a namespace may have
SAID = ("user", "assistant")


class UndeSession(SessionABC):
    """One conversation of a user. `learns=False` keeps items alone."""

    def __init__(
        self,
        memory: Memory,
        *,
        user: str,
        session_id: str,
        learns: bool = True,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self.memory, self.user, self.learns = memory.as_user(user), user, learns
        self._namespace = ["openai-agents", _write_label(session_id)]
        self._lock = threading.Lock()  # not asyncio's: a session may be used from the loops of several threads
        self._last = 0

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in their order; with a limit the latest ones."""
        wanted = resolve_session_limit(limit, self.session_settings)
        if wanted is not None and wanted <= 0:
            return []
        rows = await asyncio.to_thread(self._list, wanted)
        return [read_kept(row.value) for row in rows]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items after those that are there. What user and assistant said goes into the memory too."""
        await asyncio.to_thread(self._add_all, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item back; the memory forgets what it said."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Empty the session. What the memory learnt stays: forget it with `memory.user(...).forget`."""
        await asyncio.to_thread(self._clear)

    def _list(self, wanted: int | None) -> list[FoundItem]:
        found: list[FoundItem] = []
        while wanted is None or len(found) < wanted:
            size = PAGE if wanted is None else min(PAGE, wanted - len(found))
            page = self.memory.search_items(namespace_prefix=self._namespace, limit=size, offset=len(found)).items
            found += page
            if len(page) < size:
                break
        return sorted(found, key=lambda row: row.key)

    def _add_all(self, items: list[TResponseInputItem]) -> None:
        with self._lock:
            for start in range(0, len(items), AT_ONCE):
                self._add(items[start : start + AT_ONCE])

    def _add(self, items: list[TResponseInputItem]) -> None:
        keys = [self._next_key() for _ in items]
        ids = self._teach(dict(zip(keys, items))) if self.learns else {}  # noqa: B905
        steps = [
            {
                "op": "put",
                "namespace": self._namespace,
                "key": key,
                "value": {**write_kept(item), "message_id": ids.get(key)},
                "index": False,
            }
            for key, item in zip(keys, items)  # noqa: B905
        ]
        self.memory.store_batch(steps)

    def _teach(self, items: Mapping[str, TResponseInputItem]) -> dict[str, str]:
        said = [(key, _read_role(item), _read_text(item)) for key, item in items.items()]
        spoken = [one for one in said if one[1] in SAID and one[2].strip()]
        if not spoken:
            return {}
        place = {"user_id": self.user, "conversation_id": self.session_id[:LABEL] or "default"}
        messages = [{**place, "id": f"agents-{key}", "role": role, "content": text} for key, role, text in spoken]
        pairs = zip(spoken, store_said(self.memory, messages))  # noqa: B905
        return {key: found["id"] for (key, _, _), found in pairs if "id" in found}

    def _pop(self) -> TResponseInputItem | None:
        with self._lock:
            rows = self._list(1)
            if not rows:
                return None
            self.memory.delete_item(namespace=self._namespace, key=rows[-1].key)
        message_id = rows[-1].value.get("message_id")
        if message_id:
            self.memory.forget_message(message_id, reason="popped from a session")
        item: TResponseInputItem = read_kept(rows[-1].value)
        return item

    def _clear(self) -> None:
        with self._lock:
            rows = self._list(None)
            for start in range(0, len(rows), AT_ONCE):
                part = rows[start : start + AT_ONCE]
                steps = [{"op": "delete", "namespace": self._namespace, "key": row.key} for row in part]
                self.memory.store_batch(steps)

    def _next_key(self) -> str:
        self._last = max(time.time_ns(), self._last + 1)
        return f"{self._last:020d}"


def _write_label(session_id: str) -> str:
    label = session_id.replace("%", "%25").replace(".", "%2E") or "%00"
    return label if len(label) <= LABEL else f"%sha256-{hashlib.sha256(session_id.encode()).hexdigest()}"


def _read_role(item: Any) -> str:
    return str(item.get("role", "")) if isinstance(item, Mapping) else ""


def _read_text(item: Any) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping) and part.get("text"))
