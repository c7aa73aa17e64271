"""Episodes over HTTP: the list and its filters, unpacking, keeping, closing (API.md)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.episodes.models import Episode, EpisodeAccess
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.caller import Caller, get_error
from tests.unit.memory.episodes.talks import DRESS, TRIP

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(api: Caller) -> Caller:
    began = timezone.now() - timedelta(hours=2)
    for place, text in enumerate((*TRIP, *DRESS)):
        role = "user" if text.startswith("u:") else "assistant"
        api.send(text[2:].strip(), role=role, created_at=(began + timedelta(minutes=place)).isoformat())
    assert api.post("/v1/users/alice/episodes/close").json() == {"episodes": 2}
    return api


def list_of(api: Caller, **query: Any) -> list[dict[str, Any]]:
    return api.get("/v1/users/alice/episodes", **query).json()["results"]


def test_episodes_come_newest_first_and_in_pages(told: Caller) -> None:
    dress, trip = list_of(told)
    assert [dress["headline"], trip["headline"]] == [DRESS[0][3:], TRIP[0][3:]]
    assert dress["decisions"][0]["reason"] == "It hides stains, because it is dark."
    assert dress["conversation_id"] == "c-1"
    page = told.get("/v1/users/alice/episodes", limit=1).json()
    assert page["results"] == [dress]
    assert list_of(told, limit=1, after=page["next"]) == [trip]
    assert told.get(f"/v1/episodes/{trip['id']}").json() == trip


def test_the_list_is_filtered_by_layer_conversation_and_time(told: Caller) -> None:
    dress, trip = list_of(told)
    assert list_of(told, layer="cold") == []
    assert list_of(told, conversation_id="c-1", layer="hot") == [dress, trip]
    get_error(told.get("/v1/users/alice/episodes", conversation_id="c-9"), 404, "not_found")
    assert list_of(told, **{"from": dress["started_at"]}) == [dress]
    assert list_of(told, to=trip["ended_at"]) == [trip]


def test_a_cold_one_has_no_summary_and_no_key_points(told: Caller, tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        Episode.objects.update(layer="cold")
    episode = list_of(told)[0]
    assert (episode["summary"], episode["key_points"]) == ([], [])
    assert episode["headline"]
    assert episode["message_ids"]


def test_unpacking_answers_the_messages_and_notes_an_access_that_changes_nothing_yet(
    told: Caller, tenant: TenantRef
) -> None:
    before = list_of(told)[1]
    for _ in range(2):
        answer = told.post(f"/v1/episodes/{before['id']}/unpack").json()
    assert [message["content"] for message in answer.pop("messages")] == [text[2:].strip() for text in TRIP]
    assert answer == before == list_of(told)[1]
    with tenant_scope(tenant.id):
        assert EpisodeAccess.objects.get().accesses == 2


def test_an_anchor_is_set_and_taken_back(told: Caller) -> None:
    path = f"/v1/episodes/{list_of(told)[0]['id']}/anchor"
    assert told.post(path, {"is_anchor": True}).json()["anchored_by"] == ["kept"]
    assert told.post(path, {"is_anchor": False}).json()["is_anchor"] is False


def test_closing_one_conversation_leaves_the_others_running(api: Caller) -> None:
    api.send("I need a hotel in Lisbon", conversation_id="c-1")
    api.send("I need a dress for a wedding", conversation_id="c-2")
    assert api.post("/v1/users/alice/episodes/close", {"conversation_id": "c-2"}).json() == {"episodes": 1}
    assert [each["conversation_id"] for each in list_of(api)] == ["c-2"]
    assert api.post("/v1/users/alice/episodes/close").json() == {"episodes": 1}
    assert api.post("/v1/users/alice/episodes/close").json() == {"episodes": 0}


def test_strangers_and_keys_without_the_scope_get_nothing(
    told: Caller, other_api: Caller, make_api: Callable[..., Caller]
) -> None:
    episode_id = list_of(told)[0]["id"]
    for path in (f"/v1/episodes/{episode_id}/unpack", f"/v1/episodes/{episode_id}/anchor"):
        get_error(other_api.post(path, {"is_anchor": True} if "anchor" in path else None), 404, "episode_not_found")
    get_error(other_api.get(f"/v1/episodes/{episode_id}"), 404, "episode_not_found")
    reader = make_api(Scope.EPISODES_READ)
    assert reader.get(f"/v1/episodes/{episode_id}").status_code == 200
    get_error(reader.post(f"/v1/episodes/{episode_id}/anchor", {"is_anchor": True}), 403, "missing_scope")
    get_error(make_api(Scope.READ).get(f"/v1/episodes/{episode_id}"), 403, "missing_scope")
