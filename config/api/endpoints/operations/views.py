"""`/v1/operations/{id}`: how far an erasure or an import is, or what became of a forget; an import is cancelled."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.operations.structs import OperationAnswer, OperationError, Progress, Status, show_outcome
from config.api.schema import describe
from config.api.views import ApiView
from memory.erasure.selectors import find_erasure_owner, get_erasure
from memory.erasure.types import ErasureView
from memory.errors import NotFound
from memory.imports.requests import OperationOver, cancel_import, find_import
from memory.imports.types import ImportView
from memory.models import ForgetBatch
from memory.selectors.users import find_owner
from memory.tenants.types import Scope

_OF_ERASURE: Final[dict[str, Status]] = {
    "processing": "running",
    "completed": "succeeded",
    "failed": "running",  # it is tried again by itself
    "retry_pending": "running",
    "escalated": "failed",  # a person has to look at it
}
_OF_IMPORT: Final[dict[str, Status]] = {
    "waiting": "pending",
    "running": "running",
    "succeeded": "succeeded",
    "failed": "failed",
}


class Operation(ApiView):
    """`GET` and `DELETE /v1/operations/{id}`."""

    scopes = {"GET": Scope.READ, "DELETE": Scope.WRITE}

    @describe(
        summary="How far some work is: ask again until it has succeeded or failed",
        description=(
            "One shape for whatever takes long. An answer 202 names the path in the header `Location`. An import can "
            "be asked for until a week after its end."
        ),
        tag="operations",
        path={"operation_id": "The id that the request answered."},
        answers={200: OperationAnswer},
        errors=(404,),
    )
    def get(self, request: Request, operation_id: UUID) -> Response:
        return Response(self._find(operation_id))

    @describe(
        summary="Cancel an import that is not over",
        description=(
            "The file is deleted. What was stored of it stays; `result` counts it. The operation has failed then, with "
            "the error `import_cancelled`; asked again, it answers the same. An erasure cannot be cancelled. A forget "
            "has `POST /v1/forgets/{batch_id}/restore`."
        ),
        tag="operations",
        path={"operation_id": "The id that the import was answered with."},
        answers={200: OperationAnswer},
        errors=(404, 409),
    )
    def delete(self, request: Request, operation_id: UUID) -> Response:
        if not cancel_import(tenant_id=self.caller.tenant_id, import_id=operation_id, now=timezone.now()):
            found = self._find(operation_id)
            raise OperationOver(f"{found.kind.capitalize()}s cannot be cancelled.", fields={"operation_id": found.kind})
        return Response(self._find(operation_id))

    def _find(self, operation_id: UUID) -> OperationAnswer:
        tenant_id = self.caller.tenant_id
        with self.in_tenant():
            if find_erasure_owner(tenant_id=tenant_id, erasure_id=operation_id) is not None:
                return show_erasure(get_erasure(tenant_id=tenant_id, erasure_id=operation_id))
            found = find_import(tenant_id=tenant_id, import_id=operation_id)
            if found is not None:
                return show_import(found)
            owner = find_owner("forget", operation_id, tenant_id=tenant_id)
            batch = ForgetBatch.objects.filter(user_id=owner.id, id=operation_id).first() if owner else None
        if batch is None or batch.done_at is None:  # a plan is no work
            raise NotFound("This operation does not exist.", fields={"operation_id": "unknown"})
        return show_forget(batch)


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
    )


def show_import(found: ImportView) -> OperationAnswer:
    """An import in the one shape, with its counts or its error."""
    failure = found.failure
    return OperationAnswer(
        id=found.id,
        kind="import",
        status=_OF_IMPORT[found.status],
        created_at=found.created_at,
        finished_at=found.finished_at,
        progress=Progress(found.done, found.total),
        result=show_outcome(found.outcome) if found.outcome else None,
        error=OperationError(failure.code, failure.message, dict(failure.fields)) if failure else None,
    )
