"""Facts over HTTP: listed with evidence, set, explained, confirmed, disputed, retracted."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.tenants.types import Scope
from tests.api.conftest import Caller, get_error


def put(api: Caller, *facts: dict[str, Any], user: str = "alice") -> Any:
    return api.put(f"/v1/users/{user}/facts", {"facts": [{"source": "explicit", **fact} for fact in facts]})


def list_facts(api: Caller, user: str = "alice", **query: Any) -> list[dict[str, Any]]:
    return api.get(f"/v1/users/{user}/facts", **query).json()["results"]


def test_onboarding_facts_need_no_evidence_and_make_the_user(api: Caller):
    response = put(
        api,
        {"knowledge_type": "body_params", "value": "m", "source": "onboarding"},
        {"knowledge_type": "allergy", "value": "Nickel"},
        {"knowledge_type": "budget", "value": "300-500"},
        {"knowledge_type": "onboarding_style", "value": {"style": "minimalist"}, "source": "onboarding"},
    )
    assert response.status_code == 200
    assert [(f["knowledge_key"], f["value"], f["action"]) for f in response.json()["facts"]] == [
        ("size", "M", "added"),
        ("nickel", "nickel", "added"),
        ("general", "300-500", "added"),
        ("general", {"style": "minimalist"}, "added"),
    ]
    first = list_facts(api)[0]
    assert (first["extracted_from"], first["evidence_message_ids"], first["provenance"]) == (
        "onboarding",
        [],
        "confirmed_by_user",
    )


def test_an_event_without_a_date_expires_after_thirty_days(api: Caller):
    (fact,) = put(api, {"knowledge_type": "life_event", "value": "wedding", "knowledge_key": "wedding_sister"}).json()[
        "facts"
    ]
    days = timezone.datetime.fromisoformat(fact["expires_at"]) - timezone.now()
    assert timedelta(days=29) < days < timedelta(days=32)


@pytest.mark.parametrize(
    ("fact", "code", "field"),
    [
        ({"knowledge_type": "color_preferences", "value": "beige"}, "soft_type", "facts[0].knowledge_type"),
        ({"knowledge_type": "brand_preference", "value": "zara"}, "invalid_request", "facts[0].knowledge_type"),
        ({"knowledge_type": "body_params", "value": "huge"}, "invalid_request", "facts[0].value"),
        ({"knowledge_type": "body_params", "knowledge_key": "height", "value": "tall"}, "invalid_request", "facts[0].value"),
        ({"knowledge_type": "budget", "value": "a lot"}, "invalid_request", "facts[0].value"),
        ({"knowledge_type": "allergy", "value": ""}, "invalid_request", "facts[0].value"),
        ({"knowledge_type": "allergy", "value": None}, "invalid_request", "facts[0].value"),
        ({"knowledge_type": "allergy", "value": "wool", "expires_at": "2030-01-01T00:00:00+00:00"}, "invalid_request", "facts[0].expires_at"),
        ({"knowledge_type": "allergy", "value": "wool", "source": "gossip"}, "invalid_request", "facts[0].source"),
        ({"knowledge_type": "allergy", "value": "wool", "knowledge_key": ""}, "invalid_request", "facts[0].knowledge_key"),
    ],
)  # fmt: skip
def test_a_fact_that_does_not_fit_is_named_and_none_is_written(
    api: Caller, fact: dict[str, Any], code: str, field: str
):
    assert field in get_error(put(api, fact, {"knowledge_type": "budget", "value": 5}), 400, code)
    get_error(api.get("/v1/users/alice/facts"), 404, "user_not_found")


def test_facts_carry_their_evidence_and_their_rule(api: Caller):
    message = api.send("у меня аллергия на шерсть").json()
    (fact,) = list_facts(api)
    assert fact["evidence_message_ids"] == [message["id"]]
    assert (fact["extracted_from"], fact["confidence"], fact["is_disputed"]) == ("instant_pattern", 0.95, False)
    assert fact["rule"]
    assert fact["rule_version"] >= 1


def test_a_timeline_tells_every_version_with_the_words_behind_it(api: Caller):
    api.send("Здравствуйте!")
    api.send("мой размер S")
    last = api.send("мой размер теперь M").json()["facts"][0]["id"]
    timeline = api.get(f"/v1/facts/{last}/timeline").json()
    assert [v["fact"]["value"] for v in timeline["results"]] == ["S", "M"]
    assert timeline["results"][0]["fact"]["superseded_by"] == last
    (evidence,) = timeline["results"][0]["evidence"]
    assert evidence["excerpt"] == "мой размер S"
    assert [near["text"] for near in evidence["span"]] == ["Здравствуйте!", "мой размер теперь M"]


def test_as_of_shows_what_held_then(api: Caller):
    early, late = timezone.now() - timedelta(days=20), timezone.now() - timedelta(days=10)
    api.send("мой размер S", created_at=early.isoformat())
    api.send("мой размер M", created_at=late.isoformat())
    moment = (early + timedelta(days=1)).isoformat()
    assert [f["value"] for f in list_facts(api, as_of=moment)] == ["S"]
    assert [f["value"] for f in list_facts(api)] == ["M"]
    assert list_facts(api, as_of=(early - timedelta(days=1)).isoformat()) == []


def test_as_of_includes_what_was_closed_by_then_when_asked(api: Caller):
    days = [timezone.now() - timedelta(days=ago) for ago in (30, 20, 10)]
    for size, day in zip(("S", "M", "L"), days, strict=True):
        api.send(f"my size is {size}", created_at=day.isoformat())
    moment = (days[1] + timedelta(days=1)).isoformat()
    old, held = list_facts(api, as_of=moment, include="inactive")
    assert (old["value"], old["is_active"], old["superseded_by"]) == ("S", False, held["id"])
    # Nothing of what came later: the size M was still the one in force.
    assert (held["value"], held["is_active"], held["invalid_at"], held["superseded_by"]) == ("M", True, None, None)
    assert [f["value"] for f in list_facts(api, as_of=moment)] == ["M"]


def test_as_of_is_paged_like_every_list(api: Caller):
    for thing in ("wool", "nickel", "latex", "mohair", "silk"):
        api.send(f"I am allergic to {thing}", created_at=(timezone.now() - timedelta(days=5)).isoformat())
    moment, seen, after = (timezone.now() - timedelta(days=1)).isoformat(), [], None
    while True:
        page = api.get("/v1/users/alice/facts", as_of=moment, limit=2, **({"after": after} if after else {})).json()
        assert len(page["results"]) <= 2
        seen += [fact["value"] for fact in page["results"]]
        after = page["next"]
        if after is None:
            break
    assert seen == ["wool", "nickel", "latex", "mohair", "silk"]


def test_facts_are_filtered_by_type_and_paged(api: Caller):
    put(api, *({"knowledge_type": "allergy", "value": v} for v in ("wool", "nickel", "latex")))
    put(api, {"knowledge_type": "budget", "value": 700})
    assert [f["value"] for f in list_facts(api, knowledge_type="budget")] == [700]
    page = api.get("/v1/users/alice/facts", limit=3).json()
    rest = api.get("/v1/users/alice/facts", limit=3, after=page["next"]).json()
    assert [f["value"] for f in page["results"] + rest["results"]] == ["wool", "nickel", "latex", 700]


def test_dispute_confirm_retract(api: Caller):
    fact_id = api.send("у меня аллергия на шерсть").json()["facts"][0]["id"]
    assert api.post(f"/v1/facts/{fact_id}/dispute").json()["is_disputed"] is True
    assert (
        api.post(f"/v1/facts/{fact_id}/confirm", {"reason": "she said so on the phone"}).json()["is_disputed"] is False
    )
    retracted = api.post(f"/v1/facts/{fact_id}/retract").json()
    assert (retracted["is_active"], retracted["invalid_at"] is not None) == (False, True)
    assert list_facts(api) == []
    assert [f["id"] for f in list_facts(api, include="inactive")] == [fact_id]
    get_error(api.post(f"/v1/facts/{fact_id}/confirm"), 409, "fact_inactive")


def test_an_action_on_an_unknown_fact_or_message_is_refused(api: Caller):
    unknown = "01900000-0000-7000-8000-000000000000"
    get_error(api.post(f"/v1/facts/{unknown}/confirm"), 404, "not_found")
    get_error(api.get(f"/v1/facts/{unknown}/timeline"), 404, "not_found")
    fact_id = put(api, {"knowledge_type": "budget", "value": 5}).json()["facts"][0]["id"]
    assert "message_id" in get_error(
        api.post(f"/v1/facts/{fact_id}/dispute", {"message_id": unknown}), 400, "invalid_request"
    )
    assert list_facts(api)[0]["is_disputed"] is False


def test_what_a_message_taught_is_in_the_very_next_pack(api: Caller):
    api.send("не ношу мех")
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "пальто на зиму"}).json()
    assert [(f["knowledge_type"], f["value"]) for f in pack["facts"]] == [("hard_ban", "fur")]


def test_another_tenant_can_not_see_or_touch_a_fact(api: Caller, other_api: Caller):
    fact_id = api.send("у меня аллергия на шерсть").json()["facts"][0]["id"]
    for verb in ("confirm", "dispute", "retract"):
        get_error(other_api.post(f"/v1/facts/{fact_id}/{verb}"), 404, "not_found")
    get_error(other_api.get(f"/v1/facts/{fact_id}/timeline"), 404, "not_found")
    get_error(other_api.get("/v1/users/alice/facts"), 404, "user_not_found")
    assert len(list_facts(api)) == 1


def test_each_verb_needs_its_scope(make_api: Any):
    reader = make_api(Scope.READ)
    get_error(put(reader, {"knowledge_type": "budget", "value": 5}), 403, "missing_scope")
    get_error(reader.send("hello"), 403, "missing_scope")
    writer = make_api(Scope.WRITE)
    assert writer.send("hello").status_code == 201
    get_error(writer.get("/v1/users/alice/facts"), 403, "missing_scope")


def test_a_fact_gets_another_value_and_is_closed_where_people_look_for_it(api: Caller) -> None:
    event = {"knowledge_type": "life_event", "value": "wedding", "expires_at": "2031-05-01T00:00:00+04:00"}
    added = put(
        api, {"knowledge_type": "body_params", "value": "M"}, {"knowledge_type": "allergy", "value": "wool"}, event
    )
    size, wool, wedding = (fact["id"] for fact in added.json()["facts"])
    smaller = api.patch(f"/v1/facts/{size}", {"value": " S "}).json()
    assert (smaller["knowledge_key"], smaller["value"], smaller["is_active"]) == ("size", "S", True)
    assert api.get(f"/v1/facts/{size}").json()["superseded_by"] == smaller["id"]
    # The value of an allergy is its key: the former one is not what the person has.
    nickel = api.patch(f"/v1/facts/{wool}", {"value": "nickel"}).json()
    assert [fact["value"] for fact in list_facts(api)] == ["wedding", "S", "nickel"]
    moved = api.patch(f"/v1/facts/{wedding}", {"value": "wedding", "expires_at": "2031-06-01T00:00:00+04:00"}).json()
    assert moved["expires_at"].startswith("2031-06-01")
    assert "value" in get_error(api.patch(f"/v1/facts/{smaller['id']}", {"value": "huge"}), 400, "invalid_request")
    assert "value" in get_error(api.patch(f"/v1/facts/{nickel['id']}", {"value": ""}), 400, "invalid_request")
    assert api.get(f"/v1/facts/{nickel['id']}").json()["is_active"], "refused: nothing of it was done"
    closed = api.client.delete(f"/v1/facts/{smaller['id']}")
    assert (closed.status_code, closed.json()["is_active"]) == (200, False)
    for again in (api.client.delete(f"/v1/facts/{smaller['id']}"), api.patch(f"/v1/facts/{size}", {"value": "L"})):
        get_error(again, 409, "fact_inactive")


def test_changing_a_fact_needs_the_scope_of_facts(api: Caller, make_api: Any) -> None:
    fact_id = put(api, {"knowledge_type": "body_params", "value": "M"}).json()["facts"][0]["id"]
    reader = make_api(Scope.READ)
    get_error(reader.client.delete(f"/v1/facts/{fact_id}"), 403, "missing_scope")
    get_error(reader.patch(f"/v1/facts/{fact_id}", {"value": "S"}), 403, "missing_scope")


def test_a_misspelt_type_is_refused_and_is_no_empty_list(api: Caller) -> None:
    put(api, {"knowledge_type": "allergy", "value": "nickel"})
    error = get_error(api.get("/v1/users/alice/facts", knowledge_type="allergies"), status=400, code="invalid_request")
    assert list(error) == ["knowledge_type"]
    assert [fact["value"] for fact in list_facts(api, knowledge_type="allergy")] == ["nickel"]


def test_a_query_parameter_that_a_call_does_not_take_is_named_and_nothing_is_done(api: Caller) -> None:
    path = "/v1/users/alice/facts?dry_run=true"
    refused = api.put(path, {"facts": [{"knowledge_type": "allergy", "value": "nickel", "source": "explicit"}]})
    error = get_error(refused, status=400, code="invalid_request")
    assert error == {"dry_run": "is not a field of this request"}
    get_error(api.get("/v1/users/alice/facts"), status=404, code="user_not_found")
