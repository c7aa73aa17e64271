"""Sources: checked, stored once, words of messages never copied (D-51)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows, insert_all
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.projects.errors import QuoteNotFound, UnknownSource
from memory.projects.selectors.projects import find_items
from memory.projects.types import ProjectRef, SourceBody
from memory.projects.words import SOURCE, ProjectWords

FIRST_YEAR: Final = 1000
LAST_YEAR: Final = 3000
_FIND_MESSAGES: Final = """
SELECT m.id, m.user_id, m.role, m.content, m.created_at
FROM memory_message m JOIN memory_user u ON u.id = m.user_id AND u.fenced_at IS NULL
WHERE m.tenant_id = %(tenant_id)s AND m.id = ANY(%(ids)s) AND m.forgotten_at IS NULL
  AND (%(owner)s::uuid IS NULL OR m.user_id = %(owner)s::uuid)
"""


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A source that is there. `is_answer`: the assistant said it, which proves nothing (MAAS, Inference)."""

    id: UUID
    dated: datetime
    user_id: UUID | None = None
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class SourceAt:
    """A source and the field of the request that named it."""

    path: str
    body: SourceBody


def find_message_users(project: ProjectRef, bodies: Sequence[SourceBody | None]) -> set[UUID]:
    """Users whose messages the sources name: their locks are taken before anything is written."""
    ids = [UUID(body.ref) for body in bodies if body and body.type == "message" and _is_id(body.ref)]
    return {row[1] for row in _read_messages(project, ids)} if ids else set()


def store_sources(project: ProjectRef, *, wanted: Sequence[SourceAt], now: datetime) -> list[StoredSource]:
    """The stored source of each, new ones made. Call under the project's lock.

    Raises UnknownSource and QuoteNotFound with the path of the field, InvalidRequest for a date that is none. Writes.
    """
    ids = [UUID(each.body.ref) for each in wanted if each.body.type == "message" and _is_id(each.body.ref)]
    messages = {row[0]: row for row in _read_messages(project, ids)} if ids else {}
    names = [each.body.ref for each in wanted if each.body.type == "artifact"]
    artifacts = find_items(project, kind="artifact", external_ids=names) if names else {}
    words = ProjectWords(project)
    rows = [_make_row(project, words, each, messages, artifacts, now) for each in wanted]
    known = {
        bytes(key): (id, dated)
        for id, key, dated in fetch_rows(
            "SELECT id, key, dated FROM project_source WHERE project_id = %s AND key = ANY(%s)",
            [project.id, [row["key"] for row in rows]],
        )
    }
    fresh = {row["key"]: row for row in rows if row["key"] not in known}
    insert_all("project_source", _COLUMNS, [[row[name] for name in _COLUMNS] for row in fresh.values()])
    known |= {key: (row["id"], row["dated"]) for key, row in fresh.items()}
    return [
        StoredSource(*known[row["key"]], user_id=row["user_id"], is_answer=row["role"] == "assistant") for row in rows
    ]


_COLUMNS: Final = (
    "tenant_id", "project_id", "id", "kind", "user_id", "message_id", "quote_start", "quote_end", "artifact_id",
    "sealed", "key", "dated", "authority", "created_at",
)  # fmt: skip


def _make_row(
    project: ProjectRef,
    words: ProjectWords,
    at: SourceAt,
    messages: dict[UUID, tuple[Any, ...]],
    artifacts: dict[str, UUID],
    now: datetime,
) -> dict[str, Any]:
    body = at.body
    row: dict[str, Any] = {
        "tenant_id": project.tenant_id, "project_id": project.id, "id": new_id(), "kind": body.type, "user_id": None,
        "message_id": None, "quote_start": None, "quote_end": None, "artifact_id": None, "sealed": None,
        "authority": body.authority, "created_at": now, "role": "",
    }  # fmt: skip
    if body.type == "message":
        row |= _describe_message(at, messages)
    else:
        row["dated"] = read_date(body.date, path=f"{at.path}.date") or now
        row["sealed"] = words.seal(_list_words(body), purpose=SOURCE)
    if body.type == "artifact":
        if body.ref not in artifacts:
            raise UnknownSource(fields={f"{at.path}.ref": "is no artifact of this project"})
        row["artifact_id"] = artifacts[body.ref]
    told = [body.type, body.ref, body.quote, body.author, body.date, body.authority]
    if body.type == "message":
        told = [body.type, str(row["message_id"]), row["quote_start"], row["quote_end"], body.authority]
    row["key"] = words.make_key("source", json.dumps(told, ensure_ascii=False))
    return row


def _describe_message(at: SourceAt, messages: dict[UUID, tuple[Any, ...]]) -> dict[str, Any]:
    message = messages.get(UUID(at.body.ref)) if _is_id(at.body.ref) else None
    if message is None:
        raise UnknownSource(fields={f"{at.path}.ref": "is no message that this project may cite"})
    id, user_id, role, content, created_at = message
    start = end = None
    if at.body.quote:
        start = content.find(at.body.quote)
        if start < 0:
            raise QuoteNotFound(fields={f"{at.path}.quote": "is not in the message, letter by letter"})
        end = start + len(at.body.quote)
    return {
        "message_id": id, "user_id": user_id, "role": role, "dated": created_at, "quote_start": start, "quote_end": end
    }  # fmt: skip


def _list_words(body: SourceBody) -> dict[str, Any]:
    return {"ref": body.ref, "quote": body.quote, "author": body.author, "date": body.date}


def _read_messages(project: ProjectRef, ids: Sequence[UUID]) -> list[tuple[Any, ...]]:
    return fetch_rows(_FIND_MESSAGES, {"tenant_id": project.tenant_id, "ids": list(ids), "owner": project.user_id})


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def read_date(text: str | None, *, path: str) -> datetime | None:
    """A day or a time of ISO 8601; a day begins in UTC. Raises InvalidRequest naming the field."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidRequest(fields={path: "is no date of ISO 8601"}) from None
    if moment.tzinfo is None and len(text) > len(date.min.isoformat()):
        raise InvalidRequest(fields={path: "has a time and no offset"})
    return check_moment(moment if moment.tzinfo else moment.replace(tzinfo=UTC), path=path)


def check_moment(moment: datetime | None, *, path: str) -> datetime | None:
    """A time that every part of the service can tell. Raises InvalidRequest naming the field."""
    if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise InvalidRequest(fields={path: f"must lie in the years {FIRST_YEAR} to {LAST_YEAR}"})
    return moment
