"""Calls about what is in a project: facts, decisions, artifacts, links, contradictions, questions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from unde_memory.sync_sending import Sending
from unde_memory.transport import UNSET, UnsetType, fill, new_id, operation
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
    Page,
    ProjectDecision,
    ProjectFact,
    ProjectFactResults,
    ProjectLink,
    ProjectQuestion,
    ResolvedConflict,
    StatementLevel,
)


class ProjectItemsCalls(Sending):
    """Calls about what is in a project."""

    @operation("POST /v1/decisions/{decision}/state")
    def change_decision_state(
        self,
        decision: str,
        *,
        state: NewState,
        at: datetime | UnsetType | None = UNSET,
        source: NewSource | UnsetType | None = UNSET,
        project_id: str | UnsetType | None = UNSET,
    ) -> ProjectDecision:
        """Give a decision a state."""
        return self.request(
            "POST",
            fill("/v1/decisions/{decision}/state", decision=decision),
            ProjectDecision,
            body={"state": state, "at": at, "source": source, "project_id": project_id},
        )

    @operation("GET /v1/projects/{project}/artifacts")
    def list_project_artifacts(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        entity: str | UnsetType | None = UNSET,
        kind: ArtifactKind | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
    ) -> Page[Artifact]:
        """Artifacts of a project."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/artifacts", project=project),
            Page[Artifact],
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
    def add_artifacts(
        self,
        project: str,
        *,
        kind: ArtifactKind,
        ref: str,
        title: str | UnsetType = UNSET,
        summary: str | UnsetType = UNSET,
        id: str | UnsetType | None = UNSET,
    ) -> Artifact:
        """Store an artifact. Where `id` is left out one is made here: then it is safe to send it again."""
        return self.request(
            "POST",
            fill("/v1/projects/{project}/artifacts", project=project),
            Artifact,
            body={"kind": kind, "ref": ref, "title": title, "summary": summary, "id": id or new_id()},
        )

    @operation("GET /v1/projects/{project}/conflicts")
    def list_project_conflicts(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        state: Literal["open", "resolved"] | UnsetType | None = UNSET,
    ) -> Page[Conflict]:
        """The register of contradictions."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/conflicts", project=project),
            Page[Conflict],
            query={"after": after, "as_of": as_of, "limit": limit, "state": state},
        )

    @operation("POST /v1/projects/{project}/conflicts/{conflict}/resolve")
    def resolve_conflict(
        self, project: str, conflict: str, *, keep: str, reason: str | UnsetType = UNSET
    ) -> ResolvedConflict:
        """Resolve a contradiction."""
        return self.request(
            "POST",
            fill("/v1/projects/{project}/conflicts/{conflict}/resolve", project=project, conflict=conflict),
            ResolvedConflict,
            body={"keep": keep, "reason": reason},
        )

    @operation("GET /v1/projects/{project}/decisions")
    def list_project_decisions(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        authority: float | UnsetType | None = UNSET,
        entity: str | UnsetType | None = UNSET,
        from_: datetime | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        state: NewState | Literal["superseded"] | UnsetType | None = UNSET,
        to: datetime | UnsetType | None = UNSET,
    ) -> Page[ProjectDecision]:
        """Decisions with their states."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/decisions", project=project),
            Page[ProjectDecision],
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
    def add_decisions(
        self,
        project: str,
        *,
        title: str,
        id: str | UnsetType | None = UNSET,
        description: str | UnsetType = UNSET,
        owner: str | UnsetType = UNSET,
        decided_at: datetime | UnsetType | None = UNSET,
        source: NewSource | UnsetType | None = UNSET,
        state: NewState | UnsetType | None = UNSET,
        supersedes: Sequence[str] | UnsetType = UNSET,
    ) -> ProjectDecision:
        """Store a decision. Where `id` is left out one is made here: then it is safe to send it again."""
        return self.request(
            "POST",
            fill("/v1/projects/{project}/decisions", project=project),
            ProjectDecision,
            body={
                "title": title,
                "id": id or new_id(),
                "description": description,
                "owner": owner,
                "decided_at": decided_at,
                "source": source,
                "state": state,
                "supersedes": supersedes,
            },
        )

    @operation("GET /v1/projects/{project}/facts")
    def list_project_facts(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        authority: float | UnsetType | None = UNSET,
        entity: str | UnsetType | None = UNSET,
        from_: datetime | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
        level: StatementLevel | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        state: Literal["active", "refuted", "ended", "all"] | UnsetType = UNSET,
        to: datetime | UnsetType | None = UNSET,
    ) -> Page[ProjectFact]:
        """Facts, hypotheses and interpretations."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/facts", project=project),
            Page[ProjectFact],
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
    def add_project_facts(self, project: str, *, facts: Sequence[NewStatement]) -> ProjectFactResults:
        """Store statements."""
        return self.request(
            "POST", fill("/v1/projects/{project}/facts", project=project), ProjectFactResults, body={"facts": facts}
        )

    @operation("GET /v1/projects/{project}/links")
    def list_project_links(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        id: str | UnsetType | None = UNSET,
        kind: LinkKind | UnsetType | None = UNSET,
        known_at: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        type: ItemKind | UnsetType | None = UNSET,
    ) -> Page[ProjectLink]:
        """Links of a project, or of one item of it."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/links", project=project),
            Page[ProjectLink],
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
    def add_links(
        self,
        project: str,
        *,
        from_: LinkEnd,
        to: LinkEnd,
        kind: LinkKind,
        weight: float | UnsetType = UNSET,
        source: NewSource | UnsetType | None = UNSET,
        valid_from: datetime | UnsetType | None = UNSET,
        valid_to: datetime | UnsetType | None = UNSET,
    ) -> ProjectLink:
        """Store a link."""
        return self.request(
            "POST",
            fill("/v1/projects/{project}/links", project=project),
            ProjectLink,
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

    @operation("GET /v1/projects/{project}/questions")
    def list_project_questions(
        self,
        project: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        state: Literal["open", "answered", "dropped"] | UnsetType | None = UNSET,
    ) -> Page[ProjectQuestion]:
        """Questions that are open, or were."""
        return self.request(
            "GET",
            fill("/v1/projects/{project}/questions", project=project),
            Page[ProjectQuestion],
            query={"after": after, "as_of": as_of, "limit": limit, "state": state},
        )
