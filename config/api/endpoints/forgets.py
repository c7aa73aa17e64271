"""Forgetting a message or what a query finds, and the way back."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import answer_forget, make_actor, make_done
from config.api.endpoints.fact_structs import ForgetAnswer, ForgetBody, ForgetMessageBody
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import InvalidRequest, NotFound
from memory.selectors.users import get_owner, get_user
from memory.services.answered_requests import Done
from memory.services.forgets import find_forget_of, forget_messages, plan_forget, restore_forget, run_plan
from memory.tenants.types import Scope
from memory.types import UserRef
from retrieval.mentions import find_mentions
from retrieval.pipeline import prepare
from retrieval.types import SearchQuery


class ForgetMessage(ApiView):
    """`POST /v1/messages/{id}/forget`."""

    scopes = {"POST": Scope.FORGET}

    @describe(
        summary="Hide a message from all reads at once, with everything derived from it",
        description=(
            "Facts that rest on the message are closed. It can be restored until `grace_until`; after that it "
            "is erased."
        ),
        tag="forgetting",
        body=ForgetMessageBody,
        is_body_optional=True,
        path={"message_id": "Our id of the message."},
        answers={200: ForgetAnswer},
        errors=(404,),
        is_done_once=True,
    )
    def post(self, request: Request, message_id: UUID) -> Response:
        body = self.read_optional_body(ForgetMessageBody)
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)

        def perform() -> Done:
            outcome = forget_messages(
                user=user,
                message_ids=[message_id],
                actor=make_actor(self.caller),
                now=timezone.now(),
                reason=body.reason,
            )
            return make_done(answer_forget(outcome))

        return self.once(body, perform, find_user=lambda: user)


class RestoreMessage(ApiView):
    """`POST /v1/messages/{id}/restore`."""

    scopes = {"POST": Scope.FORGET}

    @describe(
        summary="Restore a forgotten message within its grace period",
        description=(
            "Only this message is restored, whatever else the forget held. A fact whose key has a newer value "
            "stays closed and is listed in `facts_left_inactive`."
        ),
        tag="forgetting",
        body=ForgetMessageBody,
        is_body_optional=True,
        path={"message_id": "Our id of the message."},
        answers={200: ForgetAnswer},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, message_id: UUID) -> Response:
        body = self.read_optional_body(ForgetMessageBody)
        with self.in_tenant():
            user = get_owner("message", message_id, tenant_id=self.caller.tenant_id)

        def perform() -> Done:
            with self.in_tenant():
                batch_id = find_forget_of(user=user, message_id=message_id)
            if batch_id is None:
                raise NotFound("This message is not forgotten.", fields={"message_id": "is not forgotten"})
            outcome = restore_forget(
                user=user, batch_id=batch_id, message_id=message_id, actor=make_actor(self.caller), now=timezone.now()
            )
            return make_done(answer_forget(outcome))

        return self.once(body, perform, find_user=lambda: user)


class UserForget(ApiView):
    """`POST /v1/users/{user_id}/forget`."""

    scopes = {"POST": Scope.FORGET}

    @describe(
        summary="Forget by query or ids: a dry run lists what would go, the run takes exactly that",
        description=(
            "Send `query` or `message_ids` with `dry_run` to get the list and a `plan_id`. Then send the "
            "`plan_id`: exactly the listed messages are forgotten. `message_ids` without `dry_run` are "
            "forgotten at once."
        ),
        tag="forgetting",
        body=ForgetBody,
        path={"user_id": "Your id of the user."},
        answers={200: ForgetAnswer},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        body = self.read_body(ForgetBody)
        check_one_way(body)
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
        return self.once(body, lambda: make_done(self.forget(body, user)), find_user=lambda: user)

    def forget(self, body: ForgetBody, user: UserRef) -> ForgetAnswer:
        """A plan, or the result of a forget."""
        now, actor = timezone.now(), make_actor(self.caller)
        if body.plan_id:
            return answer_forget(run_plan(user=user, plan_id=body.plan_id, actor=actor, now=now, reason=body.reason))
        message_ids = body.message_ids or self.find_messages(user, body.query or "")
        if body.dry_run:
            if not message_ids:
                return ForgetAnswer(message_ids=[])
            return answer_forget(plan_forget(user=user, message_ids=message_ids, now=now), is_plan=True)
        return answer_forget(
            forget_messages(user=user, message_ids=message_ids, actor=actor, now=now, reason=body.reason)
        )

    def find_messages(self, user: UserRef, query: str) -> list[UUID]:
        """The messages that a query means, best first."""
        wanted = SearchQuery(user=user, text=query, top_k=settings.UNDE_TUNING.FORGET_BY_QUERY_LIMIT)
        prepared = prepare(query)
        with self.in_tenant():
            return find_mentions(wanted, now=timezone.now(), prepared=prepared)


def check_one_way(body: ForgetBody) -> None:
    """One of query, message_ids and plan_id; a query only as a dry run. Raises InvalidRequest."""
    given = [name for name in ("query", "message_ids", "plan_id") if getattr(body, name) is not None]
    if len(given) != 1:
        raise InvalidRequest(fields={"body": "needs one of query, message_ids and plan_id"})
    if body.query is not None and not body.dry_run:
        raise InvalidRequest(fields={"dry_run": "a query needs a dry run first; then send its plan_id"})
    if body.plan_id is not None and body.dry_run:
        raise InvalidRequest(fields={"dry_run": "is not for a plan"})


class RestoreForget(ApiView):
    """`POST /v1/forgets/{batch_id}/restore`."""

    scopes = {"POST": Scope.FORGET}

    @describe(
        summary="Undo a forget within its grace period",
        description=(
            "All messages of the forget are restored. A fact whose key has a newer value stays closed and is "
            "listed in `facts_left_inactive`."
        ),
        tag="forgetting",
        path={"batch_id": "The id that the forget answered."},
        answers={200: ForgetAnswer},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, batch_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("forget", batch_id, tenant_id=self.caller.tenant_id)

        def perform() -> Done:
            outcome = restore_forget(user=user, batch_id=batch_id, actor=make_actor(self.caller), now=timezone.now())
            return make_done(answer_forget(outcome))

        return self.once(None, perform, find_user=lambda: user)
