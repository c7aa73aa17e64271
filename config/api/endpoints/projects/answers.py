"""What the service says about projects."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import msgspec

from config.api.describing import Moment, NextCursor, about, one_of
from memory.projects.types import (
    ARTIFACT_KINDS,
    ITEM_KINDS,
    LEVELS,
    LINK_KINDS,
    SCOPES,
    SOURCE_TYPES,
    STATES,
    STATUSES,
)

Origin = Annotated[
    str,
    one_of(
        ("caller", "rule", "model", "answer", "import"),
        "Who put it there: a caller, a rule, a model, an answer that was written back, an imported history.",
    ),
]
ACTIONS = ("added", "renewed", "changed", "refuted", "stored_as_hypothesis")


class ProjectCounts(msgspec.Struct, frozen=True):
    """How much a project has."""

    threads: Annotated[int, about("Conversations that are bound to it.")]
    facts: Annotated[int, about("Current facts, refuted ones included.")]
    decisions: Annotated[int, about("Decisions in any state.")]
    links: Annotated[int, about("Current links.")]
    artifacts: Annotated[int, about("Artifacts.")]
    open_conflicts: Annotated[int, about("Contradictions that nobody has resolved, hidden sides included.")]
    open_questions: Annotated[int, about("Questions with words that nobody has answered: none about what is hidden.")]
    snapshots: Annotated[int, about("Snapshots that were built.")]


class ProjectAnswer(msgspec.Struct, frozen=True):
    """A project."""

    id: Annotated[str, about("Your id of the project, or the one that was made.")]
    name: Annotated[str, about("Its name for people.")]
    mission: Annotated[str, about("What it is for.")]
    goals: Annotated[list[str], about("What it is to reach.")]
    constraints: Annotated[list[str], about("What must be kept to.")]
    status: Annotated[str, one_of(STATUSES, "Where it stands.")]
    user_id: Annotated[str | None, about("Whose it is. Null: shared in the tenant.")]
    version: Annotated[int, about("Counts its descriptions from 1.")]
    created_at: Annotated[Moment, about("When it was made.")]
    updated_at: Annotated[Moment, about("When something of it changed last.")]
    counts: Annotated[ProjectCounts | None, about("How much it has. Null in lists.")] = None


class ProjectPage(msgspec.Struct, frozen=True):
    """A page of projects."""

    results: Annotated[list[ProjectAnswer], about("In the order in which they were made.")]
    next: NextCursor


class ThreadAnswer(msgspec.Struct, frozen=True):
    """A conversation that is bound to a project."""

    project_id: Annotated[str, about("The project.")]
    conversation_id: Annotated[str, about("Your id of the conversation.")]
    user_id: Annotated[str, about("Whose conversation it is.")]
    scope: Annotated[str, one_of(SCOPES, "Whether what is said in it belongs to the project.")]
    shared: Annotated[bool, about("Whether others who work on the project may read passages of it.")]


class SourceAnswer(msgspec.Struct, frozen=True):
    """Where something is from."""

    id: Annotated[UUID, about("Our id of the source.")]
    type: Annotated[str, one_of(SOURCE_TYPES, "What `ref` names.")]
    ref: Annotated[str, about("Id of a message, a document or an artifact, or a URL.")]
    quote: Annotated[
        str | None, about("The words. Null where there are none, or where they are of a thread that is not shared.")
    ]
    author: Annotated[str | None, about("Who wrote or said it.")]
    date: Annotated[Moment, about("When it was written or said; where nobody told, when it came here.")]
    authority: Annotated[float | None, about("As it was sent.")]


class ProjectFactAnswer(msgspec.Struct, frozen=True):
    """A statement: what holds, since when, and since when that is known."""

    id: Annotated[str, about("Your id of the fact, or the one that was made.")]
    version: Annotated[int, about("Counts its versions from 1.")]
    subject: Annotated[str, about("What it is about.")]
    value: Annotated[Any, about("Text, a number, or any JSON.")]
    level: Annotated[str, one_of(LEVELS, "A fact has a source; what has none is a hypothesis.")]
    status: Annotated[str, one_of(("active", "refuted"), "Refuted: it was not so.")]
    exclusive: Annotated[bool, about("The subject has one value at a time.")]
    sources: Annotated[list[SourceAnswer], about("Where it is from, the first one first. Forgotten ones are left out.")]
    contradicts: Annotated[list[str], about("Facts that contradict it, as long as nobody has resolved that.")]
    valid_from: Annotated[Moment, about("Since when it is so.")]
    valid_to: Annotated[Moment | None, about("Until when it is so. Null: open.")]
    known_from: Annotated[Moment, about("Since when this version is known.")]
    known_to: Annotated[Moment | None, about("When the next version took its place. Null: it is current.")]
    origin: Origin


class ProjectFactPage(msgspec.Struct, frozen=True):
    """A page of facts."""

    results: Annotated[list[ProjectFactAnswer], about("In the order in which they came first.")]
    next: NextCursor


class FactResult(msgspec.Struct, frozen=True):
    """What became of one statement."""

    id: Annotated[str, about("The fact that now says so.")]
    action: Annotated[
        str,
        one_of(
            ACTIONS,
            "`renewed`: it was said before, and its source is evidence more. `changed`: a new version under its id."
            " `refuted`: it was refuted before, and nothing newer speaks for it. `stored_as_hypothesis`: no source.",
        ),
    ]
    level: Annotated[str, one_of(LEVELS, "The level that it has now.")]
    version: Annotated[int, about("The version of the fact now.")]
    contradicts: Annotated[list[str], about("Facts that it contradicts. Both stay, and a question comes up.")]


class FactsAnswer(msgspec.Struct, frozen=True):
    """What became of the statements."""

    results: Annotated[list[FactResult], about("In the order of the statements.")]


class StateAnswer(msgspec.Struct, frozen=True):
    """A state of a decision."""

    state: Annotated[str, one_of(STATES, "The state.")]
    at: Annotated[Moment, about("Since when.")]
    known_from: Annotated[Moment, about("Since when that is known.")]
    superseded_by: Annotated[str | None, about("The decision that took its place.")]
    source_status: Annotated[str | None, about("The word of an imported history for it, as it stands there.")]
    source: Annotated[SourceAnswer | None, about("Where that is from.")]


class DecisionAnswer(msgspec.Struct, frozen=True):
    """A decision with the state that holds, or held then."""

    id: Annotated[str, about("Your id of the decision, or the one that was made.")]
    project_id: Annotated[str, about("The project.")]
    version: Annotated[int, about("Counts the versions of its words from 1.")]
    title: Annotated[str | None, about("In a line. Null: its source was erased.")]
    description: Annotated[str | None, about("What and why. Null: its source was erased.")]
    owner: Annotated[str | None, about("Who sees to it.")]
    state: Annotated[str, one_of(STATES, "The state.")]
    state_since: Annotated[Moment, about("Since when it has this state.")]
    superseded_by: Annotated[str | None, about("The decision that took its place.")]
    supersedes: Annotated[list[str], about("Decisions whose place it takes once it is accepted.")]
    decided_at: Annotated[Moment, about("When it was decided.")]
    known_from: Annotated[Moment, about("Since when this version is known.")]
    source: Annotated[SourceAnswer | None, about("Where it is from.")]
    source_erased: Annotated[bool, about("Its source was erased: that it was decided stays, its words are gone.")]
    source_status: Annotated[str | None, about("The word of an imported history for its state.")]
    contradicts: Annotated[list[str], about("Decisions of the same title that stand beside it.")]
    history: Annotated[list[StateAnswer], about("Its states, oldest first.")]
    origin: Origin


class DecisionPage(msgspec.Struct, frozen=True):
    """A page of decisions."""

    results: Annotated[list[DecisionAnswer], about("In the order in which they came.")]
    next: NextCursor


class EndAnswer(msgspec.Struct, frozen=True):
    """One end of a link."""

    type: Annotated[str, one_of(ITEM_KINDS, "What it is.")]
    id: Annotated[str, about("Its id.")]


class LinkAnswer(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """A link between two items."""

    id: Annotated[UUID, about("Our id of the link.")]
    from_: Annotated[EndAnswer, about("Where it starts.")]
    to: Annotated[EndAnswer, about("Where it ends.")]
    kind: Annotated[str, one_of(LINK_KINDS, "What the first has to do with the second.")]
    weight: Annotated[float, about("How strong or sure it is.")]
    source: Annotated[SourceAnswer | None, about("The evidence for it.")]
    supersedes: Annotated[bool, about("The first takes the place of the second once it is accepted.")]
    valid_from: Annotated[Moment, about("Since when.")]
    valid_to: Annotated[Moment | None, about("Until when. Null: open.")]
    known_from: Annotated[Moment, about("Since when it is known.")]
    origin: Origin


class LinkPage(msgspec.Struct, frozen=True):
    """A page of links."""

    results: Annotated[list[LinkAnswer], about("In the order in which they came.")]
    next: NextCursor


class ArtifactAnswer(msgspec.Struct, frozen=True):
    """A document, note, file, data set or page."""

    id: Annotated[str, about("Your id of the artifact, or the one that was made.")]
    version: Annotated[int, about("Counts its versions from 1.")]
    kind: Annotated[str, one_of(ARTIFACT_KINDS, "What it is.")]
    ref: Annotated[str, about("Where it is.")]
    title: Annotated[str, about("In a line.")]
    summary: Annotated[str, about("What is in it.")]
    known_from: Annotated[Moment, about("Since when this version is known.")]
    created_at: Annotated[Moment, about("When it came first.")]


class ArtifactPage(msgspec.Struct, frozen=True):
    """A page of artifacts."""

    results: Annotated[list[ArtifactAnswer], about("In the order in which they came.")]
    next: NextCursor


class ConflictAnswer(msgspec.Struct, frozen=True):
    """An entry of the register of contradictions."""

    id: Annotated[UUID, about("Our id of the contradiction.")]
    kind: Annotated[str, one_of(("fact", "decision"), "What contradicts each other.")]
    rule: Annotated[
        str,
        one_of(
            ("exclusive", "polarity", "title"),
            "Why: the subject has one value at a time; one says what the other denies; decisions of one title.",
        ),
    ]
    items: Annotated[list[str], about("The ids of the two.")]
    state: Annotated[str, one_of(("open", "resolved"), "Whether it was resolved.")]
    opened_at: Annotated[Moment, about("When it was found.")]
    resolved_at: Annotated[Moment | None, about("When it was resolved.")]
    kept: Annotated[str | None, about("The side that holds.")]
    resolution: Annotated[
        str | None,
        about(
            "How: `person`, `later_fact` (a source later than all others), `superseded` (one decision took the place of"
            " the other), `changed` (a side says something else now). Null while it is open."
        ),
    ]
    reason: Annotated[str | None, about("Why, as the person said.")]


class ConflictPage(msgspec.Struct, frozen=True):
    """A page of the register."""

    results: Annotated[list[ConflictAnswer], about("In the order in which they were found.")]
    next: NextCursor


class ResolvedConflict(msgspec.Struct, frozen=True):
    """A contradiction that was resolved, and both of its sides. The link between them stays."""

    conflict: Annotated[ConflictAnswer, about("The entry of the register.")]
    facts: Annotated[list[ProjectFactAnswer], about("Both facts, the one that holds first. Empty for decisions.")]
    decisions: Annotated[list[DecisionAnswer], about("Both decisions, the one that holds first. Empty for facts.")]


class QuestionAnswer(msgspec.Struct, frozen=True):
    """A question that is open, or was."""

    id: Annotated[UUID, about("Our id of the question.")]
    text: Annotated[str | None, about("What is to be asked.")]
    state: Annotated[str, one_of(("open", "answered", "dropped"), "Whether it is still to be asked.")]
    conflict_id: Annotated[UUID | None, about("The contradiction that it is about.")]
    source: Annotated[SourceAnswer | None, about("Where it was asked.")]
    opened_at: Annotated[Moment, about("When it came up.")]
    closed_at: Annotated[Moment | None, about("When it was answered or dropped.")]


class QuestionPage(msgspec.Struct, frozen=True):
    """A page of questions."""

    results: Annotated[list[QuestionAnswer], about("In the order in which they came up.")]
    next: NextCursor


class TimelineEvent(msgspec.Struct, frozen=True):
    """Something that happened."""

    at: Annotated[Moment, about("When.")]
    event: Annotated[
        str,
        about(
            "`fact_added`, `fact_changed`, `fact_refuted`, `decision_<state>`, `artifact_added`, `artifact_changed`,"
            " `thread_bound`, `conflict_opened`, `conflict_resolved`, `project_<status>`."
        ),
    ]
    type: Annotated[str, about("What it happened to: `fact`, `decision`, `artifact`, `thread`, `conflict`, `project`.")]
    id: Annotated[str, about("Its id.")]
    version: Annotated[int, about("Its version, or the place of the state among its states.")]


class TimelinePage(msgspec.Struct, frozen=True):
    """A page of the timeline."""

    results: Annotated[list[TimelineEvent], about("Oldest first.")]
    next: NextCursor
