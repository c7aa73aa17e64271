"""What became of a pack: which of its parts the reply used, and what the user said of them."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import RequestBody
from config.api.describing import about
from config.api.endpoints.answers import make_done
from config.api.schema import describe
from config.api.views import ApiView
from memory.services.answered_requests import Done
from memory.tenants.types import Scope
from memory.types import UserRef
from retrieval.receipts.reading import get_receipt
from retrieval.replies.feedback import Signal, record_feedback


class FeedbackItem(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One signal about one message or fact of the pack."""

    signal: Annotated[
        Literal["used", "unused", "confirmed", "corrected"],
        about("What was done with it: the reply used it or not, the user confirmed or corrected it."),
    ]
    message_id: Annotated[UUID | None, about("A message of the pack. Name this or a fact.")] = None
    fact_id: Annotated[UUID | None, about("A fact of the pack.")] = None


class FeedbackBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signals about one pack."""

    receipt_id: Annotated[UUID, about("The receipt of the pack.")]
    items: Annotated[list[FeedbackItem], Meta(min_length=1, max_length=200, description="The signals.")]
    assistant_message_id: Annotated[UUID | None, about("Our id of the reply that was made from it.")] = None


class FeedbackView(ApiView):
    """`POST /v1/feedback`."""

    scopes = {"POST": Scope.FEEDBACK}

    @describe(
        summary="Say what was done with the parts of a pack",
        description=(
            "Signals about the parts of a pack: used or not, confirmed or corrected by the user. They decide "
            "how useful a message counts from the next night on."
        ),
        tag="retrieval",
        body=FeedbackBody,
        answers={204: None},
        errors=(404, 410),
        is_done_once=True,
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(FeedbackBody)
        signals = [Signal(signal=i.signal, message_id=i.message_id, fact_id=i.fact_id) for i in body.items]
        with self.in_tenant():
            receipt = get_receipt(tenant_id=self.caller.tenant_id, receipt_id=body.receipt_id)

        def perform() -> Done:
            with self.in_tenant():
                record_feedback(
                    receipt=receipt,
                    signals=signals,
                    assistant_message_id=body.assistant_message_id,
                    now=timezone.now(),
                )
            return make_done(None, status=204)

        user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
        return self.once(body, perform, find_user=lambda: user)
