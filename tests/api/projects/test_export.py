"""What a user's project holds leaves with the user: every kind of record, with every word of it (SPEC M-7)."""

import json
from collections.abc import Callable

import pytest

from tests.api.projects.conftest import Project
from tests.caller import Caller

pytestmark = pytest.mark.django_db

RECORDS = {
    "project", "project_thread", "project_fact", "project_decision", "project_artifact", "project_link",
    "project_conflict", "project_question",
}  # fmt: skip
WORDS = (
    "mission-word", "constraint-word", "subject-word", "value-word", "rival-word", "quote-word", "title-word",
    "reason-word", "newer-word", "artifact-word",
)  # fmt: skip


def export(api: Caller, user: str) -> tuple[list[dict[str, object]], str]:
    """The lines of a user's export about projects, and all of it as text."""
    body = b"".join(api.get(f"/v1/users/{user}/export").streaming_content).decode()
    lines = [json.loads(line) for line in body.splitlines()]
    return [line for line in lines if str(line["kind"]).startswith("project")], body


@pytest.fixture
def told(api: Caller, make_project: Callable[..., Project]) -> Project:
    """A project of Alice's own with one record of each kind and a word of its own in each text."""
    api.send("hello", user_id="alice", conversation_id="c-1")
    project = make_project("own", user_id="alice", mission="mission-word", constraints=["constraint-word"])
    api.put(f"{project.path}/threads/c-1", {"user_id": "alice"})
    api.post(f"{project.path}/artifacts", {"id": "a-1", "kind": "doc", "ref": "r", "title": "artifact-word"})
    source = {"type": "document", "ref": "minutes", "quote": "quote-word"}
    project.state("subject-word", "value-word", source=source, exclusive=True)
    project.state("subject-word", "rival-word", source={"type": "document", "ref": "letter"}, exclusive=True)
    first = project.decide("title-word", source=source, description="reason-word", id="d-1")
    second = project.decide("newer-word", id="d-2", supersedes=["d-1"])
    assert first["id"] != second["id"]
    return project


def test_every_kind_of_record_and_every_word_of_it_is_in_the_export(told: Project, api: Caller) -> None:
    lines, text = export(api, "alice")
    assert {line["kind"] for line in lines} == RECORDS
    assert [word for word in WORDS if word not in text] == []
    assert [line["type"] for line in lines if line["kind"] == "project_artifact"] == ["doc"]
    for kind, count in (("project_fact", 2), ("project_decision", 2), ("project_thread", 1), ("project_artifact", 1)):
        assert sum(line["kind"] == kind for line in lines) == count, kind


def test_nobody_else_gets_a_word_of_it(told: Project, api: Caller) -> None:
    api.send("hello", user_id="bob", conversation_id="c-2")
    lines, text = export(api, "bob")
    assert lines == []
    assert [word for word in WORDS if word in text] == []
