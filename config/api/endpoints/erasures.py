"""Erasing a user or a part of one for good, and how far it is."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.utils import timezone
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import ExternalId, Instant, RequestBody
from config.api.describing import Moment, about, one_of
from config.api.endpoints.answers import make_actor, make_tenant_ref
from config.api.schema import describe
from config.api.views import ApiView
from memory.erasure.requests import request_erasure
from memory.erasure.selectors import get_erasure
from memory.erasure.tasks import wake_worker
from memory.erasure.types import REASON_PATTERN, SCOPES, TRANSITIONS, ErasureTarget, ErasureView
from memory.tenants.types import Scope

STATUSES = tuple(TRANSITIONS)
ErasureScopeName = Literal["all", "conversation", "messages", "range"]
assert set(ErasureScopeName.__args__) == set(SCOPES)  # type: ignore[attr-defined]  # one list, said twice for the document


class ErasureBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to erase: everything, a conversation, some messages, or a range of time (`from` included, `to` not)."""

    scope: Annotated[ErasureScopeName, about("How much is erased. Each scope but `all` needs its own fields.")] = "all"
    conversation_id: Annotated[ExternalId | None, about("For the scope `conversation`: your id of it.")] = None
    message_ids: (
        Annotated[
            list[UUID],
            Meta(min_length=1, max_length=1000, description="For the scope `messages`: our ids of the messages."),
        ]
        | None
    ) = None
    said_from: Annotated[Instant | None, about("For the scope `range`: said at this time or later.")] = msgspec.field(
        name="from", default=None
    )
    said_to: Annotated[Instant | None, about("For the scope `range`: said before this time.")] = msgspec.field(
        name="to", default=None
    )
    reason: Annotated[str, Meta(pattern=REASON_PATTERN, description="A code such as `user_request`, no words.")] = (
        "user_request"
    )


class ErasureAccepted(msgspec.Struct, frozen=True):
    """From now on nothing of it is visible or can be written again."""

    erasure_id: Annotated[UUID, about("Our id of the erasure.")]
    status: Annotated[str, one_of(STATUSES, "How far it is.")]
    deadline: Annotated[Moment, about("Until when the rows are deleted too.")]


class ErasureEventAnswer(msgspec.Struct, frozen=True):
    """A step in the history of an erasure."""

    status: Annotated[str, one_of(STATUSES, "The status it moved to.")]
    code: Annotated[str, about("Why, where the status does not say it. Often empty.")]
    at: Annotated[Moment, about("When.")]


class ErasureAnswer(msgspec.Struct, frozen=True):
    """An erasure: codes, times and counts, no erased data."""

    erasure_id: Annotated[UUID, about("Our id of the erasure.")]
    scope: Annotated[str, one_of(SCOPES, "How much is erased.")]
    reason: Annotated[str, about("The code that was sent.")]
    status: Annotated[str, one_of(STATUSES, "How far it is.")]
    requested_at: Annotated[Moment, about("When it was asked for.")]
    deadline: Annotated[Moment, about("Until when it must be completed.")]
    completed_at: Annotated[Moment | None, about("When it was completed.")]
    alert: Annotated[str, about("How near the deadline is: empty, `warning`, `critical` or `overdue`.")]
    attempts: Annotated[int, about("How often a worker has begun.")]
    history: Annotated[list[ErasureEventAnswer], about("Its steps, oldest first.")]
    counts: Annotated[dict[str, dict[str, int]], about("Rows by kind, `before` and `after`.")]
    certificate: Annotated[dict[str, Any] | None, about("The newest certificate, signed. Null before completion.")]
    certificates: Annotated[list[dict[str, Any]], about("All certificates, oldest first.")]


class UserErasure(ApiView):
    """`POST /v1/users/{user_id}/erasure`."""

    scopes = {"POST": Scope.ERASE}

    @describe(
        summary="Erase a user or a part of one for good; invisible from the answer on",
        description=(
            "Nothing of it is visible from the answer on, and nothing can be written for it. A worker then "
            "deletes the rows until `deadline`. An erasure cannot be undone. Without a body the whole user is "
            "erased."
        ),
        tag="erasure",
        body=ErasureBody,
        is_body_optional=True,
        path={"user_id": "Your id of the user."},
        answers={202: ErasureAccepted},
        errors=(404, 409),
    )
    def post(self, request: Request, user_id: str) -> Response:
        body = self.read_optional_body(ErasureBody)
        erasure = request_erasure(
            tenant=make_tenant_ref(self.caller),
            user_external_id=user_id,
            target=ErasureTarget(
                scope=body.scope,
                conversation_external_id=body.conversation_id,
                message_ids=tuple(dict.fromkeys(body.message_ids or ())),
                said_from=body.said_from,
                said_to=body.said_to,
            ),
            reason=body.reason,
            actor=make_actor(self.caller),
            now=timezone.now(),
        )
        if erasure.status != "completed":
            wake_worker()
        answer = ErasureAccepted(erasure_id=erasure.id, status=erasure.status, deadline=erasure.deadline_at)
        return Response(answer, status=202, headers={"Location": f"/v1/operations/{erasure.id}"})


class Erasure(ApiView):
    """`GET /v1/erasures/{id}`."""

    scopes = {"GET": Scope.ERASE}

    @describe(
        summary="How far an erasure is: history, counts, and the certificate when it is completed",
        description=(
            "Ask again until `status` is `completed`. It shows ids, codes, times and counts, and nothing of "
            "what was erased."
        ),
        tag="erasure",
        path={"erasure_id": "The id that the request answered."},
        answers={200: ErasureAnswer},
        errors=(404,),
    )
    def get(self, request: Request, erasure_id: UUID) -> Response:
        with self.in_tenant():
            erasure = get_erasure(tenant_id=self.caller.tenant_id, erasure_id=erasure_id)
        return Response(answer_erasure(erasure))


def answer_erasure(erasure: ErasureView) -> ErasureAnswer:
    """An erasure as the API shows it."""
    certificates = [dict(certificate) for certificate in erasure.certificates]
    return ErasureAnswer(
        erasure_id=erasure.id,
        scope=erasure.scope,
        reason=erasure.reason,
        status=erasure.status,
        requested_at=erasure.requested_at,
        deadline=erasure.deadline_at,
        completed_at=erasure.completed_at,
        alert=erasure.alert,
        attempts=erasure.attempts,
        history=[ErasureEventAnswer(status=e.status, code=e.code, at=e.at) for e in erasure.history],
        counts={name: dict(counts) for name, counts in erasure.counts.items()},
        certificate=certificates[-1] if certificates else None,
        certificates=certificates,
    )
