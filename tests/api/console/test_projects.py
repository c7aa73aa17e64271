"""Projects in the console: who sees them, what the pages show, what is audited."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.projects.selectors.register import list_conflicts
from memory.projects.services.decisions import put_decision
from memory.projects.services.facts import put_facts
from memory.projects.services.projects import ProjectInput, make_project
from memory.projects.types import DecisionBody, ProjectFactBody, ProjectRef, SourceBody
from memory.tenants.models import AuditEvent
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Role
from memory.types import TenantRef
from tests.cast import Chatter

pytestmark = pytest.mark.django_db
TABS = ("project", "project_timeline", "project_graph", "project_contradictions", "project_context")


@pytest.fixture
def project(tenant: TenantRef, alice: Chatter) -> ProjectRef:
    alice.say("hello")
    return make_apollo(tenant)


def make_apollo(tenant: TenantRef) -> ProjectRef:
    """A shared project with a contradiction and a decision that supersedes another."""
    now, source = timezone.now(), SourceBody(type="document", ref="minutes")
    with tenant_scope(tenant.id):
        content = ProjectInput(name="Apollo", mission="Land on the moon")
        ref = make_project(tenant_id=tenant.id, external_id="apollo", user=None, content=content, now=now)[0]
        facts = [
            ProjectFactBody(subject="fuel", value=name, exclusive=True, source=source) for name in ("liquid", "solid")
        ]
        put_facts(ref, facts=facts, origin="caller", actor="key:a", now=now)
        for body in (DecisionBody(title="Use liquid fuel", id="a", source=source),
                     DecisionBody(title="Use solid fuel", id="b", source=source, supersedes=["a"])):  # fmt: skip
            put_decision(ref, body=body, origin="caller", actor="key:a", now=now)
    return ref


@pytest.mark.parametrize("tab", TABS)
def test_who_sees_memory_sees_projects_and_the_look_is_audited(
    log_in: Callable[[Role], Client], project: ProjectRef, tab: str
) -> None:
    url = reverse(f"console:{tab}", args=[project.id])
    for role in (Role.PATTERN_EDITOR, Role.AUDITOR):
        assert log_in(role).get(url).status_code == 403
    page = log_in(Role.REVIEWER).get(url)
    assert page.status_code == 200 and "Apollo" in page.content.decode()
    with tenant_scope(project.tenant_id):
        assert AuditEvent.objects.filter(action__startswith="project.view_", object_ids=[project.id]).count() == 1


def test_pages_show_states_pictures_and_the_context_part_by_part(operator: Client, project: ProjectRef) -> None:
    assert "Apollo" in operator.get(reverse("console:projects")).content.decode()
    overview = operator.get(reverse("console:project", args=[project.id])).content.decode()
    assert "Use solid fuel" in overview and "contradicted" in overview
    timeline = operator.get(reverse("console:project_timeline", args=[project.id])).content.decode()
    assert "<svg" in timeline and "superseded since" in timeline
    graph = operator.get(reverse("console:project_graph", args=[project.id])).content.decode()
    assert "b supersedes a" in graph
    context = reverse("console:project_context", args=[project.id])
    page = operator.get(context, {"query": "which fuel?", "user": "alice"}).content.decode()
    assert "Which one holds?" in page and "All of it" in page
    assert 'role="alert"' in operator.get(context, {"query": "fuel", "user": "nobody"}).content.decode()


def test_a_reviewer_resolves_a_contradiction_and_it_is_audited(
    log_in: Callable[[Role], Client], project: ProjectRef, other_tenant: TenantRef
) -> None:
    with tenant_scope(project.tenant_id):
        conflict = list_conflicts(project, limit=1)[0]
    url = reverse("console:resolve_contradiction", args=[project.id, conflict.id])
    assert log_in(Role.AUDITOR).post(url, {"keep": conflict.left}).status_code == 403
    reviewer = log_in(Role.REVIEWER)
    assert reviewer.post(url, {"keep": "nonsense"}).status_code == 302
    page = reviewer.post(url, {"keep": conflict.left, "reason": "measured"}, follow=True).content.decode()
    assert "kept" in page and "measured" in page
    with tenant_scope(project.tenant_id):
        assert list_conflicts(project, limit=1)[0].kept == conflict.left
        assert AuditEvent.objects.filter(action="project.resolve", object_ids=[conflict.id]).count() == 1
