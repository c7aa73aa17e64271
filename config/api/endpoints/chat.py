"""A turn of a conversation for products without an orchestrator (SPEC B-1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from django.http import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from config.api.decoding import ExternalId, RequestBody
from config.api.describing import about, one_of
from config.api.rendering import Answer, EventStream, write_event
from config.api.schema import describe
from config.api.views import ApiView
from config.chat.skills import Execution
from config.chat.turn import Reply, Turn, take_turn
from memory.ids import new_id
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import Scope


class ChatBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a user says, and what may be used to answer."""

    user_id: ExternalId
    conversation_id: ExternalId
    message: Annotated[str, Meta(min_length=1, max_length=20_000, description="What the user says.")]
    id: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=100,
                description="Your id of the message. The same request with the same id gives the same reply again.",
            ),
        ]
        | None
    ) = None
    stream: Annotated[bool, about("Server-sent events `receipt`, `delta`, `reply` instead of JSON.")] = False
    corpora: Annotated[list[ExternalId], Meta(max_length=10, description="Corpora that the pack may cite.")] = []
    skills: Annotated[
        list[Annotated[str, Meta(max_length=100)]] | None,
        about("Names of the skills that may be used. Left out: all that are installed. Empty: none."),
    ] = None


class ChatIntent(msgspec.Struct, frozen=True, kw_only=True):
    """What the message was understood to want."""

    action_required: Annotated[bool, about("Whether it asks for something to be done, beside an answer.")]
    intent_type: Annotated[str, about("`greeting`, `question`, `recommendation`, `action`, `chat` and others.")]
    confidence: Annotated[float, about("0 to 1.")]
    extracted_entities: Annotated[dict[str, Any], about("What the message states, by key.")]
    context_hints: Annotated[list[str], about("Every intent whose words it holds.")]


class ChatSkill(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of a skill's execution."""

    name: Annotated[str, about("Name of the skill.")]
    status: Annotated[str, one_of(("done", "failed", "unavailable"), "How it ended.")]
    code: Annotated[str, about("Why it failed. Empty when it did not.")]
    duration_ms: Annotated[int, about("How long it took.")]
    receipt: Annotated[dict[str, Any], about("What the skill says of what it did: ids and codes.")]


class ChatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The reply, and what was done on the way."""

    reply: Annotated[str, about("What the assistant says. It is stored.")]
    message_id: Annotated[str, about("Our id of the user's message.")]
    reply_id: Annotated[str, about("Our id of the reply.")]
    receipt_id: Annotated[str | None, about("The pack that the reply was made from.")]
    intent: Annotated[ChatIntent, about("What the message was understood to want.")]
    skill: Annotated[ChatSkill | None, about("The skill that ran; null when none did.")]
    facts: Annotated[list[dict[str, Any]], about("Facts that the message changed, as `POST /v1/messages` answers.")]
    corrections: Annotated[list[dict[str, Any]], about("Corrections in it, as `POST /v1/messages` answers.")]
    degraded_reasons: Annotated[list[str], about("What the pack had to do without.")]


class Chat(ApiView):
    """`POST /v1/chat`."""

    scopes = {"POST": Scope.CHAT_WRITE}

    @describe(
        summary="Say something and get the reply: store, understand, pack, model or skill, store the reply",
        description=(
            "For products without an orchestrator of their own. If the model fails, the answer is "
            "`model_unavailable`: the message is stored, and the same request with the same `id` goes on from "
            "there. A stream that broke is taken up in the same way."
        ),
        tag="chat",
        body=ChatBody,
        answers={200: ChatAnswer},
        errors=(404, 409, 422),
        streamed=(
            'event: receipt\ndata: {"receipt_id":"..."}\n\nevent: delta\ndata: {"text":"A knee-length dress"}\n\n'
            'event: reply\ndata: {"reply":"..."}\n\n'
        ),
    )
    def post(self, request: Request) -> HttpResponseBase:
        body = self.read_body(ChatBody)
        tenant = find_tenant(tenant_id=self.caller.tenant_id)
        turn = Turn(
            user_id=body.user_id,
            conversation_id=body.conversation_id,
            message=body.message,
            client_id=body.id or f"chat-{new_id()}",
            corpora=body.corpora,
            skills=body.skills,
            persona=read_settings(tenant).persona if tenant else "",
        )
        answer = show_reply(take_turn(self.request, self.caller, turn))
        if not body.stream:
            return Answer(answer)
        return EventStream(stream_reply(answer))


def show_reply(reply: Reply) -> ChatAnswer:
    """A reply as callers see it."""
    understood = reply.understanding
    return ChatAnswer(
        reply=reply.text,
        message_id=reply.message["id"],
        reply_id=reply.reply_id,
        receipt_id=reply.receipt_id,
        intent=ChatIntent(
            action_required=understood.action_required,
            intent_type=understood.intent_type,
            confidence=understood.confidence,
            extracted_entities=dict(understood.extracted_entities),
            context_hints=list(understood.context_hints),
        ),
        skill=_show_execution(reply.execution) if reply.execution else None,
        facts=reply.message["facts"],
        corrections=reply.message["corrections"],
        degraded_reasons=list(reply.degraded_reasons),
    )


def _show_execution(ran: Execution) -> ChatSkill:
    return ChatSkill(
        name=ran.name, status=ran.status, code=ran.code, duration_ms=ran.duration_ms, receipt=dict(ran.receipt)
    )


def stream_reply(answer: ChatAnswer) -> Iterator[bytes]:
    """The events of a reply that is stored: its receipt, its words line by line, then all of it."""
    yield write_event("receipt", {"receipt_id": answer.receipt_id, "message_id": answer.message_id})
    for line in answer.reply.splitlines(keepends=True):
        yield write_event("delta", {"text": line})
    yield write_event("reply", answer)
