"""What a user said leaves projects: hidden by a forget, gone with an erasure, whoever the project belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.utils import timezone

from memory.database.statements import execute, fetch_rows
from memory.erasure.requests import request_erasure
from memory.erasure.types import ErasureTarget
from memory.erasure.worker import run_erasure
from memory.projects.errors import ProjectFull
from memory.projects.exporting import export_projects
from memory.projects.rebuilding import compare_user, rebuild_user
from memory.projects.selectors.decisions import DecisionFilter, list_decisions
from memory.projects.selectors.facts import FactFilter, list_facts
from memory.projects.selectors.projects import find_project
from memory.projects.selectors.sources import Reader
from memory.projects.services.links import NewLink, put_artifact, put_link
from memory.projects.services.projects import bind_thread
from memory.projects.types import ProjectRef, SourceBody
from memory.services.forgets import forget_messages, restore_forget
from memory.tenants.scope import tenant_scope
from retrieval.projects.candidates import Wanted
from retrieval.projects.reading import Snapshot, read_row, read_snapshot
from retrieval.projects.snapshots import build_snapshot, refresh
from tests.cast import Chatter
from tests.db.memory.projects.test_guards import decide, state

pytestmark = pytest.mark.django_db


def cite(person: Chatter, text: str) -> SourceBody:
    return SourceBody(type="message", ref=str(person.say(text).message_id), quote=text)


def snapshot_of(project: ProjectRef, person: Chatter, budget: int) -> UUID:
    """The id of a snapshot for somebody."""
    with tenant_scope(project.tenant_id):
        wanted = Wanted(refresh(project), person.ref.id, timezone.now())
        return build_snapshot(wanted, budget_tokens=budget).row.id


def read_back(project: ProjectRef, id: UUID) -> Snapshot:
    with tenant_scope(project.tenant_id):
        return read_snapshot(project, read_row(project, id))


def list_subjects(project: ProjectRef) -> list[str]:
    with tenant_scope(project.tenant_id):
        facts = list_facts(project, wanted=FactFilter(state="all"), now=timezone.now(), reader=Reader(), limit=50)
        return [fact.subject for fact in facts]


def list_titles(project: ProjectRef) -> list[tuple[str | None, str]]:
    with tenant_scope(project.tenant_id):
        found = list_decisions(project, wanted=DecisionFilter(), now=timezone.now(), reader=Reader(), limit=50)
        return [(decision.title, decision.state.state) for decision in found]


def erase(person: Chatter, **target: Any) -> None:
    erasure = request_erasure(
        tenant=person.tenant,
        user_external_id=person.name,
        target=ErasureTarget(**target),
        reason="user_request",
        actor="key:test",
        now=timezone.now(),
    )
    with tenant_scope(person.tenant.id):
        from memory.models import ErasureRequest
        from memory.types import UserRef

        row = ErasureRequest.objects.get(id=erasure.id)
        user = UserRef(id=row.user_id, tenant_id=person.tenant.id, external_id=person.name)
    run_erasure(user=user, erasure_id=erasure.id, clock=timezone.now)
    with tenant_scope(person.tenant.id):
        assert ErasureRequest.objects.get(id=erasure.id).status == "completed"


def test_what_rests_on_a_forgotten_message_is_hidden_and_comes_back(project: ProjectRef, alice: Chatter) -> None:
    source = cite(alice, "We decided to use liquid fuel")
    state(project, "fuel", "liquid", source=source)
    both = state(project, "pump", "green", source=source)
    assert both == state(project, "pump", "green", source=SourceBody(type="document", ref="handbook"))
    body = {"title": "Use liquid fuel"}
    with tenant_scope(project.tenant_id):
        from memory.projects.services.decisions import put_decision
        from memory.projects.types import DecisionBody

        put_decision(project, body=DecisionBody(source=source, **body), origin="caller", actor="a", now=timezone.now())
    forgotten = forget_messages(user=alice.ref, message_ids=[alice.said[0].message_id], actor="a", now=timezone.now())
    assert (list_subjects(project), list_titles(project)) == (["pump"], [])
    restore_forget(user=alice.ref, batch_id=forgotten.batch_id, actor="a", now=timezone.now())
    assert (list_subjects(project), list_titles(project)) == (["fuel", "pump"], [("Use liquid fuel", "accepted")])


def test_keys_and_terms_are_rebuilt_from_the_words(make: Callable[..., ProjectRef], alice: Chatter) -> None:
    alice.say("hello")
    own = make("own", "alice")
    fact = state(own, "pump", "not green")
    decide(own, "Use liquid fuel")
    with tenant_scope(own.tenant_id):
        assert compare_user(alice.ref) == []
        execute("UPDATE project_fact SET terms = '{}', is_negative = false WHERE id = %s", [fact])
        assert [each.columns for each in compare_user(alice.ref)] == [("is_negative", "terms")]
        assert rebuild_user(alice.ref) == 1
        assert compare_user(alice.ref) == []


def test_an_erased_message_takes_facts_with_it_and_words_of_decisions(
    project: ProjectRef, alice: Chatter, bob: Chatter
) -> None:
    source = cite(alice, "We decided to use liquid fuel")
    state(project, "fuel", "liquid", source=source)
    state(project, "pump", "green", source=source)
    state(project, "pump", "green", source=cite(bob, "the pump is green"))
    with tenant_scope(project.tenant_id):
        from memory.projects.services.decisions import put_decision
        from memory.projects.types import DecisionBody

        now = timezone.now()
        put_decision(project, body=DecisionBody(title="Use it", source=source), origin="caller", actor="a", now=now)
        for person in ("alice", "bob"):
            bind_thread(project, user=person, conversation="chat", scope="in", is_shared=False, now=now)
    erase(alice, scope="messages", message_ids=(alice.said[0].message_id,))
    assert (list_subjects(project), list_titles(project)) == (["pump"], [(None, "accepted")])
    with tenant_scope(project.tenant_id):
        rows = fetch_rows("SELECT count(*) FROM project_source WHERE user_id = %s", [alice.ref.id])
        # Nothing is left of her conversation, so its name is no thread either; his stays.
        assert fetch_rows("SELECT user_id FROM project_thread", []) == [(bob.ref.id,)]
        left = fetch_rows(
            "SELECT bool_and(sealed IS NULL AND source_id IS NULL AND is_source_erased) FROM project_decision", []
        )
    assert (rows, left) == ([(0,)], [(True,)])


def test_an_erased_user_takes_own_projects_whole_and_leaves_shared_ones(
    project: ProjectRef, make: Callable[..., ProjectRef], charlie: Chatter, bob: Chatter
) -> None:
    own = make("own", "charlie")
    source = cite(charlie, "my pump is red")
    state(own, "pump", "red", source=source)
    decide(own, "Use liquid fuel")
    state(project, "pump", "red", source=source)
    state(project, "fuel", "liquid", source=cite(bob, "liquid"))
    with tenant_scope(project.tenant_id):
        bind_thread(project, user="charlie", conversation="chat", scope="in", is_shared=True, now=timezone.now())
    kinds = [line["kind"] for line in export_projects(charlie.ref)]
    assert kinds == ["project", "project_thread", "project_fact", "project", "project_fact", "project_decision"]
    erase(charlie)
    assert list_subjects(project) == ["fuel"]
    with tenant_scope(project.tenant_id):
        assert find_project(tenant_id=project.tenant_id, external_id="own") is None
        for table in ("project_fact", "project_decision", "project_decision_state", "project_source", "project_thread"):
            assert fetch_rows(f"SELECT count(*) FROM {table} WHERE project_id = %s", [own.id]) == [(0,)], table


def test_an_erasure_reaches_every_old_snapshot_which_names_what_is_missing(
    project: ProjectRef, alice: Chatter, bob: Chatter
) -> None:
    state(project, "zanzibarpump", "green", source=cite(alice, "the zanzibarpump is green"))
    state(project, "crane", "blue", source=cite(bob, "the crane is blue"))
    old = [snapshot_of(project, bob, budget) for budget in (900, 950, 2_000)]
    assert all({fact.subject for fact in read_back(project, id).facts} == {"zanzibarpump", "crane"} for id in old)
    erase(alice)
    for id in old:
        snapshot = read_back(project, id)
        assert [fact.subject for fact in snapshot.facts] == ["crane"]
        assert [(each.type, each.reason) for each in snapshot.missing] == [("fact", "erased")]
        assert "zanzibar" not in str(snapshot)


def bind(project: ProjectRef, conversation: str) -> UUID:
    with tenant_scope(project.tenant_id):
        return bind_thread(
            project, user="bob", conversation=conversation, scope="in", is_shared=False, now=timezone.now()
        )


def describe(project: ProjectRef, name: str) -> UUID:
    words = {"ref": name, "title": name, "summary": ""}
    with tenant_scope(project.tenant_id):
        return put_artifact(project, external_id=name, kind="doc", words=words, now=timezone.now())[0]


def connect(project: ProjectRef, ends: tuple[UUID, UUID], kind: str) -> UUID:
    with tenant_scope(project.tenant_id):
        return put_link(project, link=NewLink(*ends, kind=kind), now=timezone.now())[0]


def test_a_project_that_is_full_of_a_kind_takes_no_more_of_it(
    project: ProjectRef, monkeypatch: pytest.MonkeyPatch, bob: Chatter
) -> None:
    bob.say("hello")
    state(project, "pump", "green")
    decisions = decide(project, "Use liquid fuel"), decide(project, "Build a crane")
    snapshot_of(project, bob, 900)
    bind(project, "first")
    describe(project, "map")
    connect(project, decisions, "cause")
    writes: dict[str, Callable[[], object]] = {
        "FACT_VERSIONS": lambda: state(project, "crane", "blue"),
        "DECISIONS": lambda: decide(project, "Use another fuel"),
        "SNAPSHOTS": lambda: snapshot_of(project, bob, 950),
        "THREADS": lambda: bind(project, "second"),
        "ARTIFACTS": lambda: describe(project, "plan"),
        "LINKS": lambda: connect(project, decisions, "temporal"),
    }
    for name, write in writes.items():
        with monkeypatch.context() as patch:
            patch.setattr(settings.UNDE_TUNING, f"PROJECT_MAX_{name}", 1)
            with pytest.raises(ProjectFull):
                write()
        assert write()
