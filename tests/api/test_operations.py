"""Long work has one id and one shape (SPEC A-3)."""

import uuid

import pytest
from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from tests.caller import Caller, get_error, make_caller

pytestmark = pytest.mark.django_db


def test_an_erasure_is_followed_until_it_has_succeeded(api: Caller, tenant: TenantRef) -> None:
    api.send("my size is M")
    asked = api.post("/v1/users/alice/erasure", {"scope": "all"})
    where = asked.headers["Location"]
    before = api.get(where).json()
    assert (before["kind"], before["status"], before["finished_at"]) == ("erasure", "pending", None)
    assert before["deadline"] == asked.json()["deadline"]
    with tenant_scope(tenant.id):
        row = ErasureRequest.objects.get(id=asked.json()["erasure_id"])
    run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)
    after = api.get(where).json()
    assert after["status"] == "succeeded" and after["finished_at"]
    assert api.get(after["path"]).json()["certificate"]


def test_a_forget_says_whether_it_was_undone(api: Caller) -> None:
    batch_id = api.delete(f"/v1/messages/{api.send('hello').json()['id']}").json()["batch_id"]
    assert api.get(f"/v1/operations/{batch_id}").json()["status"] == "succeeded"
    api.post(f"/v1/forgets/{batch_id}/restore")
    assert api.get(f"/v1/operations/{batch_id}").json()["status"] == "undone"


def test_a_plan_is_no_work_and_another_users_work_is_not_found(api: Caller, tenant: TenantRef) -> None:
    api.send("a perfume")
    plan = api.post("/v1/users/alice/forget", {"query": "perfume", "dry_run": True}).json()["plan_id"]
    for name in (plan, uuid.uuid4()):
        assert get_error(api.get(f"/v1/operations/{name}"), 404, "not_found") == {"operation_id": "unknown"}
    batch_id = api.delete(f"/v1/messages/{api.send('hello').json()['id']}").json()["batch_id"]
    secret = api.post("/v1/users/bob/keys").json()["key"]
    bobs = make_caller(tenant)
    bobs.client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    get_error(bobs.get(f"/v1/operations/{batch_id}"), 404, "not_found")
