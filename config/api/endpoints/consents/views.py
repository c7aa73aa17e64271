"""`/v1/purposes` and `/v1/users/{user_id}/consents`: what an app's backend asks and passes on."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import make_actor, make_tenant_ref
from config.api.endpoints.consents.structs import (
    ConsentsAnswer,
    ConsentsBody,
    ConsentsChanged,
    PurposeList,
    answer_consent,
    answer_purpose,
)
from config.api.schema import describe
from config.api.views import ApiView
from memory.consents.selectors import list_consents, list_purposes
from memory.consents.services import record_consents
from memory.erasure.tasks import wake_worker
from memory.fence.consents import list_withheld
from memory.selectors.users import get_user
from memory.tenants.types import Scope


class Purposes(ApiView):
    """`GET /v1/purposes`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="What you keep of your users, and what for",
        description="Operators make purposes in the console. Show them where you ask your users.",
        tag="users",
        answers={200: PurposeList},
    )
    def get(self, request: Request) -> Response:
        with self.in_tenant():
            purposes = list_purposes(tenant_id=self.caller.tenant_id)
        return Response(PurposeList([answer_purpose(one) for one in purposes]))


class Consents(ApiView):
    """`GET` and `PUT /v1/users/{user_id}/consents`."""

    scopes = {"GET": Scope.READ, "PUT": Scope.WRITE}

    @describe(
        summary="What a user says to your purposes",
        description="Every purpose with what the user said, or its default, and what is therefore not kept.",
        tag="users",
        path={"user_id": "Your id of the user."},
        answers={200: ConsentsAnswer},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
            views, withheld = list_consents(user=user), list_withheld(user=user)
        return Response(ConsentsAnswer([answer_consent(view) for view in views], sorted(withheld)))

    @describe(
        summary="Pass on what a user agreed to or withdrew",
        description=(
            "All of it or nothing; the user is made when the id is new. What no granted purpose covers any more goes at"
            " once: facts of its types are closed, items deleted, episodes removed, and an erasure of all messages is"
            " requested. For items and messages the key needs the scope `erase` too. Agreeing again brings nothing"
            " back that is gone. Repeating it changes nothing."
        ),
        tag="users",
        body=ConsentsBody,
        path={"user_id": "Your id of the user."},
        answers={200: ConsentsChanged},
        errors=(409,),
    )
    def put(self, request: Request, user_id: str) -> Response:
        body = self.read_body(ConsentsBody)
        outcome = record_consents(
            tenant=make_tenant_ref(self.caller),
            user_external_id=user_id,
            choices=body.consents,
            actor=make_actor(self.caller),
            now=timezone.now(),
            may_erase=Scope.ERASE in self.caller.scopes,
        )
        if outcome.erasure_id is not None:
            wake_worker()
        return Response(
            ConsentsChanged(
                results=[answer_consent(view) for view in outcome.consents],
                withheld=list(outcome.withheld),
                facts_closed=outcome.facts_closed,
                candidates_closed=outcome.candidates_closed,
                items_deleted=outcome.items_deleted,
                erasure_id=outcome.erasure_id,
            )
        )
