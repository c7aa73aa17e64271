"""What mem0 keeps beside memories: a project's instructions, feedback, exports. They are kept items of a user.

Instructions steer nothing here: facts come from rules and a gate, not from a prompt. They are kept and shown again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from config.api.inside import bind_caller
from config.mem0.desk import Desk
from config.mem0.errors import BadRequest, Mem0Error
from config.mem0.filters import Filter
from memory.ids import new_id

PROJECT_USER: Final = "app:mem0"
"""Stands for the project itself. It says nothing and has no memories."""
NAMESPACE: Final = "mem0"
FEEDBACK: Final = ("POSITIVE", "NEGATIVE", "VERY_NEGATIVE")
_FIELDS: Final = ("custom_instructions", "custom_categories", "retrieval_criteria", "enable_graph")


def read_project(desk: Desk) -> dict[str, Any]:
    """The project with its settings, all of them null until they are set."""
    slug = desk.caller.tenant_slug
    kept = _get(desk, "settings") or {}
    return {"id": slug, "name": slug, "org_id": slug, **dict.fromkeys(_FIELDS), **kept}


def write_project(desk: Desk, body: Mapping[str, Any]) -> dict[str, Any]:
    """Set some of them. Writes."""
    kept = _get(desk, "settings") or {}
    _put(desk, "settings", {**kept, **{name: body[name] for name in _FIELDS if name in body}})
    return {"message": "Project updated successfully."}


def record_feedback(desk: Desk, body: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what was said of a memory, for its user. Writes."""
    feedback = body.get("feedback")
    if feedback is not None and str(feedback).upper() not in FEEDBACK:
        raise BadRequest("feedback must be one of: POSITIVE, NEGATIVE, VERY_NEGATIVE")
    owner, _ = desk.find_memory(str(body.get("memory_id")))
    value = {"feedback": feedback, "feedback_reason": body.get("feedback_reason")}
    _put(desk, str(body["memory_id"]), value, user=owner.external_id, place="feedback")
    return {"id": str(body["memory_id"]), **value, "message": "Feedback updated successfully."}


def make_export(desk: Desk, wanted: Filter) -> str:
    """Keep which memories are wanted; the id under which they are read. Writes."""
    export_id = str(new_id())
    _put(desk, export_id, {"filters": wanted}, place="exports")
    return export_id


def get_export(desk: Desk, body: Mapping[str, Any], read_filter: Callable[[Mapping[str, Any]], Filter]) -> Filter:
    """The filter of an export, or the one that is sent. Raises Mem0Error for an export that is not there."""
    export_id = body.get("memory_export_id")
    if export_id is None:
        return read_filter(body)
    try:
        kept = _get(desk, str(UUID(str(export_id))), place="exports")
    except ValueError:
        kept = None
    if kept is None:
        raise Mem0Error(404, "No memory export request found", code="not_found")
    filters: Filter = kept["filters"]
    return filters


def _get(desk: Desk, key: str, *, place: str = "project") -> dict[str, Any] | None:
    query = {"namespace": f"{NAMESPACE}.{place}", "key": key}
    item = _call(desk, PROJECT_USER, "GET", **query)
    return item["value"] if item else None


def _put(desk: Desk, key: str, value: Any, *, user: str = PROJECT_USER, place: str = "project") -> None:
    body = {"namespace": [NAMESPACE, place], "key": key, "value": value, "index": False}
    _call(desk, user, "PUT", body)


def _call(desk: Desk, user: str, method: str, body: Any = None, **query: Any) -> Any:
    if desk.bound_user is not None and user == PROJECT_USER:
        user = desk.bound_user  # a key for one user keeps these things with its user
    return Desk(desk.request, bind_caller(desk.caller, user)).call(user, method, "/v1/store/items", body, **query)
