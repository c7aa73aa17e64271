"""Contradictions: by rule, both sides kept and linked, a question, a register, resolved by a person or a later fact."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Caller, get_error
from tests.api.projects.conftest import Project

pytestmark = pytest.mark.django_db


def find_open(project: Project) -> list[dict[str, Any]]:
    return project.list("conflicts", state="open")


def test_another_value_of_an_exclusive_subject_contradicts_and_both_stay(project: Project) -> None:
    first = project.state("Launch year", 1969, exclusive=True)["id"]
    second = project.state("launch year", 1970, source="letter")
    assert (second["action"], second["contradicts"]) == ("added", [first])
    facts = project.list("facts")
    assert {fact["value"]: fact["contradicts"] for fact in facts} == {1969: [second["id"]], 1970: [first]}
    conflict = find_open(project)[0]
    assert (conflict["rule"], set(conflict["items"])) == ("exclusive", {first, second["id"]})
    link = project.list("links", kind="contradicts")[0]
    assert (link["from"]["id"], link["to"]["id"]) == (second["id"], first)
    question = project.list("questions", state="open")[0]
    assert (question["conflict_id"], "1969" in question["text"], "1970" in question["text"]) == (
        conflict["id"],
        True,
        True,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The API is public", "The API is not public"),
        ("supports Windows", "does not support Windows"),
        ("enabled", "disabled"),
        (True, False),
        ("поддерживает Windows", "не поддерживает Windows"),
        ("включён по умолчанию", "выключен по умолчанию"),
        ("yes", "no"),
        ("the endpoint isn't stable", "the endpoint is stable"),
    ],
)
def test_a_statement_and_its_opposite_contradict(project: Project, one: Any, other: Any) -> None:
    first = project.state("api", one)["id"]
    assert project.state("api", other)["contradicts"] == [first]
    assert find_open(project)[0]["rule"] == "polarity"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("runs before the build", "does not run after the build"),
        ("C++ is supported", "C is not supported"),
        ("supports Windows", "supports Linux"),
        ("not tested on v1.1", "tested on v1.10"),
        ("10", "20"),
    ],
)
def test_statements_that_can_both_be_so_do_not_contradict(project: Project, one: str, other: str) -> None:
    project.state("api", one)
    assert project.state("api", other)["contradicts"] == []
    assert find_open(project) == []


def test_values_of_different_times_do_not_contradict(project: Project) -> None:
    march, may = "2024-03-01T00:00:00Z", "2024-05-01T00:00:00Z"
    project.state("lead", "Ann", exclusive=True, valid_from=march, valid_to=may)
    assert project.state("lead", "Bob", exclusive=True, valid_from=may)["contradicts"] == []


def test_a_person_resolves_and_the_refuted_stays_refuted(project: Project, api: Caller) -> None:
    first = project.state("fuel", "hydrogen", exclusive=True)["id"]
    second = project.state("fuel", "kerosene")["id"]
    path = f"{project.path}/conflicts/{find_open(project)[0]['id']}/resolve"
    get_error(api.post(path, {"keep": "other"}), 400, "invalid_request")
    answer = api.post(path, {"keep": first, "reason": "asked the engineers"}).json()
    assert [(fact["id"], fact["status"]) for fact in answer["facts"]] == [(first, "active"), (second, "refuted")]
    assert (answer["conflict"]["resolution"], answer["conflict"]["reason"]) == ("person", "asked the engineers")
    assert api.post(path, {"keep": first}).status_code == 200
    get_error(api.post(path, {"keep": second}), 409, "conflict_resolved")
    assert [fact["value"] for fact in project.list("facts")] == ["hydrogen"]
    assert project.list("links", kind="contradicts") != [] and project.list("questions", state="open") == []
    # Said again without anything new it is still refuted; with a later source it is a contradiction again.
    assert project.state("fuel", "kerosene", source=None)["action"] == "refuted"
    later = {"type": "document", "ref": "new test", "date": "2999-01-01"}
    assert project.state("fuel", "kerosene", source=later)["contradicts"] == [first]


def test_a_later_sourced_fact_resolves(project: Project) -> None:
    old, later = ({"type": "document", "ref": name, "date": date} for name, date in (
        ("old", "2024-01-01"), ("later", "2024-06-01")
    ))  # fmt: skip
    first = project.state("fuel", "hydrogen", source=old, exclusive=True)["id"]
    second = project.state("fuel", "kerosene", source={**old, "ref": "other"})["id"]
    assert (
        project.state("fuel", "kerosene", source={**old, "ref": "third", "date": "2023-01-01"})["action"] == "renewed"
    )
    assert len(find_open(project)) == 1
    project.state("fuel", "kerosene", source=later)
    conflict = project.list("conflicts")[0]
    assert (conflict["state"], conflict["resolution"], conflict["kept"]) == ("resolved", "later_fact", second)
    assert {fact["id"]: fact["status"] for fact in project.list("facts", state="all")} == {
        first: "refuted", second: "active"
    }  # fmt: skip


def test_a_new_version_that_agrees_closes_the_contradiction(project: Project) -> None:
    project.state("fuel", "hydrogen", id="a", exclusive=True)
    project.state("fuel", "kerosene", id="b")
    project.state("fuel", "hydrogen", id="b", source="correction")
    assert [(each["state"], each["resolution"]) for each in project.list("conflicts")] == [("resolved", "changed")]


def test_two_decisions_of_one_title_contradict_unless_one_supersedes(project: Project, api: Caller) -> None:
    project.decide("Choice of fuel", id="a")
    assert project.decide("choice of fuel.", id="b")["contradicts"] == ["a"]
    conflict = find_open(project)[0]
    assert (conflict["kind"], conflict["rule"]) == ("decision", "title")
    project.decide("choice of fuel.", id="b", supersedes=["a"])
    assert [each["resolution"] for each in project.list("conflicts")] == ["superseded"]
    project.decide("Choice of fuel", id="c")
    path = f"{project.path}/conflicts/{find_open(project)[0]['id']}/resolve"
    answer = api.post(path, {"keep": "c"}).json()
    assert [(each["id"], each["state"]) for each in answer["decisions"]] == [("c", "accepted"), ("b", "rejected")]
