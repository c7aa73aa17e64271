"""`GET /v1/operations/{id}`: how far an erasure is, or what became of a forget."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.describing import Moment, about, one_of
from config.api.schema import describe
from config.api.views import ApiView
from memory.erasure.selectors import find_erasure_owner, get_erasure
from memory.erasure.types import ErasureView
from memory.errors import NotFound
from memory.models import ForgetBatch
from memory.selectors.users import find_owner
from memory.tenants.types import Scope

Kind = Literal["erasure", "forget"]
Status = Literal["pending", "running", "succeeded", "failed", "undone"]
_OF_ERASURE: Final[dict[str, Status]] = {
    "processing": "running",
    "completed": "succeeded",
    "failed": "running",  # it is tried again by itself
    "retry_pending": "running",
    "escalated": "failed",  # a person has to look at it
}


class OperationAnswer(msgspec.Struct, frozen=True):
    """Some work and how far it is. Codes and times, no text."""

    id: Annotated[UUID, about("Our id of it: the `erasure_id` of an erasure, the `batch_id` of a forget.")]
    kind: Annotated[str, one_of(Kind.__args__, "What is done.")]
    status: Annotated[
        str,
        one_of(Status.__args__, "`failed`: a person has to look at it. `undone`: a forget that was taken back."),
    ]
    created_at: Annotated[Moment, about("When it was asked for.")]
    finished_at: Annotated[Moment | None, about("When it was over. Null before.")]
    deadline: Annotated[Moment | None, about("Until when it must be over, where a law says so.")]
    path: Annotated[str | None, about("Where more is said of it. Null where there is no more.")]


class Operation(ApiView):
    """`GET /v1/operations/{id}`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="How far some work is: ask again until it has succeeded or failed",
        description="One shape for whatever takes long. An answer 202 names the path in the header `Location`.",
        tag="operations",
        path={"operation_id": "The id that the request answered."},
        answers={200: OperationAnswer},
        errors=(404,),
    )
    def get(self, request: Request, operation_id: UUID) -> Response:
        tenant_id = self.caller.tenant_id
        with self.in_tenant():
            if find_erasure_owner(tenant_id=tenant_id, erasure_id=operation_id) is not None:
                return Response(show_erasure(get_erasure(tenant_id=tenant_id, erasure_id=operation_id)))
            owner = find_owner("forget", operation_id, tenant_id=tenant_id)
            batch = ForgetBatch.objects.filter(user_id=owner.id, id=operation_id).first() if owner else None
        if batch is None or batch.done_at is None:  # a plan is no work
            raise NotFound("This operation does not exist.", fields={"operation_id": "unknown"})
        return Response(show_forget(batch))


def show_erasure(erasure: ErasureView) -> OperationAnswer:
    """An erasure in the one shape."""
    return OperationAnswer(
        id=erasure.id,
        kind="erasure",
        status=_OF_ERASURE.get(erasure.status, "pending"),
        created_at=erasure.requested_at,
        finished_at=erasure.completed_at,
        deadline=erasure.deadline_at,
        path=f"/v1/erasures/{erasure.id}",
    )


def show_forget(batch: ForgetBatch) -> OperationAnswer:
    """A forget in the one shape: it is over when it is answered."""
    return OperationAnswer(
        id=batch.id,
        kind="forget",
        status="undone" if batch.restored_at else "succeeded",
        created_at=batch.created_at,
        finished_at=batch.restored_at or batch.done_at,
        deadline=None,
        path=None,
    )
