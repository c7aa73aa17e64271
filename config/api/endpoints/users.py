"""Users and conversations of a tenant, and everything held about one of them."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import PageQuery
from config.api.endpoints.structs import ConversationPage, ConversationView, UserPage, UserView
from config.api.schema import JSON_LINES, describe
from config.api.views import ApiView
from memory.selectors.users import get_user, list_conversations, list_users
from memory.services.exports import export_user
from memory.tenants.types import Scope


class Users(ApiView):
    """`GET /v1/users`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="Users in the order in which they first came",
        description=("All users of the tenant, by your id and ours."),
        tag="users",
        query=PageQuery,
        answers={200: UserPage},
    )
    def get(self, request: Request) -> Response:
        query, tenant_id = self.read_query(PageQuery), self.caller.tenant_id
        after = self.read_after(query, "users", UUID)
        with self.in_tenant():
            rows = list_users(tenant_id=tenant_id, after=after, limit=query.limit + 1)
        return self.answer_page(
            query,
            "users",
            rows,
            render=lambda row: UserView(user_id=row.external_id, id=row.id, created_at=row.created_at),
        )


class Conversations(ApiView):
    """`GET /v1/users/{user_id}/conversations`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="A user's conversations in the order in which they began",
        description=("Your id and ours of each conversation, with its number of messages."),
        tag="users",
        query=PageQuery,
        path={"user_id": "Your id of the user."},
        answers={200: ConversationPage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        query, tenant_id = self.read_query(PageQuery), self.caller.tenant_id
        after = self.read_after(query, "conversations", UUID)
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            rows = list_conversations(user=user, after=after, limit=query.limit + 1)
        return self.answer_page(
            query,
            "conversations",
            rows,
            render=lambda row: ConversationView(
                conversation_id=row.external_id,
                id=row.id,
                messages=row.last_seq,
                last_message_at=row.last_message_at,
                created_at=row.created_at,
            ),
        )


class Export(ApiView):
    """`GET /v1/users/{user_id}/export`."""

    scopes = {"GET": Scope.EXPORT}

    @describe(
        summary="Everything that is stored about a user, as JSON Lines",
        description=(
            "A stream with one JSON object on each line: user, conversations, messages, facts, actions and "
            "the rest. `POST /v1/users/{user_id}/import` reads the same form."
        ),
        tag="users",
        path={"user_id": "Your id of the user."},
        answers={200: JSON_LINES},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> HttpResponseBase:
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
        lines = export_user(user=user, now=timezone.now())
        return StreamingHttpResponse(make_pieces(lines), content_type="application/jsonl")


def make_pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines in larger pieces. A reader who takes his time over one keeps no database connection meanwhile."""
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= settings.UNDE_TUNING.EXPORT_PIECE_BYTES:
            if not connection.in_atomic_block:
                connection.close()
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)
