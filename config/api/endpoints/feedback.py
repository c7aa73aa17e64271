"""What became of a pack: which of its parts the reply used, and what the user said of them."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import RequestBody
from config.api.schema import describe
from config.api.views import ApiView
from memory.tenants.types import Scope
from retrieval.receipts.reading import get_receipt
from retrieval.replies.feedback import Signal, record_feedback


class FeedbackItem(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One signal about one message or fact of the pack."""

    signal: Literal["used", "unused", "confirmed", "corrected"]
    message_id: UUID | None = None
    fact_id: UUID | None = None


class FeedbackBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signals about one pack."""

    receipt_id: UUID
    items: Annotated[list[FeedbackItem], Meta(min_length=1, max_length=200)]
    assistant_message_id: UUID | None = None


class FeedbackView(ApiView):
    """`POST /v1/feedback`."""

    scopes = {"POST": Scope.FEEDBACK}

    @describe(
        summary="Say what became of what a pack carried",
        tag="retrieval",
        body=FeedbackBody,
        answers={204: None},
        errors=(404, 410),
        request_example={
            "receipt_id": "01920000-0000-7000-8000-000000000001",
            "items": [{"message_id": "01920000-0000-7000-8000-000000000002", "signal": "used"}],
        },
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(FeedbackBody)
        signals = [Signal(signal=i.signal, message_id=i.message_id, fact_id=i.fact_id) for i in body.items]
        with self.in_tenant():
            receipt = get_receipt(tenant_id=self.caller.tenant_id, receipt_id=body.receipt_id)
            record_feedback(
                receipt=receipt,
                signals=signals,
                assistant_message_id=body.assistant_message_id,
                now=timezone.now(),
            )
        return Response(status=204)
