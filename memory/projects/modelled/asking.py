"""Asking the model: prompts from files, answers as JSON. No transaction is open, and no error carries a word of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from memory.extraction.configuration import EndpointMisconfigured, find_client
from memory.extraction.model.openai_client import ModelClient, ModelFailed
from memory.extraction.types import Prompt
from memory.projects.modelled.proposals import Turn
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings

VERSION: Final = "projects-1"
_FOLDER: Final = Path(__file__).resolve().parents[2] / "templates" / "projects" / "v1" / "model"


def find_project_model(*, tenant_id: UUID) -> ModelClient | None:
    """The model that may read a tenant's projects; None without an endpoint, or where the tenant has it off."""
    try:
        client = find_client()
    except EndpointMisconfigured:
        return None
    if client is None:
        return None
    with tenant_scope(tenant_id):
        tenant = find_tenant(tenant_id=tenant_id)
    return client if tenant is not None and read_settings(tenant).is_project_model_on else None


def ask_about_thread(client: ModelClient, turns: Sequence[Turn]) -> Any:
    """What a model reads in a thread, as it answered. Raises ModelFailed."""
    material = {"messages": [{"message_id": turn.id, "role": turn.role, "text": turn.text} for turn in turns]}
    return _ask(client, "read_thread", material)


def ask_about_request(client: ModelClient, query: str) -> Any:
    """How a model understands a request, as it answered. Raises ModelFailed."""
    return _ask(client, "normalise", {"request": query})


def _ask(client: ModelClient, name: str, material: dict[str, Any]) -> Any:
    system, schema = _read(name)
    prompt = Prompt(
        version=VERSION, system=system, user=json.dumps(material, ensure_ascii=False), schema=json.loads(schema)
    )
    text = client.complete(prompt).text
    try:
        return json.loads(text)
    except ValueError:
        raise ModelFailed("model_answer_malformed", is_permanent=True) from None


@cache
def _read(name: str) -> tuple[str, str]:
    files = (_FOLDER / f"{name}.txt", _FOLDER / f"{name}.schema.json")
    system, schema = (file.read_text(encoding="utf-8") for file in files)
    return system, schema
