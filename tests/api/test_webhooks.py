"""The feed and webhooks over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.tenants.types import Scope
from tests.api.conftest import Caller, get_error
from tests.scripted_receiver import ScriptedReceiver

pytestmark = pytest.mark.django_db
PUBLIC = "https://93.184.215.14/hooks"


def put(api: Caller, **changes: Any) -> Any:
    return api.put("/v1/webhooks/crm", {"url": PUBLIC, "events": ["*"], **changes})


def test_the_feed_tells_what_happened_and_goes_on_from_its_cursor(api: Caller) -> None:
    api.send("my size is M")
    first = api.get("/v1/events").json()
    assert [event["type"] for event in first["results"]] == ["fact.added"]
    assert (first["results"][0]["user_id"], first["results"][0]["user_seq"]) == ("alice", 1)
    again = api.get("/v1/events", after=first["next"]).json()
    assert (again["results"], again["has_more"], again["next"]) == ([], False, first["next"])
    api.send("I am allergic to wool")
    after = api.get("/v1/events", after=first["next"]).json()
    assert [event["user_seq"] for event in after["results"]] == [2]


def test_the_feed_is_paged(api: Caller) -> None:
    for text in ("my size is M", "I am allergic to wool", "I never wear fur"):
        api.send(text)
    cursor, seen = None, []
    for _ in range(3):
        page = api.get("/v1/events", limit=1, **({"after": cursor} if cursor else {})).json()
        seen += [event["user_seq"] for event in page["results"]]
        cursor = page["next"]
    assert seen == [1, 2, 3]
    assert page["has_more"] is False


def test_an_empty_feed_has_no_cursor(api: Caller) -> None:
    assert api.get("/v1/events").json() == {"results": [], "has_more": False, "next": None}


def test_a_cursor_of_another_tenant_or_list_is_refused(api: Caller, other_api: Caller) -> None:
    api.send("my size is M")
    cursor = api.get("/v1/events").json()["next"]
    get_error(other_api.get("/v1/events", after=cursor), 400, "invalid_cursor")
    get_error(api.get("/v1/webhooks", after=cursor), 400, "invalid_cursor")


def test_the_secret_is_shown_when_the_webhook_is_made_and_never_again(api: Caller) -> None:
    made = put(api)
    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    changed = put(api, events=["fact.*"])
    assert (changed.status_code, changed.json()["secret"], changed.json()["events"]) == (200, None, ["fact.*"])
    listed = api.get("/v1/webhooks").json()["results"]
    assert [(row["id"], row["state"]) for row in listed] == [("crm", "active")]
    assert "secret" not in listed[0]
    rotated = api.post("/v1/webhooks/crm/rotate").json()
    assert rotated["secret"] != made.json()["secret"]


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"url": "https://127.0.0.1/"}, "address_refused", "url"),
        ({"url": "http://93.184.215.14/"}, "address_refused", "url"),
        ({"url": "https://169.254.169.254/latest/meta-data"}, "address_refused", "url"),
        ({"url": "https://[::ffff:10.0.0.1]/"}, "address_refused", "url"),
        ({"url": "javascript:alert(1)"}, "address_refused", "url"),
        ({"url": "https://name.invalid/"}, "invalid_request", "url"),
        ({"url": ""}, "invalid_request", "url"),
        ({"events": []}, "invalid_request", "events"),
        ({"events": ["fact.*", "fact.guessed"]}, "invalid_request", "events[1]"),
        ({"events": "fact.*"}, "invalid_request", "events"),
        ({"secret": "whsec_mine"}, "invalid_request", "secret"),
    ],
)
def test_a_bad_webhook_is_refused_and_its_field_named(
    api: Caller, changes: dict[str, Any], code: str, field: str
) -> None:
    assert field in get_error(put(api, **changes), 400, code)
    assert api.get("/v1/webhooks").json()["results"] == []


def test_a_tenant_has_twenty_webhooks_and_no_more(api: Caller, settings: Any) -> None:
    settings.UNDE_TUNING.MAX_WEBHOOKS = 2
    try:
        for name in ("a", "b"):
            assert api.put(f"/v1/webhooks/{name}", {"url": PUBLIC, "events": ["*"]}).status_code == 201
        get_error(api.put("/v1/webhooks/c", {"url": PUBLIC, "events": ["*"]}), 409, "too_many_webhooks")
        assert api.put("/v1/webhooks/a", {"url": PUBLIC, "events": ["fact.*"]}).status_code == 200
    finally:
        settings.UNDE_TUNING.MAX_WEBHOOKS = 20


def test_a_test_is_queued_and_stands_in_the_log(api: Caller, receiver: ScriptedReceiver) -> None:
    put(api, url=receiver.url)
    queued = api.post("/v1/webhooks/crm/test")
    assert queued.status_code == 202
    log = api.get("/v1/webhooks/crm/deliveries").json()["results"]
    assert [(row["id"], row["type"], row["state"]) for row in log] == [
        (queued.json()["delivery_id"], "webhook.test", "waiting")
    ]
    assert api.get("/v1/webhooks/crm/deliveries", state="failed").json()["results"] == []
    assert api.get("/v1/events").json()["results"] == []
    replayed = api.post(f"/v1/webhooks/crm/deliveries/{log[0]['id']}/replay")
    assert replayed.status_code == 202


def test_what_is_not_there_is_not_found(api: Caller, other_api: Caller) -> None:
    put(api)
    delivery = api.post("/v1/webhooks/crm/test").json()["delivery_id"]
    for caller, path in (
        (api, "/v1/webhooks/none/test"),
        (api, "/v1/webhooks/none/rotate"),
        (api, f"/v1/webhooks/crm/deliveries/{'0' * 8}-0000-7000-8000-{'0' * 12}/replay"),
        (other_api, "/v1/webhooks/crm/test"),
        (other_api, f"/v1/webhooks/crm/deliveries/{delivery}/replay"),
    ):
        get_error(caller.post(path), 404, "not_found")
    get_error(other_api.delete("/v1/webhooks/crm"), 404, "not_found")
    assert api.delete("/v1/webhooks/crm").status_code == 204
    get_error(api.get("/v1/webhooks/crm/deliveries"), 404, "not_found")


def test_reading_the_feed_and_changing_webhooks_are_scopes_of_their_own(make_api: Callable[..., Caller]) -> None:
    reader = make_api(Scope.EVENTS_READ)
    assert reader.get("/v1/events").status_code == 200
    get_error(reader.get("/v1/webhooks"), 403, "missing_scope")
    get_error(put(make_api(Scope.WEBHOOKS_READ)), 403, "missing_scope")
