"""`/v1/users/{user_id}/sources`."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import make_actor, make_done
from config.api.endpoints.sources.structs import TellerForgetBody, TellerForgotten, TellerList, TellerView
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import NotFound
from memory.selectors.sources import list_messages_of_source, list_sources
from memory.selectors.users import get_user
from memory.services.sources import forget_source
from memory.tenants.models import ApiKey
from memory.tenants.types import Scope
from memory.types import UserRef


class Sources(ApiView):
    """`GET /v1/users/{user_id}/sources`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="Who told us: your app, a model through MCP, or an import, by client",
        description="What a model told is hearsay: it is found, and is never a fact.",
        tag="users",
        path={"user_id": "Your id of the user."},
        answers={200: TellerList},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
            rows = list_sources(user=user)
            names = find_key_names(self.caller.tenant_id, [row.client for row in rows])
        results = [
            TellerView(row.via, row.client, names.get(row.client, ""), row.messages, row.first_at, row.last_at)
            for row in rows
        ]
        return Response(TellerList(results=results))


class ForgetSource(ApiView):
    """`POST /v1/users/{user_id}/sources/remove`."""

    scopes = {"POST": Scope.FORGET}

    @describe(
        summary="Forget everything that one client told",
        description=(
            "All of it goes at once, with everything derived from it, however much it is. It can be undone by each of "
            "`batch_ids` until `grace_until`."
        ),
        tag="forgetting",
        body=TellerForgetBody,
        path={"user_id": "Your id of the user."},
        answers={200: TellerForgotten},
        errors=(404, 409),
        is_done_once=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        body = self.read_body(TellerForgetBody)
        with self.in_tenant():
            user = get_user(tenant_id=self.caller.tenant_id, external_id=user_id)
        return self.once(body, lambda: make_done(self.forget(body, user)), find_user=lambda: user)

    def forget(self, body: TellerForgetBody, user: UserRef) -> TellerForgotten:
        """What went, or would go. Raises NotFound where the client told nothing that is there."""
        with self.in_tenant():
            ids = list_messages_of_source(user=user, via=body.via, client=body.client)
        if not ids:
            raise NotFound("This client told nothing of this user.", fields={"client": "unknown"})
        if body.dry_run:
            return TellerForgotten(message_ids=ids)
        outcomes = forget_source(
            user=user,
            via=body.via,
            client=body.client,
            actor=make_actor(self.caller),
            now=timezone.now(),
            reason=body.reason,
        )
        return TellerForgotten(
            message_ids=[one for outcome in outcomes for one in outcome.message_ids],
            batch_ids=[outcome.batch_id for outcome in outcomes],
            facts_deactivated=[one for outcome in outcomes for one in outcome.facts_deactivated],
            grace_until=outcomes[0].grace_until if outcomes else None,
        )


def find_key_names(tenant_id: UUID, clients: list[str]) -> dict[str, str]:
    """The names of those clients that are keys of the tenant."""
    ids = []
    for client in clients:
        try:
            ids.append(UUID(client))
        except ValueError:
            continue
    rows = ApiKey.objects.filter(tenant_id=tenant_id, id__in=ids)
    return {str(row.id): row.name for row in rows}
