"""The shell that every endpoint stands in: keys, scopes, bodies, errors, cursors. Endpoints are in shell_views."""

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memory.tenants.models import Tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key
from memory.tenants.types import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.api.shell_views")]

SECRET = "у меня аллергия на никель"
Call = Callable[..., Any]


def make_client(*scopes: Scope, **key: Any) -> Client:
    tenant = Tenant.objects.create(slug=f"t-{uuid4().hex[:10]}", name="A tenant")
    made = create_key(tenant=tenant, name="web", scopes=scopes or list(Scope), actor=SYSTEM, now=timezone.now(), **key)
    return Client(headers={"Authorization": f"Bearer {made.secret}"}, raise_request_exception=False)


@pytest.fixture
def client(db: None) -> Client:
    return make_client()


def post(client: Client, body: Any, path: str = "/v1/notes", **more: Any) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(path, data=data, content_type="application/json", **more)


def get_error(response: Any, *, status: int, code: str) -> dict[str, Any]:
    """The error, after checking that it has the one form that errors have."""
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    body: dict[str, Any] = response.json()
    assert set(body) == {"code", "message", "fields"}
    assert body["code"] == code
    assert body["message"]
    return body


# --- keys and scopes ------------------------------------------------------------------------------------------------
def test_a_good_request_is_answered_in_json_with_the_requests_id(client: Client) -> None:
    response = post(client, {"user_id": "alice", "role": "user", "metadata": {"a": [1, 2.5, None]}})
    assert response.status_code == 201
    assert response.json()["metadata"] == {"a": [1, 2.5, None]}
    assert response["Content-Type"] == "application/json"
    assert len(response["X-Request-ID"]) == 32


def test_a_request_id_of_the_callers_is_kept_when_it_is_harmless(client: Client) -> None:
    given = client.get("/v1/notes", headers={"X-Request-ID": "trace-12345"})
    assert given["X-Request-ID"] == "trace-12345"
    made_up = client.get("/v1/notes", headers={"X-Request-ID": "a b\x7f"})
    assert made_up["X-Request-ID"] != "a b\x7f"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "missing_key"),
        ("", "missing_key"),
        ("Bearer", "missing_bearer"),
        ("Bearer ", "missing_bearer"),
        ("Basic dTpw", "missing_bearer"),
        ("unde_x_y", "missing_bearer"),
        ("Bearer unde_x_y", "invalid_key"),
        ("Bearer " + "x" * 300, "invalid_key"),
        ("Bearer \xff\xfe", "invalid_key"),
    ],
)
def test_no_key_no_bearer_and_a_wrong_key_are_told_apart(db: None, header: str | None, code: str) -> None:
    headers = {} if header is None else {"Authorization": header}
    response = Client(headers=headers).get("/v1/notes")
    get_error(response, status=401, code=code)
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_the_scheme_may_be_in_any_case(db: None) -> None:
    client = make_client()
    secret = client.defaults["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    assert Client(headers={"Authorization": f"bEARER   {secret} "}).get("/v1/notes").status_code == 200


def test_an_expired_key_is_401(db: None) -> None:
    client = make_client(expires_at=timezone.now() - timedelta(seconds=1))
    get_error(client.get("/v1/notes"), status=401, code="invalid_key")


def test_a_key_without_the_scope_is_403_and_told_which(db: None) -> None:
    client = make_client(Scope.READ)
    assert client.get("/v1/notes").status_code == 200
    error = get_error(post(client, {"user_id": "a", "role": "user"}), status=403, code="missing_scope")
    assert error["fields"] == {"scope": "write"}


def test_a_wrong_method_is_405_and_a_head_is_answered_as_a_get(client: Client) -> None:
    response = client.put("/v1/notes")
    get_error(response, status=405, code="method_not_allowed")
    assert "POST" in response["Allow"]
    assert client.head("/v1/notes").status_code == 200
    get_error(client.options("/v1/notes"), status=405, code="method_not_allowed")


def test_an_unknown_path_is_a_coded_404(client: Client) -> None:
    get_error(client.get("/v1/nothing"), status=404, code="not_found")


def test_another_accept_header_is_still_answered_in_json(client: Client) -> None:
    assert client.get("/v1/notes", headers={"Accept": "text/html"})["Content-Type"] == "application/json"


def test_an_empty_answer_has_no_body(client: Client) -> None:
    response = client.delete("/v1/users/alice/notes")
    assert (response.status_code, response.content) == (204, b"")


# --- limits ---------------------------------------------------------------------------------------------------------
def test_a_key_over_its_limit_is_429_with_the_time_to_wait(db: None) -> None:
    client = make_client(requests_per_minute=2)
    answers = [client.get("/v1/notes") for _ in range(5)]
    # A minute may turn while this runs; two windows let four requests through.
    assert answers[0].status_code == answers[1].status_code == 200
    refused = [answer for answer in answers if answer.status_code != 200]
    assert refused
    get_error(refused[0], status=429, code="rate_limited")
    assert 1 <= int(refused[0]["Retry-After"]) <= 60


def test_keys_have_limits_of_their_own(db: None) -> None:
    first, second = make_client(requests_per_minute=1), make_client(requests_per_minute=1)
    assert first.get("/v1/notes").status_code == 200
    assert second.get("/v1/notes").status_code == 200


def test_without_the_counter_requests_pass_and_are_counted(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.api import throttling

    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "unix:///nowhere/redis.sock",
        }
    }
    monkeypatch.setattr(throttling, "_paused_until", 0.0)
    before = throttling.rate_limit_skipped._value.get()
    client = make_client(requests_per_minute=1)
    assert [client.get("/v1/notes").status_code for _ in range(3)] == [200, 200, 200]
    assert throttling.rate_limit_skipped._value.get() == before + 3


