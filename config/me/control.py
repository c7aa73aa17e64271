"""`/v1/me`, control: forget, pause, say what may be done, take along, erase."""

from __future__ import annotations

from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.consents.structs import ConsentsBody
from config.api.endpoints.users import make_pieces
from config.api.schema import JSON_LINES
from config.me import doing
from config.me.links import make_url
from config.me.shell import VisitView, describe_me
from config.me.structs import (
    MyConsents,
    MyErasure,
    MyErasureBody,
    MyForget,
    MyForgetBody,
    PauseView,
    view_consents,
    view_known,
    view_said,
)
from memory.consents.selectors import list_consents
from memory.errors import InvalidRequest
from memory.fence.consents import list_withheld
from memory.retention.selectors import find_kept_days
from memory.services.exports import export_user
from memory.services.forgets import ForgetOutcome
from memory.visits.types import OpenVisit


class Forget(VisitView):
    """`POST /v1/me/forget`."""

    permissions = {"POST": "forget"}

    @describe_me(
        "Preview what would be forgotten, or forget exactly that",
        "Send `fact_id` or `message_ids` to see everything that goes with it. Then send the `plan_id` of the preview."
        " A fact that rests on no message has no plan: dispute or correct it.",
        body=MyForgetBody,
        answers={200: MyForget},
        errors=(404, 409),
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(MyForgetBody)
        given = [name for name in body.__struct_fields__ if getattr(body, name) is not None]
        if len(given) != 1:
            raise InvalidRequest(fields={"body": "needs one of fact_id, message_ids and plan_id"})
        if body.plan_id is not None:
            return Response(view_outcome(doing.forget(self.visit, body.plan_id)))
        if body.fact_id is not None:
            preview = doing.preview_fact(self.visit, body.fact_id)
        else:
            preview = doing.preview_messages(self.visit, tuple(body.message_ids or ()))
        facts = [*preview.facts, *([preview.fact] if preview.fact else [])]
        return Response(
            MyForget(
                plan_id=preview.plan_id,
                batch_id=None,
                grace_until=None,
                messages=[view_said(one) for one in preview.messages],
                facts=[view_known(one) for one in facts],
                message_ids=[one.message_id for one in preview.messages],
                fact_ids=[one.fact.id for one in facts],
            )
        )


def view_outcome(outcome: ForgetOutcome) -> MyForget:
    """What went or came back, as an answer."""
    return MyForget(
        plan_id=None,
        batch_id=outcome.batch_id,
        grace_until=outcome.grace_until,
        messages=[],
        facts=[],
        message_ids=outcome.message_ids,
        fact_ids=outcome.facts_deactivated or outcome.facts_restored,
    )


class RestoreForget(VisitView):
    """`POST /v1/me/forgets/{batch_id}/restore`."""

    permissions = {"POST": "forget"}

    @describe_me(
        "Undo a forget within its grace period",
        "What has a newer value stays as it is.",
        path={"batch_id": "The id that the forget answered."},
        answers={200: MyForget},
        errors=(404, 409),
    )
    def post(self, request: Request, batch_id: UUID) -> Response:
        return Response(view_outcome(doing.undo(self.visit, batch_id)))


class Pause(VisitView):
    """`PUT` and `DELETE /v1/me/pause`."""

    permissions = {"PUT": "pause", "DELETE": "pause"}

    @describe_me(
        "Pause the memory",
        "Packs and searches are empty from now on. New messages are kept or refused, as the app has set it.",
        answers={200: PauseView},
        errors=(409,),
    )
    def put(self, request: Request) -> Response:
        keeps = self.visit.pause_keeps if self.visit.paused_at else doing.keeps_messages(self.visit)
        return Response(PauseView(doing.pause(self.visit), keeps))

    @describe_me("Resume the memory", "It is in use again.", answers={200: PauseView}, errors=(409,))
    def delete(self, request: Request) -> Response:
        doing.resume(self.visit)
        return Response(PauseView(None, doing.keeps_messages(self.visit)))


class Consents(VisitView):
    """`GET` and `PUT /v1/me/consents`."""

    permissions = {"PUT": "consent"}

    @describe_me(
        "What the person agreed to",
        "The purposes of the app in the language of the page. Needs no permission.",
        answers={200: MyConsents},
    )
    def get(self, request: Request) -> Response:
        with self.in_tenant():
            views, withheld = list_consents(user=self.visit.user), list_withheld(user=self.visit.user)
            days = find_kept_days(user=self.visit.user)
        return Response(view_consents(views, sorted(withheld), locale=self.visit.locale, kept_days=days))

    @describe_me(
        "Agree, or say no",
        "What no purpose covers any more goes at once, as with `PUT /v1/users/{user_id}/consents`.",
        body=ConsentsBody,
        answers={200: MyConsents},
        errors=(409,),
    )
    def put(self, request: Request) -> Response:
        outcome = doing.say_to_purposes(self.visit, self.read_body(ConsentsBody).consents)
        with self.in_tenant():
            days = find_kept_days(user=self.visit.user)
        return Response(
            view_consents(
                outcome.consents,
                outcome.withheld,
                locale=self.visit.locale,
                kept_days=days,
                erasure_id=outcome.erasure_id,
            )
        )


class Export(VisitView):
    """`GET /v1/me/export`."""

    permissions = {"GET": "export"}

    @describe_me(
        "Everything that is stored, as JSON Lines",
        "The same form as `GET /v1/users/{user_id}/export`.",
        answers={200: JSON_LINES},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return stream_export(self.visit)


def stream_export(visit: OpenVisit) -> StreamingHttpResponse:
    """The export as a file."""
    pieces = make_pieces(export_user(user=visit.user, now=timezone.now()))
    headers = {"Content-Disposition": 'attachment; filename="memory.jsonl"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(pieces, content_type="application/jsonl", headers=headers)


class Erasure(VisitView):
    """`POST /v1/me/erasure`."""

    permissions = {"POST": "erase"}

    @describe_me(
        "Erase everything for good",
        "It cannot be undone, and the session ends. Keep `url`: it says how far the erasure is.",
        body=MyErasureBody,
        answers={202: MyErasure},
        errors=(409,),
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(MyErasureBody)
        if not doing.is_typed(body.word):
            raise InvalidRequest(fields={"word": f"must be one of {', '.join(doing.WORDS.values())}"})
        erasure = doing.erase(self.visit)
        path = reverse("page:erased", args=[doing.sign_erasure(self.visit, erasure.id)])
        answer = MyErasure(erasure.id, erasure.status, erasure.deadline_at, make_url(request, path))
        return Response(answer, status=202)
