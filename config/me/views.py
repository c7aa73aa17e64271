"""`/v1/me`: what the person's own page and an app's own pages of it talk to. One user is seen, never another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.authentication import ApiKeyAuthentication
from config.api.belonging import check_owner
from config.api.decoding import read_body
from config.api.endpoints.consents.structs import ConsentsBody
from config.api.endpoints.users import make_pieces
from config.api.pagination import decode_cursor, make_page
from config.api.schema import JSON_LINES, describe
from config.api.views import ApiView
from config.me import doing
from config.me.links import make_url, view_sources
from config.me.reading import list_kept, list_known, list_told
from config.me.sessions import SAFE, Session, check_form, find_session, make_caller
from config.me.structs import (
    CorrectBody,
    MeView,
    MyConsents,
    MyConversation,
    MyEpisode,
    MyEpisodes,
    MyEpisodesQuery,
    MyErasure,
    MyErasureBody,
    MyFact,
    MyFacts,
    MyForget,
    MyForgetBody,
    MyItems,
    MyItemsQuery,
    MyMessages,
    MyMessagesQuery,
    MyWords,
    NewSessionAnswer,
    PauseView,
    ReplySources,
    SessionBody,
    view_consents,
    view_item,
    view_known,
    view_said,
)
from memory.consents.selectors import list_consents
from memory.episodes.types import OpenEpisode
from memory.errors import InvalidRequest
from memory.fence.consents import list_withheld
from memory.profile.messages import list_message_page
from memory.profile.summary import get_profile
from memory.retention.selectors import find_kept_days
from memory.services.exports import export_user
from memory.services.forgets import ForgetOutcome
from memory.tenants.types import Caller, Scope
from memory.visits.services import end_visit, open_link
from memory.visits.types import OpenVisit


class VisitAuthentication(ApiKeyAuthentication):
    """What the OpenAPI document says of these views: a session of the page."""


class VisitView(ApiView):
    """Base of the views under /v1/me. `permissions` says what of the link each method needs."""

    permissions: ClassVar[Mapping[str, str]] = {}
    authentication_classes = [VisitAuthentication]
    checks_user = True
    session: Session

    @classmethod
    def name_need(cls, method: str) -> str:
        """What the OpenAPI document says of who may call."""
        wanted = cls.permissions.get(method)
        return f"Permission of the link: `{wanted}`." if wanted else "It needs no permission."

    def __init_subclass__(cls, **kwargs: Any) -> None:
        methods = [name for name in ("GET", "POST", "PUT", "DELETE") if hasattr(cls, name.lower())]
        cls.scopes = dict.fromkeys(methods, Scope.READ)
        super().__init_subclass__(**kwargs)

    @property
    def visit(self) -> OpenVisit:
        """Whose page it is."""
        return self.session.visit

    def perform_authentication(self, request: Request) -> None:
        """A session in place of a key."""
        self.caller = self.authenticate(request)
        request.user, request.auth = None, self.caller  # type: ignore[assignment]  # no login of Django's

    def authenticate(self, request: Request) -> Caller:
        """The person of the session. Raises SessionOver, MissingPermission, BadFormToken."""
        self.session = find_session(request)
        method = request.method or ""
        if method not in SAFE:
            check_form(request, self.session)
        wanted = self.permissions.get("GET" if method == "HEAD" else method)
        if wanted is not None:
            self.session.check(wanted)
        return make_caller(self.visit)

    def _check_user(self, method: str, path: Mapping[str, Any]) -> None:
        self.is_named = True
        for name, value in path.items():
            if name != "item_id":
                check_owner(self.caller, name=name, value=value)


def describe_me(summary: str, description: str, **more: Any) -> Callable[..., Any]:
    """What all of them have in common in the document."""
    return describe(summary=summary, description=description, tag="memory page", **more)


class Sessions(VisitView):
    """`POST` and `DELETE /v1/me/session`."""

    def authenticate(self, request: Request) -> Caller:
        """Nobody yet, where a session begins."""
        if request.method == "POST":
            return Caller(
                key_id=UUID(int=0),
                tenant_id=UUID(int=0),
                tenant_slug="",
                timezone="UTC",
                scopes=frozenset({Scope.READ}),
                requests_per_minute=None,
            )
        return super().authenticate(request)

    @describe_me(
        "Exchange a link for a session as a bearer",
        "For scripts of your own pages. It uses the link up. The memory page itself needs no such call: opening the"
        " link in a browser does the same with a cookie.",
        body=SessionBody,
        answers={201: NewSessionAnswer},
        errors=(410,),
    )
    def post(self, request: Request) -> Response:
        body = read_body(request, SessionBody)
        secret = urlsplit(body.link).path.rstrip("/").rpartition("/")[2]
        made = open_link(secret=secret, now=timezone.now())
        return Response(
            NewSessionAnswer(made.secret, made.expires_at), status=201, headers={"Cache-Control": "no-store"}
        )

    @describe_me("End the session", "From the next request on it opens nothing.", answers={204: None})
    def delete(self, request: Request) -> Response:
        end_visit(visit=self.visit, now=timezone.now())
        return Response(status=204)


class Me(VisitView):
    """`GET /v1/me`."""

    @describe_me("Whose page it is, and what may be done", "Needs no permission.", answers={200: MeView})
    def get(self, request: Request) -> Response:
        visit = self.visit
        with self.in_tenant():
            profile = get_profile(tenant_id=visit.user.tenant_id, user_id=visit.user.id)
            keeps = visit.pause_keeps if visit.paused_at else doing.keeps_messages(visit)
        return Response(
            MeView(
                user_id=visit.user.external_id,
                permissions=sorted(visit.permissions),
                locale=visit.locale,
                theme=visit.theme,
                expires_at=visit.expires_at,
                paused_at=visit.paused_at,
                keeps_messages=keeps,
                messages=profile.message_count - profile.forgotten_count,
                facts=profile.active_facts,
                form_token=self.session.form_token,
            )
        )


class Facts(VisitView):
    """`GET /v1/me/facts`."""

    permissions = {"GET": "read"}

    @describe_me(
        "What is known, from which words, and where it was used",
        "Replies are counted as far back as receipts are kept.",
        answers={200: MyFacts},
    )
    def get(self, request: Request) -> Response:
        with self.in_tenant():
            active, past = list_known(user=self.visit.user, now=timezone.now())
        return Response(MyFacts([view_known(one) for one in active], [view_known(one) for one in past]))


class FactAction(VisitView):
    """`PUT /v1/me/facts/{fact_id}`."""

    permissions = {"PUT": "correct"}

    @describe_me(
        "Correct a fact",
        "The right value takes its place. The former one stays in the history.",
        body=CorrectBody,
        path={"fact_id": "Our id of the fact."},
        answers={200: MyFact},
        errors=(404, 409),
    )
    def put(self, request: Request, fact_id: UUID) -> Response:
        body = self.read_body(CorrectBody)
        return Response(view_known(doing.correct(self.visit, fact_id, body.value)))


class ConfirmFact(VisitView):
    """`POST /v1/me/facts/{fact_id}/confirm`."""

    permissions = {"POST": "correct"}

    @describe_me(
        "A fact is right",
        "A disputed fact is asserted again.",
        path={"fact_id": "Our id of the fact."},
        answers={200: MyFact},
        errors=(404, 409),
    )
    def post(self, request: Request, fact_id: UUID) -> Response:
        return Response(view_known(doing.confirm(self.visit, fact_id)))


class DisputeFact(VisitView):
    """`POST /v1/me/facts/{fact_id}/dispute`."""

    permissions = {"POST": "correct"}

    @describe_me(
        "A fact is doubted",
        "It stays and is not asserted until it is confirmed or corrected.",
        path={"fact_id": "Our id of the fact."},
        answers={200: MyFact},
        errors=(404, 409),
    )
    def post(self, request: Request, fact_id: UUID) -> Response:
        return Response(view_known(doing.dispute(self.visit, fact_id)))


class Messages(VisitView):
    """`GET /v1/me/messages`."""

    permissions = {"GET": "read"}

    @describe_me(
        "What was said, a conversation at a time",
        "Forgotten messages are not there.",
        query=MyMessagesQuery,
        answers={200: MyMessages},
    )
    def get(self, request: Request) -> Response:
        query = self.read_query(MyMessagesQuery)
        with self.in_tenant():
            page = list_message_page(user=self.visit.user, conversation_id=query.conversation, before_seq=query.before)
        name = page.chosen.external_id if page.chosen else ""
        shown = (one for one in page.messages if one["forgotten_at"] is None)
        return Response(
            MyMessages(
                conversations=[
                    MyConversation(one.id, one.external_id, one.last_message_at) for one in page.conversations
                ],
                conversation=page.chosen.id if page.chosen else None,
                results=[MyWords(one["id"], one["role"], one["text"], one["created_at"], name) for one in shown],
                older=page.older,
            )
        )


class Episodes(VisitView):
    """`GET /v1/me/episodes`."""

    permissions = {"GET": "read"}

    @describe_me(
        "What was talked about, newest first",
        "An episode is a block of one conversation about one topic.",
        query=MyEpisodesQuery,
        answers={200: MyEpisodes},
    )
    def get(self, request: Request) -> Response:
        query, tenant_id = self.read_query(MyEpisodesQuery), self.visit.user.tenant_id
        before = None
        if query.after:
            before = decode_cursor(query.after, tuple[datetime, UUID], kind="my_episodes", tenant_id=tenant_id)
        with self.in_tenant():
            rows, names = list_told(user=self.visit.user, before=before)
        page = make_page(
            rows,
            limit=settings.UNDE_TUNING.PAGE_EPISODES,
            position_of=lambda row: (row.ended_at, row.id),
            kind="my_episodes",
            tenant_id=tenant_id,
            render=lambda row: view_told(row, names),
        )
        return Response(page)


def view_told(row: OpenEpisode, names: Mapping[UUID, str]) -> MyEpisode:
    """An episode as an answer."""
    return MyEpisode(
        id=row.id,
        conversation_id=names.get(row.conversation_id, ""),
        started_at=row.started_at,
        ended_at=row.ended_at,
        headline=row.contents.headline.text,
        summary=[quote.text for quote in row.contents.summary],
        messages=len(row.message_ids),
    )


class Items(VisitView):
    """`GET /v1/me/items`."""

    permissions = {"GET": "read"}

    @describe_me(
        "What the app keeps for the person beside messages",
        "The latest change first.",
        query=MyItemsQuery,
        answers={200: MyItems},
    )
    def get(self, request: Request) -> Response:
        query, limit = self.read_query(MyItemsQuery), settings.UNDE_TUNING.PAGE_ITEMS
        with self.in_tenant():
            rows = list_kept(user=self.visit.user, now=timezone.now(), start=query.start)
        more = query.start + limit if len(rows) > limit else None
        return Response(MyItems([view_item(one) for one in rows[:limit]], more))


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


class Receipt(VisitView):
    """`GET /v1/me/receipts/{receipt_id}`."""

    permissions = {"GET": "read"}

    @describe_me(
        "The sources of a reply in words",
        "What it was given, what was left out and why.",
        path={"receipt_id": "The receipt of the reply."},
        answers={200: ReplySources},
        errors=(404, 410),
    )
    def get(self, request: Request, receipt_id: UUID) -> Response:
        with self.in_tenant():
            return Response(view_sources(self.visit.user, receipt_id))
