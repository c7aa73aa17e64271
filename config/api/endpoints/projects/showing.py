"""Values of projects as answers of the API."""

from __future__ import annotations

from config.api.endpoints.projects.answers import (
    ArtifactAnswer,
    ConflictAnswer,
    DecisionAnswer,
    EndAnswer,
    FactResult,
    LinkAnswer,
    ProjectAnswer,
    ProjectCounts,
    ProjectFactAnswer,
    QuestionAnswer,
    SourceAnswer,
    StateAnswer,
    TimelineEvent,
)
from memory.projects.selectors.register import ArtifactView, ConflictView, EventView, LinkView, QuestionView
from memory.projects.services.facts import FactOutcome
from memory.projects.types import DecisionView, FactView, ProjectView, SourceView, StateView


def show_project(view: ProjectView) -> ProjectAnswer:
    """A project as callers see it."""
    return ProjectAnswer(
        id=view.ref.external_id,
        name=view.name,
        mission=view.mission,
        goals=list(view.goals),
        constraints=list(view.constraints),
        status=view.status,
        user_id=view.owner,
        version=view.version,
        created_at=view.created_at,
        updated_at=view.updated_at,
        counts=ProjectCounts(**view.counts) if view.counts else None,
    )


def show_source(source: SourceView | None) -> SourceAnswer | None:
    """A source as callers see it."""
    if source is None:
        return None
    return SourceAnswer(
        source.id, source.type, source.ref, source.quote, source.author, source.dated, source.authority
    )  # fmt: skip


def show_sources(sources: tuple[SourceView, ...]) -> list[SourceAnswer]:
    """Sources in order."""
    return [shown for each in sources if (shown := show_source(each)) is not None]


def show_fact(view: FactView) -> ProjectFactAnswer:
    """A fact as callers see it."""
    return ProjectFactAnswer(
        id=view.external_id, version=view.version, subject=view.subject, value=view.value, level=view.level,
        status=view.status, exclusive=view.is_exclusive, sources=show_sources(view.sources),
        contradicts=list(view.contradicts), valid_from=view.valid_from, valid_to=view.valid_to,
        known_from=view.known_from, known_to=view.known_to, origin=view.origin,
    )  # fmt: skip


def show_outcome(outcome: FactOutcome) -> FactResult:
    """What became of a statement."""
    return FactResult(
        outcome.external_id, outcome.action, outcome.level, outcome.version, list(outcome.contradicts)
    )  # fmt: skip


def show_state(state: StateView) -> StateAnswer:
    """A state of a decision."""
    return StateAnswer(
        state.state, state.at, state.known_from, state.superseded_by, state.source_status, show_source(state.source)
    )


def show_decision(view: DecisionView, *, project_id: str) -> DecisionAnswer:
    """A decision as callers see it."""
    return DecisionAnswer(
        id=view.external_id, project_id=project_id, version=view.version, title=view.title,
        description=view.description, owner=view.owner, state=view.state.state, state_since=view.state.at,
        superseded_by=view.state.superseded_by, supersedes=list(view.supersedes), decided_at=view.decided_at,
        known_from=view.known_from, source=show_source(view.source), source_erased=view.is_source_erased,
        source_status=view.state.source_status, contradicts=list(view.contradicts),
        history=[show_state(state) for state in view.history], origin=view.origin,
    )  # fmt: skip


def show_link(view: LinkView) -> LinkAnswer:
    """A link as callers see it."""
    return LinkAnswer(
        id=view.id, from_=EndAnswer(view.from_kind, view.from_name), to=EndAnswer(view.to_kind, view.to_name),
        kind=view.kind, weight=view.weight, source=show_source(view.source), supersedes=view.is_supersession,
        valid_from=view.valid_from, valid_to=view.valid_to, known_from=view.known_from, origin=view.origin,
    )  # fmt: skip


def show_artifact(view: ArtifactView) -> ArtifactAnswer:
    """An artifact as callers see it."""
    return ArtifactAnswer(
        view.external_id, view.version, view.kind, view.ref, view.title, view.summary, view.known_from, view.created_at
    )


def show_conflict(view: ConflictView) -> ConflictAnswer:
    """An entry of the register."""
    return ConflictAnswer(
        id=view.id, kind=view.kind, rule=view.rule, items=[view.left, view.right], state=view.status,
        opened_at=view.opened_at, resolved_at=view.resolved_at, kept=view.kept, resolution=view.resolution,
        reason=view.reason,
    )  # fmt: skip


def show_question(view: QuestionView, *, text: str | None) -> QuestionAnswer:
    """A question, with its words."""
    return QuestionAnswer(
        view.id, text, view.status, view.conflict_id, show_source(view.source), view.opened_at, view.closed_at
    )


def show_event(view: EventView) -> TimelineEvent:
    """An event of the timeline."""
    return TimelineEvent(view.at, view.what, view.kind, view.name, view.version)
