"""Messages in, one at a time or up to 500; and RAW read back page by page."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.utils import timezone
from msgspec.structs import replace
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import check_body
from config.api.decoding import BATCH_BODY_LIMIT, decode_json
from config.api.endpoints.answers import (
    answer_recorded,
    make_actor,
    make_done,
    make_tenant_ref,
    show_findings,
    show_message,
)
from config.api.endpoints.structs import (
    MessageAnswer,
    MessageBatchAnswer,
    MessageBatchBody,
    MessageBody,
    MessagePage,
    MessagesQuery,
)
from config.api.repeats import HEADER, find_key
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import CodedError, InvalidRequest
from memory.selectors.messages import MessagePosition, list_messages
from memory.selectors.users import find_conversation_id, get_user, list_conversation_names
from memory.services.answered_requests import Done
from memory.services.drafts import make_draft
from memory.storing.messages import store_message, store_messages
from memory.storing.types import Recorded
from memory.tenants.database_errors import unknown_when_failing
from memory.tenants.types import Caller, Scope
from memory.types import Draft
from retrieval.index.waiting import embed_now
from retrieval.replies.judging import check_replies


class OwnId(msgspec.Struct):
    """What a message of a batch calls itself; whatever else it holds is read later."""

    id: Any = None


class Messages(ApiView):
    """`POST /v1/messages`."""

    scopes = {"POST": Scope.WRITE}

    @describe(
        summary="Store one message; what it states plainly becomes facts in the same request",
        description=(
            "Stores the message word for word, reads facts and corrections from it, and indexes it for "
            "search. User and conversation are made by their first message. With an `id` of your own the "
            "message may be sent again: the answer is the same, with status 200."
        ),
        tag="messages",
        body=MessageBody,
        answers={201: MessageAnswer, 200: MessageAnswer},
        errors=(409, 422),
        is_done_once=True,
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(MessageBody)
        now = timezone.now()
        if find_key(self.request) is not None:
            return self.store_once(body, now)
        recorded = self.store(body, now)
        replies = [recorded.message_id] if body.receipt_id else []
        indexed: set[UUID] | None = None
        with unknown_when_failing():
            if body.wait_for_index:
                indexed = embed_now(tenant_id=self.caller.tenant_id, message_ids=[recorded.message_id])
            found = check_replies(tenant_id=self.caller.tenant_id, message_ids=replies, now=now)
        answer = answer_recorded(recorded, findings=found.get(recorded.message_id), indexed=indexed)
        return Response(answer, status=201 if recorded.is_new else 200)

    def store(self, body: MessageBody, now: datetime) -> Recorded:
        """The message as it was recorded. Writes."""
        return store_message(
            tenant=make_tenant_ref(self.caller), draft=to_draft(body, now), actor=make_actor(self.caller), now=now
        )

    def store_once(self, body: MessageBody, now: datetime) -> Response:
        """As `post` under an Idempotency-Key. The checks after storing run each time."""
        tenant_id = self.caller.tenant_id

        def perform() -> Done:
            recorded = self.store(body, now)
            shown = {recorded.message_id, *(e for c in recorded.changes for e in c.fact.evidence_message_ids)}
            return make_done(
                answer_recorded(recorded), status=201 if recorded.is_new else 200, message_ids=sorted(shown)
            )

        response = self.once(body, perform, find_user=lambda: get_user(tenant_id=tenant_id, external_id=body.user_id))
        answer = msgspec.json.decode(bytes(response.data), type=MessageAnswer)
        with unknown_when_failing():
            if body.wait_for_index:
                indexed = embed_now(tenant_id=tenant_id, message_ids=[answer.id])
                answer = replace(answer, indexed=answer.id in indexed)
            if body.receipt_id:
                found = check_replies(tenant_id=tenant_id, message_ids=[answer.id], now=now)
                if answer.id in found:
                    answer = replace(answer, answer_guard=show_findings(found[answer.id]))
        response.data = answer
        return response


class MessageBatch(ApiView):
    """`POST /v1/messages/batch`."""

    scopes = {"POST": Scope.WRITE}
    body_limit = BATCH_BODY_LIMIT
    checks_user = True

    @describe(
        summary="Store up to 500 messages; one bad item does not lose the others",
        description=(
            "As `POST /v1/messages`, for many at once, of one user or of several. Each message is stored or "
            "refused by itself."
        ),
        tag="messages",
        body=MessageBatchBody,
        answers={200: MessageBatchAnswer},
    )
    def post(self, request: Request) -> Response:
        items = self.read_body(MessageBatchBody).messages
        if find_key(self.request) is not None:
            require_ids(items)
        answers = store_batch(items, caller=self.caller, now=timezone.now())
        return Response({"results": answers})


def require_ids(items: list[msgspec.Raw]) -> None:
    """In a batch each message is repeated or not by itself. Raises InvalidRequest for one without an id of its own."""
    for place, item in enumerate(items):
        try:
            own = msgspec.json.decode(item, type=OwnId)
        except (msgspec.DecodeError, RecursionError):
            continue  # refused in its own turn
        if not own.id:
            raise InvalidRequest(
                fields={f"messages[{place}].id": f"is required with an {HEADER}: it makes the message safe to repeat"}
            )


def store_batch(items: list[msgspec.Raw], *, caller: Caller, now: datetime) -> list[Any]:
    """Each item decoded, checked and stored by itself; the answers in the order of the items. Writes."""
    answers: dict[int, Any] = {}
    drafts: dict[int, Draft] = {}
    waiting: set[int] = set()
    for place, item in enumerate(items):
        try:
            body = decode_json(item, MessageBody)
            check_body(caller, body, is_named=False)
            drafts[place] = to_draft(body, now)
        except CodedError as error:
            answers[place] = {"error": error.to_dict()}
            continue
        if body.wait_for_index:
            waiting.add(place)
    stored = store_messages(
        tenant=make_tenant_ref(caller), drafts=list(drafts.values()), actor=make_actor(caller), now=now
    )
    replies = [
        recorded.message_id
        for draft, recorded in zip(drafts.values(), stored, strict=True)
        if draft.receipt_id and isinstance(recorded, Recorded)
    ]
    waited = [
        recorded.message_id
        for place, recorded in zip(drafts, stored, strict=True)
        if place in waiting and isinstance(recorded, Recorded)
    ]
    with unknown_when_failing():
        found = check_replies(tenant_id=caller.tenant_id, message_ids=replies, now=now)
        indexed = embed_now(tenant_id=caller.tenant_id, message_ids=waited)
    for place, recorded in zip(drafts, stored, strict=True):
        if isinstance(recorded, CodedError):
            answers[place] = {"error": recorded.to_dict()}
            continue
        answers[place] = answer_recorded(
            recorded, findings=found.get(recorded.message_id), indexed=indexed if place in waiting else None
        )
    return [answers[place] for place in range(len(items))]


def to_draft(body: MessageBody, now: datetime) -> Draft:
    """The body as a draft. Raises what `make_draft` raises."""
    content = body.content if isinstance(body.content, str) else [msgspec.to_builtins(block) for block in body.content]
    return make_draft(
        user_id=body.user_id,
        conversation_id=body.conversation_id,
        role=body.role,
        content=content,
        now=now,
        created_at=body.created_at,
        client_id=body.id,
        reply_to_id=body.reply_to_id,
        replaces_id=body.replaces_id,
        receipt_id=body.receipt_id,
        speaker=body.speaker,
        response_description=body.response_description,
        memory_type=body.memory_type,
        mood=body.mood,
        metadata=body.metadata,
    )


class UserMessages(ApiView):
    """`GET /v1/users/{user_id}/messages`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="A user's messages, word for word, oldest first",
        description=(
            "Messages in the order in which they were said, over all conversations or one. Forgotten ones are "
            "not there."
        ),
        tag="messages",
        query=MessagesQuery,
        path={"user_id": "Your id of the user."},
        answers={200: MessagePage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        query = self.read_query(MessagesQuery)
        tenant_id = self.caller.tenant_id
        position = self.read_after(query, "messages", tuple[datetime, int, UUID])
        after = MessagePosition(*position) if position else None
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            conversation_id = None
            if query.conversation_id:
                conversation_id = find_conversation_id(user=user, external_id=query.conversation_id)
                if conversation_id is None:
                    return Response({"results": [], "next": None})
            rows = list_messages(user=user, conversation_id=conversation_id, after=after, limit=query.limit + 1)
            names = list_conversation_names(user=user, ids={row.conversation_id for row in rows})
        return self.answer_page(
            query,
            "messages",
            rows,
            render=lambda row: show_message(row, conversation=names[row.conversation_id]),
            position_of=lambda row: (row.created_at, row.seq, row.id),
        )
