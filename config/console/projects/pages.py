"""A project's pages: overview, timeline, graph of decisions, register of contradictions, a context explained.

Each look is audited under the project's id; so is each contradiction that somebody resolves (SPEC H-1).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, describe_error, render_page, telling
from config.console.projects.pictures import draw_graph, draw_history
from memory.database.statements import fetch_rows
from memory.errors import CodedError, NotFound
from memory.projects.errors import ProjectNotFound
from memory.projects.questions import word_questions
from memory.projects.selectors.decisions import DecisionFilter, get_decisions, list_decisions
from memory.projects.selectors.facts import FactFilter, get_facts, list_facts
from memory.projects.selectors.projects import describe_project, find_project, list_projects, list_threads
from memory.projects.selectors.register import list_conflicts, list_events, list_links, list_questions
from memory.projects.selectors.sources import Reader
from memory.projects.services.resolving import resolve_conflict
from memory.projects.types import STANDING, ProjectRef, ProjectView
from memory.projects.words import write_value
from memory.selectors.users import get_user
from memory.tenants.access import get_access, has_permission, record_view
from retrieval.pack.token_counters import ESTIMATE
from retrieval.projects.bundle import compose_context
from retrieval.projects.candidates import Wanted
from retrieval.projects.monitoring import read_figures

SEES: Final = "view_user_memory"
DECIDES: Final = ("review_facts", "operate")
SHOWN: Final = 200
LATEST: Final = 20
BUDGET: Final = 2_000
READER: Final = Reader()
TABS: Final = (
    ("project", "Overview", "description"),
    ("project_timeline", "Timeline", "timeline"),
    ("project_graph", "Graph of decisions", "account_tree"),
    ("project_contradictions", "Contradictions", "rule"),
    ("project_context", "Context", "manage_search"),
)
TabView = Callable[[HttpRequest, ProjectView], dict[str, Any]]


def project_tab(name: str) -> Callable[[TabView], Callable[..., HttpResponseBase]]:
    """A tab of a project: finds it, audits the look, renders `console/projects/<tab>.html`."""

    def decorate(fill: TabView) -> Callable[..., HttpResponseBase]:
        @console_page(SEES)
        @wraps(fill)
        def show(request: HttpRequest, project_id: UUID) -> HttpResponseBase:
            view = describe_project(get_ref(request, project_id))
            record_view(
                request,
                action=f"project.view_{name.removeprefix('project_').removeprefix('project') or 'overview'}",
                object_type="project",
                object_ids=[project_id],
                now=timezone.now(),
            )
            return render_page(
                request,
                f"console/projects/{name}.html",
                title="Project",
                view=view,
                project_tabs=list_tabs(project_id, here=name),
                may_decide=has_permission(request, *DECIDES),
                **fill(request, view),
            )

        return show

    return decorate


def get_ref(request: HttpRequest, project_id: UUID) -> ProjectRef:
    """The project behind our id, in the tenant that is worked in. Raises ProjectNotFound."""
    tenant_id = get_access(request).tenant.id
    rows = fetch_rows("SELECT external_id FROM project WHERE tenant_id = %s AND id = %s", [tenant_id, project_id])
    found = find_project(tenant_id=tenant_id, external_id=rows[0][0]) if rows else None
    if found is None:
        raise ProjectNotFound
    return found


def list_tabs(project_id: UUID, *, here: str) -> list[dict[str, Any]]:
    """The tabs of a project, the one that is open marked."""
    return [
        {"title": title, "icon": icon, "url": reverse(f"console:{name}", args=[project_id]), "is_here": name == here}
        for name, title, icon in TABS
    ]


@console_page(SEES)
def show_projects(request: HttpRequest) -> HttpResponseBase:
    """All projects of the tenant."""
    tenant_id = get_access(request).tenant.id
    views = [describe_project(view.ref) for view in list_projects(tenant_id=tenant_id, limit=SHOWN)]
    record_view(
        request,
        action="project.view_list",
        object_type="project",
        object_ids=[view.ref.id for view in views],
        now=timezone.now(),
    )
    return render_page(request, "console/projects/list.html", title="Projects", views=views)


@project_tab("project")
def show_overview(request: HttpRequest, view: ProjectView) -> dict[str, Any]:
    """Brief, focus, decisions, progress, open questions."""
    now, ref = timezone.now(), view.ref
    decisions = list_decisions(ref, wanted=DecisionFilter(), now=now, reader=READER, limit=SHOWN)
    facts = list_facts(ref, wanted=FactFilter(state="all"), now=now, reader=READER, limit=SHOWN)
    questions = list_questions(ref, status="open", reader=READER, limit=LATEST)
    texts = word_questions(ref, questions, now=now, reader=READER)
    decisions.sort(key=lambda each: each.state.at, reverse=True)
    return {
        "focus": [each for each in decisions if each.state.state in ("proposed", "accepted")][:LATEST],
        "progress": [each for each in decisions if each.state.state in STANDING[1:]][:LATEST],
        "put_aside": [each for each in decisions if each.state.state in ("rejected", "superseded")][:LATEST],
        "facts": [
            (fact, write_value(fact.value)) for fact in sorted(facts, key=lambda each: each.known_from, reverse=True)
        ][:LATEST],
        "questions": [texts[question.id] for question in questions if texts[question.id]],
        "threads": list_threads(ref),
        "figures": read_figures(ref, now=now),
    }


@project_tab("project_timeline")
def show_timeline(request: HttpRequest, view: ProjectView) -> dict[str, Any]:
    """The states of decisions as a picture, and all that happened as a list, the newest first."""
    now = timezone.now()
    decisions = list_decisions(view.ref, wanted=DecisionFilter(), now=now, reader=READER, limit=SHOWN)
    events = list_events(view.ref, newest_first=True, limit=SHOWN)
    return {"picture": draw_history(decisions, now=now), "events": events}


@project_tab("project_graph")
def show_graph(request: HttpRequest, view: ProjectView) -> dict[str, Any]:
    """Decisions and their links."""
    now = timezone.now()
    decisions = list_decisions(view.ref, wanted=DecisionFilter(), now=now, reader=READER, limit=1_000)
    links = list_links(view.ref, reader=READER, limit=1_000)
    return {"picture": draw_graph(decisions, links), "links": links[:SHOWN]}


@project_tab("project_contradictions")
def show_contradictions(request: HttpRequest, view: ProjectView) -> dict[str, Any]:
    """The register: open ones first."""
    now, ref = timezone.now(), view.ref
    conflicts = list_conflicts(ref, limit=SHOWN)
    ids = [id for each in conflicts for id in (each.left_id, each.right_id)]
    words = {fact.id: (fact.subject, write_value(fact.value)) for fact in get_facts(ref, ids=ids, reader=READER)}
    for decision in get_decisions(ref, ids=ids, now=now, reader=READER):
        words[decision.id] = (decision.title or "source erased", f"decided on {decision.decided_at:%d %b %Y}")
    hidden = ("hidden", "forgotten or erased")
    entries = [
        {
            "conflict": each,
            "sides": [
                (each.left, words.get(each.left_id, hidden)),
                (each.right, words.get(each.right_id, hidden)),
            ],
        }
        for each in sorted(conflicts, key=lambda each: (each.status != "open", each.opened_at))
    ]
    return {"entries": entries}


@require_POST
@console_page(*DECIDES)
def resolve(request: HttpRequest, project_id: UUID, conflict_id: UUID) -> HttpResponseBase:
    """Keep one side of a contradiction."""
    ref, back = get_ref(request, project_id), reverse("console:project_contradictions", args=[project_id])
    access, now = get_access(request), timezone.now()
    with telling(request, but=NotFound):
        resolve_conflict(
            ref,
            conflict_id=conflict_id,
            keep=request.POST.get("keep", ""),
            reason=request.POST.get("reason", "")[:2_000],
            actor=access.actor_code,
            now=now,
        )
        record_view(
            request, action="project.resolve", object_type="project_conflict", object_ids=[conflict_id], now=now
        )
        messages.success(request, "Resolved: the other side is put aside, and the link between them stays.")
    return redirect(back)


@project_tab("project_context")
def explain_context(request: HttpRequest, view: ProjectView) -> dict[str, Any]:
    """The context for a question of a user, part by part with what it costs."""
    query, name = request.GET.get("query", "").strip()[:2_000], request.GET.get("user", "").strip()
    asked = {"query": query, "person": name or view.owner or ""}
    if not query or not asked["person"]:
        return asked
    try:
        user = get_user(tenant_id=view.ref.tenant_id, external_id=asked["person"])
        if view.ref.user_id not in (None, user.id):
            raise ProjectNotFound
        bundle = compose_context(Wanted(view.ref, user.id, timezone.now(), query), budget_tokens=BUDGET)
    except CodedError as error:
        return {**asked, "problem": describe_error(error)}
    return {**asked, "bundle": bundle, "costs": _list_costs(bundle)}


def _list_costs(bundle: Any) -> list[tuple[str, int]]:
    """Tokens of each section of the rendering."""
    text = bundle.rendered[0]["content"]
    return [
        (part.partition("\n")[0] if number else "Instructions", ESTIMATE.count(part))
        for number, part in enumerate(text.split("\n\n## "))
    ]
