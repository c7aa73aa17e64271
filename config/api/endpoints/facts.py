"""Facts: listed, set, explained, confirmed, disputed, retracted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import answer_change, make_actor, make_done, make_tenant_ref, show_fact
from config.api.endpoints.fact_structs import (
    EvidenceView,
    FactActionBody,
    FactChangesAnswer,
    FactPage,
    FactsBody,
    FactsQuery,
    FactVersion,
    FactView,
    SpanMessageView,
    Timeline,
)
from config.api.schema import describe
from config.api.views import ApiView
from memory.facts.reading import get_fact, list_facts, list_versions
from memory.profile.facts import list_adjustments
from memory.selectors.messages import list_messages_by_id, list_neighbours
from memory.selectors.users import get_owner, get_user
from memory.services.answered_requests import Done
from memory.services.fact_inputs import FactInput
from memory.services.facts import FactAct, confirm_fact, dispute_fact, put_facts, retract_fact
from memory.tenants.types import Scope
from memory.types import Fact, UserRef
from patterns.text.excerpts import make_excerpt
from retrieval.pack.fact_words import list_fact_words

SPAN_CHARACTERS = 200  # of a neighbour, as in episode cards


class Facts(ApiView):
    """`GET` and `PUT /v1/users/{user_id}/facts`."""

    scopes = {"GET": Scope.READ, "PUT": Scope.FACTS}

    @describe(
        summary="What is known about a user, with evidence; as of any moment",
        description=(
            "Active facts in the order in which they were written. `include=inactive` adds closed and "
            "superseded ones. With `as_of` the list is as it stood at that moment."
        ),
        tag="facts",
        query=FactsQuery,
        path={"user_id": "Your id of the user."},
        answers={200: FactPage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        query, tenant_id, now = self.read_query(FactsQuery), self.caller.tenant_id, timezone.now()
        after = self.read_after(query, "facts", UUID)
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            rows = list_facts(
                user=user,
                knowledge_type=query.knowledge_type,
                include_inactive=query.include == "inactive",
                now=now,
                after=after,
                limit=query.limit + 1,
                as_of=query.as_of,
            )
            words = list_fact_words(user=user, facts=rows, as_of=query.as_of)
        return self.answer_page(
            query, "facts", rows, render=lambda row: show_fact(row, at=query.as_of or now, excerpts=words[row.id])
        )

    @describe(
        summary="Write facts from onboarding or a form; all of them or none",
        description=(
            "For what the user stated outside of a conversation. The user is made when the id is new. The "
            "same value again is `renewed`, another value supersedes the old one. A type that may not be a "
            "fact is refused as `soft_type`."
        ),
        tag="facts",
        body=FactsBody,
        path={"user_id": "Your id of the user."},
        answers={200: FactChangesAnswer},
        errors=(409,),
        is_done_once=True,
    )
    def put(self, request: Request, user_id: str) -> Response:
        body = self.read_body(FactsBody)
        facts = [
            FactInput(
                knowledge_type=fact.knowledge_type,
                value=fact.value,
                source=fact.source,
                knowledge_key=fact.knowledge_key,
                expires_at=fact.expires_at,
            )
            for fact in body.facts
        ]

        def perform() -> Done:
            changes = put_facts(
                tenant=make_tenant_ref(self.caller),
                user_external_id=user_id,
                facts=facts,
                actor=make_actor(self.caller),
                now=timezone.now(),
            )
            return make_done(FactChangesAnswer(facts=[answer_change(change) for change in changes]))

        tenant_id = self.caller.tenant_id
        return self.once(body, perform, find_user=lambda: get_user(tenant_id=tenant_id, external_id=user_id))


class FactTimeline(ApiView):
    """`GET /v1/facts/{id}/timeline`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="Every version of a fact's key, each with the words it rests on",
        description=("Name any version of a key to get all of them, oldest first."),
        tag="facts",
        path={"fact_id": "Our id of any version."},
        answers={200: Timeline},
        errors=(404,),
    )
    def get(self, request: Request, fact_id: UUID) -> Response:
        with self.in_tenant():
            user = get_owner("fact", fact_id, tenant_id=self.caller.tenant_id)
            fact = get_fact(user=user, fact_id=fact_id)
            versions = list_versions(user=user, fact=fact)
            evidence = show_evidence(user, {mid for version in versions for mid in version.evidence_message_ids})
            words = list_fact_words(user=user, facts=versions)
            moved = list_adjustments(user=user, fact_ids=[version.id for version in versions])
        now = timezone.now()
        results = [
            FactVersion(
                fact=show_fact(version, at=now, excerpts=words[version.id], adjusted=moved[version.id]),
                evidence=[evidence[mid] for mid in version.evidence_message_ids if mid in evidence],
            )
            for version in versions
        ]
        return Response(Timeline(knowledge_type=fact.knowledge_type, knowledge_key=fact.knowledge_key, results=results))


