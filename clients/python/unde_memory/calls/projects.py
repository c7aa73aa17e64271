"""Calls about projects and what is in them: facts, decisions, contradictions, snapshots, contexts."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from unde_memory import types as t
from unde_memory.calling import Calls, get, patch, post, put
from unde_memory.writing import UNSET


class ProjectsCalls(Calls):
    """Calls about projects and what is in them: facts, decisions, contradictions, snapshots, contexts."""

    @get("/v1/projects")
    def list_projects(self, *, after: str | None = UNSET, limit: int = UNSET, status: t.ProjectStatus | None = UNSET,
            user_id: str | None = UNSET) -> t.Page[t.Project]:
        """Projects of the tenant."""

    @post("/v1/projects", makes_id=True)
    def add_project(self, *, name: str, id: str | None = UNSET, mission: str = UNSET, goals: Sequence[str] = UNSET,
            constraints: Sequence[str] = UNSET, status: t.ProjectStatus = UNSET,
            user_id: str | None = UNSET) -> t.Project:
        """Make a project. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}")
    def get_project(self, project: str, *, known_at: datetime | None = UNSET) -> t.Project:
        """A project with its counts."""

    @patch("/v1/projects/{project}")
    def change_project(self, project: str, *, name: str | None = UNSET, mission: str | None = UNSET,
            goals: Sequence[str] | None = UNSET, constraints: Sequence[str] | None = UNSET,
            status: t.ProjectStatus | None = UNSET) -> t.Project:
        """Change a project."""

    @post("/v1/projects/{project}/context")
    def project_context(self, project: str, *, user_id: str, query: str, budget_tokens: int | None = UNSET,
            corpora: Sequence[str] = UNSET, as_of: datetime | None = UNSET, known_at: datetime | None = UNSET,
            language: str | None = UNSET) -> t.ProjectContext:
        """The context for one reply about a project."""

    @get("/v1/projects/{project}/monitor")
    def get_project_monitor(self, project: str) -> t.ProjectMonitor:
        """How the processes of a project do."""

    @post("/v1/projects/{project}/normalise")
    def normalise_question(self, project: str, *, query: str, user_id: str | None = UNSET,
            conversation_id: str | None = UNSET, corpora: Sequence[str] = UNSET) -> t.NormalisedQuestion:
        """Understand a request about a project."""

    @post("/v1/projects/{project}/snapshots")
    def make_snapshot(self, project: str, *, user_id: str, query: str = UNSET, budget_tokens: int | None = UNSET,
            as_of: datetime | None = UNSET, known_at: datetime | None = UNSET) -> t.Snapshot:
        """Build a snapshot of a project."""

    @put("/v1/projects/{project}/threads/{conversation}")
    def put_thread(self, project: str, conversation: str, *, user_id: str, scope: t.ThreadScope = UNSET,
            shared: bool = UNSET) -> t.ProjectThread:
        """Bind a conversation to a project, or set its scope."""

    @get("/v1/projects/{project}/timeline")
    def list_project_timeline(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            from_: datetime | None = UNSET, limit: int = UNSET, to: datetime | None = UNSET) -> t.Page[t.TimelineEvent]:
        """What happened in a project, oldest first."""

    @post("/v1/projects/{project}/writeback")
    def write_back(self, project: str, *, user_id: str, answer: str,
            citations: Sequence[str | Mapping[str, str]] = UNSET, snapshot_id: str | None = UNSET) -> t.Writeback:
        """Write an answer back into its project."""

    @post("/v1/projects/normalise")
    def find_project(self, *, query: str, user_id: str | None = UNSET, conversation_id: str | None = UNSET,
            corpora: Sequence[str] = UNSET) -> t.NormalisedQuestion:
        """Understand a request, and find the project that it is about."""

    @get("/v1/snapshots/{snapshot_id}")
    def get_snapshot(self, snapshot_id: str) -> t.Snapshot:
        """A snapshot as it was built."""

    @get("/v1/snapshots/{snapshot_id}/diff/{other_id}")
    def compare_snapshots(self, snapshot_id: str, other_id: str) -> t.SnapshotDiff:
        """What is otherwise in another snapshot."""

    @post("/v1/decisions/{decision}/state")
    def change_decision_state(self, decision: str, *, state: t.NewState, at: datetime | None = UNSET,
            source: t.NewSource | None = UNSET, project_id: str | None = UNSET) -> t.ProjectDecision:
        """Give a decision a state."""

    @get("/v1/projects/{project}/artifacts")
    def list_project_artifacts(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            entity: str | None = UNSET, kind: t.ArtifactKind | None = UNSET, known_at: datetime | None = UNSET,
            limit: int = UNSET) -> t.Page[t.Artifact]:
        """Artifacts of a project."""

    @post("/v1/projects/{project}/artifacts", makes_id=True)
    def add_artifacts(self, project: str, *, kind: t.ArtifactKind, ref: str, title: str = UNSET, summary: str = UNSET,
            id: str | None = UNSET) -> t.Artifact:
        """Store an artifact. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}/conflicts")
    def list_project_conflicts(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            limit: int = UNSET, state: Literal["open", "resolved"] | None = UNSET) -> t.Page[t.Conflict]:
        """The register of contradictions."""

    @post("/v1/projects/{project}/conflicts/{conflict}/resolve")
    def resolve_conflict(self, project: str, conflict: str, *, keep: str, reason: str = UNSET) -> t.ResolvedConflict:
        """Resolve a contradiction."""

    @get("/v1/projects/{project}/decisions")
    def list_project_decisions(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            authority: float | None = UNSET, entity: str | None = UNSET, from_: datetime | None = UNSET,
            known_at: datetime | None = UNSET, limit: int = UNSET,
            state: t.NewState | Literal["superseded"] | None = UNSET,
            to: datetime | None = UNSET) -> t.Page[t.ProjectDecision]:
        """Decisions with their states."""

    @post("/v1/projects/{project}/decisions", makes_id=True)
    def add_decisions(self, project: str, *, title: str, id: str | None = UNSET, description: str = UNSET,
            owner: str = UNSET, decided_at: datetime | None = UNSET, source: t.NewSource | None = UNSET,
            state: t.NewState | None = UNSET, supersedes: Sequence[str] = UNSET) -> t.ProjectDecision:
        """Store a decision. Where `id` is left out one is made here: then it is safe to send it again."""

    @get("/v1/projects/{project}/facts")
    def list_project_facts(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            authority: float | None = UNSET, entity: str | None = UNSET, from_: datetime | None = UNSET,
            known_at: datetime | None = UNSET, level: t.StatementLevel | None = UNSET, limit: int = UNSET,
            state: Literal["active", "refuted", "ended", "all"] = UNSET,
            to: datetime | None = UNSET) -> t.Page[t.ProjectFact]:
        """Facts, hypotheses and interpretations."""

    @post("/v1/projects/{project}/facts")
    def add_project_facts(self, project: str, *, facts: Sequence[t.NewStatement]) -> t.ProjectFactResults:
        """Store statements."""

    @get("/v1/projects/{project}/links")
    def list_project_links(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            id: str | None = UNSET, kind: t.LinkKind | None = UNSET, known_at: datetime | None = UNSET,
            limit: int = UNSET, type: t.ItemKind | None = UNSET) -> t.Page[t.ProjectLink]:
        """Links of a project, or of one item of it."""

    @post("/v1/projects/{project}/links")
    def add_links(self, project: str, *, from_: t.LinkEnd, to: t.LinkEnd, kind: t.LinkKind, weight: float = UNSET,
            source: t.NewSource | None = UNSET, valid_from: datetime | None = UNSET,
            valid_to: datetime | None = UNSET) -> t.ProjectLink:
        """Store a link."""

    @get("/v1/projects/{project}/questions")
    def list_project_questions(self, project: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            limit: int = UNSET,
            state: Literal["open", "answered", "dropped"] | None = UNSET) -> t.Page[t.ProjectQuestion]:
        """Questions that are open, or were."""
