"""What can be done with memories, each a few calls of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils import timezone

from config.mem0.desk import Desk, check_scope, find_roots
from config.mem0.errors import BadRequest, Mem0Error
from config.mem0.filters import ANY, ENTITIES, Filter, find_users, fits, normalise
from config.mem0.rendering import (
    FACTS,
    OWN,
    is_expired,
    name_user,
    read_content,
    read_moment,
    show_memory,
    split_user,
)
from memory.ids import new_id
from memory.tenants.types import Scope
from memory.types import RecordedMessage, UserRef

CONVERSATION: Final = "mem0"
"""Of memories that name no run."""
FOUND: Final = 10
SEARCHED: Final = 100
MAX_MESSAGES: Final = 500
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory as it is shown, the user it belongs to, and the newest version of its message."""

    user: str
    memory: dict[str, Any]
    message_id: str


def add_memories(desk: Desk, body: Body) -> list[dict[str, Any]]:
    """Store messages as said; what was stored, a line each. They can be read when this is answered. Writes."""
    named = _read_entities(body)
    user = desk.choose_user(name_user(named))
    own = {name: named.get(name) for name in ("agent_id", "app_id", "run_id")}
    own |= {"expiration_date": body.get("expiration_date"), "categories": body.get("categories")}
    metadata = _read_metadata(body.get("metadata"))
    kept = {name: value for name, value in own.items() if value is not None}
    sent = [
        {
            "user_id": user,
            "conversation_id": str(named.get("run_id") or CONVERSATION),
            "role": _read_role(message.get("role")),
            "content": read_content(message.get("content")),
            "id": f"mem0-{new_id().hex}",
            "metadata": {**metadata, **({OWN: kept} if kept else {})},
            **({"created_at": moment} if (moment := read_moment(body.get("timestamp"))) else {}),
        }
        for message in _read_messages(body.get("messages"))
    ]
    stored = desk.call(user, "POST", "/v1/messages/batch", {"messages": [one for one in sent if one["content"]]})
    results = []
    for one, answer in zip([one for one in sent if one["content"]], stored["results"], strict=True):
        if "error" in answer:
            raise Mem0Error(400, answer["error"]["message"], code=answer["error"]["code"])
        results.append(_show_added(one, answer, user))
    return results


def get_memory(desk: Desk, memory_id: str) -> dict[str, Any]:
    """One memory in its newest version. Raises MemoryNotFound."""
    return _show_one(desk, memory_id).memory


def list_memories(desk: Desk, wanted: Filter) -> list[dict[str, Any]]:
    """All memories that pass a filter, the newest first."""
    named = find_users(wanted)
    found = [
        seen.memory for user in desk.choose_users(named) for seen in _list_of(desk, user) if fits(seen.memory, wanted)
    ]
    return sorted(found, key=lambda memory: (memory["created_at"], memory["id"]), reverse=True)


def search_memories(desk: Desk, body: Body, wanted: Filter) -> list[dict[str, Any]]:
    """Memories that a question may mean and that pass a filter, best first."""
    query = str(body.get("query") or "").strip()
    limit = int(_read_number(body.get("top_k", body.get("limit")), FOUND))
    threshold = _read_number(body.get("threshold"), 0)
    if not query:
        raise BadRequest("query is required")
    if limit < 1:
        raise BadRequest("top_k must be at least 1")
    found = []
    for user in desk.choose_users(find_users(wanted)):
        shown = {seen.message_id: seen.memory for seen in _list_of(desk, user) if fits(seen.memory, wanted)}
        if not shown:
            continue
        hits = desk.call(user, "POST", "/v1/search", {"user_id": user, "query": query, "top_k": SEARCHED})
        for card in hits["results"]:
            memory = shown.get(card["message_id"])
            if memory is not None and card["score"] >= threshold:
                found.append({**memory, "score": card["score"]})
    return sorted(found, key=lambda memory: -memory["score"])[:limit]


