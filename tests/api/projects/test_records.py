"""Records of projects over the API: sources, versions, both times, states of decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.tenants.types import Scope
from tests.api.conftest import Caller, get_error
from tests.api.projects.conftest import Project

pytestmark = pytest.mark.django_db


def day(number: int, month: int = 3, year: int = 2024) -> str:
    return datetime(year, month, number, tzinfo=UTC).isoformat()


def get_values(facts: list[dict[str, Any]]) -> dict[str, Any]:
    return {fact["subject"]: fact["value"] for fact in facts}


def test_a_project_is_made_once_and_changed_by_patch(api: Caller, project: Project) -> None:
    again = api.post("/v1/projects", {"id": "apollo", "name": "Apollo", "mission": "Land on the moon"})
    assert (again.status_code, again.json()["version"]) == (200, 1)
    get_error(api.post("/v1/projects", {"id": "apollo", "name": "Other"}), 409, "conflict")
    before = datetime.now(UTC).isoformat()
    changed = api.patch(project.path, {"mission": "Land on Mars", "status": "paused"}).json()
    assert (changed["mission"], changed["status"], changed["version"]) == ("Land on Mars", "paused", 2)
    assert api.get(project.path, known_at=before).json()["mission"] == "Land on the moon"
    get_error(api.get("/v1/projects/gemini"), 404, "not_found")


def test_a_statement_without_a_source_is_a_hypothesis_until_one_comes(project: Project) -> None:
    first = project.state("Engine", "needs a new valve", source=None)
    assert (first["action"], first["level"]) == ("stored_as_hypothesis", "hypothesis")
    second = project.state("engine", "Needs a new valve.", source="test report")
    assert (second["id"], second["action"], second["level"], second["version"]) == (first["id"], "renewed", "fact", 2)
    fact = project.list("facts")[0]
    assert [source["ref"] for source in fact["sources"]] == ["test report"]
    third = project.state("engine", "needs a new valve", source="second report")
    assert (third["action"], third["version"]) == ("renewed", 2)
    assert [source["ref"] for source in project.list("facts")[0]["sources"]] == ["test report", "second report"]


def test_the_same_id_is_a_new_version_and_both_times_answer(project: Project) -> None:
    project.state("crew", 3, id="crew", valid_from=day(1))
    between = datetime.now(UTC).isoformat()
    changed = project.state("crew", 4, id="crew", valid_from=day(10))
    assert (changed["action"], changed["version"]) == ("changed", 2)
    assert get_values(project.list("facts")) == {"crew": 4}
    # What was so then, as it is known now; what was thought; what was thought of then.
    assert get_values(project.list("facts", as_of=day(5))) == {"crew": 3}
    assert get_values(project.list("facts", as_of=day(12))) == {"crew": 4}
    assert get_values(project.list("facts", as_of=day(12), known_at=between)) == {"crew": 3}
    assert project.list("facts", as_of=day(1, month=2)) == []


def test_what_has_ended_is_not_what_holds(project: Project) -> None:
    project.state("launch pad", "39A", valid_from=day(1), valid_to=day(9))
    assert project.list("facts") == []
    assert get_values(project.list("facts", as_of=day(3))) == {"launch pad": "39A"}
    assert [fact["valid_to"] for fact in project.list("facts", state="ended")] == ["2024-03-09T00:00:00Z"]


def test_facts_are_listed_by_what_they_name_and_who_said_it(project: Project) -> None:
    trusted = {"type": "url", "ref": "https://example.com", "authority": 0.9, "date": "2024-03-02"}
    project.state("Двигатель", "прошёл испытания", source=trusted)
    project.state("valve", "arrives in May", level="interpretation")
    assert get_values(project.list("facts", entity="двигателя")) == {"Двигатель": "прошёл испытания"}
    assert get_values(project.list("facts", authority=0.8)) == {"Двигатель": "прошёл испытания"}
    assert get_values(project.list("facts", level="interpretation")) == {"valve": "arrives in May"}
    assert get_values(project.list("facts", to=day(3))) == {"Двигатель": "прошёл испытания"}
    pages = [project.api.get(f"{project.path}/facts", limit=1).json()]
    pages.append(project.api.get(f"{project.path}/facts", limit=1, after=pages[0]["next"]).json())
    assert [len(page["results"]) for page in pages] == [1, 1] and pages[1]["next"] is None


def test_a_quotation_of_a_message_is_a_place_in_it(project: Project, api: Caller) -> None:
    message = api.send("We tested it. The pump failed twice on Monday.").json()["id"]
    source = {"type": "message", "ref": message, "quote": "The pump failed twice"}
    project.state("pump", "failed twice", source=source)
    fields = {"facts": [{"subject": "a", "value": 1, "source": {**source, "quote": "the pump exploded"}}]}
    get_error(api.post(f"{project.path}/facts", fields), 422, "quote_not_found")
    unknown = {"facts": [{"subject": "a", "value": 1, "source": {"type": "message", "ref": "m-1"}}]}
    assert get_error(api.post(f"{project.path}/facts", unknown), 422, "unknown_source") == {
        "facts[0].source.ref": "is no message that this project may cite"
    }
    # The project is shared and the thread is not: what Alice said is quoted to nobody.
    assert [source["quote"] for source in project.list("facts")[0]["sources"]] == [None]
    assert api.put(f"{project.path}/threads/c-1", {"user_id": "alice", "shared": True}).status_code == 200
    assert [source["quote"] for source in project.list("facts")[0]["sources"]] == ["The pump failed twice"]


def test_what_the_assistant_said_proves_nothing(project: Project, api: Caller) -> None:
    message = api.send("The pump is made of steel.", role="assistant").json()["id"]
    stored = project.state("pump", "made of steel", source={"type": "message", "ref": message})
    assert (stored["action"], stored["level"]) == ("stored_as_hypothesis", "hypothesis")


def test_a_project_of_a_user_takes_messages_of_that_user_alone(
    make_project: Callable[..., Project], api: Caller
) -> None:
    own = make_project("own", user_id="alice")
    other = api.send("My pump is green", user_id="bob").json()["id"]
    body = {"facts": [{"subject": "pump", "value": "green", "source": {"type": "message", "ref": other}}]}
    get_error(api.post(f"{own.path}/facts", body), 422, "unknown_source")
    get_error(api.put(f"{own.path}/threads/c-9", {"user_id": "bob"}), 409, "conflict")
    assert [each["id"] for each in api.get("/v1/projects", user_id="bob").json()["results"]] == []


def test_a_decision_goes_through_its_states_and_no_others(project: Project, api: Caller) -> None:
    decision = project.decide("Use liquid fuel", id="d-1", decided_at=day(1), state="proposed")
    path = "/v1/decisions/d-1/state"
    assert decision["state"] == "proposed"
    assert api.post(path, {"state": "accepted", "at": day(5)}).json()["state"] == "accepted"
    assert api.post(path, {"state": "accepted", "at": day(6)}).json()["history"][-1]["at"] == "2024-03-05T00:00:00Z"
    assert api.post(path, {"state": "implemented", "at": day(9)}).json()["state"] == "implemented"
    get_error(api.post(path, {"state": "accepted", "at": day(10)}), 409, "invalid_transition")
    get_error(api.post(path, {"state": "rejected", "at": day(6)}), 409, "invalid_transition")
    assert [project.list("decisions", as_of=day(n))[0]["state"] for n in (2, 7, 20)] == [
        "proposed", "accepted", "implemented"
    ]  # fmt: skip
    assert project.list("decisions", as_of=day(20, month=2)) == []
    assert [state["state"] for state in project.list("decisions")[0]["history"]] == [
        "proposed", "accepted", "implemented"
    ]  # fmt: skip


def test_a_decision_without_a_source_is_a_proposal(project: Project, api: Caller) -> None:
    decision = project.decide("Paint it red", source=None, id="red", state="accepted")
    assert (decision["state"], decision["source"]) == ("proposed", None)
    get_error(api.post("/v1/decisions/red/state", {"state": "accepted"}), 422, "source_required")
    accepted = api.post(
        "/v1/decisions/red/state", {"state": "accepted", "source": {"type": "document", "ref": "minutes"}}
    )
    assert accepted.json()["state"] == "accepted"


def test_a_decision_that_supersedes_closes_the_other_from_its_date_on(project: Project, api: Caller) -> None:
    project.decide("Use liquid fuel", id="old", decided_at=day(1))
    api.post("/v1/decisions/old/state", {"state": "implemented", "at": day(12)})
    newer = project.decide("Use solid fuel", id="new", decided_at=day(10), supersedes=["old"])
    assert newer["supersedes"] == ["old"]
    states = {n: {each["id"]: each["state"] for each in project.list("decisions", as_of=day(n))} for n in (5, 11, 20)}
    assert states == {
        5: {"old": "accepted"},
        11: {"old": "superseded", "new": "accepted"},
        20: {"old": "superseded", "new": "accepted"},
    }
    old = project.list("decisions", state="superseded")[0]
    assert (old["superseded_by"], old["state_since"]) == ("new", "2024-03-10T00:00:00Z")
    link = project.list("links", kind="refines")[0]
    assert (link["from"]["id"], link["to"]["id"], link["supersedes"]) == ("new", "old", True)
    get_error(api.post("/v1/decisions/old/state", {"state": "verified", "at": day(21)}), 409, "invalid_transition")
    circle = {"title": "Use solid fuel", "id": "old", "supersedes": ["new"]}
    get_error(api.post(f"{project.path}/decisions", circle), 400, "invalid_request")


def test_a_proposal_supersedes_nothing_before_it_is_accepted(project: Project, api: Caller) -> None:
    project.decide("Use liquid fuel", id="old", decided_at=day(1))
    project.decide("Use solid fuel", id="new", decided_at=day(10), state="proposed", supersedes=["old"])
    assert project.list("decisions", as_of=day(11))[0]["state"] == "accepted"
    api.post("/v1/decisions/new/state", {"state": "accepted", "at": day(15)})
    assert [project.list("decisions", as_of=day(n))[0]["state"] for n in (11, 16)] == ["accepted", "superseded"]


def test_a_bare_id_that_two_projects_have_needs_the_project(make_project: Callable[..., Project], api: Caller) -> None:
    for name in ("one", "two"):
        make_project(name).decide("Same", id="d")
    get_error(api.post("/v1/decisions/d/state", {"state": "implemented"}), 409, "ambiguous_id")
    answer = api.post("/v1/decisions/d/state", {"state": "implemented", "project_id": "two"})
    assert (answer.status_code, answer.json()["project_id"]) == (200, "two")


def test_links_and_artifacts_are_stored_once(project: Project, api: Caller) -> None:
    artifact = {"id": "plan", "kind": "doc", "ref": "plan.md", "title": "The plan"}
    assert [api.post(f"{project.path}/artifacts", artifact).status_code for _ in range(2)] == [201, 200]
    assert api.post(f"{project.path}/artifacts", {**artifact, "title": "A plan"}).json()["version"] == 2
    fact = project.state("plan", "is ready", source={"type": "artifact", "ref": "plan"})["id"]
    link = {
        "from": {"type": "fact", "id": fact}, "to": {"type": "artifact", "id": "plan"}, "kind": "depends", "weight": 0.5
    }  # fmt: skip
    assert [api.post(f"{project.path}/links", link).status_code for _ in range(2)] == [201, 200]
    assert api.post(f"{project.path}/links", {**link, "weight": 0.7}).status_code == 201
    assert [each["weight"] for each in project.list("links")] == [0.7]
    assert [each["weight"] for each in project.list("links", type="artifact", id="plan")] == [0.7]
    gone = {**link, "to": {"type": "decision", "id": "plan"}}
    assert get_error(api.post(f"{project.path}/links", gone), 400, "invalid_request") == {
        "to.id": "is no decision of this project"
    }


def test_the_timeline_tells_what_held_from_when(project: Project, api: Caller) -> None:
    project.decide("Use liquid fuel", id="d", decided_at=day(3))
    project.state("crew", 3, id="f", valid_from=day(1))
    api.post("/v1/decisions/d/state", {"state": "implemented", "at": day(8)})
    events = [(each["event"], each["id"]) for each in project.list("timeline", to=day(20))]
    assert events == [("fact_added", "f"), ("decision_accepted", "d"), ("decision_implemented", "d")]
    first = project.api.get(f"{project.path}/timeline", limit=2).json()
    rest = project.api.get(f"{project.path}/timeline", limit=9, after=first["next"]).json()["results"]
    assert [each["event"] for each in rest] == ["decision_implemented", "project_active"]


def test_a_key_needs_the_scope_of_projects(make_api: Callable[..., Caller]) -> None:
    reader = make_api(Scope.PROJECTS_READ)
    assert reader.get("/v1/projects").status_code == 200
    assert get_error(reader.post("/v1/projects", {"name": "x"}), 403, "missing_scope") == {"scope": "projects:write"}
    get_error(make_api(Scope.READ).get("/v1/projects"), 403, "missing_scope")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"subject": "a", "value": 1, "valid_from": day(2), "valid_to": day(1)}, "facts[0].valid_to"),
        ({"subject": "a", "value": 1, "valid_from": "0001-01-01T00:00:00+14:00"}, "facts[0].valid_from"),
        ({"subject": "a", "value": 1, "source": {"type": "url", "ref": "x", "date": "soon"}}, "facts[0].source.date"),
        ({"subject": "", "value": 1}, "facts[0].subject"),
    ],
)
def test_odd_statements_are_refused_by_field(project: Project, body: dict[str, Any], field: str) -> None:
    assert list(get_error(project.api.post(f"{project.path}/facts", {"facts": [body]}), 400, "invalid_request")) == [
        field
    ]


def test_numbers_versions_and_signs_are_told_apart(project: Project) -> None:
    project.state("release", "1.10")
    assert project.state("release", "1.1")["action"] == "added"
    assert project.state("language", "C")["action"] == "added"
    assert project.state("language", "C++")["action"] == "added"
    first = project.state("seats", 10)
    assert project.state("seats", "10")["id"] == project.state("seats", 10.0)["id"] == first["id"]


def test_times_come_back_as_they_were_meant(project: Project) -> None:
    dubai = (datetime(2024, 3, 1, tzinfo=UTC) + timedelta(hours=4)).isoformat().replace("+00:00", "+04:00")
    project.state("clock", "set", valid_from=dubai)
    assert project.list("facts")[0]["valid_from"] == "2024-03-01T00:00:00Z"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/projects", {"name": "Harbour"}),
        ("/v1/projects/{id}/decisions", {"title": "Use steel"}),
        ("/v1/projects/{id}/artifacts", {"kind": "doc", "ref": "plans/1.pdf", "title": "Plan"}),
    ],
)
def test_what_names_no_id_is_made_once_under_an_idempotency_key(
    api: Caller, project: Project, path: str, body: dict[str, Any]
) -> None:
    path = path.replace("{id}", project.id)

    def post(key: str, **more: Any) -> Any:
        return api.client.post(
            path, {**body, **more}, content_type="application/json", headers={"Idempotency-Key": key}
        )

    answers = [post(key) for key in ("k-1", "k-1", "k-2")]
    assert [answer.status_code for answer in answers] == [201, 200, 201]
    ids = [answer.json()["id"] for answer in answers]
    assert (ids[0] == ids[1], ids[0] == ids[2]) == (True, False)
    assert answers[1].json()["version"] == 1
    assert post("k-1", id="own").json()["id"] == "own"
    get_error(post("a b"), 400, "invalid_request")


def test_users_whose_keys_are_for_them_alone_do_not_meet_under_one_idempotency_key(api: Caller) -> None:
    ids = set()
    for user in ("alice", "bob"):
        key = api.post(f"/v1/users/{user}/keys", {"scopes": ["projects:read", "projects:write"]}).json()["key"]
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "1"}
        body = {"name": "Mine", "user_id": user}
        for status in (201, 200):
            answer = api.client.post("/v1/projects", body, content_type="application/json", headers=headers)
            assert answer.status_code == status, answer.content
            ids.add(answer.json()["id"])
    assert len(ids) == 2
