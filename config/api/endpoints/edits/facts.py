"""`/v1/facts/{id}`: one fact is read, gets another value, or is closed (SPEC A-3)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.decoding import Instant, RequestBody
from config.api.describing import about
from config.api.endpoints.answers import make_actor, make_done, make_tenant_ref, show_fact
from config.api.endpoints.fact_structs import VALUE, FactView
from config.api.endpoints.facts import FactAction
from config.api.schema import describe
from memory.facts.reading import get_fact
from memory.profile.facts import list_adjustments
from memory.selectors.users import get_owner
from memory.services.answered_requests import Done
from memory.services.facts import FactAct, correct_fact, retract_fact
from memory.tenants.types import Scope
from retrieval.pack.fact_words import list_fact_words

PATH = {"fact_id": "Our id of the fact."}


class CorrectBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value, as the user stated it."""

    value: Annotated[Any, VALUE]
    expires_at: Annotated[
        Instant | None, about("When the fact ends; the end of that day is stored. An event keeps its date without it.")
    ] = None


class OneFact(FactAction):
    """`GET`, `PATCH` and `DELETE /v1/facts/{id}`."""

    scopes = {"GET": Scope.READ, "PATCH": Scope.FACTS, "DELETE": Scope.FACTS}

    @describe(
        summary="One fact, with the words it rests on",
        description="Closed and superseded facts too: `is_active` says whether it holds now.",
        tag="facts",
        path=PATH,
        answers={200: FactView},
        errors=(404,),
    )
    def get(self, request: Request, fact_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("fact", fact_id, tenant_id=self.caller.tenant_id)
            fact = get_fact(user=user, fact_id=fact_id)
            words = list_fact_words(user=user, facts=[fact])
            moved = list_adjustments(user=user, fact_ids=[fact.id])
        view = show_fact(fact, at=timezone.now(), excerpts=words[fact.id], adjusted=moved[fact.id])
        return Response(view)

    @describe(
        summary="Give a fact another value, as the user states it",
        description=(
            "The new value takes the place of the fact under the same key and has an id of its own, which the answer "
            "names. The former one stays in the timeline. The value of an allergy or a ban is its key: there the "
            "former is closed and another fact begins."
        ),
        tag="facts",
        body=CorrectBody,
        path=PATH,
        answers={200: FactView},
        errors=(404, 409),
        is_done_once=True,
    )
    def patch(self, request: Request, fact_id: UUID) -> Response:
        body, now = self.read_body(CorrectBody), timezone.now()
        with self.in_tenant():
            user = get_owner("fact", fact_id, tenant_id=self.caller.tenant_id)
        act = FactAct(user=user, fact_id=fact_id, actor=make_actor(self.caller), now=now)

        def perform() -> Done:
            tenant = make_tenant_ref(self.caller)
            fact = correct_fact(act, tenant=tenant, value=body.value, expires_at=body.expires_at).fact
            return make_done(show_fact(fact, at=now, excerpts=[]))

        return self.once(body, perform, find_user=lambda: user)

    @describe(
        summary="Close a fact that is wrong",
        description=(
            "As `POST /v1/facts/{id}/retract`. It stays in the timeline and comes back only anew. To remove the words "
            "that it rests on as well, forget their messages."
        ),
        tag="facts",
        path=PATH,
        answers={200: FactView},
        errors=(404, 409),
        is_done_once=True,
    )
    def delete(self, request: Request, fact_id: UUID) -> Response:
        return self.carry_out(retract_fact, fact_id)
