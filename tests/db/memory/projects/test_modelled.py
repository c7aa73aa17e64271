"""A model reads threads and requests of projects, over real HTTP, behind the gate."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from memory.projects.modelled.reading import read_threads_by_model
from memory.projects.selectors.decisions import DecisionFilter, list_decisions
from memory.projects.selectors.facts import FactFilter, list_facts
from memory.projects.selectors.projects import list_unread_projects
from memory.projects.selectors.sources import Reader
from memory.projects.services.projects import bind_thread
from memory.projects.types import ProjectRef
from memory.tenants.scope import tenant_scope
from retrieval.projects.bundle import compose_context
from retrieval.projects.candidates import Wanted
from retrieval.projects.inference import infer_answer
from tests.cast import Chatter
from tests.db.memory.projects.test_guards import state
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


def test_what_a_model_reads_in_a_thread_is_stored_once_and_the_rest_is_counted(
    project: ProjectRef, alice: Chatter
) -> None:
    said = alice.say("The pump weighs 12 kilograms. We take the steel one.")
    alice.hear("Good. The pump is made of gold.")
    quote = {"message_id": str(said.message_id), "quote": "The pump weighs 12 kilograms"}
    taken = {"message_id": str(said.message_id), "quote": "We take the steel one"}
    answer: dict[str, Any] = {
        "facts": [
            {**quote, "subject": "pump", "value": "12 kilograms", "level": "fact"},
            {**quote, "subject": "pump", "value": "made of gold", "level": "fact"},
        ],
        "decisions": [{**taken, "title": "take the steel one", "owner": ""}],
    }
    with tenant_scope(project.tenant_id):
        bind_thread(project, user="alice", conversation="chat", scope="in", is_shared=False, now=timezone.now())
        assert [each.id for each in list_unread_projects(tenant_id=project.tenant_id)] == [project.id]
    model = ScriptedModel(answer)
    try:
        reading = read_threads_by_model(project, client=model.make_client(), now=timezone.now())
        assert (reading.facts, reading.decisions, reading.refused) == (1, 1, 1)
        assert read_threads_by_model(project, client=model.make_client(), now=timezone.now()).facts == 0
        assert len(model.requests) == 1  # what was read is not read again
    finally:
        model.stop()
    with tenant_scope(project.tenant_id):
        facts = list_facts(project, wanted=FactFilter(), now=timezone.now(), reader=Reader(alice.ref.id), limit=9)
        decisions = list_decisions(project, wanted=DecisionFilter(), now=timezone.now(), reader=Reader(), limit=9)
        assert list_unread_projects(tenant_id=project.tenant_id) == []
    assert [(fact.value, fact.level, fact.sources[0].quote, fact.origin) for fact in facts] == [
        ("12 kilograms", "fact", "The pump weighs 12 kilograms", "model")
    ]
    assert [(each.title, each.state.state) for each in decisions] == [("take the steel one", "proposed")]


def test_an_answer_keeps_the_marks_that_stand_for_sources_alone(project: ProjectRef, alice: Chatter) -> None:
    alice.say("hello")
    state(project, "pump", "green")
    with tenant_scope(project.tenant_id):
        wanted = Wanted(project, alice.ref.id, timezone.now(), "which pump?")
        bundle = compose_context(wanted, budget_tokens=1000)
    quoted = infer_answer(bundle)
    assert (quoted.marks, quoted.origin) == (("S1",), "rule") and "pump: green" in quoted.text
    model = ScriptedModel("It is green [S1], and heavy [S7].")
    try:
        inferred = infer_answer(bundle, model=model.make_client())
    finally:
        model.stop()
    assert (inferred.text, inferred.marks, inferred.refused) == ("It is green [S1], and heavy.", ("S1",), 1)
