"""A privacy desk asks over OpenDSR 2.0: access, portability, erasure, status, cancelling (SPEC A-4)."""

import base64
import io
import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memory.erasure.worker import run_erasure
from memory.models import ErasureRequest
from memory.privacy.models import PrivacyCallback, PrivacyRequest
from memory.privacy.worker import run_request
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef, UserRef
from tests.api.conftest import Caller
from tests.privacy_desk import DOMAIN, REQUEST_ID, check_signature, make_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("opendsr")]
REQUESTS = "/opendsr/v2/requests"
ONE = f"{REQUESTS}/{REQUEST_ID}"
CALLBACK = "https://93.184.215.14/opendsr/callbacks"


def get_error(response: Any, status: int, code: str) -> dict[str, str]:
    """The fields of an error, which has OpenDSR's form and ours."""
    body = response.json()
    assert (response.status_code, body["code"], body["error"]["code"]) == (status, code, status), body
    assert {one["reason"] for one in body["error"]["errors"]} == {code}
    fields: dict[str, str] = body["fields"]
    return fields


def work(tenant: TenantRef, *, later: timedelta = timedelta()) -> None:
    """What the workers do with the request of the tests, and with what it asks of others."""
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.get(tenant_id=tenant.id)
    run_request(tenant_id=tenant.id, request_id=row.id, clock=lambda: timezone.now() + later)


def test_a_desk_finds_out_what_is_offered_without_a_key_and_everything_is_signed(api: Caller) -> None:
    nobody = Client()
    found = nobody.get("/opendsr/v2/discovery")
    assert found.json() == {
        "api_version": "2.0",
        "supported_identities": [{"identity_type": "controller_customer_id", "identity_format": "raw"}],
        "supported_subject_request_types": ["access", "portability", "erasure"],
        "processor_certificate": f"https://{DOMAIN}/opendsr/v2/certificate.pem",
    }
    pem = nobody.get("/opendsr/v2/certificate.pem").content
    for response in (
        found,
        api.post(REQUESTS, make_request()),
        api.get(ONE),
        api.get(f"{REQUESTS}/{uuid.uuid4()}"),
        nobody.get(ONE),
    ):
        check_signature(response.content, response.headers, pem=pem)
    assert nobody.post("/opendsr/v2/discovery").status_code == 405


def test_a_request_is_taken_on_once(api: Caller, tenant: TenantRef) -> None:
    body = make_request(status_callback_urls=[CALLBACK, CALLBACK])
    taken = api.post(REQUESTS, body)
    assert taken.status_code == 201
    answer = taken.json()
    assert set(answer) == {
        "controller_id", "expected_completion_time", "received_time", "encoded_request", "subject_request_id",
    }  # fmt: skip
    assert json.loads(base64.b64decode(answer["encoded_request"])) == body
    assert api.post(REQUESTS, body).json() == answer
    other = make_request(kind="erasure", status_callback_urls=[CALLBACK])
    assert get_error(api.post(REQUESTS, other), 409, "request_id_reused") == {
        "subject_request_id": "was sent before, with other content"
    }
    with tenant_scope(tenant.id):
        assert [one.kind for one in PrivacyRequest.objects.all()] == ["access"]
        assert PrivacyCallback.objects.count() == 1
    assert (api.get(ONE).json()["request_status"], api.get(ONE).json()["results_url"]) == ("pending", None)


@pytest.mark.parametrize("kind", ["access", "portability"])
def test_the_results_are_what_is_stored_for_seven_days(api: Caller, tenant: TenantRef, kind: str) -> None:
    api.send("my size is M")
    api.post(REQUESTS, make_request(kind=kind))
    get_error(api.get(f"{ONE}/results"), 404, "not_found")
    work(tenant)
    status = api.get(ONE).json()
    assert (status["request_status"], status["results_url"]) == ("completed", f"https://{DOMAIN}{ONE}/results")
    answer = api.get(f"{ONE}/results")
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert answer.headers["Cache-Control"] == "no-store"
    assert {"message", "fact", "privacy_request"} <= {line["kind"] for line in lines}
    assert status["results_count"] == len(lines) - 2
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.get()
        assert row.results_until is not None
        assert timedelta(days=6.9) < row.results_until - timezone.now() < timedelta(days=7)
    get_error(Client().get(f"{ONE}/results"), 401, "missing_key")