# --- bodies ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b'{"user_id": "a", "role": "user"} x', "invalid_json"),
        (b'{"user_id": NaN}', "invalid_json"),
        (b"\xef\xbb\xbf{}", "invalid_json"),
        (b'{"user_id": "\xff"}', "invalid_utf8"),
        (b'{"user_id": "a\xed\xa0\x80"}', "invalid_utf8"),
        (b'{"user_id": "\\ud800", "role": "user"}', "invalid_json"),
        (b'{"metadata": {"a": ' + b"[" * 50_000, "invalid_json"),
        (b'{"user_id": "a", "role": "user", "metadata": {"a": 1e999}}', "invalid_request"),
    ],
)
def test_bytes_that_are_no_json_are_refused_with_their_own_code(client: Client, body: bytes, code: str) -> None:
    get_error(post(client, body), status=400, code=code)


@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        ({}, "user_id", "is required"),
        ([], "body", "must be an object, not a list"),
        ({"user_id": "a"}, "role", "is required"),
        ({"user_id": 5, "role": "user"}, "user_id", "must be text, not a whole number"),
        ({"user_id": "", "role": "user"}, "user_id", "must not be empty"),
        ({"user_id": "x" * 129, "role": "user"}, "user_id", "must have at most 128 characters"),
        ({"user_id": "a", "role": "robot"}, "role", "must be one of: "),
        ({"user_id": "a", "role": "user", "colour": 1}, "colour", "is not a field"),
        ({"user_id": "a", "role": "user", "parts": [{"name": "x"}, {}]}, "parts[1].name", "is required"),
        ({"user_id": "a", "role": "user", "parts": [{"name": "x", "n": 1}]}, "parts[0].n", "is not a field"),
        (
            {"user_id": "a", "role": "user", "parts": [{"name": "x", "count": -1}]},
            "parts[0].count",
            "must be at least 0",
        ),
        (
            {"user_id": "a", "role": "user", "said_at": "yesterday"},
            "said_at",
            "must be a time in ISO 8601 with an offset",
        ),
        (
            {"user_id": "a", "role": "user", "said_at": "2026-01-01T00:00:00"},
            "said_at",
            "must name its offset from UTC",
        ),
    ],
)
def test_what_does_not_fit_names_the_field(client: Client, body: Any, field: str, reason: str) -> None:
    error = get_error(post(client, body), status=400, code="invalid_request")
    assert list(error["fields"]) == [field]
    assert error["fields"][field].startswith(reason)
    assert error["message"] == f"The request is not valid. {field}: {error['fields'][field]}."


def test_a_wrong_value_is_not_repeated(client: Client) -> None:
    response = post(client, {"user_id": "a", "role": SECRET})
    assert "никель" not in response.content.decode()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"user_id": "a\x00b", "role": "user"}, "user_id"),
        ({"user_id": "a", "role": "user", "parts": [{"name": "\x00"}]}, "parts[0].name"),
        ({"user_id": "a", "role": "user", "metadata": {"deep": [{"er": "\x00"}]}}, "metadata.deep[0].er"),
        ({"user_id": "a", "role": "user", "metadata": {"k\x00": 1}}, "metadata.k"),
    ],
)
def test_a_nul_is_refused_wherever_it_hides(client: Client, body: Any, field: str) -> None:
    error = get_error(post(client, body), status=400, code="nul_byte")
    assert list(error["fields"]) == [field]


def test_a_nul_in_one_item_of_a_batch_refuses_that_item_alone(client: Client) -> None:
    good = {"user_id": "a", "role": "user"}
    response = post(client, {"notes": [good, {**good, "user_id": "a\x00"}, good]}, path="/v1/notes/batch")
    assert [result.get("error", {}).get("code") for result in response.json()["results"]] == [None, "nul_byte", None]


def test_the_letters_of_an_escaped_nul_are_no_nul(client: Client) -> None:
    response = post(client, {"user_id": "a", "role": "user", "metadata": {"text": "\\u0000"}})
    assert response.status_code == 201
    assert response.json()["metadata"] == {"text": "\\u0000"}


