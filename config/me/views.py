"""`/v1/me`: what the person's own page and an app's own pages of it talk to. One user is seen, never another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import read_body
from config.api.pagination import decode_cursor, make_page
from config.me import doing
from config.me.links import view_sources
from config.me.reading import list_kept, list_known, list_told
from config.me.shell import VisitView, describe_me
from config.me.structs import (
    CorrectBody,
    MeView,
    MyConversation,
    MyEpisode,
    MyEpisodes,
    MyEpisodesQuery,
    MyFact,
    MyFacts,
    MyItems,
    MyItemsQuery,
    MyMessages,
    MyMessagesQuery,
    MyWords,
    NewSessionAnswer,
    ReplySources,
    SessionBody,
    view_item,
    view_known,
)
from memory.episodes.types import OpenEpisode
from memory.profile.messages import list_message_page
from memory.profile.summary import get_profile
from memory.tenants.types import Caller, Scope
from memory.visits.services import end_visit, open_link


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