def show_evidence(user: UserRef, message_ids: set[UUID]) -> dict[UUID, EvidenceView]:
    """The messages behind facts, each with its span, computed on read (D-3). Forgotten ones are not there."""
    core = list_messages_by_id(user=user, message_ids=message_ids)
    neighbours = list_neighbours(user=user, message_ids=list(core))
    return {
        mid: EvidenceView(
            message_id=mid,
            role=message.role,
            excerpt=make_excerpt(message.content, memory_type=message.memory_type),
            created_at=message.created_at,
            span=[
                SpanMessageView(message_id=near.id, role=near.role, text=near.content[:SPAN_CHARACTERS])
                for near in neighbours[mid]
            ],
        )
        for mid, message in core.items()
    }


class FactAction(ApiView):
    """A person speaks about a fact; see below for the three ways."""

    scopes = {"POST": Scope.FACTS}

    def carry_out(self, act: Callable[[FactAct], Fact], fact_id: UUID) -> Response:
        """The fact as it is afterwards."""
        body = self.read_optional_body(FactActionBody)
        with self.in_tenant():
            user = get_owner("fact", fact_id, tenant_id=self.caller.tenant_id)
        wanted = FactAct(
            user=user,
            fact_id=fact_id,
            actor=make_actor(self.caller),
            now=timezone.now(),
            message_id=body.message_id,
            reason=body.reason,
        )

        def perform() -> Done:
            fact = act(wanted)
            with self.in_tenant():
                words = list_fact_words(user=user, facts=[fact])
            answer = show_fact(fact, at=wanted.now, excerpts=words[fact.id])
            return make_done(answer, message_ids=fact.evidence_message_ids)

        return self.once(body, perform, find_user=lambda: user)


def describe_action(summary: str, description: str) -> Callable[..., Any]:
    """What the three ways have in common in the document."""
    return describe(
        summary=summary,
        description=description,
        tag="facts",
        body=FactActionBody,
        is_body_optional=True,
        is_done_once=True,
        path={"fact_id": "Our id of the fact."},
        answers={200: FactView},
        errors=(404, 409),
    )


class ConfirmFact(FactAction):
    """`POST /v1/facts/{id}/confirm`."""

    @describe_action(
        "A person says that a fact is right", "The fact counts as validated now. A disputed fact is asserted again."
    )
    def post(self, request: Request, fact_id: UUID) -> Response:
        return self.carry_out(confirm_fact, fact_id)


class DisputeFact(FactAction):
    """`POST /v1/facts/{id}/dispute`."""

    @describe_action(
        "A person doubts a fact", "The fact stays and is marked: a pack tells the model to ask instead of asserting it."
    )
    def post(self, request: Request, fact_id: UUID) -> Response:
        return self.carry_out(dispute_fact, fact_id)


class RetractFact(FactAction):
    """`POST /v1/facts/{id}/retract`."""

    @describe_action(
        "A person says that a fact is wrong", "The fact is closed. It stays in the timeline and comes back only anew."
    )
    def post(self, request: Request, fact_id: UUID) -> Response:
        return self.carry_out(retract_fact, fact_id)
