"""What a caller sends about projects."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from config.api.describing import about
from memory.projects.types import (
    MAX_FACTS,
    ArtifactKind,
    ItemKind,
    Level,
    Line,
    LinkKind,
    OwnId,
    Paragraph,
    ProjectFactBody,
    SourceBody,
    State,
    Status,
    ThreadScope,
)

Name = Annotated[str, Meta(min_length=1, max_length=200, description="Its name for people.")]
Goals = Annotated[list[Line], Meta(max_length=50, description="What it is to reach.")]
Constraints = Annotated[list[Line], Meta(max_length=50, description="What must be kept to.")]
Mission = Annotated[Paragraph, about("What it is for.")]
ProjectStatus = Annotated[Status, about("Where it stands.")]
AsOf = Annotated[Instant | None, about("What was so at this moment, as far as it is known now.")]
KnownAt = Annotated[Instant | None, about("What was known at this moment. With `as_of`: what was thought then.")]
Budget = Annotated[int, Meta(ge=50, le=200_000, description="Tokens at most.")]
Question = Annotated[str, Meta(min_length=1, max_length=20_000, description="What is asked.")]


class ProjectBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new project."""

    name: Name
    id: Annotated[ExternalId | None, about("Your id of the project. One is made where there is none.")] = None
    mission: Mission = ""
    goals: Goals = []
    constraints: Constraints = []
    status: ProjectStatus = "active"
    user_id: Annotated[ExternalId | None, about("Whose project it is. None: shared in the tenant.")] = None


class ProjectChange(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be otherwise. What is left out stays; the former version stays readable."""

    name: Name | None = None
    mission: Mission | None = None
    goals: Goals | None = None
    constraints: Constraints | None = None
    status: ProjectStatus | None = None


class ProjectsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which projects."""

    user_id: Annotated[ExternalId | None, about("Those that this user may see.")] = None
    status: Annotated[Status | None, about("Those that stand so.")] = None


class ProjectQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As of when."""

    known_at: KnownAt = None


class ThreadBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A conversation of a user that belongs to the project."""

    user_id: ExternalId
    scope: Annotated[ThreadScope, about("Whether what is said in it belongs to the project.")] = "in"
    shared: Annotated[bool, about("Whether others who work on the project may read passages of it.")] = False


class ProjectFactsBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Statements, taken in their order; all of them or, when one is refused, none."""

    facts: Annotated[list[ProjectFactBody], Meta(min_length=1, max_length=MAX_FACTS, description="The statements.")]


class StateBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A state that a decision has from a moment on."""

    state: Annotated[State, about("`superseded` comes with the decision that supersedes.")]
    at: Annotated[Instant | None, about("Since when. Else: the date of the source, or now.")] = None
    source: Annotated[SourceBody | None, about("Where that is from. Else it rests on the decision's own source.")] = (
        None
    )
    project_id: Annotated[ExternalId | None, about("Where several projects have a decision of this id.")] = None


class ArtifactBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document, note, file, data set or page."""

    kind: Annotated[ArtifactKind, about("What it is.")]
    ref: Annotated[str, Meta(min_length=1, max_length=2_000, description="Where it is: a path, a URL, an id.")]
    title: Annotated[str, Meta(max_length=500, description="In a line.")] = ""
    summary: Annotated[Paragraph, about("What is in it.")] = ""
    id: Annotated[OwnId | None, about("Your id. The same id again is a new version.")] = None


class EndBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One end of a link."""

    type: Annotated[ItemKind, about("What it is.")]
    id: Annotated[OwnId, about("Its id.")]


class LinkBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """A link between two items of the project."""

    from_: Annotated[EndBody, about("Where it starts.")]
    to: Annotated[EndBody, about("Where it ends.")]
    kind: Annotated[LinkKind, about("What the first has to do with the second.")]
    weight: Annotated[float, Meta(ge=0, le=1, description="How strong or sure it is.")] = 1.0
    source: Annotated[SourceBody | None, about("The evidence for it.")] = None
    valid_from: Annotated[Instant | None, about("Since when. Else: now.")] = None
    valid_to: Annotated[Instant | None, about("Until when.")] = None


class ResolveConflictBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which side of a contradiction holds."""

    keep: Annotated[OwnId, about("The id of the side that stays. The other one is refuted, a decision rejected.")]
    reason: Annotated[Line, about("Why.")] = ""


class FactsListQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Which facts."""

    entity: Annotated[str, Meta(max_length=500, description="Those that name it.")] | None = None
    level: Annotated[Level | None, about("Those of this level.")] = None
    state: Annotated[
        Literal["active", "refuted", "ended", "all"],
        about("`active`: those that hold. `refuted`: those that were not so. `ended`: those that were so."),
    ] = "active"
    from_: Annotated[Instant | None, about("Those that hold since this moment or later.")] = None
    to: Annotated[Instant | None, about("Those that hold since before this moment.")] = None
    authority: Annotated[float, Meta(ge=0, le=1, description="Those with a source of so much authority.")] | None = None
    as_of: AsOf = None
    known_at: KnownAt = None


class DecisionsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Which decisions."""

    entity: Annotated[str, Meta(max_length=500, description="Those that name it.")] | None = None
    state: Annotated[State | Literal["superseded"] | None, about("Those that have, or had then, this state.")] = None
    from_: Annotated[Instant | None, about("Decided at this moment or later.")] = None
    to: Annotated[Instant | None, about("Decided before this moment.")] = None
    authority: Annotated[float, Meta(ge=0, le=1, description="Those with a source of so much authority.")] | None = None
    as_of: AsOf = None
    known_at: KnownAt = None


class LinksQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which links."""

    kind: Annotated[LinkKind | None, about("Those of this kind.")] = None
    type: Annotated[ItemKind | None, about("With `id`: those of this item.")] = None
    id: Annotated[OwnId | None, about("With `type`: those of this item.")] = None
    as_of: AsOf = None
    known_at: KnownAt = None


class ArtifactsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which artifacts."""

    kind: Annotated[ArtifactKind | None, about("Those of this kind.")] = None
    entity: Annotated[str, Meta(max_length=500, description="Those whose title or summary names it.")] | None = None
    as_of: AsOf = None
    known_at: KnownAt = None


class ConflictsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which contradictions."""

    state: Annotated[Literal["open", "resolved"] | None, about("Open or resolved ones.")] = None
    as_of: AsOf = None


class QuestionsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which questions."""

    state: Annotated[Literal["open", "answered", "dropped"] | None, about("Those that stand so.")] = None
    as_of: AsOf = None


class TimelineQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Which part of the timeline."""

    from_: Annotated[Instant | None, about("From this moment on.")] = None
    to: Annotated[Instant | None, about("Before this moment.")] = None
    as_of: Annotated[Instant | None, about("Until this moment.")] = None