def update_memory(desk: Desk, memory_id: str, body: Body) -> dict[str, Any]:
    """Put a newer version in its place; the id stays. Writes."""
    owner, versions = desk.find_memory(memory_id)
    metadata = dict(versions[-1].metadata)
    own = dict(metadata.pop(OWN, {}))
    if body.get("metadata") is not None:
        metadata = _read_metadata(body["metadata"])
    if "expiration_date" in body:
        own["expiration_date"] = body["expiration_date"]
    text, moment = body.get("text", body.get("data", body.get("memory"))), read_moment(body.get("timestamp"))
    sent = {
        "metadata": {**metadata, **({OWN: own} if own else {})},
        **({"content": str(text)} if text is not None else {}),
        **({"created_at": moment} if moment else {}),
    }
    desk.call(owner.external_id, "PATCH", f"/v1/messages/{memory_id}", sent)
    return _show_one(desk, memory_id).memory


def delete_memory(desk: Desk, memory_id: str) -> None:
    """Forget a memory with all of its versions. Writes."""
    owner, versions = desk.find_memory(memory_id)
    desk.forget(owner.external_id, [version.id for version in versions if version.forgotten_at is None])


def delete_memories(desk: Desk, named: Mapping[str, Any], more: Filter) -> int:
    """Forget all memories of entities that pass a filter too; how many messages. Writes."""
    wanted = normalise({name: value for name, value in named.items() if value and value != ANY})
    if ANY in named.values():
        wanted = {"OR": [{name: ANY} for name, value in named.items() if value == ANY], **wanted}
    if more:
        wanted = {"AND": [wanted, more]} if wanted else dict(more)
    if not wanted:
        raise BadRequest("At least one of the filters: agent_id, user_id, app_id, run_id is required!")
    check_scope(desk, wanted)
    count = 0
    users = find_users(wanted)
    for user in desk.choose_users(users):
        rows = desk.list_all(user, f"/v1/users/{user}/messages")
        roots = find_roots(rows)
        gone = {seen.memory["id"] for seen in _list_of(desk, user, has_expired=True) if fits(seen.memory, wanted)}
        count += desk.forget(user, [row["id"] for row in rows if roots[row["id"]] in gone])
    return count


def list_history(desk: Desk, memory_id: str) -> list[dict[str, Any]]:
    """What became of a memory, the first event first."""
    owner, versions = _read_versions(desk, memory_id)
    events: list[dict[str, Any]] = []
    old: str | None = None
    for message in versions:
        events.append(
            {
                "id": str(message.id),
                "memory_id": memory_id,
                "input": [{"role": message.role, "content": message.content}],
                "old_memory": old,
                "new_memory": message.content,
                "user_id": owner.external_id,
                "event": "ADD" if old is None else "UPDATE",
                "metadata": {name: value for name, value in message.metadata.items() if name != OWN} or None,
                "created_at": message.created_at.isoformat(),
                "updated_at": message.received_at.isoformat(),
                "is_deleted": False,
            }
        )
        old = message.content
    return events


def list_entities(desk: Desk) -> list[dict[str, Any]]:
    """Users, agents, apps and runs that have memories, the latest changed first: who is new is on the first page."""
    found = []
    for user in desk.choose_users(None):
        seen = _list_of(desk, user)
        kind, name = split_user(user)
        if not seen or (name == CONVERSATION and kind == "app"):
            continue
        moments = [one.memory["created_at"] for one in seen]
        found.append(
            {
                "id": user,
                "name": name,
                "type": kind,
                "total_memories": len(seen),
                "created_at": min(moments),
                "updated_at": max(one.memory["updated_at"] for one in seen),
                "owner": desk.caller.tenant_slug,
                "metadata": None,
            }
        )
    return sorted(found, key=lambda entity: (entity["updated_at"], entity["id"]), reverse=True)


