"""One memory behind every door: the same conversation gives the same facts and the same pack, to the byte (D-58)."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from memory.types import TenantRef
from tests.caller import make_caller
from tests.imports import carry_out
from unde_memory import Memory

pytestmark = pytest.mark.django_db(transaction=True)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
QUESTION = "what should I wear to my sister's wedding, in which size?"
SAID = (
    ("user", "مقاسي M بس مابي open shoulders"),
    ("assistant", "Noted: M, no open shoulders. Three evening dresses: black, emerald, plum."),
    ("user", "I'm allergic to nickel, and the wedding of my sister is in two weeks"),
    ("assistant", "Then earrings of silver or gold."),
    ("user", "второй!"),
    ("user", "нет, не M, у меня теперь S"),
)
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


class Doors:
    """The service over real HTTP with one key, and what each door gives of a user."""

    def __init__(self, url: str, key: str, tenant: TenantRef) -> None:
        self.url, self.key, self.tenant = url, key, tenant
        self.memory = Memory(url=url, api_key=key)
        self.http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        answer = self.http.post(path, json=body, headers=headers)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def use_tool(self, user: str, tool: str, arguments: Any) -> Any:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        return self.post("/mcp", call, **MCP, **{"X-UNDE-User": user})["result"]["structuredContent"]

    def read_pack(self, user: str) -> Any:
        return self.post("/v1/context", {"user_id": user, "conversation_id": "c-1", "query": QUESTION})


@pytest.fixture
def doors(live_server: Any, tenant: TenantRef) -> Doors:
    key = str(make_caller(tenant).client.defaults["HTTP_AUTHORIZATION"]).removeprefix("Bearer ")
    return Doors(live_server.url, key, tenant)


def list_moments() -> list[datetime]:
    now = datetime.now(UTC).replace(microsecond=0)
    return [now - timedelta(minutes=30 - place) for place in range(len(SAID))]


def say_by_rest(doors: Doors, user: str, moments: list[datetime]) -> None:
    for (role, content), at in zip(SAID, moments, strict=True):
        same = {"user_id": user, "conversation_id": "c-1", "created_at": at.isoformat()}
        doors.post("/v1/messages", {**same, "role": role, "content": content})


def say_by_batch(doors: Doors, user: str, moments: list[datetime]) -> None:
    rows = [
        {"user_id": user, "conversation_id": "c-1", "role": role, "content": content, "created_at": at.isoformat()}
        for (role, content), at in zip(SAID, moments, strict=True)
    ]
    doors.post("/v1/messages/batch", {"messages": rows})


def say_by_client(doors: Doors, user: str, moments: list[datetime]) -> None:
    for (role, content), at in zip(SAID, moments, strict=True):
        doors.memory.user(user).add(content, conversation="c-1", role=role, created_at=at)


def say_by_session(doors: Doors, user: str, moments: list[datetime]) -> None:
    session = doors.memory.session(user, "c-1")
    for (role, content), at in zip(SAID, moments, strict=True):
        session.add(content, role=role, created_at=at)


def say_by_mem0(doors: Doors, user: str, moments: list[datetime]) -> None:
    for (role, content), at in zip(SAID, moments, strict=True):
        told = {"messages": [{"role": role, "content": content}], "user_id": user, "run_id": "c-1"}
        doors.post("/mem0/v3/memories/add/", {**told, "timestamp": int(at.timestamp())})


def say_by_import(doors: Doors, user: str, moments: list[datetime], **headers: str) -> None:
    rows = [
        {"conversation_id": "c-1", "role": role, "content": content, "timestamp": at.isoformat()}
        for (role, content), at in zip(SAID, moments, strict=True)
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    doors.http.post(f"/v1/users/{user}/import?format=jsonl", content=lines.encode(), headers=headers).raise_for_status()


def say_by_import_in_the_background(doors: Doors, user: str, moments: list[datetime]) -> None:
    say_by_import(doors, user, moments, Prefer="respond-async")
    assert carry_out(doors.tenant.id) == ["succeeded"]


SPEAKERS: tuple[Callable[[Doors, str, list[datetime]], None], ...] = (
    say_by_rest,
    say_by_batch,
    say_by_client,
    say_by_session,
    say_by_mem0,
    say_by_import,
    say_by_import_in_the_background,
)
OWN = ("receipt_id", "client_id", "timings")


def write_plainly(value: Any) -> bytes:
    """The bytes of a pack without what is of one answer alone; ids are numbered in the order in which they stand."""
    seen: dict[str, str] = {}
    text = json.dumps(drop_own(value), ensure_ascii=False, sort_keys=True)
    return UUID.sub(lambda found: seen.setdefault(found[0], f"id-{len(seen)}"), text).encode()


def drop_own(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: drop_own(part) for name, part in value.items() if name not in OWN}
    return [drop_own(part) for part in value] if isinstance(value, list) else value


def list_facts(doors: Doors, user: str) -> bytes:
    times = ("last_validated_at",)
    rows = doors.http.get(f"/v1/users/{user}/facts?include=inactive").json()["results"]
    shown = [{name: value for name, value in row.items() if name not in times} for row in rows]
    return write_plainly(sorted(shown, key=lambda row: (row["knowledge_type"], row["knowledge_key"], row["version"])))


def test_the_same_conversation_gives_the_same_facts_and_pack_by_every_door(doors: Doors) -> None:
    moments = list_moments()
    for speak in SPEAKERS:
        speak(doors, speak.__name__, moments)
    facts = {speak.__name__: list_facts(doors, speak.__name__) for speak in SPEAKERS}
    packs = {speak.__name__: write_plainly(doors.read_pack(speak.__name__)) for speak in SPEAKERS}
    assert b'"nickel"' in facts["say_by_rest"] and b'"S"' in facts["say_by_rest"]
    for name in facts:
        assert facts[name] == facts["say_by_rest"], name
        assert packs[name] == packs["say_by_rest"], name


def test_every_door_reads_the_same_pack_and_the_same_hits(doors: Doors) -> None:
    say_by_batch(doors, "alice", list_moments())
    pack = doors.read_pack("alice")
    rendered = json.dumps(pack["rendered"]["messages"], ensure_ascii=False).encode()
    by_client = doors.memory.user("alice").context(QUESTION, conversation="c-1")
    by_session = doors.memory.session("alice", "c-1").context(QUESTION)
    for read in (by_client, by_session):
        assert json.dumps(read.to_openai(), ensure_ascii=False).encode() == rendered
    by_tool = doors.use_tool("alice", "get_context", {"query": QUESTION, "conversation_id": "c-1"})
    said = "\n\n".join(message["content"] for message in pack["rendered"]["messages"][:-1])
    assert by_tool["context"].encode() == said.encode()
    assert [fact["id"] for fact in by_tool["facts"]] == [fact["id"] for fact in pack["facts"]]

    found = doors.post("/v1/search", {"user_id": "alice", "query": "earrings", "top_k": 20})["results"]
    hits = [(hit["message_id"], hit["score"]) for hit in found]
    assert hits
    by_client_found = doors.memory.user("alice").search("earrings", top_k=20).results
    assert [(hit.message_id, hit.score) for hit in by_client_found] == hits
    by_tool_found = doors.use_tool("alice", "search_memory", {"query": "earrings", "limit": 20})["results"]
    assert [(hit["id"], hit["score"]) for hit in by_tool_found] == hits
    asked = {"query": "earrings", "filters": {"user_id": "alice"}, "top_k": 20}
    by_mem0 = doors.post("/mem0/v3/memories/search/", asked)["results"]
    assert [(hit["id"], hit["score"]) for hit in by_mem0] == hits


def test_what_one_door_forgets_is_gone_at_every_other(doors: Doors) -> None:
    say_by_rest(doors, "alice", list_moments())
    first = doors.http.get("/v1/users/alice/messages").json()["results"][2]["id"]
    doors.http.delete(f"/mem0/v1/memories/{first}/").raise_for_status()
    assert doors.http.get(f"/v1/messages/{first}").status_code == 404
    assert all("nickel" not in message.content for message in doors.memory.user("alice").messages())
    assert "nickel" not in json.dumps(doors.use_tool("alice", "search_memory", {"query": "nickel"}))
    assert "nickel" not in json.dumps(doors.read_pack("alice"))
