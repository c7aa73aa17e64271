"""A turn of a conversation for products without an orchestrator (SPEC B-1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import structlog
from django.http import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from config.api.decoding import ExternalId, RequestBody
from config.api.describing import about, one_of
from config.api.errors import InternalError
from config.api.rendering import Answer, EventStream, write_event
from config.api.schema import describe
from config.api.views import ApiView
from config.chat.skills import Execution
from config.chat.turn import Course, Reply, Turn, begin_turn
from memory.errors import CodedError
from memory.ids import new_id
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import Scope, TenantSettings

log = structlog.get_logger(__name__)


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
    stream: Annotated[bool, about("Server-sent events `receipt`, `delta`, `reply`, `error` instead of JSON.")] = False
    corpora: Annotated[list[ExternalId], Meta(max_length=10, description="Corpora that the pack may cite.")] = []
    project_id: Annotated[
        ExternalId | None, about("A project whose context the model reads too. The key needs `projects:read`.")
    ] = None
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
    context_hints: Annotated[list[str], about("Every intent whose words it holds; skills are chosen by them.")]
    made_by: Annotated[str, one_of(("rules", "model"), "What read it.")]


class ChatSkill(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of a skill's execution."""

    name: Annotated[str, about("Name of the skill.")]
    status: Annotated[str, one_of(("done", "failed", "unavailable", "refused"), "How it ended.")]
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
    withheld: Annotated[list[str], about("Types of facts in it that were not kept: the user has not agreed.")]
    degraded_reasons: Annotated[list[str], about("What the pack had to do without.")]
    snapshot_id: Annotated[str | None, about("The snapshot of the project that the model read; null without one.")] = (
        None
    )


class Chat(ApiView):
    """`POST /v1/chat`."""

    scopes = {"POST": Scope.CHAT_WRITE}

    @describe(
        summary="Say something and get the reply: store, understand, pack, model or skill, store the reply",
        description=(
            "For products without an orchestrator of their own. If the model fails, the answer is "
            "`model_unavailable`: the message is stored, and the same request with the same `id` goes on from "
            "there. A stream that broke is taken up in the same way: with the header `Last-Event-ID` the reply goes on "
            "after that event. A reply is finished and stored also when nobody reads the stream to its end."
        ),
        tag="chat",
        body=ChatBody,
        answers={200: ChatAnswer},
        errors=(404, 409, 422),
        streamed=(
            'event: receipt\ndata: {"receipt_id":"...","message_id":"...","offset":0}\n\n'
            'event: delta\nid: 0192...:19\ndata: {"text":"A knee-length dress"}\n\n'
            'event: reply\ndata: {"reply":"..."}\n\n'
        ),
    )
    def post(self, request: Request) -> HttpResponseBase:
        body = self.read_body(ChatBody)
        course = begin_turn(self.request, self.caller, self.make_turn(body))
        if body.stream:
            return EventStream(SpokenTurn(course, after=request.headers.get("Last-Event-ID", "")))
        if course.reply is None:
            for _ in course.speak():
                pass
        assert course.reply is not None
        return Answer(show_reply(course.reply))

    def make_turn(self, body: ChatBody) -> Turn:
        """What is asked, with what the tenant has set."""
        tenant = find_tenant(tenant_id=self.caller.tenant_id)
        stored = read_settings(tenant) if tenant else TenantSettings()
        return Turn(
            user_id=body.user_id,
            conversation_id=body.conversation_id,
            message=body.message,
            client_id=body.id or f"chat-{new_id()}",
            corpora=body.corpora,
            skills=body.skills,
            project_id=body.project_id,
            character="\n".join(part for part in (stored.persona, stored.tone) if part),
            permitted=stored.skills,
            asks_model=stored.is_chat_understanding_on,
            is_streamed=body.stream,
        )


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
            made_by=understood.made_by,
        ),
        skill=_show_execution(reply.execution) if reply.execution else None,
        facts=reply.message["facts"],
        corrections=reply.message["corrections"],
        withheld=reply.message.get("withheld", []),
        degraded_reasons=list(reply.degraded_reasons),
        snapshot_id=reply.snapshot_id,
    )


def _show_execution(ran: Execution) -> ChatSkill:
    return ChatSkill(
        name=ran.name, status=ran.status, code=ran.code, duration_ms=ran.duration_ms, receipt=dict(ran.receipt)
    )


class SpokenTurn:
    """The events of a turn: the receipt, the words as they come, then all of it; or what went wrong.

    Whoever closes it early leaves a turn that is finished all the same: the reply is made and stored to its end, and
    the same request gives it again.
    """

    def __init__(self, course: Course, *, after: str) -> None:
        self._course = course
        self._words = course.speak() if course.reply is None else iter(())
        self._offset = find_offset(course, after)

    def __iter__(self) -> Iterator[bytes]:
        course, offset = self._course, self._offset
        begun = {"receipt_id": course.receipt_id, "message_id": course.message["id"], "offset": offset}
        yield write_event("receipt", begun)
        try:
            for text in self._words if course.reply is None else course.reply.text[offset:].splitlines(keepends=True):
                offset += len(text)
                yield write_event("delta", {"text": text}, id=f"{course.receipt_id}:{offset}")
        except CodedError as error:
            yield write_event("error", error.to_dict())
            return
        except Exception as error:
            log.error("chat_stream_failed", message_id=course.message["id"], error=type(error).__name__)
            yield write_event("error", InternalError().to_dict())
            return
        assert course.reply is not None
        yield write_event("reply", show_reply(course.reply))

    def close(self) -> None:
        """The stream is over, read to its end or not."""
        try:
            for _ in self._words:
                pass
        except CodedError as error:
            log.warning("chat_unread_failed", message_id=self._course.message["id"], code=error.code)


def find_offset(course: Course, after: str) -> int:
    """How many characters of a stored reply its reader has; 0 for another reply, or where none is stored yet."""
    receipt_id, _, count = after.rpartition(":")
    if course.reply is None or receipt_id != str(course.reply.receipt_id) or not (count.isascii() and count.isdigit()):
        return 0
    return min(int(count[:9]), len(course.reply.text))
