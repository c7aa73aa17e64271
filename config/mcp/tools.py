"""The seven tools: what each says of itself to a model, and what it does.

A model may be wrong, or be told by a page to do harm. So what it reports is kept as hearsay (D-39), a fact is doubted
and never closed on its word, and nothing is forgotten without a plan that was shown before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from config.mcp.desk import Desk, ToolRefused
from memory.errors import InvalidRequest
from memory.ids import new_id
from memory.models import Message
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import KNOWLEDGE_TYPES, TOLD_BY

CONVERSATION: Final = "mcp"
"""Where the reports of models are kept, unless the model names a conversation."""
HEARSAY: Final = {"source": "mcp", "provenance": "observation", "confidence": 0.6}
MAX_FOUND: Final = 20

Arguments = Mapping[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as it is listed, and the function behind it."""

    name: str
    title: str
    description: str
    arguments: Schema
    answer: Schema
    work: Callable[[Desk, Arguments], dict[str, Any]]
    required: tuple[str, ...] = ()
    is_read_only: bool = True
    is_destructive: bool = False

    @property
    def input_schema(self) -> Schema:
        """The JSON schema of its arguments: nothing beside them is taken."""
        return {
            "type": "object",
            "properties": self.arguments,
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def output_schema(self) -> Schema:
        """The JSON schema of its answer."""
        return {"type": "object", "properties": self.answer}


def get_context(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """The pack for a question, as text and as facts with ids."""
    body = {
        "user_id": desk.user,
        "conversation_id": arguments.get("conversation_id", CONVERSATION),
        "query": arguments["query"],
    }
    if arguments.get("max_tokens"):
        body["max_tokens"] = arguments["max_tokens"]
    pack = desk.call("POST", "/v1/context", body)
    said = [message["content"] for message in pack["rendered"]["messages"][:-1]]
    return {"context": "\n\n".join(said), "facts": list(map(_show_fact, pack["facts"]))}


def search_memory(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """Messages that answer a question."""
    limit = arguments.get("limit", 8)
    found = desk.call("POST", "/v1/search", {"user_id": desk.user, "query": arguments["query"], "top_k": limit})
    return {
        "results": [
            {
                "id": card["message_id"],
                "text": card["raw_excerpt"],
                "role": card["role"],
                "said_at": card["created_at"],
                "score": card["score"],
            }
            for card in found["results"]
        ]
    }


def list_facts(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """What is known now. A user of whom nothing is stored has no facts."""
    try:
        wanted = arguments.get("knowledge_type")
        page = desk.call("GET", f"/v1/users/{desk.user}/facts", knowledge_type=wanted, limit=200)
    except ToolRefused as refused:
        if refused.code != "user_not_found":
            raise
        return {"facts": []}
    return {"facts": list(map(_show_fact, page["results"]))}


def fetch(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """One message word for word, or one fact with its history. Raises NotFound for what is not this user's."""
    wanted = read_id(arguments["id"], name="id")
    with tenant_scope(desk.caller.tenant_id):
        rows = Message.objects.filter(id=wanted, forgotten_at=None)
        user_id = desk.caller.user_id if Scope.READ in desk.caller.scopes else None
        message = rows.filter(user_id=user_id).first() if user_id else None
    if message is not None:
        day = message.created_at.astimezone(ZoneInfo(desk.caller.timezone)).date()
        title = f"{message.role}, {day.isoformat()}"
        return {"id": str(wanted), "title": title, "text": message.content, "metadata": dict(message.metadata)}
    timeline = desk.call("GET", f"/v1/facts/{wanted}/timeline")
    versions = [f"{version['fact']['value']} (since {version['fact']['valid_at']})" for version in timeline["results"]]
    title = f"{timeline['knowledge_type']}: {timeline['knowledge_key']}"
    return {"id": str(wanted), "title": title, "text": "\n".join(versions), "metadata": {"kind": "fact"}}


def add_memory(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """Keep what a model reports: searchable, and no fact comes of it."""
    stored = desk.call(
        "POST",
        "/v1/messages",
        {
            "user_id": desk.user,
            "conversation_id": arguments.get("conversation_id", CONVERSATION),
            "role": "assistant",
            "id": f"mcp-{new_id().hex}",
            "content": arguments["text"],
            "metadata": {**HEARSAY, TOLD_BY: {"via": "mcp", "client": desk.client}},
        },
    )
    return {"id": stored["id"], "provenance": HEARSAY["provenance"], "facts": []}


def correct_fact(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """Mark a fact as doubted; the user's own word settles it."""
    fact_id = read_id(arguments["fact_id"], name="fact_id")
    fact = desk.call("POST", f"/v1/facts/{fact_id}/dispute", {"reason": arguments["reason"]})
    return {"fact": _show_fact(fact), "note": "Marked as doubted. Ask the user; only their word closes or changes it."}


def forget(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """With a query a plan; with the plan its run."""
    query, plan_id = arguments.get("query"), arguments.get("plan_id")
    if bool(query) == bool(plan_id):
        raise InvalidRequest(fields={"query": "give either query or plan_id"})
    path = f"/v1/users/{desk.user}/forget"
    if query:
        plan = desk.call("POST", path, {"query": query, "dry_run": True})
        return {"is_dry_run": True, "plan_id": plan["plan_id"], "message_ids": plan["message_ids"]}
    done = desk.call("POST", path, {"plan_id": str(read_id(str(plan_id), name="plan_id")), "reason": "mcp"})
    return {"is_dry_run": False, "batch_id": done["batch_id"], "message_ids": done["message_ids"]}


def read_id(text: str, *, name: str) -> UUID:
    """An id of ours. Raises InvalidRequest."""
    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest(fields={name: "is not an id"}) from None


def _show_fact(fact: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: fact[name] for name in ("id", "knowledge_type", "knowledge_key", "value", "confidence")}
    return {**shown, "is_disputed": fact["is_disputed"], "expires_at": fact["expires_at"]}


_TEXT: Final[Schema] = {"type": "string"}
_IDS: Final[Schema] = {"type": "array", "items": _TEXT}
_FACT: Final[Schema] = {"type": "object", "properties": {"id": _TEXT, "knowledge_type": _TEXT, "value": {}}}
_FACTS: Final[Schema] = {"type": "array", "items": _FACT}
_HITS: Final[Schema] = {"type": "array", "items": {"type": "object", "properties": {"id": _TEXT, "text": _TEXT}}}


def _text(description: str) -> Schema:
    return {"type": "string", "minLength": 1, "description": description}


TOOLS: Final = (
    Tool(
        name="get_context",
        title="What to know before replying",
        description=(
            "Everything remembered about this user that matters for a reply: facts such as sizes, allergies and bans,"
            " and what was said. Call it before you recommend or decide anything for the user."
        ),
        arguments={
            "query": _text("The user's message, or what you are about to do."),
            "conversation_id": _text("The conversation, if you know its id."),
            "max_tokens": {"type": "integer", "minimum": 200, "maximum": 32_000},
        },
        required=("query",),
        answer={"context": _TEXT, "facts": _FACTS},
        work=get_context,
    ),
    Tool(
        name="search_memory",
        title="Search what was said",
        description="Messages of this user, word for word, that may answer a question. Best first.",
        arguments={
            "query": _text("What to look for."),
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_FOUND},
        },
        required=("query",),
        answer={"results": _HITS},
        work=search_memory,
    ),
    Tool(
        name="list_facts",
        title="List verified facts",
        description="Facts that the user stated: sizes, budget, allergies, bans, events. Few and certain.",
        arguments={"knowledge_type": {**_text("Only this type."), "enum": list(KNOWLEDGE_TYPES)}},
        answer={"facts": _FACTS},
        work=list_facts,
    ),
    Tool(
        name="fetch",
        title="Read one memory whole",
        description="A message that a search found, word for word, or a fact with its history. By id.",
        arguments={"id": _text("The id of a message or a fact.")},
        required=("id",),
        answer={"id": _TEXT, "title": _TEXT, "text": _TEXT},
        work=fetch,
    ),
    Tool(
        name="add_memory",
        title="Note something about the user",
        description=(
            "Keep a note for later conversations. It can be found again, and is marked as your observation: it never"
            " becomes a verified fact. Do not repeat what the user's own messages say."
        ),
        arguments={
            "text": _text("The note, as one or a few sentences."),
            "conversation_id": _text("The conversation, if you know its id."),
        },
        required=("text",),
        answer={"id": _TEXT, "provenance": _TEXT},
        work=add_memory,
        is_read_only=False,
    ),
    Tool(
        name="correct_fact",
        title="Say that a fact seems wrong",
        description="Marks a fact as doubted, so that it is asked about and not asserted. It is not deleted.",
        arguments={"fact_id": _text("The id of the fact."), "reason": _text("Why it seems wrong, in a sentence.")},
        required=("fact_id", "reason"),
        answer={"fact": _FACT, "note": _TEXT},
        work=correct_fact,
        is_read_only=False,
    ),
    Tool(
        name="forget",
        title="Forget what the user wants forgotten",
        description=(
            "Only on the user's wish. First with query: nothing is forgotten; you get plan_id and what would go. Show"
            " it to the user. When they agree, call it again with plan_id. It can be undone for 30 days."
        ),
        arguments={"query": _text("What to forget."), "plan_id": _text("Of the dry run that the user agreed to.")},
        answer={"is_dry_run": {"type": "boolean"}, "plan_id": _TEXT, "message_ids": _IDS, "batch_id": _TEXT},
        work=forget,
        is_read_only=False,
        is_destructive=True,
    ),
)
BY_NAME: Final = {tool.name: tool for tool in TOOLS}
