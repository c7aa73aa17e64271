"""Calls about projects: decisions, facts, contradictions, snapshots and contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from unde_memory.async_sending import AsyncSending
from unde_memory.transport import UNSET, UnsetType, fill, new_id, operation
from unde_memory.types import (
    NormalisedQuestion,
    Page,
    Project,
    ProjectContext,
    ProjectMonitor,
    ProjectStatus,
    ProjectThread,
    Snapshot,
    SnapshotDiff,
    ThreadScope,
    TimelineEvent,
    Writeback,
)


class AsyncProjectsCalls(AsyncSending):
    """Calls about projects."""

    @operation("GET /v1/projects")
    async def list_projects(
        self,
        *,
        after: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        status: ProjectStatus | UnsetType | None = UNSET,
        user_id: str | UnsetType | None = UNSET,
    ) -> Page[Project]:
        """Projects of the tenant."""
        return await self.request(
            "GET",
            "/v1/projects",
            Page[Project],
            query={"after": after, "limit": limit, "status": status, "user_id": user_id},
        )

    @operation("POST /v1/projects")
    async def add_project(
        self,
        *,
        name: str,
        id: str | UnsetType | None = UNSET,
        mission: str | UnsetType = UNSET,
        goals: Sequence[str] | UnsetType = UNSET,
        constraints: Sequence[str] | UnsetType = UNSET,
        status: ProjectStatus | UnsetType = UNSET,
        user_id: str | UnsetType | None = UNSET,
    ) -> Project:
        """Make a project. Where `id` is left out one is made here: then it is safe to send it again."""
        return await self.request(
            "POST",
            "/v1/projects",
            Project,
            body={
                "name": name,
                "id": id or new_id(),
                "mission": mission,
                "goals": goals,
                "constraints": constraints,
                "status": status,
                "user_id": user_id,
            },
        )

    @operation("GET /v1/projects/{project}")
    async def get_project(self, project: str, *, known_at: datetime | UnsetType | None = UNSET) -> Project:
        """A project with its counts."""
        return await self.request(
            "GET", fill("/v1/projects/{project}", project=project), Project, query={"known_at": known_at}
        )

    @operation("PATCH /v1/projects/{project}")
    async def change_project(
        self,
        project: str,
        *,
        name: str | UnsetType | None = UNSET,
        mission: str | UnsetType | None = UNSET,
        goals: Sequence[str] | UnsetType | None = UNSET,
        constraints: Sequence[str] | UnsetType | None = UNSET,
        status: ProjectStatus | UnsetType | None = UNSET,
    ) -> Project:
        """Change a project."""
        return await self.request(
            "PATCH",
            fill("/v1/projects/{project}", project=project),
            Project,
            body={"name": name, "mission": mission, "goals": goals, "constraints": constraints, "status": status},
        )

    @operation("POST /v1/projects/{project}/context")
    async def project_context(
        self,
        project: str,
        *,
        user_id: str,
        query: str,
        budget_tokens: int | UnsetType | None = UNSET,
        corpora: Sequence[str] | UnsetType = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
        language: str | UnsetType | None = UNSET,
    ) -> ProjectContext:
        """The context for one reply about a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/context", project=project),
            ProjectContext,
            body={
                "user_id": user_id,
                "query": query,
                "budget_tokens": budget_tokens,
                "corpora": corpora,
                "as_of": as_of,
                "known_at": known_at,
                "language": language,
            },
        )

    @operation("GET /v1/projects/{project}/monitor")
    async def get_project_monitor(self, project: str) -> ProjectMonitor:
        """How the processes of a project do."""
        return await self.request("GET", fill("/v1/projects/{project}/monitor", project=project), ProjectMonitor)

    @operation("POST /v1/projects/{project}/normalise")
    async def normalise_question(
        self,
        project: str,
        *,
        query: str,
        user_id: str | UnsetType | None = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        corpora: Sequence[str] | UnsetType = UNSET,
    ) -> NormalisedQuestion:
        """Understand a request about a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/normalise", project=project),
            NormalisedQuestion,
            body={"query": query, "user_id": user_id, "conversation_id": conversation_id, "corpora": corpora},
        )

    @operation("POST /v1/projects/{project}/snapshots")
    async def make_snapshot(
        self,
        project: str,
        *,
        user_id: str,
        query: str | UnsetType = UNSET,
        budget_tokens: int | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
    ) -> Snapshot:
        """Build a snapshot of a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/snapshots", project=project),
            Snapshot,
            body={
                "user_id": user_id,
                "query": query,
                "budget_tokens": budget_tokens,
                "as_of": as_of,
                "known_at": known_at,
            },
        )

    @operation("PUT /v1/projects/{project}/threads/{conversation}")
    async def put_thread(
        self,
        project: str,
        conversation: str,
        *,
        user_id: str,
        scope: ThreadScope | UnsetType = UNSET,
        shared: bool | UnsetType = UNSET,
    ) -> ProjectThread:
        """Bind a conversation to a project, or set its scope."""
        return await self.request(
            "PUT",
            fill("/v1/projects/{project}/threads/{conversation}", project=project, conversation=conversation),
            ProjectThread,
            body={"user_id": user_id, "scope": scope, "shared": shared},
        )

    @operation("GET /v1/projects/{project}/timeline")
    async def list_project_timeline(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        from_: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        to: datetime | UnsetType | None = UNSET,
    ) -> Page[TimelineEvent]:
        """What happened in a project, oldest first."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/timeline", project=project),
            Page[TimelineEvent],
            query={"after": after, "as_of": as_of, "from": from_, "limit": limit, "to": to},
        )

    @operation("POST /v1/projects/{project}/writeback")
    async def write_back(
        self,
        project: str,
        *,
        user_id: str,
        answer: str,
        citations: Sequence[str | Mapping[str, str]] | UnsetType = UNSET,
        snapshot_id: str | UnsetType | None = UNSET,
    ) -> Writeback:
        """Write an answer back into its project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/writeback", project=project),
            Writeback,
            body={"user_id": user_id, "answer": answer, "citations": citations, "snapshot_id": snapshot_id},
        )

    @operation("POST /v1/projects/normalise")
    async def find_project(
        self,
        *,
        query: str,
        user_id: str | UnsetType | None = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        corpora: Sequence[str] | UnsetType = UNSET,
    ) -> NormalisedQuestion:
        """Understand a request, and find the project that it is about."""
        return await self.request(
            "POST",
            "/v1/projects/normalise",
            NormalisedQuestion,
            body={"query": query, "user_id": user_id, "conversation_id": conversation_id, "corpora": corpora},
        )

    @operation("GET /v1/snapshots/{snapshot_id}")
    async def get_snapshot(self, snapshot_id: str) -> Snapshot:
        """A snapshot as it was built."""
        return await self.request("GET", fill("/v1/snapshots/{snapshot_id}", snapshot_id=snapshot_id), Snapshot)

    @operation("GET /v1/snapshots/{snapshot_id}/diff/{other_id}")
    async def compare_snapshots(self, snapshot_id: str, other_id: str) -> SnapshotDiff:
        """What is otherwise in another snapshot."""
        return await self.request(
            "GET",
            fill("/v1/snapshots/{snapshot_id}/diff/{other_id}", snapshot_id=snapshot_id, other_id=other_id),
            SnapshotDiff,
        )
