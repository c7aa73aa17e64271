"""Calls about projects and what is in them: facts, decisions, contradictions, snapshots, contexts."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from unde_memory.calling import Calls, Opt, OptNone, get, patch, post, put
from unde_memory.types import (
    Artifact,
    ArtifactKind,
    Conflict,
    ItemKind,
    LinkEnd,
    LinkKind,
    NewSource,
    NewState,
    NewStatement,
    NormalisedQuestion,
    Page,
    Project,
    ProjectContext,
    ProjectDecision,
    ProjectFact,
    ProjectFactResults,
    ProjectLink,
    ProjectMonitor,
    ProjectQuestion,
    ProjectStatus,
    ProjectThread,
    ResolvedConflict,
    Snapshot,
    SnapshotDiff,
    StatementLevel,
    ThreadScope,
    TimelineEvent,
    Writeback,
)
from unde_memory.writing import UNSET


class ProjectsCalls(Calls):
    """Calls about projects and what is in them: facts, decisions, contradictions, snapshots, contexts."""

    @get("/v1/projects")
    def list_projects(
        self,
        *,
        after: OptNone[str] = UNSET,
        limit: Opt[int] = UNSET,
        status: OptNone[ProjectStatus] = UNSET,
        user_id: OptNone[str] = UNSET,
    ) -> Page[Project]:
        """Projects of the tenant."""

    @post("/v1/projects", makes_id=True)
    def add_project(
        self,
        *,
        name: str,
        id: OptNone[str] = UNSET,
        mission: Opt[str] = UNSET,
        goals: Opt[Sequence[str]] = UNSET,
        constraints: Opt[Sequence[str]] = UNSET,
        status: Opt[ProjectStatus] = UNSET,
        user_id: OptNone[str] = UNSET,
    ) -> Project:
        """Make a project. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}")
    def get_project(self, project: str, *, known_at: OptNone[datetime] = UNSET) -> Project:
        """A project with its counts."""

    @patch("/v1/projects/{project}")
    def change_project(
        self,
        project: str,
        *,
        name: OptNone[str] = UNSET,
        mission: OptNone[str] = UNSET,
        goals: OptNone[Sequence[str]] = UNSET,
        constraints: OptNone[Sequence[str]] = UNSET,
        status: OptNone[ProjectStatus] = UNSET,
    ) -> Project:
        """Change a project."""

    @post("/v1/projects/{project}/context")
    def project_context(
        self,
        project: str,
        *,
        user_id: str,
        query: str,
        budget_tokens: OptNone[int] = UNSET,
        corpora: Opt[Sequence[str]] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        known_at: OptNone[datetime] = UNSET,
        language: OptNone[str] = UNSET,
    ) -> ProjectContext:
        """The context for one reply about a project."""

    @get("/v1/projects/{project}/monitor")
    def get_project_monitor(self, project: str) -> ProjectMonitor:
        """How the processes of a project do."""

    @post("/v1/projects/{project}/normalise")
    def normalise_question(
        self,
        project: str,
        *,
        query: str,
        user_id: OptNone[str] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        corpora: Opt[Sequence[str]] = UNSET,
    ) -> NormalisedQuestion:
        """Understand a request about a project."""

    @post("/v1/projects/{project}/snapshots")
    def make_snapshot(
        self,
        project: str,
        *,
        user_id: str,
        query: Opt[str] = UNSET,
        budget_tokens: OptNone[int] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        known_at: OptNone[datetime] = UNSET,
    ) -> Snapshot:
        """Build a snapshot of a project."""

    @put("/v1/projects/{project}/threads/{conversation}")
    def put_thread(
        self,
        project: str,
        conversation: str,
        *,
        user_id: str,
        scope: Opt[ThreadScope] = UNSET,
        shared: Opt[bool] = UNSET,
    ) -> ProjectThread:
        """Bind a conversation to a project, or set its scope."""

    @get("/v1/projects/{project}/timeline")
    def list_project_timeline(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        from_: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
        to: OptNone[datetime] = UNSET,
    ) -> Page[TimelineEvent]:
        """What happened in a project, oldest first."""

    @post("/v1/projects/{project}/writeback")
    def write_back(
        self,
        project: str,
        *,
        user_id: str,
        answer: str,
        citations: Opt[Sequence[str | Mapping[str, str]]] = UNSET,
        snapshot_id: OptNone[str] = UNSET,
    ) -> Writeback:
        """Write an answer back into its project."""

    @post("/v1/projects/normalise")
    def find_project(
        self,
        *,
        query: str,
        user_id: OptNone[str] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        corpora: Opt[Sequence[str]] = UNSET,
    ) -> NormalisedQuestion:
        """Understand a request, and find the project that it is about."""

    @get("/v1/snapshots/{snapshot_id}")
    def get_snapshot(self, snapshot_id: str) -> Snapshot:
        """A snapshot as it was built."""

    @get("/v1/snapshots/{snapshot_id}/diff/{other_id}")
    def compare_snapshots(self, snapshot_id: str, other_id: str) -> SnapshotDiff:
        """What is otherwise in another snapshot."""

    @post("/v1/decisions/{decision}/state")
    def change_decision_state(
        self,
        decision: str,
        *,
        state: NewState,
        at: OptNone[datetime] = UNSET,
        source: OptNone[NewSource] = UNSET,
        project_id: OptNone[str] = UNSET,
    ) -> ProjectDecision:
        """Give a decision a state."""

    @get("/v1/projects/{project}/artifacts")
    def list_project_artifacts(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        entity: OptNone[str] = UNSET,
        kind: OptNone[ArtifactKind] = UNSET,
        known_at: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
    ) -> Page[Artifact]:
        """Artifacts of a project."""

    @post("/v1/projects/{project}/artifacts", makes_id=True)
    def add_artifacts(
        self,
        project: str,
        *,
        kind: ArtifactKind,
        ref: str,
        title: Opt[str] = UNSET,
        summary: Opt[str] = UNSET,
        id: OptNone[str] = UNSET,
    ) -> Artifact:
        """Store an artifact. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}/conflicts")
    def list_project_conflicts(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
        state: OptNone[Literal["open", "resolved"]] = UNSET,
    ) -> Page[Conflict]:
        """The register of contradictions."""

    @post("/v1/projects/{project}/conflicts/{conflict}/resolve")
    def resolve_conflict(self, project: str, conflict: str, *, keep: str, reason: Opt[str] = UNSET) -> ResolvedConflict:
        """Resolve a contradiction."""

    @get("/v1/projects/{project}/decisions")
    def list_project_decisions(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        authority: OptNone[float] = UNSET,
        entity: OptNone[str] = UNSET,
        from_: OptNone[datetime] = UNSET,
        known_at: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
        state: OptNone[NewState | Literal["superseded"]] = UNSET,
        to: OptNone[datetime] = UNSET,
    ) -> Page[ProjectDecision]:
        """Decisions with their states."""

    @post("/v1/projects/{project}/decisions", makes_id=True)
    def add_decisions(
        self,
        project: str,
        *,
        title: str,
        id: OptNone[str] = UNSET,
        description: Opt[str] = UNSET,
        owner: Opt[str] = UNSET,
        decided_at: OptNone[datetime] = UNSET,
        source: OptNone[NewSource] = UNSET,
        state: OptNone[NewState] = UNSET,
        supersedes: Opt[Sequence[str]] = UNSET,
    ) -> ProjectDecision:
        """Store a decision. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}/facts")
    def list_project_facts(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        authority: OptNone[float] = UNSET,
        entity: OptNone[str] = UNSET,
        from_: OptNone[datetime] = UNSET,
        known_at: OptNone[datetime] = UNSET,
        level: OptNone[StatementLevel] = UNSET,
        limit: Opt[int] = UNSET,
        state: Opt[Literal["active", "refuted", "ended", "all"]] = UNSET,
        to: OptNone[datetime] = UNSET,
    ) -> Page[ProjectFact]:
        """Facts, hypotheses and interpretations."""

    @post("/v1/projects/{project}/facts")
    def add_project_facts(self, project: str, *, facts: Sequence[NewStatement]) -> ProjectFactResults:
        """Store statements."""

    @get("/v1/projects/{project}/links")
    def list_project_links(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        id: OptNone[str] = UNSET,
        kind: OptNone[LinkKind] = UNSET,
        known_at: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
        type: OptNone[ItemKind] = UNSET,
    ) -> Page[ProjectLink]:
        """Links of a project, or of one item of it."""

    @post("/v1/projects/{project}/links")
    def add_links(
        self,
        project: str,
        *,
        from_: LinkEnd,
        to: LinkEnd,
        kind: LinkKind,
        weight: Opt[float] = UNSET,
        source: OptNone[NewSource] = UNSET,
        valid_from: OptNone[datetime] = UNSET,
        valid_to: OptNone[datetime] = UNSET,
    ) -> ProjectLink:
        """Store a link."""

    @get("/v1/projects/{project}/questions")
    def list_project_questions(
        self,
        project: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        limit: Opt[int] = UNSET,
        state: OptNone[Literal["open", "answered", "dropped"]] = UNSET,
    ) -> Page[ProjectQuestion]:
        """Questions that are open, or were."""
