"""`/v1/messages/{id}`: an edit keeps the id, deleting means forgetting (D-57)."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import (
    answer_forget,
    answer_recorded,
    make_actor,
    make_done,
    make_tenant_ref,
    show_message,
)
from config.api.endpoints.edits.structs import EditAnswer, EditBody, MessageHistory, MessageWithVersion, VersionView
from config.api.endpoints.fact_structs import ForgetAnswer
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import InvalidRequest
from memory.selectors.users import get_owner, list_conversation_names
from memory.selectors.versions import get_versions
from memory.services.answered_requests import Done
from memory.services.edits import Change, edit_message
from memory.services.forgets import forget_messages
from memory.tenants.types import Scope

PATH = {"message_id": "Our id of the message, or of any version of it."}


class OneMessage(ApiView):
    """`GET`, `PATCH` and `DELETE /v1/messages/{id}`."""

    scopes = {"GET": Scope.READ, "PATCH": Scope.WRITE, "DELETE": Scope.FORGET}

    @describe(
        summary="One message, word for word, in its newest version",
        description="A message that is forgotten is 404.",
        tag="messages",
        path=PATH,
        answers={200: MessageWithVersion},
        errors=(404,),
    )
    def get(self, request: Request, message_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)
            versions = get_versions(user=user, message_id=message_id)
            names = list_conversation_names(user=user, ids=[versions[-1].conversation_id])
        shown = show_message(versions[-1], conversation=names[versions[-1].conversation_id])
        fields = {name: getattr(shown, name) for name in shown.__struct_fields__ if name != "id"}
        answer = MessageWithVersion(id=versions[0].id, version_id=shown.id, versions=len(versions), **fields)
        return Response(answer)

    @describe(
        summary="Edit a message; it keeps its id",
        description=(
            "A new version takes the place of the newest: the old one leaves facts, index and packs, and stays in "
            "the history. Facts are read from the new words. Fields that are left out stay as they are."
        ),
        tag="messages",
        body=EditBody,
        path=PATH,
        answers={200: EditAnswer},
        errors=(404, 409),
        is_done_once=True,
    )
    def patch(self, request: Request, message_id: UUID) -> Response:
        body = self.read_body(EditBody)
        change = to_change(body)
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)
            first = get_versions(user=user, message_id=message_id)[0]

        def perform() -> Done:
            recorded = edit_message(
                tenant=make_tenant_ref(self.caller),
                user=user,
                message_id=message_id,
                change=change,
                actor=make_actor(self.caller),
                now=timezone.now(),
            )
            stored = answer_recorded(recorded)
            fields = {name: getattr(stored, name) for name in stored.__struct_fields__ if name != "id"}
            shown = {recorded.message_id, *(e for c in recorded.changes for e in c.fact.evidence_message_ids)}
            answer = EditAnswer(id=first.id, version_id=recorded.message_id, **fields)
            return make_done(answer, message_ids=sorted(shown))

        return self.once(body, perform, find_user=lambda: user)

    @describe(
        summary="Forget a message with all of its versions",
        description=(
            "As `POST /v1/messages/{id}/forget`, for every version at once. `message_ids` names the versions. It can "
            "be undone with `POST /v1/forgets/{batch_id}/restore` until `grace_until`; after that it is erased."
        ),
        tag="messages",
        path=PATH,
        answers={200: ForgetAnswer},
        errors=(404,),
        is_done_once=True,
    )
    def delete(self, request: Request, message_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)

        def perform() -> Done:
            with self.in_tenant():
                versions = get_versions(user=user, message_id=message_id)
            outcome = forget_messages(
                user=user,
                message_ids=[version.id for version in versions if version.forgotten_at is None],
                actor=make_actor(self.caller),
                now=timezone.now(),
            )
            return make_done(answer_forget(outcome))

        return self.once(None, perform, find_user=lambda: user)


def to_change(body: EditBody) -> Change:
    """The body as the service takes it. Raises InvalidRequest where nothing is to change."""
    if all(getattr(body, name) is None for name in body.__struct_fields__ if name not in ("id", "created_at")):
        raise InvalidRequest(fields={"body": "names nothing to change"})
    blocks = [msgspec.to_builtins(block) for block in body.content] if isinstance(body.content, list) else None
    return Change(
        content=body.content if isinstance(body.content, str) else blocks,
        client_id=body.id,
        created_at=body.created_at,
        speaker=body.speaker,
        response_description=body.response_description,
        memory_type=body.memory_type,
        mood=body.mood,
        metadata=body.metadata,
    )


class History(ApiView):
    """`GET /v1/messages/{id}/history`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="Every version of a message, oldest first",
        description="What a message said before each edit. For the values of a fact see its timeline.",
        tag="messages",
        path=PATH,
        answers={200: MessageHistory},
        errors=(404,),
    )
    def get(self, request: Request, message_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)
            versions = get_versions(user=user, message_id=message_id)
        results = [
            VersionView(
                version_id=version.id,
                event="added" if version.replaces_id is None else "edited",
                content=version.content,
                metadata=dict(version.metadata),
                created_at=version.created_at,
                received_at=version.received_at,
            )
            for version in versions
            if version.forgotten_at is None
        ]
        return Response(MessageHistory(id=versions[0].id, results=results))
