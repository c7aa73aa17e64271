"""The door: mem0's paths, its ways to send a key, its answers and its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config.api.authentication import authenticate
from config.api.decoding import BATCH_BODY_LIMIT, decode_json, read_bytes
from config.api.errors import note_error
from config.api.rendering import encode
from config.mem0 import memories
from config.mem0.desk import Desk, check_scope
from config.mem0.errors import BadRequest, Mem0Error, to_mem0
from config.mem0.filters import ENTITIES, Filter, normalise
from config.mem0.hooks import change_webhook, delete_webhook, list_webhooks, make_webhook
from config.mem0.rendering import KINDS
from config.mem0.settings import get_export, make_export, read_project, record_feedback, write_project
from memory.ids import new_id

PAGE: Final = 100
Body = Mapping[str, Any]
Handler = Callable[[Desk, Body, re.Match[str]], Any]


def answer_mem0(request: HttpRequest, path: str) -> HttpResponse:
    """Any call under /mem0."""
    try:
        status, answer = _answer(request, path.strip("/"))
        return _write(status, answer)
    except Mem0Error as error:
        return _write(error.status, error.body, retry_after=error.retry_after)
    except Exception as error:
        coded = to_mem0(note_error(error))
        return _write(coded.status, coded.body, retry_after=coded.retry_after)


answer_mem0.csrf_exempt = True  # type: ignore[attr-defined]
answer_mem0.is_way_in = True  # type: ignore[attr-defined]


def _answer(request: HttpRequest, path: str) -> tuple[int, Any]:
    scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() == "token":
        request.META["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    desk = Desk(request, authenticate(request))
    for method, pattern, status, handler in _ROUTES:
        found = re.fullmatch(pattern, path)
        if found and request.method == method:
            return status, handler(desk, _read(request), found)
    raise Mem0Error(404, "This call of mem0 is not offered here.", code="not_found")


def _read(request: HttpRequest) -> Body:
    query: dict[str, Any] = {name: request.GET[name] for name in request.GET}
    data = read_bytes(request, limit=BATCH_BODY_LIMIT)
    body = decode_json(data, dict[str, Any]) if data.strip() else {}
    return {**query, **body}


def _write(status: int, answer: Any, *, retry_after: str | None = None) -> HttpResponse:
    response = HttpResponse(encode(answer), status=status, content_type="application/json")
    if retry_after:
        response.headers["Retry-After"] = retry_after
    return response


# --- what the platform's clients call ---------------------------------------------------------------------------------


def _ping(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    slug = desk.caller.tenant_slug
    return {"status": "ok", "org_id": slug, "project_id": slug, "user_email": None}


def _add(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    results = memories.add_memories(desk, body)
    done = {"message": "Memories are stored.", "status": "SUCCEEDED", "event_id": str(new_id())}
    return {**done, "results": results}


def _get(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return memories.get_memory(desk, found["id"])


def _list(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    """Of v3 and v2: a page with a count."""
    rows = memories.list_memories(desk, _read_scope(desk, body))
    size, page = _read_number(body, "page_size", PAGE), _read_number(body, "page", 1)
    start = (page - 1) * size
    more = f"?page={page + 1}&page_size={size}" if start + size < len(rows) else None
    before = f"?page={page - 1}&page_size={size}" if page > 1 else None
    return {"count": len(rows), "next": more, "previous": before, "results": rows[start : start + size]}


def _list_plain(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    """Of v1: the memories alone."""
    return memories.list_memories(desk, _read_scope(desk, body))


def _search(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return {"results": memories.search_memories(desk, body, _read_scope(desk, body))}


def _search_plain(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return memories.search_memories(desk, body, _read_scope(desk, body))


def _update(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    memory = memories.update_memory(desk, found["id"], body)
    return {**memory, "text": memory["memory"], "message": "Memory updated successfully!"}


def _delete(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    memories.delete_memory(desk, found["id"])
    return {"message": "Memory deleted successfully!"}


def _delete_all(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    memories.delete_memories(desk, {name: body.get(name) for name in ENTITIES}, _read_more(body))
    return {"message": "Memories deleted successfully!"}


def _history(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return memories.list_history(desk, found["id"])


def _update_batch(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    rows = _read_rows(body)
    for row in rows:
        memories.update_memory(desk, str(row.get("memory_id")), row)
    return {"message": f"Successfully updated {len(rows)} memories"}


def _delete_batch(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    rows = _read_rows(body)
    for row in rows:
        memories.delete_memory(desk, str(row.get("memory_id")))
    return {"message": f"Successfully deleted {len(rows)} memories"}


def _list_entities(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    rows = memories.list_entities(desk)
    size, page = _read_number(body, "page_size", PAGE), _read_number(body, "page", 1)
    start = (page - 1) * size
    return {
        "count": len(rows),
        "total_count": len(rows),
        "next": None,
        "previous": None,
        "results": rows[start : start + size],
    }


def _delete_entity(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    kind, name = found["type"], found["name"]
    if kind not in ("user", *KINDS):
        raise BadRequest("entity_type must be one of: user, agent, app, run")
    memories.delete_memories(desk, {f"{kind}_id": name}, {})
    return {"message": "Entity deleted successfully."}


def _feedback(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return record_feedback(desk, body)


def _make_export(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return {"message": "Memory export is ready.", "id": make_export(desk, _read_scope(desk, body))}


def _get_export(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    rows = memories.list_memories(desk, check_scope(desk, get_export(desk, body, _read_filter)))
    return {"memories": rows, "created_at": timezone.now()}


def _get_project(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return read_project(desk)


def _update_project(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return write_project(desk, body)


def _list_webhooks(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return list_webhooks(desk)


def _make_webhook(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return make_webhook(desk, body)


def _change_webhook(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return change_webhook(desk, found["id"], body)


def _delete_webhook(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return delete_webhook(desk, found["id"])


# --- what the self-hosted server answers ------------------------------------------------------------------------------


def _add_hosted(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    if not any(body.get(name) for name in ("user_id", "agent_id", "run_id")):
        raise BadRequest("At least one identifier (user_id, agent_id, run_id) is required.")
    return {"results": memories.add_memories(desk, body)}


def _list_hosted(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    return {"results": memories.list_memories(desk, _read_scope(desk, body))}


def _update_hosted(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    memories.update_memory(desk, found["id"], body)
    return {"message": "Memory updated successfully!"}


def _delete_hosted(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    memories.delete_memory(desk, found["id"])
    return {"message": "Memory deleted successfully"}


def _delete_all_hosted(desk: Desk, body: Body, found: re.Match[str]) -> Any:
    if not any(body.get(name) for name in ("user_id", "agent_id", "run_id")):
        raise BadRequest("At least one identifier is required.")
    memories.delete_memories(desk, {name: body.get(name) for name in ENTITIES}, _read_more(body))
    return {"message": "All relevant memories deleted"}


def _read_scope(desk: Desk, body: Body) -> Filter:
    """The filter of a list, a search or an export. Raises BadRequest where nobody is named."""
    return check_scope(desk, _read_filter(body))


def _read_filter(body: Body) -> dict[str, Any]:
    named = normalise({name: body[name] for name in ENTITIES if body.get(name)})
    wanted = _read_more(body)
    return {"AND": [named, wanted]} if named and wanted else named or wanted


def _read_more(body: Body) -> dict[str, Any]:
    """What narrows beside the entities: `filters` and `metadata`, as objects, or as JSON where they stand in a query.

    Raises BadRequest: a filter that was sent and can't be read must not be left out.
    """
    wanted = normalise(_read_object(body, "filters"))
    metadata = _read_object(body, "metadata")
    if not metadata:
        return wanted
    return {"AND": [{"metadata": metadata}, wanted]} if wanted else {"metadata": metadata}


def _read_object(body: Body, name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if isinstance(value, str) and value:
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            raise BadRequest(f"{name} must be an object, in a query as JSON") from None
    if value not in (None, "") and not isinstance(value, Mapping):
        raise BadRequest(f"{name} must be an object")
    return value or {}


def _read_number(body: Body, name: str, usual: int) -> int:
    try:
        number = int(body.get(name) or usual)
    except (TypeError, ValueError):
        raise BadRequest(f"{name} must be a number") from None
    if not 1 <= number <= 10_000:
        raise BadRequest(f"{name} must be from 1 to 10000")
    return number


def _read_rows(body: Body) -> list[Body]:
    rows = body.get("memories")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, Mapping) for row in rows):
        raise BadRequest("memories must be a list")
    return rows


_ID: Final = r"(?P<id>[^/]+)"
_PROJECT: Final = r"api/v1/orgs/organizations/[^/]+/projects/[^/]+"
_ROUTES: Final[tuple[tuple[str, str, int, Handler], ...]] = (
    ("GET", r"v1/ping", 200, _ping),
    ("POST", r"v3/memories/add", 200, _add),
    ("POST", r"v1/memories", 200, _add),
    ("POST", r"v[23]/memories", 200, _list),
    ("GET", r"v1/memories", 200, _list_plain),
    ("POST", r"v[23]/memories/search", 200, _search),
    ("POST", r"v1/memories/search", 200, _search_plain),
    ("DELETE", r"v1/memories", 200, _delete_all),
    ("GET", rf"v1/memories/{_ID}/history", 200, _history),
    ("GET", rf"v1/memories/{_ID}", 200, _get),
    ("PUT", rf"v1/memories/{_ID}", 200, _update),
    ("DELETE", rf"v1/memories/{_ID}", 200, _delete),
    ("PUT", r"v1/batch", 200, _update_batch),
    ("DELETE", r"v1/batch", 200, _delete_batch),
    ("GET", r"v1/entities", 200, _list_entities),
    ("DELETE", r"v[12]/entities/(?P<type>[^/]+)/(?P<name>.+)", 200, _delete_entity),
    ("POST", r"v1/feedback", 200, _feedback),
    ("POST", r"v1/exports", 201, _make_export),
    ("POST", r"v1/exports/get", 200, _get_export),
    ("GET", _PROJECT, 200, _get_project),
    ("PATCH", _PROJECT, 200, _update_project),
    ("GET", r"api/v1/webhooks/projects/[^/]+", 200, _list_webhooks),
    ("POST", r"api/v1/webhooks/projects/[^/]+", 200, _make_webhook),
    ("PUT", rf"api/v1/webhooks/{_ID}", 200, _change_webhook),
    ("DELETE", rf"api/v1/webhooks/{_ID}", 200, _delete_webhook),
    ("POST", r"memories", 200, _add_hosted),
    ("GET", r"memories", 200, _list_hosted),
    ("DELETE", r"memories", 200, _delete_all_hosted),
    ("POST", r"search", 200, _search),
    ("GET", rf"memories/{_ID}/history", 200, _history),
    ("GET", rf"memories/{_ID}", 200, _get),
    ("PUT", rf"memories/{_ID}", 200, _update_hosted),
    ("DELETE", rf"memories/{_ID}", 200, _delete_hosted),
)
