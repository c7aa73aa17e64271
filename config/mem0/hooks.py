"""mem0's webhooks are webhooks of this service whose id starts with `mem0-`. They send our events: ids and no words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from config.api.inside import call_inside
from config.mem0.desk import Desk
from config.mem0.errors import BadRequest, Mem0Error, from_body
from memory.ids import new_id

MARK: Final = "mem0-"
EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "memory_add": ("fact.added", "messages.restored"),
    "memory_update": ("fact.superseded", "fact.renewed"),
    "memory_delete": ("fact.deactivated", "messages.forgotten"),
}
"""For each of mem0's types the events that say the same here. Nothing is sorted into categories (`memory_categorize`).
"""
Body = Mapping[str, Any]


def list_webhooks(desk: Desk) -> list[dict[str, Any]]:
    """Those made through this door."""
    return [_show(row) for row in _list_own(desk)]


def make_webhook(desk: Desk, body: Body) -> dict[str, Any]:
    """Make one; `secret` checks the signatures of what is sent. Writes. Raises Mem0Error."""
    made = _put(desk, f"{MARK}{new_id().hex}", _read_text(body, "name"), body.get("url"), _read_events(body))
    return {**_show(made), "secret": made["secret"], "message": "Webhook created successfully."}


def change_webhook(desk: Desk, webhook_id: str, body: Body) -> dict[str, Any]:
    """Change what is named; a disabled one is on again. Writes. Raises Mem0Error where there is none."""
    kept = _find(desk, webhook_id)
    name = _read_text(body, "name") if "name" in body else kept["description"]
    events = _read_events(body) if "event_types" in body else kept["events"]
    _put(desk, webhook_id, name, body.get("url", kept["url"]), events)
    return {"message": "Webhook updated successfully."}


def delete_webhook(desk: Desk, webhook_id: str) -> dict[str, Any]:
    """Stop sending, also of events that wait. Writes. Raises Mem0Error where there is none."""
    _find(desk, webhook_id)
    _call(desk, "DELETE", f"/v1/webhooks/{webhook_id}")
    return {"message": "Webhook deleted successfully."}


def _put(desk: Desk, webhook_id: str, name: str, url: Any, events: list[str]) -> dict[str, Any]:
    if not isinstance(url, str) or not url:
        raise BadRequest("url is required and must be a string")
    body = {"url": url, "events": events, "description": name}
    made: dict[str, Any] = _call(desk, "PUT", f"/v1/webhooks/{webhook_id}", body)
    return made


def _find(desk: Desk, webhook_id: str) -> dict[str, Any]:
    found = [row for row in _list_own(desk) if row["id"] == webhook_id]
    if not found:
        raise Mem0Error(404, "Webhook not found!", code="not_found")
    return found[0]


def _list_own(desk: Desk) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after: str | None = None
    while True:
        page = _call(desk, "GET", "/v1/webhooks", after=after)
        rows += [row for row in page["results"] if re.fullmatch(rf"{MARK}[0-9a-f]+", row["id"])]
        after = page["next"]
        if after is None:
            return rows


def _call(desk: Desk, method: str, path: str, body: Any = None, **query: Any) -> Any:
    answer = call_inside(desk.request, desk.caller, method, path, body=body, query=query)
    if not answer.is_good:
        raise from_body(answer.status, answer.body or {}, retry_after=answer.retry_after)
    return answer.body


def _show(row: Body) -> dict[str, Any]:
    return {
        "webhook_id": row["id"],
        "name": row["description"],
        "url": row["url"],
        "event_types": [name for name, events in EVENTS.items() if set(events) <= set(row["events"])],
        "is_active": row["state"] == "active",
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


def _read_events(body: Body) -> list[str]:
    named = body.get("event_types")
    if not isinstance(named, list) or not named:
        raise BadRequest("event_types is required and must be a list")
    unknown = [str(name) for name in named if name not in EVENTS]
    if unknown:
        raise BadRequest(f"event_types must be of {', '.join(EVENTS)}: there is no {unknown[0]} here")
    return [event for name in EVENTS if name in named for event in EVENTS[name]]


def _read_text(body: Body, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(f"{name} is required and must be a string")
    return value