def test_results_end_with_their_time_and_with_their_person(
    api: Caller, tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.send("my size is M")
    api.post(REQUESTS, make_request())
    work(tenant, later=timedelta(days=-8))
    assert api.get(ONE).json()["results_url"] is None
    get_error(api.get(f"{ONE}/results"), 410, "results_over")
    second = str(uuid.uuid4())
    api.post(REQUESTS, make_request(subject_request_id=second))
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.get(subject_request_id=second)
    run_request(tenant_id=tenant.id, request_id=row.id, clock=timezone.now)
    monkeypatch.setattr("config.api.endpoints.erasures.wake_worker", lambda: None)
    api.post("/v1/users/alice/erasure", {})
    get_error(api.get(f"{REQUESTS}/{second}/results"), 410, "results_over")


def test_an_erasure_can_be_cancelled_until_it_begins_and_ends_with_its_certificate(
    api: Caller, tenant: TenantRef
) -> None:
    api.send("my size is M")
    api.post(REQUESTS, make_request(kind="erasure"))
    cancelled = api.delete(ONE)
    assert (cancelled.status_code, cancelled.json()["subject_request_id"]) == (202, REQUEST_ID)
    assert api.delete(ONE).json() == cancelled.json()
    assert api.get(ONE).json()["request_status"] == "cancelled"
    second = str(uuid.uuid4())
    api.post(REQUESTS, make_request(kind="erasure", subject_request_id=second))
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.get(subject_request_id=second)
    assert row.available_at - row.received_at == timedelta(hours=1)
    assert run_request(tenant_id=tenant.id, request_id=row.id, clock=timezone.now) == "in_progress"
    path = f"{REQUESTS}/{second}"
    assert get_error(api.delete(path), 409, "request_not_pending") == {"request_status": "in_progress"}
    assert api.get("/v1/users").json()["results"] == []
    with tenant_scope(tenant.id):
        erasure = ErasureRequest.objects.get()
    assert erasure.reason == "privacy_request"
    run_erasure(user=UserRef(erasure.user_id, tenant.id), erasure_id=erasure.id, clock=timezone.now)
    assert run_request(tenant_id=tenant.id, request_id=row.id, clock=timezone.now) == "completed"
    status = api.get(path).json()
    assert (status["request_status"], status["results_url"]) == ("completed", f"https://{DOMAIN}{path}/results")
    assert status["results_count"] > 0
    (certificate,) = api.get(f"{path}/results").content.splitlines()
    assert json.loads(certificate)["erasure_id"] == str(erasure.id)
    # Asked again under a new id: nothing is there, and the certificate is the one that was given.
    third = str(uuid.uuid4())
    api.post(REQUESTS, make_request(kind="erasure", subject_request_id=third))
    with tenant_scope(tenant.id):
        again = PrivacyRequest.objects.get(subject_request_id=third)
    assert run_request(tenant_id=tenant.id, request_id=again.id, clock=timezone.now) == "completed"
    assert api.get(f"{REQUESTS}/{third}/results").content.splitlines() == [certificate]


@pytest.mark.parametrize("kind", ["access", "erasure"])
def test_a_person_of_whom_nothing_is_stored_is_no_error(api: Caller, tenant: TenantRef, kind: str) -> None:
    api.post(REQUESTS, make_request("nobody", kind=kind))
    work(tenant)
    status = api.get(ONE).json()
    assert (status["request_status"], status["results_count"], status["results_url"]) == ("completed", 0, None)
    assert api.get("/v1/users").json()["results"] == []


EMAIL = {"identity_type": "email", "identity_value": "layla@example.com", "identity_format": "raw"}
HASHED = {"identity_type": "controller_customer_id", "identity_value": "00" * 20, "identity_format": "sha1"}
OWN = {"identity_type": "controller_customer_id", "identity_value": "alice", "identity_format": "raw"}


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"subject_identities": [EMAIL]}, "unsupported_identity", "subject_identities[0].identity_type"),
        ({"subject_identities": [OWN, EMAIL]}, "unsupported_identity", "subject_identities[1].identity_type"),
        ({"subject_identities": [HASHED]}, "unsupported_identity", "subject_identities[0].identity_format"),
        ({"subject_identities": []}, "unsupported_identity", "subject_identities"),
        (
            {"subject_identities": [OWN, {**OWN, "identity_value": "bob"}]},
            "unsupported_identity",
            "subject_identities",
        ),
        ({"subject_identities": None}, "invalid_request", "subject_identities"),
        ({"subject_request_type": "rectification"}, "invalid_request", "subject_request_type"),
        ({"subject_request_id": "A7551968-D5D6-44B2-9831-815AC9017798"}, "invalid_request", "subject_request_id"),
        ({"subject_request_id": "a7551968-d5d6-14b2-9831-815ac9017798"}, "invalid_request", "subject_request_id"),
        ({"subject_request_id": f"{REQUEST_ID}\n"}, "invalid_request", "subject_request_id"),
        ({"regulation": "lgpd"}, "invalid_request", "regulation"),
        ({"api_version": "1.0"}, "invalid_request", "api_version"),
        ({"submitted_time": "yesterday"}, "invalid_request", "submitted_time"),
        ({"submitted_time": "2026-10-02"}, "invalid_request", "submitted_time"),
        ({"status_callback_urls": ["https://10.0.0.1/"]}, "address_refused", "status_callback_urls[0]"),
        ({"status_callback_urls": [CALLBACK, "http://93.184.215.14/"]}, "address_refused", "status_callback_urls[1]"),
        ({"status_callback_urls": ["https://name.invalid/"]}, "invalid_request", "status_callback_urls[0]"),
        ({"status_callback_urls": [f"{CALLBACK}/{n}" for n in range(6)]}, "invalid_request", "status_callback_urls"),
        ({"extensions": {DOMAIN: {}}}, "invalid_request", "extensions"),
        ({"group_id": "mine"}, "invalid_request", "group_id"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_and_its_field_named(
    api: Caller, tenant: TenantRef, changes: dict[str, Any], code: str, field: str
) -> None:
    answer = api.post(REQUESTS, make_request(**changes))
    assert field in get_error(answer, 400, code)
    assert "layla@example.com" not in answer.content.decode()
    with tenant_scope(tenant.id):
        assert not PrivacyRequest.objects.exists()


def test_another_tenant_s_ids_say_nothing_and_stay_free(api: Caller, other_api: Caller, tenant: TenantRef) -> None:
    api.send("my size is M")
    api.post(REQUESTS, make_request())
    work(tenant)
    for answer in (other_api.get(ONE), other_api.delete(ONE), other_api.get(f"{ONE}/results")):
        assert get_error(answer, 404, "not_found") == {"subject_request_id": "unknown"}
    mine = other_api.post(REQUESTS, make_request("mallory", kind="portability"))
    assert mine.status_code == 201
    assert other_api.get(ONE).json()["request_status"] == "pending"
    assert api.get(ONE).json()["request_status"] == "completed"


def test_only_a_key_of_the_tenant_with_the_scope_may_ask(api: Caller, make_api: Any) -> None:
    others = make_api(*(scope for scope in Scope if scope is not Scope.OPENDSR))
    assert get_error(others.post(REQUESTS, make_request()), 403, "missing_scope") == {"scope": "opendsr"}
    refused = api.post("/v1/users/alice/keys", {"scopes": ["opendsr"]}).json()
    assert refused["fields"] == {"scopes[0]": "is not for a key of one user"}


def test_without_a_certificate_the_way_in_is_shut(api: Caller, settings: Any) -> None:
    settings.UNDE_OPENDSR_KEY = ""
    get_error(api.post(REQUESTS, make_request()), 404, "opendsr_off")
    get_error(Client().get("/opendsr/v2/discovery"), 404, "opendsr_off")
    get_error(Client().get("/opendsr/v2/certificate.pem"), 404, "opendsr_off")


def test_no_log_line_and_no_row_says_who_the_person_is(api: Caller, tenant: TenantRef, log_stream: io.StringIO) -> None:
    api.post(REQUESTS, make_request("zanzibarmarker"))
    work(tenant)
    api.get(ONE)
    assert "zanzibarmarker" not in log_stream.getvalue()
    with tenant_scope(tenant.id):
        row = PrivacyRequest.objects.values().get()
    assert "zanzibarmarker" not in repr({**row, "fingerprint": bytes(row["fingerprint"])})
