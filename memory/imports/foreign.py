"""Exports of other systems as messages: what was said, and what they derived from it. Pure.

What another system derived is not a fact here, for it points at no evidence (SPEC T-2): it becomes a system message,
which search finds and which teaches nothing. Shapes are read leniently: the systems name the same things differently
from version to version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from memory.errors import InvalidRequest
from memory.imports.types import ForeignMessage

ROLES: Final = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model"), "assistant"),
    **dict.fromkeys(("system", "tool", "function", "developer", "norole"), "system"),
}
TIMES: Final = ("timestamp", "created_at", "createdAt", "time", "date")
CONVERSATIONS: Final = ("conversation_id", "session_id", "thread_id", "run_id")
MILLISECONDS_FROM: Final = 100_000_000_000  # a number of seconds as large as this is a year beyond 5000

Row = Mapping[str, Any]


def read_jsonl(row: Row) -> Iterator[ForeignMessage]:
    """One message: role, content, timestamp; `id`, `conversation_id`, `name` and `metadata` where they are."""
    yield _make_message(row, source="jsonl")


def read_mem0(row: Row) -> Iterator[ForeignMessage]:
    """One memory of mem0, with the messages it came from where the export holds them."""
    for message in _get_list(row, "input", "messages"):
        yield _make_message({**_keep(row, *TIMES, *CONVERSATIONS), **message}, source="mem0")
    if text := row.get("memory") or row.get("data"):
        yield _make_derived(row, text, source="mem0", kept=("categories", "metadata", "agent_id", "updated_at"))


def read_zep(row: Row) -> Iterator[ForeignMessage]:
    """A message of Zep, a session or thread with its messages, or a fact of its graph."""
    if "messages" in row:
        inherited = _keep(row, *CONVERSATIONS)
        for message in _get_list(row, "messages"):
            yield _make_message({**inherited, **message}, source="zep")
    elif text := row.get("fact"):
        kept = ("valid_at", "invalid_at", "expired_at", "name", "episodes")
        yield _make_derived(row, text, source="zep", kept=kept, times=("valid_at", *TIMES))
    else:
        yield _make_message(row, source="zep")


def read_hindsight(row: Row) -> Iterator[ForeignMessage]:
    """A document of Hindsight as it was handed in (a conversation where it is one), or a memory drawn from it."""
    if text := row.get("original_text") or row.get("content"):
        times = ("timestamp", "event_date", *TIMES)
        said = _read_conversation(text)
        for message in said:
            named = {"conversation_id": row.get("document_id") or row.get("id") or "hindsight"}
            yield _make_message({**_keep(row, *times), **named, **message}, source="hindsight")
        if not said:
            given = ("context", "tags", "metadata", "bank_id")
            yield _make_derived(row, text, source="hindsight", kept=given, times=times, is_derived=False)
    elif text := row.get("text"):
        kept = ("type", "fact_type", "context", "entities", "occurred_start", "occurred_end", "document_id", "tags")
        yield _make_derived(row, text, source="hindsight", kept=kept, times=("mentioned_at", "occurred_start", *TIMES))
    else:
        raise InvalidRequest(fields={"text": "is required"})


READERS: Final[Mapping[str, Callable[[Row], Iterator[ForeignMessage]]]] = {
    "jsonl": read_jsonl,
    "mem0": read_mem0,
    "zep": read_zep,
    "hindsight": read_hindsight,
}

_LISTS: Final = ("results", "memories", "messages", "sessions", "threads", "documents", "items", "facts", "edges")


def list_rows(document: Any) -> list[Any]:
    """The objects of an export that is one JSON value: a list, or an object that holds lists under known names."""
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return [document]
    is_conversation = "messages" in document and any(name in document for name in CONVERSATIONS)
    found = [row for name in _LISTS for row in document.get(name) or () if isinstance(document.get(name), list)]
    return [document] if is_conversation or not found else found


# --- one message ------------------------------------------------------------------------------------------------------


def _make_message(row: Row, *, source: str) -> ForeignMessage:
    named = row.get("role_type") or row.get("role")
    role = ROLES.get(str(named).lower()) if isinstance(named, str) else None
    if role is None:
        raise InvalidRequest(fields={"role": f"must be one of {', '.join(sorted(ROLES))}"})
    content = _read_text(row.get("content"))
    speaker = row.get("name") or row.get("speaker") or (row.get("role") if "role_type" in row else "") or ""
    return ForeignMessage(
        role=role,
        content=content,
        said_at=read_time(row, TIMES),
        conversation=_find_conversation(row, default=source),
        client_id=_find_id(row),
        speaker=speaker if isinstance(speaker, str) and speaker.lower() not in ROLES else "",
        metadata=_keep(row, "metadata"),
    )


def _make_derived(
    row: Row,
    text: Any,
    *,
    source: str,
    kept: tuple[str, ...],
    times: tuple[str, ...] = TIMES,
    is_derived: bool = True,
) -> ForeignMessage:
    """A text of which it is not known who said it, or that nobody said: a system message that names its source."""
    return ForeignMessage(
        role="system",
        content=_read_text(text),
        said_at=read_time(row, times),
        conversation=f"{source}-import",
        client_id=_find_id(row),
        metadata={"source": source, "is_derived": is_derived, **_keep(row, *kept)},
    )


def read_time(row: Row, names: tuple[str, ...]) -> datetime:
    """The first of these times that the row holds: ISO 8601 (UTC where it names no zone) or seconds since 1970.

    Raises InvalidRequest naming the field; a message without a time has no place in a memory.
    """
    name = next((name for name in names if row.get(name) not in (None, "")), None)
    if name is None:
        raise InvalidRequest(fields={names[0]: "is required"})
    value = row[name]
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value >= MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, tz=UTC)
        moment = datetime.fromisoformat(value)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        raise InvalidRequest(fields={name: "must be ISO 8601 or seconds since 1970"}) from None


def _read_text(value: Any) -> str:
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        value = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(value, str):
        raise InvalidRequest(fields={"content": "must be text"})
    return value


def _find_conversation(row: Row, *, default: str) -> str:
    found = next((row[name] for name in CONVERSATIONS if row.get(name)), None)
    return str(found) if isinstance(found, str | int) else f"{default}-import"


def _find_id(row: Row) -> str | None:
    found = row.get("uuid") or row.get("id")
    return str(found) if isinstance(found, str | int) else None


def _read_conversation(text: Any) -> list[Row]:
    """The messages of a document that is itself a list of messages as JSON; nothing for any other text."""
    try:
        value = json.loads(text) if isinstance(text, str) and text.lstrip().startswith("[") else text
    except ValueError:
        return []
    is_list = isinstance(value, list) and value and all(isinstance(each, dict) and "role" in each for each in value)
    return list(value) if is_list else []


def _get_list(row: Row, *names: str) -> list[Row]:
    found: Any = next((row[name] for name in names if isinstance(row.get(name), list)), [])
    return [each for each in found if isinstance(each, dict)]


def _keep(row: Row, *names: str) -> dict[str, Any]:
    """Some fields of a row; an object under `metadata` is taken apart into its own."""
    kept = {name: row[name] for name in names if row.get(name) not in (None, "", [], {}) and name != "metadata"}
    metadata = row.get("metadata")
    return {**(metadata if "metadata" in names and isinstance(metadata, dict) else {}), **kept}
