"""The server of the protocol, by its official SDK: what it lists, and how a call reaches the thread of its request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import mcp_types as types
from django.conf import settings
from jsonschema import Draft202012Validator
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from config.api.belonging import UserRequired
from config.mcp.completion import find_argument, offer
from config.mcp.desk import Desk
from config.mcp.exchange import Exchange
from config.mcp.faults import explain_fault
from config.mcp.tools import BY_NAME, TOOLS, Tool
from memory.errors import CodedError, InvalidRequest

EXCHANGE: Final = "unde.exchange"
"""Under this name the exchange of a request stands in its ASGI scope."""
INSTRUCTIONS: Final = (
    "Long-term memory of one user. Call get_context before you answer anything personal. Facts are what the user said;"
    " what you add is kept as your observation. Forget only on the user's wish, and show the dry run first."
)
FACTS_URI: Final = "unde://facts"
TEMPLATES: Final = (
    types.ResourceTemplate(
        uri_template="unde://facts/{id}",
        name="fact",
        title="One fact",
        mime_type="application/json",
        description="With its history. Ids are in list_facts.",
    ),
    types.ResourceTemplate(
        uri_template="unde://messages/{id}",
        name="message",
        title="One message",
        mime_type="application/json",
        description="Word for word. Ids are in search_memory.",
    ),
)
_ITEM: Final = re.compile(r"unde://(?P<kind>facts|messages)/(?P<id>[0-9a-f-]{36})")
PROMPTS: Final = (
    types.Prompt(
        name="reply_with_memory",
        title="Reply with memory",
        description="The pack for a question, ready to answer it.",
        arguments=[types.PromptArgument(name="question", description="What the user asks.", required=True)],
    ),
    types.Prompt(
        name="review_memory", title="Review what is remembered", description="Go through facts with the user."
    ),
)
ARGUMENTS: Final = {prompt.name: [each.name for each in prompt.arguments or ()] for prompt in PROMPTS} | {
    template.uri_template: ["id"] for template in TEMPLATES
}
FACTS_TEMPLATE: Final = TEMPLATES[0].uri_template


def build_server() -> Server[Any]:
    """The server with its tools, resource and prompts."""
    server = Server(
        "unde-memory",
        version=settings.UNDE_VERSION,
        title="UNDE Memory",
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
    )
    # Not by its argument, which warns: 2026-07-28 deprecates it, and clients of 2025-11-25 send it.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _set_level)
    return server


def describe_tool(tool: Tool) -> types.Tool:
    """A tool as the protocol lists it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.is_read_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=tool.is_read_only,
            open_world_hint=False,
        ),
    )


def _refuse_cursor(params: Any) -> None:
    """Every list is one page, so no cursor was ever given out. Raises MCPError."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")


async def _list_tools(context: Any, params: Any) -> types.ListToolsResult:
    _refuse_cursor(params)
    return types.ListToolsResult(tools=[describe_tool(tool) for tool in TOOLS])


async def _call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    tool = BY_NAME.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:64]}")
    arguments = dict(params.arguments or {})
    try:
        check_arguments(tool, arguments)
        found = await _do(context, lambda desk: tool.work(desk, arguments))
    except CodedError as error:
        return _say(error.to_dict(), is_error=True)
    return _say(found)


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise InvalidRequest for what the tool does not take."""
    for fault in _make_validator(tool.name).iter_errors(arguments):
        raise InvalidRequest(fields=explain_fault(fault))


@cache
def _make_validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(BY_NAME[name].input_schema)


async def _list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    _refuse_cursor(params)
    return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


async def _list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    _refuse_cursor(params)
    facts = types.Resource(
        uri=FACTS_URI, name="facts", title="Verified facts", mime_type="application/json", description="Of this user."
    )
    return types.ListResourcesResult(resources=[facts])


async def _read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    item = _ITEM.fullmatch(uri)
    if item is None and uri != FACTS_URI:
        raise MCPError(types.INVALID_PARAMS, "Unknown resource")
    name, arguments = ("fetch", {"id": item["id"]}) if item else ("list_facts", {})
    found = await _do_or_fail(context, lambda desk: BY_NAME[name].work(desk, arguments))
    if item and (found["metadata"].get("kind") == "fact") != (item["kind"] == "facts"):
        raise MCPError(types.INVALID_PARAMS, "Unknown resource")
    content = types.TextResourceContents(uri=uri, mime_type="application/json", text=_write(found))
    return types.ReadResourceResult(contents=[content])


async def _list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    _refuse_cursor(params)
    return types.ListPromptsResult(prompts=list(PROMPTS))


async def _get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name == "reply_with_memory":
        question = (params.arguments or {}).get("question", "")
        if not question:
            raise MCPError(types.INVALID_PARAMS, "The argument question is required")
        pack = await _do_or_fail(context, lambda desk: BY_NAME["get_context"].work(desk, {"query": question}))
        text = f"{pack['context']}\n\n{question}"
    elif params.name == "review_memory":
        found = await _do_or_fail(context, lambda desk: BY_NAME["list_facts"].work(desk, {}))
        text = f"Go through these facts with me, one by one, and ask whether each still holds:\n{_write(found)}"
    else:
        raise MCPError(types.INVALID_PARAMS, "Unknown prompt")
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(messages=[message])


async def _complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    find_argument(params.ref, params.argument.name, ARGUMENTS)
    if getattr(params.ref, "uri", None) != FACTS_TEMPLATE:
        return offer([], "")
    found = await _do_or_fail(context, lambda desk: BY_NAME["list_facts"].work(desk, {}))
    return offer([fact["id"] for fact in found["facts"]], params.argument.value)


async def _set_level(context: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """Any level is right: what there is to say of a call is in its answer, and nothing is logged to the client."""
    return types.EmptyResult()


async def _do(context: Any, work: Callable[[Desk], dict[str, Any]]) -> dict[str, Any]:
    """Do the work in the thread of the request, where its connection to the database is. Raises what it raises."""
    exchange: Exchange = context.request.scope[EXCHANGE]
    if exchange.desk is None:
        raise UserRequired(fields={"X-UNDE-User": "is required"})
    desk = exchange.desk
    return await exchange.run(lambda: work(desk))


async def _do_or_fail(context: Any, work: Callable[[Desk], dict[str, Any]]) -> dict[str, Any]:
    try:
        return await _do(context, work)
    except CodedError as error:
        raise MCPError(types.INVALID_REQUEST, error.message, error.to_dict()) from None


def _say(answer: Mapping[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(text=_write(answer))]
    structured = None if is_error else dict(answer)
    return types.CallToolResult(content=content, structured_content=structured, is_error=is_error)


def _write(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), default=str)