def test_a_nul_in_the_path_or_the_query_is_refused(client: Client) -> None:
    get_error(client.get("/v1/users/a%00b/notes"), status=400, code="nul_byte")
    get_error(client.get("/v1/notes?after=%00"), status=400, code="nul_byte")


def test_a_body_over_the_limit_is_413(client: Client) -> None:
    def body(size: int) -> bytes:
        head = b'{"user_id": "a", "role": "user", "metadata": {"x": "'
        return head + b"y" * (size - len(head) - 3) + b'"}}'

    assert post(client, body(1024 * 1024)).status_code == 201
    get_error(post(client, body(1024 * 1024 + 1)), status=413, code="body_too_large")


def test_a_batch_may_be_larger_and_one_bad_item_does_not_lose_the_others(client: Client) -> None:
    good = {"user_id": "a", "role": "user", "metadata": {"x": "y" * 1_100_000}}
    response = post(client, {"notes": [good, {"user_id": "b"}, "text", good]}, path="/v1/notes/batch")
    assert response.status_code == 200
    results = response.json()["results"]
    assert [result.get("error", {}).get("code") for result in results] == [
        None,
        "invalid_request",
        "invalid_request",
        None,
    ]
    assert results[1]["error"]["fields"] == {"role": "is required"}
    too_large = b'{"notes": ["' + b"y" * (8 * 1024 * 1024) + b'"]}'
    get_error(post(client, too_large, path="/v1/notes/batch"), status=413, code="body_too_large")


# --- queries and paths ----------------------------------------------------------------------------------------------
def test_query_parameters_are_typed(client: Client) -> None:
    body = client.get("/v1/notes?limit=3&is_active=true&role=user&role=system&since=2026-01-01T00:00:00%2B04:00").json()
    assert body["results"] == [0, 1, 2]
    assert (body["is_active"], body["role"]) == (True, ["user", "system"])
    assert body["since"] == "2026-01-01T00:00:00+04:00"


def test_an_offset_whose_plus_was_not_escaped_is_understood(client: Client) -> None:
    assert client.get("/v1/notes?since=2026-01-01T00:00:00+04:00").json()["since"] == "2026-01-01T00:00:00+04:00"


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("offset=3", "offset"), ("since=1", "since")],
)
def test_a_wrong_query_parameter_is_named(client: Client, query: str, field: str) -> None:
    error = get_error(client.get(f"/v1/notes?{query}"), status=400, code="invalid_request")
    assert list(error["fields"]) == [field]


@pytest.mark.parametrize("user_id", ["alice", "a/b/notes", "алиса", "a b", "x" * 128, "a\nb", "..", "%"])
def test_a_path_takes_any_id_a_tenant_may_have(client: Client, user_id: str) -> None:
    response = client.get(f"/v1/users/{quote(user_id, safe='')}/notes")
    assert response.status_code == 200
    assert response.json() == {"user_id": user_id}


# --- cursors --------------------------------------------------------------------------------------------------------
def test_pages_follow_each_other_to_the_end(client: Client) -> None:
    seen: list[int] = []
    after: str | None = ""
    while after is not None:
        page = client.get("/v1/notes", {"limit": 4, **({"after": after} if after else {})}).json()
        seen += page["results"]
        after = page["next"]
    assert seen == list(range(10))


def test_a_cursor_that_was_changed_or_belongs_to_another_tenant_is_refused(client: Client) -> None:
    cursor = client.get("/v1/notes?limit=4").json()["next"]
    changed = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    for bad in (changed, cursor + "x", "x", "%F0%9F", "!!", "null"):
        get_error(client.get(f"/v1/notes?after={bad}"), status=400, code="invalid_cursor")
    get_error(make_client().get(f"/v1/notes?after={cursor}"), status=400, code="invalid_cursor")


# --- failures -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("unforeseen", 500, "internal_error"),
        ("cast", 500, "internal_error"),
        ("constraint", 409, "constraint_violated"),
        ("slow", 503, "timeout"),
        ("busy", 503, "user_busy"),
    ],
)
def test_no_failure_tells_what_the_user_said(
    client: Client, caplog: pytest.LogCaptureFixture, how: str, status: int, code: str
) -> None:
    caplog.set_level(logging.DEBUG)
    response = post(client, SECRET.encode(), path=f"/v1/failing/{how}")
    error = get_error(response, status=status, code=code)
    assert "никель" not in response.content.decode()
    if how == "constraint":
        assert error["fields"] == {"tenant_slug_is_lower_case_letters_digits_dashes": "is violated"}
    if status == 500:
        assert error["fields"] == {"request_id": response["X-Request-ID"]}
    if status == 503:
        assert int(response["Retry-After"]) >= 1


def test_a_database_that_is_gone_is_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    def refuse(**_: Any) -> None:
        raise OperationalError(SECRET)

    monkeypatch.setattr("config.api.authentication.get_caller", refuse)
    response = client.get("/v1/notes")
    get_error(response, status=503, code="database_unavailable")
    assert response["Retry-After"]
