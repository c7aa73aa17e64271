"""The tables of projects guard themselves: each rule is broken by hand and holds, also against a second writer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, connections
from django.utils import timezone

from memory.database.statements import execute, fetch_rows
from memory.ids import new_id
from memory.projects.selectors.facts import FactFilter, list_facts
from memory.projects.selectors.projects import get_project
from memory.projects.selectors.register import list_conflicts
from memory.projects.selectors.sources import Reader
from memory.projects.services.decisions import put_decision
from memory.projects.services.facts import put_facts
from memory.projects.services.projects import ProjectInput, make_project
from memory.projects.types import DecisionBody, ProjectFactBody, ProjectRef, SourceBody
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef

SOURCE = SourceBody(type="document", ref="handbook")


def state(project: ProjectRef, subject: str, value: Any, **more: Any) -> UUID:
    body = ProjectFactBody(subject=subject, value=value, source=more.pop("source", SOURCE), **more)
    with tenant_scope(project.tenant_id):
        return put_facts(project, facts=[body], origin="caller", actor="key:test", now=timezone.now())[0].id


def decide(project: ProjectRef, title: str, **more: Any) -> UUID:
    body = DecisionBody(title=title, source=SOURCE, **more)
    with tenant_scope(project.tenant_id):
        return put_decision(project, body=body, origin="caller", actor="key:test", now=timezone.now())[0]


def break_rule(project: ProjectRef, name: str, statement: str, values: list[Any]) -> None:
    with pytest.raises(IntegrityError) as caught, tenant_scope(project.tenant_id):
        execute(statement, values)
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.diag.constraint_name == name  # type: ignore[attr-defined]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("without_a_source_there_is_no_fact", "source_id = NULL"),
        ("a_fact_rests_on_a_source_of_its_project", "source_id = gen_random_uuid()"),
        ("a_stored_version_does_not_change", "sealed = '\\x00'"),
        ("a_stored_version_does_not_change", "level = 'interpretation'"),
        ("a_stored_version_does_not_change", "valid_to = now()"),
        ("a_stored_version_does_not_change", "known_from = known_from - interval '1 day'"),
        ("a_version_of_a_fact_ends_after_it_began", "known_to = known_from - interval '1 day'"),
    ],
)
def test_a_stored_fact_does_not_change(project: ProjectRef, name: str, change: str) -> None:
    fact = state(project, "pump", "green")
    break_rule(project, name, f"UPDATE project_fact SET {change} WHERE id = %s", [fact])


COPY = (
    "INSERT INTO project_fact (tenant_id, project_id, id, version, level, status, is_exclusive, is_negative, subject_key,"
    " value_key, stance_key, terms, sealed, source_id, valid_from, known_from, origin, actor)"
    " SELECT tenant_id, {project}, {id}, 2, level, status, is_exclusive, is_negative, subject_key, value_key, stance_key,"
    " terms, sealed, source_id, valid_from, known_from, origin, actor FROM project_fact WHERE id = %s"
)


@pytest.mark.django_db
def test_a_fact_has_one_current_version_and_stays_in_its_project(
    project: ProjectRef, make: Callable[..., ProjectRef]
) -> None:
    fact, other = state(project, "pump", "green"), make("gemini")
    copy = COPY.format(project="project_id", id="id")
    break_rule(project, "a_fact_has_one_current_version", copy, [fact])
    elsewhere = COPY.format(project=f"'{other.id}'::uuid", id="id")
    break_rule(project, "a_fact_is_an_item", elsewhere, [fact])
    decision = decide(project, "Use fuel")
    break_rule(project, "a_fact_is_an_item", COPY.format(project="project_id", id=f"'{decision}'::uuid"), [fact])


STATE = (
    "INSERT INTO project_decision_state (tenant_id, project_id, decision_id, position, state, at, known_from, source_id,"
    " superseded_by, actor) SELECT tenant_id, project_id, decision_id, position + 1, %s, %s, known_from, source_id, %s, actor"
    " FROM project_decision_state WHERE decision_id = %s ORDER BY position DESC LIMIT 1"
)


@pytest.mark.django_db
def test_states_follow_each_other_as_they_may(project: ProjectRef) -> None:
    march, april = datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC)
    old = decide(project, "Use liquid fuel", decided_at=march, state="verified")
    new = decide(project, "Use solid fuel", decided_at=april)
    break_rule(project, "a_state_follows_the_one_before_it", STATE, ["proposed", april, None, old])
    break_rule(project, "a_superseded_decision_names_its_successor", STATE, ["superseded", april, None, old])
    break_rule(project, "a_decision_does_not_supersede_itself", STATE, ["superseded", april, old, old])
    break_rule(project, "a_superseded_decision_has_no_later_state", STATE, [
        "superseded", datetime(2024, 2, 1, tzinfo=UTC), new, old
    ])  # fmt: skip
    unsourced = STATE.replace("source_id, %s", "NULL, %s")
    break_rule(
        project, "without_a_source_a_decision_is_proposed_or_rejected", unsourced, ["implemented", april, None, new]
    )


@pytest.mark.django_db
def test_what_a_source_names_is_there(project: ProjectRef) -> None:
    statement = (
        "INSERT INTO project_source (tenant_id, project_id, id, kind, user_id, message_id, key, dated, created_at)"
        " VALUES (%s, %s, %s, 'message', %s, %s, '\\x00', now(), now())"
    )
    user = new_id()
    values = [project.tenant_id, project.id, new_id(), user, new_id()]
    break_rule(project, "a_source_names_a_message_that_is_there", statement, values)


@pytest.mark.django_db
def test_a_project_of_another_tenant_takes_no_rows(project: ProjectRef, other_tenant: TenantRef) -> None:
    statement = (
        "INSERT INTO project_item (tenant_id, project_id, id, kind, external_id, created_at)"
        " VALUES (%s, %s, %s, 'fact', 'x', now())"
    )
    with pytest.raises(IntegrityError, match="an_item_goes_with_its_project"), tenant_scope(other_tenant.id):
        execute(statement, [other_tenant.id, project.id, new_id()])


@pytest.mark.django_db
def test_no_word_of_a_project_lies_in_plain_in_the_database(project: ProjectRef) -> None:
    state(
        project, "zanzibarpump", "zanzibargreen", source=SourceBody(type="url", ref="http://zanzibar", quote="zanzibar")
    )
    decide(project, "zanzibar decided", description="zanzibar", owner="zanzibar")
    with tenant_scope(project.tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND (relname = 'project' OR relname LIKE 'project\\_%')"
        )
        tables = [row[0] for row in cursor.fetchall()]
        assert len(tables) == 15
        for table in tables:
            found = fetch_rows(f"SELECT count(*) FROM {table} t WHERE t::text ILIKE '%%zanzibar%%' OR t::text ILIKE %s", [
                "%" + b"zanzibar".hex() + "%"
            ])  # fmt: skip
            assert found[0][0] == 0, table


# --- two at once ------------------------------------------------------------------------------------------------------


def run_at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Each call in a thread with a connection of its own, all started together; results or what they raised."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)

    def work(index: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait()
            results[index] = call()
        except Exception as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_writers_that_come_together_see_each_other(tenant: TenantRef) -> None:
    with tenant_scope(tenant.id):
        content = ProjectInput(name="apollo")
        project = make_project(
            tenant_id=tenant.id, external_id="apollo", user=None, content=content, now=timezone.now()
        )[0]
    values = [f"value {number % 2}" for number in range(4)]
    results = run_at_once(*[lambda value=value: state(project, "fuel", value, exclusive=True) for value in values])
    assert [each for each in results if isinstance(each, Exception)] == []
    with tenant_scope(tenant.id):
        facts = list_facts(project, wanted=FactFilter(), now=timezone.now(), reader=Reader(), limit=10)
        assert sorted(fact.value for fact in facts) == ["value 0", "value 1"]
        assert len(list_conflicts(project, status="open", limit=10)) == 1
    old = decide(project, "Use liquid fuel")
    names = ("solid", "hybrid")
    results = run_at_once(*[
        lambda name=name: decide(project, f"Use {name} fuel", id=name, supersedes=[str(old)]) for name in names
    ])  # fmt: skip
    assert [each for each in results if isinstance(each, Exception)] == []
    with tenant_scope(tenant.id):
        rows = fetch_rows(
            "SELECT count(*) FROM project_decision_state WHERE decision_id = %s AND state = 'superseded'", [old]
        )
        assert rows == [(1,)]
        assert get_project(tenant_id=tenant.id, external_id="apollo").change == 5
