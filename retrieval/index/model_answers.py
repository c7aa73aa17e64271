"""Questions to the language model that search and packs can do without: labels and rewritten queries. Pure but for it.

The endpoint is that of extraction (SPEC X-2). What it answers is checked before it is used; when it fails, rules do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.extraction.model.openai_client import ModelClient
from memory.extraction.types import Prompt
from retrieval.index.snippets import MAX_CHARACTERS, is_label

SNIPPETS_VERSION, REWRITING_VERSION = "snippets-v1", "rewriting-v1"
_TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
_SNIPPETS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["snippets"],
    "properties": {
        "snippets": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "snippet"],
                "properties": {"id": {"type": "string"}, "snippet": {"type": "string"}},
            },
        }
    },
}
_QUERIES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["queries"],
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
}


def ask_labels(contents: Mapping[UUID, str], *, client: ModelClient) -> dict[UUID, str]:
    """The model's labels of messages, those alone that pass `is_label`. Raises ModelFailed."""
    names = {f"m{number}": message_id for number, message_id in enumerate(contents, start=1)}
    material = [{"id": name, "text": contents[message_id][:MAX_CHARACTERS]} for name, message_id in names.items()]
    user = json.dumps({"messages": material}, ensure_ascii=False)
    answer = client.complete(Prompt(SNIPPETS_VERSION, _read("snippets"), user, _SNIPPETS_SCHEMA))
    rows = _read_list(answer.text, "snippets")
    found = {str(row.get("id")): row.get("snippet") for row in rows if isinstance(row, dict)}
    return {
        message_id: label.strip()
        for name, message_id in names.items()
        if isinstance(label := found.get(name), str) and is_label(label, content=contents[message_id])
    }


def ask_queries(question: str, *, client: ModelClient) -> tuple[str, ...]:
    """Other wordings of a question, at most three, none like it or like another. Raises ModelFailed."""
    prompt = Prompt(
        REWRITING_VERSION, _read("rewriting"), json.dumps({"question": question}, ensure_ascii=False), _QUERIES_SCHEMA
    )
    rows = _read_list(client.complete(prompt).text, "queries")
    wordings = (
        " ".join(row.split())[: settings.UNDE_TUNING.REWRITE_QUERY_CHARACTERS] for row in rows if isinstance(row, str)
    )
    seen = {" ".join(question.split()).lower(): ""}
    for wording in wordings:
        if wording:
            seen.setdefault(wording.lower(), wording)
    return tuple(wording for wording in seen.values() if wording)[: settings.UNDE_TUNING.REWRITE_QUERIES]


def _read_list(text: str, name: str) -> list[Any]:
    """The list of that name in an answer; empty for an answer that is none."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1]).get(name)
    except (ValueError, AttributeError, RecursionError):
        return []
    return value if isinstance(value, list) else []


@cache
def _read(name: str) -> str:
    return (_TEMPLATES / name / "v1" / "system.txt").read_text(encoding="utf-8")