def _list_of(desk: Desk, user: str, *, has_expired: bool = False) -> list[Seen]:
    rows = desk.list_all(user, f"/v1/users/{user}/messages")
    roots = find_roots(rows)
    replaced = {row["replaces_id"] for row in rows}
    first_said = {row["id"]: row["created_at"] for row in rows}
    facts = _find_facts(desk, user) if rows else {}
    today = timezone.now().date()
    seen = []
    for row in rows:
        if row["id"] in replaced:
            continue
        root = roots[row["id"]]
        memory = show_memory(
            row, user=user, id=root, facts=facts.get(row["id"], ()), created_at=first_said.get(root, row["created_at"])
        )
        if has_expired or not is_expired(memory, today):
            seen.append(Seen(user, memory, row["id"]))
    return seen


def _find_facts(desk: Desk, user: str) -> dict[str, list[dict[str, Any]]]:
    """The user's facts by the messages they rest on; none for a key that may not read them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for fact in desk.list_all(user, f"/v1/users/{user}/facts"):
        for message_id in fact["evidence_message_ids"]:
            found.setdefault(message_id, []).append(fact)
    return found


def _show_one(desk: Desk, memory_id: str) -> Seen:
    owner, versions = _read_versions(desk, memory_id)
    first, message = versions[0], versions[-1]
    row = {
        "content": message.content,
        "role": message.role,
        "metadata": dict(message.metadata),
        "created_at": message.created_at.isoformat(),
        "received_at": message.received_at.isoformat(),
    }
    facts = _find_facts(desk, owner.external_id).get(str(message.id), ())
    shown = show_memory(row, user=owner.external_id, id=memory_id, facts=facts, created_at=first.created_at.isoformat())
    return Seen(owner.external_id, shown, str(message.id))


def _read_versions(desk: Desk, memory_id: str) -> tuple[UserRef, list[RecordedMessage]]:
    if Scope.READ not in desk.caller.scopes:
        raise Mem0Error(403, "The API key does not have the scope that this call needs.", code="missing_scope")
    return desk.find_memory(memory_id)


def _show_added(sent: Body, answer: Body, user: str) -> dict[str, Any]:
    row = {**sent, "created_at": None, "received_at": None}
    memory = show_memory(row, user=user, id=answer["id"])
    facts = [
        {name: fact[name] for name in ("id", "knowledge_type", "knowledge_key", "value")} for fact in answer["facts"]
    ]
    metadata = {**(memory["metadata"] or {}), **({FACTS: facts} if facts else {})}
    shown = {name: memory[name] for name in ("id", "memory", "user_id", "agent_id", "app_id", "run_id", "role")}
    return {**shown, "event": "ADD", "metadata": metadata or None}


def _read_entities(body: Body) -> dict[str, str]:
    """Whom a write is about: named in the body, or in its `filters`, where no operator may choose."""
    told = body.get("filters") or {}
    if not isinstance(told, Mapping):
        raise BadRequest("filters must be an object")
    named = {**normalise(told), **{name: body[name] for name in ENTITIES if body.get(name)}}
    entities = {name: value for name, value in named.items() if name in ENTITIES and value}
    for name, value in entities.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise BadRequest(f"{name} must be a string")
    return {name: str(value) for name, value in entities.items()}


def _read_number(value: Any, usual: float) -> float:
    try:
        return float(usual if value is None or value == "" else value)
    except (TypeError, ValueError):
        raise BadRequest("top_k, limit and threshold must be numbers") from None


def _read_messages(messages: Any) -> list[Mapping[str, Any]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping):
        return [messages]
    if not isinstance(messages, list) or not messages or not all(isinstance(one, Mapping) for one in messages):
        raise BadRequest("messages is required and must be a list of messages")
    if len(messages) > MAX_MESSAGES:
        raise BadRequest(f"messages must be at most {MAX_MESSAGES}")
    return messages


def _read_metadata(metadata: Any) -> dict[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise BadRequest("metadata must be an object")
    return {name: value for name, value in metadata.items() if name not in (OWN, FACTS)}


def _read_role(role: Any) -> str:
    return role if role in ("user", "assistant", "system") else "assistant"
