"""A caller over HTTP: the test client with a key of its own, and the words of API.md."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memory.ids import new_id
from memory.tenants.models import Tenant
from memory.tenants.services.keys import create_key
from memory.tenants.types import Actor, ActorType, Scope
from memory.types import TenantRef
from tests.contract import check_exchange


@dataclass
class Caller:
    """An app's backend with one API key. What it sends and gets is held against the published document."""

    client: Client

    def get(self, path: str, **query: Any) -> Any:
        return check_exchange("get", path, None, self.client.get(path, query))

    def post(self, path: str, body: Any = None) -> Any:
        body = {} if body is None else body
        return check_exchange("post", path, body, self.client.post(path, body, content_type="application/json"))

    def put(self, path: str, body: Any) -> Any:
        return check_exchange("put", path, body, self.client.put(path, body, content_type="application/json"))

    def delete(self, path: str, body: Any = None) -> Any:
        content = "" if body is None else body
        sent = self.client.delete(path, content, content_type="application/json" if body is not None else "")
        return check_exchange("delete", path, body, sent)

    def patch(self, path: str, body: Any) -> Any:
        return check_exchange("patch", path, body, self.client.patch(path, body, content_type="application/json"))

    def send(self, content: Any = "hello", **more: Any) -> Any:
        """Post one message of Alice unless `more` says otherwise."""
        body = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": content, **more}
        return self.post("/v1/messages", body)


def make_caller(tenant: TenantRef, *scopes: Scope) -> Caller:
    """A key with the given scopes, all of them when none is named."""
    key = create_key(
        tenant=Tenant.objects.get(id=tenant.id),
        name=f"key-{new_id().hex[-8:]}",
        scopes=scopes or tuple(Scope),
        actor=Actor(type=ActorType.SYSTEM, id="test"),
        now=timezone.now(),
    )
    return Caller(Client(headers={"Authorization": f"Bearer {key.secret}"}, raise_request_exception=False))


@pytest.fixture
def api(tenant: TenantRef) -> Caller:
    return make_caller(tenant)


@pytest.fixture
def other_api(other_tenant: TenantRef) -> Caller:
    return make_caller(other_tenant)


@pytest.fixture
def make_api(tenant: TenantRef) -> Callable[..., Caller]:
    """Keys of the first tenant with chosen scopes."""
    return lambda *scopes: make_caller(tenant, *scopes)


def get_error(response: Any, status: int, code: str) -> dict[str, str]:
    """The fields of a coded error, after checking its status, code and form."""
    body = response.json()
    assert (response.status_code, body.get("code")) == (status, code), body
    assert set(body) == {"code", "message", "fields"}
    return body["fields"]
