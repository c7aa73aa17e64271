"""From what a caller sent to a draft: the checks that every way in shares (API, MCP, import)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.errors import InvalidRequest
from memory.types import MEMORY_TYPES, ROLES, Draft

BLOCK_TYPES = ("text", "image", "audio", "document")


class UnsafeBlock(InvalidRequest):
    """A block refers to something that was not found safe: the whole message is refused (SPEC M-6)."""

    code = "unsafe_block"
    default_message = "A block of this message is not safe to store."


def make_draft(
    *,
    user_id: str,
    conversation_id: str,
    role: str,
    content: str | list[dict[str, Any]],
    now: datetime,
    created_at: datetime | None = None,
    client_id: str | None = None,
    reply_to_id: UUID | None = None,
    replaces_id: UUID | None = None,
    receipt_id: UUID | None = None,
    speaker: str = "",
    response_description: str | None = None,
    memory_type: str = "chat",
    mood: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> Draft:
    """Check one message and make it a draft. Raises InvalidRequest naming every field that is wrong, UnsafeBlock."""
    blocks = content if isinstance(content, list) else None
    text = join_blocks(blocks) if blocks is not None else str(content)
    draft = Draft(
        user_external_id=user_id,
        conversation_external_id=conversation_id,
        role=role,
        content=text,
        created_at=created_at or now,
        blocks=blocks,
        client_id=client_id,
        reply_to_id=reply_to_id,
        replaces_id=replaces_id,
        receipt_id=receipt_id,
        speaker=speaker,
        response_description=response_description,
        memory_type=memory_type,
        mood=mood,
        metadata=metadata or {},
    )
    problems = find_problems(draft, now=now)
    if problems:
        raise InvalidRequest(fields=problems)
    return draft


def find_problems(draft: Draft, *, now: datetime) -> dict[str, str]:
    """What is wrong with a draft, by field of the API; empty when it may be stored."""
    return {**_find_id_problems(draft), **_find_content_problems(draft), **_find_time_problems(draft, now)}


def _find_id_problems(draft: Draft) -> dict[str, str]:
    problems = {}
    named = (
        ("user_id", draft.user_external_id),
        ("conversation_id", draft.conversation_external_id),
        ("id", draft.client_id),
    )
    for name, value in named:
        if value is None:
            continue
        if not 1 <= len(value) <= settings.UNDE_TUNING.MAX_ID_CHARACTERS:
            problems[name] = f"must have 1 to {settings.UNDE_TUNING.MAX_ID_CHARACTERS} characters"
        elif "\0" in value:
            problems[name] = "must not contain NUL characters"
    return problems


def _find_content_problems(draft: Draft) -> dict[str, str]:
    limit = settings.UNDE_TUNING.MAX_CONTENT_CHARACTERS
    problems = {}
    if draft.role not in ROLES:
        problems["role"] = f"must be one of {', '.join(ROLES)}"
    if draft.memory_type not in MEMORY_TYPES:
        problems["memory_type"] = f"must be one of {', '.join(MEMORY_TYPES)}"
    if len(draft.content) > limit or not draft.content.strip():
        problems["content"] = f"must have 1 to {limit} characters"
    if len(draft.speaker) > settings.UNDE_TUNING.MAX_ID_CHARACTERS:
        problems["speaker"] = f"must have at most {settings.UNDE_TUNING.MAX_ID_CHARACTERS} characters"
    if len(draft.mood) > settings.UNDE_TUNING.MAX_MOOD_CHARACTERS:
        problems["mood"] = f"must have at most {settings.UNDE_TUNING.MAX_MOOD_CHARACTERS} characters"
    if (
        draft.metadata
        and len(json.dumps(draft.metadata, ensure_ascii=False, default=str))
        > settings.UNDE_TUNING.MAX_METADATA_CHARACTERS
    ):
        problems["metadata"] = f"must have at most {settings.UNDE_TUNING.MAX_METADATA_CHARACTERS} characters as JSON"
    if draft.role != "assistant" and (draft.response_description is not None or draft.receipt_id is not None):
        named = {"response_description": draft.response_description, "receipt_id": draft.receipt_id}
        problems |= {name: "is for assistant messages" for name, value in named.items() if value is not None}
    return problems


def _find_time_problems(draft: Draft, now: datetime) -> dict[str, str]:
    if draft.created_at.tzinfo is None:
        return {"created_at": "must have an offset, e.g. 2026-03-02T12:00:00+04:00"}
    # Most are said now: settings are asked for what lies ahead.
    if draft.created_at > now and draft.created_at > now + settings.UNDE_TUNING.FUTURE_TOLERANCE:
        return {"created_at": "must not be more than a day ahead"}
    if draft.created_at.year < 1970:
        return {"created_at": "must not be before 1970"}
    return {}


def join_blocks(blocks: list[dict[str, Any]]) -> str:
    """The text that is indexed: text blocks and fallbacks of references, a line each (SPEC M-6). Raises UnsafeBlock."""
    problems: dict[str, str] = {}
    lines = []
    for i, block in enumerate(blocks):
        problem = _find_block_problem(block)
        if problem:
            problems[f"content[{i}]"] = problem
        elif block["type"] != "text" and block.get("security_status") != "safe":
            raise UnsafeBlock(fields={f"content[{i}].security_status": "must be safe"})
        else:
            lines.append(block["text"] if block["type"] == "text" else block.get("text_fallback") or "")
    if problems:
        raise InvalidRequest(fields=problems)
    return "\n".join(line for line in lines if line)


def _find_block_problem(block: dict[str, Any]) -> str | None:
    if not isinstance(block, dict) or block.get("type") not in BLOCK_TYPES:
        return f"must be an object whose type is one of {', '.join(BLOCK_TYPES)}"
    allowed = {"type", "text"} if block["type"] == "text" else {"type", "media_id", "text_fallback", "security_status"}
    unknown = sorted(set(block) - allowed)
    if unknown:
        return "has a field that is not known"
    if block["type"] == "text":
        return None if isinstance(block.get("text"), str) else "needs text"
    if not isinstance(block.get("media_id"), str):
        return "needs media_id"
    return None if isinstance(block.get("text_fallback", ""), str) else "text_fallback must be text"
