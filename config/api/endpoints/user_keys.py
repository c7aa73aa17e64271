"""Keys for one user: made by the app's backend for a device, an agent or a model that must see nobody else (D-40)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import TenantKeyNeeded
from config.api.decoding import PageQuery
from config.api.endpoints.answers import make_audit_actor, make_done
from config.api.endpoints.store_structs import NewUserKey, UserKeyBody, UserKeyPage, UserKeyView
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import InvalidRequest
from memory.fence.user_lock import enter_user
from memory.selectors.users import get_user
from memory.services.answered_requests import Done
from memory.tenants.errors import MissingScope
from memory.tenants.models import ApiKey, Tenant
from memory.tenants.selectors import list_user_keys
from memory.tenants.services.keys import create_key, revoke_key
from memory.tenants.types import Caller, Scope
from memory.types import UserRef

USUAL: Final = (
    Scope.READ,
    Scope.WRITE,
    Scope.FACTS,
    Scope.FORGET,
    Scope.FEEDBACK,
    Scope.STORE_READ,
    Scope.STORE_WRITE,
)
"""What a key for one user may do when nothing is said, as far as the key that makes it may."""
NEVER: Final = frozenset({Scope.KEYS, Scope.KNOWLEDGE_WRITE, Scope.OPENDSR})
"""What belongs to the tenant as a whole."""


class UserKeys(ApiView):
    """`GET` and `POST /v1/users/{user_id}/keys`."""

    scopes = {"GET": Scope.KEYS, "POST": Scope.KEYS}

    @describe(
        summary="Make an API key that means this user in every call",
        description=(
            "The key is shown once. It may do no more than the key that makes it. A request under it that names"
            " another user is refused as `other_user`. It ends with the user."
        ),
        tag="keys",
        body=UserKeyBody,
        path={"user_id": "Your id of the user; made when it is new."},
        answers={201: NewUserKey},
        errors=(409,),
        is_done_once=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        refuse_user_key(self.caller)
        body, now = self.read_body(UserKeyBody), timezone.now()
        scopes = choose_scopes(body.scopes, caller=self.caller)
        with self.in_tenant():
            user = enter_user(tenant_id=self.caller.tenant_id, external_id=user_id, now=now)
        return self.once(body, lambda: self.make(body, scopes, user), find_user=lambda: user)

    def make(self, body: UserKeyBody, scopes: Iterable[Scope], user: UserRef) -> Done:
        """The key, and the answer that shows it. Writes."""
        now = timezone.now()
        with self.in_tenant():
            made = create_key(
                tenant=Tenant.objects.get(id=self.caller.tenant_id),
                name=body.name.strip(),
                scopes=scopes,
                actor=make_audit_actor(self.caller),
                now=now,
                expires_at=body.expires_at,
                requests_per_minute=body.requests_per_minute,
                user_id=user.id,
            )
            shown = show_key(ApiKey.objects.get(tenant_id=self.caller.tenant_id, id=made.key_id))
        fields = {name: getattr(shown, name) for name in shown.__struct_fields__}
        return make_done(NewUserKey(**fields, key=made.secret), status=201)

    @describe(
        summary="The working keys for one user",
        description="Without their secrets, which are not stored.",
        tag="keys",
        query=PageQuery,
        path={"user_id": "Your id of the user."},
        answers={200: UserKeyPage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        refuse_user_key(self.caller)
        query, tenant_id = self.read_query(PageQuery), self.caller.tenant_id
        after = self.read_after(query, "user_keys", UUID)
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            rows = list_user_keys(tenant_id=tenant_id, user_id=user.id, after=after, limit=query.limit + 1)
        return self.answer_page(query, "user_keys", rows, render=show_key)


class UserKey(ApiView):
    """`DELETE /v1/users/{user_id}/keys/{key_id}`."""

    scopes = {"DELETE": Scope.KEYS}

    @describe(
        summary="Revoke a key for one user, from the next request on",
        description="A key that was revoked before is no error.",
        tag="keys",
        path={"user_id": "Your id of the user.", "key_id": "Our id of the key."},
        answers={204: None},
        errors=(404,),
    )
    def delete(self, request: Request, user_id: str, key_id: UUID) -> Response:
        refuse_user_key(self.caller)
        tenant_id = self.caller.tenant_id
        with self.in_tenant():
            user = get_user(tenant_id=tenant_id, external_id=user_id)
            revoke_key(
                tenant_id=tenant_id,
                key_id=key_id,
                user_id=user.id,
                actor=make_audit_actor(self.caller),
                now=timezone.now(),
            )
        return Response(status=204)


def refuse_user_key(caller: Caller) -> None:
    """Raise TenantKeyNeeded for a key for one user: keys are made by the app, never by what holds one."""
    if caller.user is not None:
        raise TenantKeyNeeded


def choose_scopes(wanted: list[str] | None, *, caller: Caller) -> list[Scope]:
    """The scopes of a new key. Raises InvalidRequest, and MissingScope for one that the caller has not."""
    if wanted is None:
        return [scope for scope in USUAL if scope in caller.scopes]
    scopes = []
    for place, name in enumerate(wanted):
        try:
            scope = Scope(name)
        except ValueError:
            raise InvalidRequest(fields={f"scopes[{place}]": "is not a scope"}) from None
        if scope in NEVER:
            raise InvalidRequest(fields={f"scopes[{place}]": "is not for a key of one user"})
        if scope not in caller.scopes:
            raise MissingScope(fields={"scope": scope.value})
        scopes.append(scope)
    return scopes


def show_key(row: ApiKey) -> UserKeyView:
    """A key without its secret."""
    return UserKeyView(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        scopes=list(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )
