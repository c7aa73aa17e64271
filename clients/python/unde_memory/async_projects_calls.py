"""Calls about projects: decisions, facts, contradictions, snapshots and contexts. Answers come as they are."""

from __future__ import annotations

from typing import Any

from unde_memory.async_sending import AsyncSending
from unde_memory.transport import UNSET, fill, operation


class AsyncProjectsCalls(AsyncSending):
    """Calls about projects."""

    @operation("POST /v1/decisions/{decision}/state")
    async def change_decision_state(
        self, decision: str, *, state: Any, at: Any = UNSET, source: Any = UNSET, project_id: Any = UNSET
    ) -> dict[str, Any]:
        """Give a decision a state."""
        return await self.request(
            "POST",
            fill("/v1/decisions/{decision}/state", decision=decision),
            dict[str, Any],
            body={"state": state, "at": at, "source": source, "project_id": project_id},
        )

    @operation("GET /v1/projects")
    async def list_projects(
        self, *, after: Any = UNSET, limit: Any = UNSET, status: Any = UNSET, user_id: Any = UNSET
    ) -> dict[str, Any]:
        """Projects of the tenant."""
        return await self.request(
            "GET",
            "/v1/projects",
            dict[str, Any],
            query={"after": after, "limit": limit, "status": status, "user_id": user_id},
        )

    @operation("POST /v1/projects")
    async def add_project(
        self,
        *,
        name: Any,
        id: Any = UNSET,
        mission: Any = UNSET,
        goals: Any = UNSET,
        constraints: Any = UNSET,
        status: Any = UNSET,
        user_id: Any = UNSET,
    ) -> dict[str, Any]:
        """Make a project."""
        return await self.request(
            "POST",
            "/v1/projects",
            dict[str, Any],
            body={
                "name": name,
                "id": id,
                "mission": mission,
                "goals": goals,
                "constraints": constraints,
                "status": status,
                "user_id": user_id,
            },
        )

    @operation("GET /v1/projects/{project}")
    async def get_project(self, project: str, *, known_at: Any = UNSET) -> dict[str, Any]:
        """A project with its counts."""
        return await self.request(
            "GET", fill("/v1/projects/{project}", project=project), dict[str, Any], query={"known_at": known_at}
        )

    @operation("PATCH /v1/projects/{project}")
    async def change_project(
        self,
        project: str,
        *,
        name: Any = UNSET,
        mission: Any = UNSET,
        goals: Any = UNSET,
        constraints: Any = UNSET,
        status: Any = UNSET,
    ) -> dict[str, Any]:
        """Change a project."""
        return await self.request(
            "PATCH",
            fill("/v1/projects/{project}", project=project),
            dict[str, Any],
            body={"name": name, "mission": mission, "goals": goals, "constraints": constraints, "status": status},
        )

    @operation("GET /v1/projects/{project}/artifacts")
    async def list_project_artifacts(
        self,
        project: str,
        *,
        after: Any = UNSET,
        as_of: Any = UNSET,
        entity: Any = UNSET,
        kind: Any = UNSET,
        known_at: Any = UNSET,
        limit: Any = UNSET,
    ) -> dict[str, Any]:
        """Artifacts of a project."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/artifacts", project=project),
            dict[str, Any],
            query={
                "after": after,
                "as_of": as_of,
                "entity": entity,
                "kind": kind,
                "known_at": known_at,
                "limit": limit,
            },
        )

    @operation("POST /v1/projects/{project}/artifacts")
    async def add_artifacts(
        self, project: str, *, kind: Any, ref: Any, title: Any = UNSET, summary: Any = UNSET, id: Any = UNSET
    ) -> dict[str, Any]:
        """Store an artifact."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/artifacts", project=project),
            dict[str, Any],
            body={"kind": kind, "ref": ref, "title": title, "summary": summary, "id": id},
        )

    @operation("GET /v1/projects/{project}/conflicts")
    async def list_project_conflicts(
        self, project: str, *, after: Any = UNSET, as_of: Any = UNSET, limit: Any = UNSET, state: Any = UNSET
    ) -> dict[str, Any]:
        """The register of contradictions."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/conflicts", project=project),
            dict[str, Any],
            query={"after": after, "as_of": as_of, "limit": limit, "state": state},
        )

    @operation("POST /v1/projects/{project}/conflicts/{conflict}/resolve")
    async def resolve_conflict(self, project: str, conflict: str, *, keep: Any, reason: Any = UNSET) -> dict[str, Any]:
        """Resolve a contradiction."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/conflicts/{conflict}/resolve", project=project, conflict=conflict),
            dict[str, Any],
            body={"keep": keep, "reason": reason},
        )

    @operation("POST /v1/projects/{project}/context")
    async def project_context(
        self,
        project: str,
        *,
        user_id: Any,
        query: Any,
        budget_tokens: Any = UNSET,
        corpora: Any = UNSET,
        as_of: Any = UNSET,
        known_at: Any = UNSET,
        language: Any = UNSET,
    ) -> dict[str, Any]:
        """The context for one reply about a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/context", project=project),
            dict[str, Any],
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

    @operation("GET /v1/projects/{project}/decisions")
    async def list_project_decisions(
        self,
        project: str,
        *,
        after: Any = UNSET,
        as_of: Any = UNSET,
        authority: Any = UNSET,
        entity: Any = UNSET,
        from_: Any = UNSET,
        known_at: Any = UNSET,
        limit: Any = UNSET,
        state: Any = UNSET,
        to: Any = UNSET,
    ) -> dict[str, Any]:
        """Decisions with their states."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/decisions", project=project),
            dict[str, Any],
            query={
                "after": after,
                "as_of": as_of,
                "authority": authority,
                "entity": entity,
                "from": from_,
                "known_at": known_at,
                "limit": limit,
                "state": state,
                "to": to,
            },
        )

    @operation("POST /v1/projects/{project}/decisions")
    async def add_decisions(
        self,
        project: str,
        *,
        title: Any,
        id: Any = UNSET,
        description: Any = UNSET,
        owner: Any = UNSET,
        decided_at: Any = UNSET,
        source: Any = UNSET,
        state: Any = UNSET,
        supersedes: Any = UNSET,
    ) -> dict[str, Any]:
        """Store a decision."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/decisions", project=project),
            dict[str, Any],
            body={
                "title": title,
                "id": id,
                "description": description,
                "owner": owner,
                "decided_at": decided_at,
                "source": source,
                "state": state,
                "supersedes": supersedes,
            },
        )

    @operation("GET /v1/projects/{project}/facts")
    async def list_project_facts(
        self,
        project: str,
        *,
        after: Any = UNSET,
        as_of: Any = UNSET,
        authority: Any = UNSET,
        entity: Any = UNSET,
        from_: Any = UNSET,
        known_at: Any = UNSET,
        level: Any = UNSET,
        limit: Any = UNSET,
        state: Any = UNSET,
        to: Any = UNSET,
    ) -> dict[str, Any]:
        """Facts, hypotheses and interpretations."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/facts", project=project),
            dict[str, Any],
            query={
                "after": after,
                "as_of": as_of,
                "authority": authority,
                "entity": entity,
                "from": from_,
                "known_at": known_at,
                "level": level,
                "limit": limit,
                "state": state,
                "to": to,
            },
        )

    @operation("POST /v1/projects/{project}/facts")
    async def add_project_facts(self, project: str, *, facts: Any) -> dict[str, Any]:
        """Store statements."""
        return await self.request(
            "POST", fill("/v1/projects/{project}/facts", project=project), dict[str, Any], body={"facts": facts}
        )

    @operation("GET /v1/projects/{project}/links")
    async def list_project_links(
        self,
        project: str,
        *,
        after: Any = UNSET,
        as_of: Any = UNSET,
        id: Any = UNSET,
        kind: Any = UNSET,
        known_at: Any = UNSET,
        limit: Any = UNSET,
        type: Any = UNSET,
    ) -> dict[str, Any]:
        """Links of a project, or of one item of it."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/links", project=project),
            dict[str, Any],
            query={
                "after": after,
                "as_of": as_of,
                "id": id,
                "kind": kind,
                "known_at": known_at,
                "limit": limit,
                "type": type,
            },
        )

    @operation("POST /v1/projects/{project}/links")
    async def add_links(
        self,
        project: str,
        *,
        from_: Any,
        to: Any,
        kind: Any,
        weight: Any = UNSET,
        source: Any = UNSET,
        valid_from: Any = UNSET,
        valid_to: Any = UNSET,
    ) -> dict[str, Any]:
        """Store a link."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/links", project=project),
            dict[str, Any],
            body={
                "from": from_,
                "to": to,
                "kind": kind,
                "weight": weight,
                "source": source,
                "valid_from": valid_from,
                "valid_to": valid_to,
            },
        )

    @operation("GET /v1/projects/{project}/monitor")
    async def get_project_monitor(self, project: str) -> dict[str, Any]:
        """How the processes of a project do."""
        return await self.request("GET", fill("/v1/projects/{project}/monitor", project=project), dict[str, Any])

    @operation("POST /v1/projects/{project}/normalise")
    async def normalise_question(
        self, project: str, *, query: Any, user_id: Any = UNSET, conversation_id: Any = UNSET, corpora: Any = UNSET
    ) -> dict[str, Any]:
        """Understand a request about a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/normalise", project=project),
            dict[str, Any],
            body={"query": query, "user_id": user_id, "conversation_id": conversation_id, "corpora": corpora},
        )

    @operation("GET /v1/projects/{project}/questions")
    async def list_project_questions(
        self, project: str, *, after: Any = UNSET, as_of: Any = UNSET, limit: Any = UNSET, state: Any = UNSET
    ) -> dict[str, Any]:
        """Questions that are open, or were."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/questions", project=project),
            dict[str, Any],
            query={"after": after, "as_of": as_of, "limit": limit, "state": state},
        )

    @operation("POST /v1/projects/{project}/snapshots")
    async def make_snapshot(
        self,
        project: str,
        *,
        user_id: Any,
        query: Any = UNSET,
        budget_tokens: Any = UNSET,
        as_of: Any = UNSET,
        known_at: Any = UNSET,
    ) -> dict[str, Any]:
        """Build a snapshot of a project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/snapshots", project=project),
            dict[str, Any],
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
        self, project: str, conversation: str, *, user_id: Any, scope: Any = UNSET, shared: Any = UNSET
    ) -> dict[str, Any]:
        """Bind a conversation to a project, or set its scope."""
        return await self.request(
            "PUT",
            fill("/v1/projects/{project}/threads/{conversation}", project=project, conversation=conversation),
            dict[str, Any],
            body={"user_id": user_id, "scope": scope, "shared": shared},
        )

    @operation("GET /v1/projects/{project}/timeline")
    async def list_project_timeline(
        self,
        project: str,
        *,
        after: Any = UNSET,
        as_of: Any = UNSET,
        from_: Any = UNSET,
        limit: Any = UNSET,
        to: Any = UNSET,
    ) -> dict[str, Any]:
        """What happened in a project, oldest first."""
        return await self.request(
            "GET",
            fill("/v1/projects/{project}/timeline", project=project),
            dict[str, Any],
            query={"after": after, "as_of": as_of, "from": from_, "limit": limit, "to": to},
        )

    @operation("POST /v1/projects/{project}/writeback")
    async def write_back(
        self, project: str, *, user_id: Any, answer: Any, citations: Any = UNSET, snapshot_id: Any = UNSET
    ) -> dict[str, Any]:
        """Write an answer back into its project."""
        return await self.request(
            "POST",
            fill("/v1/projects/{project}/writeback", project=project),
            dict[str, Any],
            body={"user_id": user_id, "answer": answer, "citations": citations, "snapshot_id": snapshot_id},
        )

    @operation("POST /v1/projects/normalise")
    async def find_project(
        self, *, query: Any, user_id: Any = UNSET, conversation_id: Any = UNSET, corpora: Any = UNSET
    ) -> dict[str, Any]:
        """Understand a request, and find the project that it is about."""
        return await self.request(
            "POST",
            "/v1/projects/normalise",
            dict[str, Any],
            body={"query": query, "user_id": user_id, "conversation_id": conversation_id, "corpora": corpora},
        )

    @operation("GET /v1/snapshots/{snapshot_id}")
    async def get_snapshot(self, snapshot_id: str) -> dict[str, Any]:
        """A snapshot as it was built."""
        return await self.request("GET", fill("/v1/snapshots/{snapshot_id}", snapshot_id=snapshot_id), dict[str, Any])

    @operation("GET /v1/snapshots/{snapshot_id}/diff/{other_id}")
    async def compare_snapshots(self, snapshot_id: str, other_id: str) -> dict[str, Any]:
        """What is otherwise in another snapshot."""
        return await self.request(
            "GET",
            fill("/v1/snapshots/{snapshot_id}/diff/{other_id}", snapshot_id=snapshot_id, other_id=other_id),
            dict[str, Any],
        )
