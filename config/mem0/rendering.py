"""A message as mem0 shows a memory. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

OWN: Final = "mem0"
"""Under this name of a message's metadata stands what mem0 knows of a memory and a message does not."""
FACTS: Final = "facts"
KINDS: Final = ("agent", "app", "run")
"""Entities that stand for a user where none is named: `agent:a-1` is the user of what only an agent remembers."""

_OF_A_FACT: Final = ("id", "knowledge_type", "knowledge_key", "value")
Row = Mapping[str, Any]


def show_memory(
    row: Row, *, user: str, id: str, facts: Sequence[Row] = (), created_at: str | None = None
) -> dict[str, Any]:
    """A memory under its stable id, with the facts that rest on it in its metadata."""
    metadata = dict(row["metadata"])
    own = dict(metadata.pop(OWN, {}))
    if facts:
        metadata[FACTS] = [{name: fact[name] for name in _OF_A_FACT} for fact in facts]
    kind, name = split_user(user)
    entities = {"user_id": user, "agent_id": None, "app_id": None, "run_id": None}
    if kind != "user":
        entities |= {"user_id": None, f"{kind}_id": name}
    return {
        "id": id,
        "memory": row["content"],
        **entities,
        **{key: value for key, value in own.items() if value is not None},
        "role": row["role"],
        "hash": hashlib.md5(row["content"].encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "categories": own.get("categories"),
        "created_at": created_at or row["created_at"],
        "updated_at": row["received_at"],
        "expiration_date": own.get("expiration_date"),
    }


def is_expired(memory: Row, today: date) -> bool:
    """Whether its day has passed."""
    day = memory.get("expiration_date")
    try:
        return bool(day) and date.fromisoformat(str(day)[:10]) < today
    except ValueError:
        return False


def split_user(user: str) -> tuple[str, str]:
    """What kind of entity a user stands for, and its name."""
    kind, mark, name = user.partition(":")
    return (kind, name) if mark and kind in KINDS else ("user", user)


def name_user(entities: Mapping[str, Any]) -> str | None:
    """The user that entities are about: the user, else the agent, the app or the run as a user of its own."""
    if entities.get("user_id"):
        return str(entities["user_id"])
    for kind in KINDS:
        if entities.get(f"{kind}_id"):
            return f"{kind}:{entities[f'{kind}_id']}"
    return None


def read_content(content: Any) -> str:
    """The text of a message, of blocks too."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping) and part.get("text"))


def read_moment(value: Any) -> str | None:
    """A time as ISO 8601, from seconds since 1970 or text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value).astimezone().isoformat()
    return str(value) if value else None
