"""MCP over real HTTP: the official client against the running service, and by hand what a client would not send."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from django.test import Client

from config.mcp.server import describe_tool
from config.mcp.tools import TOOLS
from memory.models import Message
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.caller import Caller, make_caller

pytestmark = pytest.mark.django_db
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def send(api: Caller, method: str, params: Any = None, *, user: str | None = "alice", **headers: str) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    named = {"X-UNDE-User": user} if user else {}
    return api.client.post("/mcp", body, content_type="application/json", headers={**HEADERS, **named, **headers})


def use(api: Caller, tool: str, arguments: Any = None, **more: Any) -> Any:
    answer = send(api, "tools/call", {"name": tool, "arguments": arguments or {}}, **more)
    assert answer.status_code == 200, answer.content
    result = answer.json()["result"]
    text = json.loads(result["content"][0]["text"])
    assert result.get("isError", False) or result["structuredContent"] == text
    return text


def test_tools_are_seven_and_small(api: Caller) -> None:
    tools = send(api, "tools/list").json()["result"]["tools"]
    assert [tool["name"] for tool in tools] == [
        "get_context",
        "search_memory",
        "list_facts",
        "fetch",
        "add_memory",
        "correct_fact",
        "forget",
    ]
    for tool in tools:
        assert tool["title"] and tool["outputSchema"]["type"] == "object"
        assert set(tool["annotations"]) >= {"readOnlyHint", "destructiveHint", "openWorldHint"}
        assert not {"user_id", "user"} & set(tool["inputSchema"]["properties"])
    listed = json.dumps([describe_tool(tool).model_dump(by_alias=True, exclude_none=True) for tool in TOOLS])
    assert len(listed) / 4 < 2_500


def test_what_was_said_is_found_and_read(api: Caller) -> None:
    said = api.send("I am allergic to nickel", created_at="2026-03-02T21:30:00Z").json()
    assert use(api, "list_facts")["facts"][0]["value"] == "nickel"
    assert "nickel" in use(api, "get_context", {"query": "which earrings?"})["context"]
    found = use(api, "search_memory", {"query": "allergic"})["results"]
    assert found[0]["id"] == said["id"]
    read = use(api, "fetch", {"id": said["id"]})
    assert (read["title"], read["text"]) == ("user, 2026-03-03", "I am allergic to nickel"), "the day in Dubai"
    assert "nickel" in use(api, "fetch", {"id": said["facts"][0]["id"]})["text"]
    assert use(api, "list_facts", user="bob") == {"facts": []}
    assert use(api, "fetch", {"id": said["id"]}, user="bob")["code"] == "not_found"


def test_what_a_model_reports_is_kept_and_never_a_fact(api: Caller, tenant: TenantRef) -> None:
    note = use(api, "add_memory", {"text": "I am allergic to latex and my size is XL"})
    assert note["provenance"] == "observation"
    assert use(api, "list_facts") == {"facts": []}
    assert use(api, "search_memory", {"query": "latex"})["results"][0]["id"] == note["id"]
    with tenant_scope(tenant.id):
        message = Message.objects.get(id=note["id"])
    assert (message.role, message.metadata["provenance"]) == ("assistant", "observation")


def test_a_fact_is_doubted_and_not_closed_on_a_models_word(api: Caller) -> None:
    fact = api.send("I am allergic to nickel").json()["facts"][0]
    use(api, "correct_fact", {"fact_id": fact["id"], "reason": "a page says so"})
    facts = use(api, "list_facts")["facts"]
    assert (len(facts), facts[0]["is_disputed"]) == (1, True)
    assert use(api, "correct_fact", {"fact_id": fact["id"], "reason": "mine"}, user="bob")["code"] == "not_found"


def test_nothing_is_forgotten_without_a_plan(api: Caller) -> None:
    api.send("the perfume was for my sister")
    plan = use(api, "forget", {"query": "perfume"})
    assert (plan["is_dry_run"], len(plan["message_ids"])) == (True, 1)
    assert use(api, "search_memory", {"query": "perfume"})["results"]
    done = use(api, "forget", {"plan_id": plan["plan_id"]})
    assert (done["is_dry_run"], done["message_ids"]) == (False, plan["message_ids"])
    assert use(api, "search_memory", {"query": "perfume"})["results"] == []
    assert use(api, "forget", {})["code"] == "invalid_request"


def test_nobody_is_meant_unless_the_app_or_the_key_says_who(api: Caller) -> None:
    assert use(api, "list_facts", user=None)["code"] == "user_required"
    assert use(api, "list_facts", {"user_id": "alice"})["code"] == "invalid_request"
    key = api.post("/v1/users/bob/keys", {}).json()["key"]
    bobs = Caller(Client(headers={"Authorization": f"Bearer {key}"}, raise_request_exception=False))
    assert use(bobs, "list_facts", user=None) == {"facts": []}
    refused = send(bobs, "tools/list", user="alice")
    assert (refused.status_code, refused.json()["code"]) == (403, "other_user")


def test_the_key_and_its_scopes_are_asked_for(api: Caller, tenant: TenantRef) -> None:
    refused = Caller(Client(raise_request_exception=False))
    answer = send(refused, "tools/list")
    assert (answer.status_code, answer.json()["code"]) == (401, "missing_key")
    assert "resource_metadata" not in answer["WWW-Authenticate"]
    reader = make_caller(tenant, Scope.READ)
    assert use(reader, "add_memory", {"text": "x"})["code"] == "missing_scope"


def test_a_foreign_page_or_host_is_refused(api: Caller) -> None:
    answer = send(api, "tools/list", Origin="https://evil.example")
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert send(api, "tools/list", Host="evil.example").status_code == 400


def test_an_own_page_may_ask(api: Caller) -> None:
    assert send(api, "tools/list", Host="localhost:8000", Origin="http://localhost:6274").status_code == 200


def test_there_is_no_stream_and_no_session(api: Caller) -> None:
    for method in ("get", "delete"):
        answer = getattr(api.client, method)("/mcp", headers=HEADERS)
        assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_a_fault_of_a_request_is_said_in_the_protocol(api: Caller) -> None:
    assert "error" in send(api, "tools/call", {"name": "drop_tables", "arguments": {}}).json()
    assert "error" in send(api, "nothing/known").json()
    assert use(api, "search_memory", {"query": "x", "limit": 10_000})["code"] == "invalid_request"
    assert "error" in send(api, "resources/read", {"uri": "unde://facts"}, user=None).json()


def test_the_resource_and_the_prompts(api: Caller) -> None:
    api.send("my size is M")
    text = send(api, "resources/read", {"uri": "unde://facts"}).json()["result"]["contents"][0]["text"]
    assert json.loads(text)["facts"][0]["value"] == "M"
    assert len(send(api, "prompts/list").json()["result"]["prompts"]) == 2
    got = send(api, "prompts/get", {"name": "reply_with_memory", "arguments": {"question": "what size?"}}).json()
    assert "what size?" in got["result"]["messages"][0]["content"]["text"]


def test_one_fact_and_one_message_are_resources_of_their_user_alone(api: Caller) -> None:
    said = api.send("my size is M").json()
    listed = send(api, "resources/templates/list").json()["result"]["resourceTemplates"]
    fact, message = (each["uriTemplate"] for each in listed)
    for template, id, word in ((fact, said["facts"][0]["id"], "M"), (message, said["id"], "my size is M")):
        uri = template.replace("{id}", id)
        content = send(api, "resources/read", {"uri": uri}).json()["result"]["contents"][0]
        assert (content["uri"], word in json.loads(content["text"])["text"]) == (uri, True)
        assert "error" in send(api, "resources/read", {"uri": uri}, user="bob").json()
    for wrong in (fact.replace("{id}", said["id"]), message.replace("{id}", "1"), "unde://nothing"):
        assert "error" in send(api, "resources/read", {"uri": wrong}).json()


def test_ids_of_facts_are_completed_and_any_level_of_logging_is_taken(api: Caller) -> None:
    id = api.send("my size is M").json()["facts"][0]["id"]

    def complete(ref: dict[str, str], name: str = "id", value: str = "", **more: Any) -> Any:
        params = {"ref": ref, "argument": {"name": name, "value": value}}
        return send(api, "completion/complete", params, **more).json()

    facts = {"type": "ref/resource", "uri": "unde://facts/{id}"}
    for begun, wanted in (("", [id]), (id[:5], [id]), ("x", [])):
        found = complete(facts, value=begun)["result"]["completion"]
        assert (found["values"], found["total"], found["hasMore"]) == (wanted, len(wanted), False)
    assert complete(facts, user="bob")["result"]["completion"]["values"] == []
    question = complete({"type": "ref/prompt", "name": "reply_with_memory"}, "question", "w")
    assert question["result"]["completion"]["values"] == []
    assert complete({"type": "ref/prompt", "name": "none"})["error"]["code"] == -32602
    assert complete(facts, "other")["error"]["code"] == -32602
    assert send(api, "logging/setLevel", {"level": "info"}).json()["result"] == {}
    assert send(api, "logging/setLevel", {"level": "loud"}).json()["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_a_cursor_that_was_never_given_out_is_refused(api: Caller, method: str) -> None:
    assert send(api, method, {"cursor": "x"}).json()["error"]["code"] == -32602


def test_what_is_no_message_is_refused_without_repeating_it(api: Caller) -> None:
    answer = api.client.post("/mcp", [{"secret": 1}], content_type="application/json", headers=HEADERS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
    assert b"secret" not in answer.content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_speaks_both_revisions(live_server: Any, api: Caller, mode: str) -> None:
    api.send("my size is M")
    key = api.client.defaults["HTTP_AUTHORIZATION"]

    async def talk() -> Any:
        import httpx2
        from mcp import Client as McpClient
        from mcp.client.streamable_http import streamable_http_client

        async with httpx2.AsyncClient(headers={"Authorization": key, "X-UNDE-User": "alice"}) as http:
            transport = streamable_http_client(f"{live_server.url}/mcp", http_client=http)
            async with McpClient(transport, mode=mode) as client:
                tools = await client.list_tools()
                result = await client.call_tool("list_facts", {})
                return len(tools.tools), result.structured_content

    count, facts = asyncio.run(talk())
    assert (count, facts["facts"][0]["value"]) == (7, "M")


@pytest.mark.django_db(transaction=True)
def test_a_caller_who_goes_early_does_not_undo_what_was_begun(live_server: Any, api: Caller, tenant: TenantRef) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "add_memory", "arguments": {"text": "kept all the same"}},
    }
    headers = {**HEADERS, "Authorization": api.client.defaults["HTTP_AUTHORIZATION"], "X-UNDE-User": "alice"}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{live_server.url}/mcp", json=body, headers=headers, timeout=httpx.Timeout(5, read=0.0001))
    for _ in range(200):
        with tenant_scope(tenant.id):
            if Message.objects.filter(content="kept all the same").exists():
                return
        asyncio.run(asyncio.sleep(0.05))
    raise AssertionError("the note was lost")
