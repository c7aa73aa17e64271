"""What the service says of snapshots, contexts, written answers and figures of projects."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import msgspec

from config.api.describing import MessageId, Moment, about, one_of
from config.api.endpoints.projects.answers import DecisionAnswer, FactResult, LinkAnswer, SourceAnswer
from config.api.endpoints.projects.showing import show_source, show_sources
from memory.projects.types import LEVELS, SCOPES, STATES, DecisionView, FactView
from retrieval.projects.bundle import Bundle
from retrieval.projects.diffs import Change
from retrieval.projects.monitoring import Figures
from retrieval.projects.normalising import Normalised
from retrieval.projects.reading import Snapshot
from retrieval.projects.snapshots import TOKENIZER


class SnapshotFact(msgspec.Struct, frozen=True):
    """A statement of a snapshot."""

    id: Annotated[str, about("The fact.")]
    version: Annotated[int, about("Its version.")]
    subject: Annotated[str, about("What it is about.")]
    value: Annotated[Any, about("Text, a number, or any JSON.")]
    level: Annotated[str, one_of(LEVELS, "A fact has a source; what has none is a hypothesis.")]
    status: Annotated[str, one_of(("active", "refuted"), "Refuted: it was not so. Shown so that nobody repeats it.")]
    valid_from: Annotated[Moment, about("Since when it is so.")]
    valid_to: Annotated[Moment | None, about("Until when it is so.")]
    contradicts: Annotated[list[str], about("Facts that contradicted it when the snapshot was built.")]
    source: Annotated[SourceAnswer | None, about("Its first source. Null for a hypothesis without one.")]
    citations: Annotated[list[UUID], about("Its sources, among the citations of the snapshot.")]


class SnapshotDecision(msgspec.Struct, frozen=True):
    """A decision of a snapshot."""

    id: Annotated[str, about("The decision.")]
    version: Annotated[int, about("Its version.")]
    title: Annotated[str, about("In a line.")]
    description: Annotated[str, about("What and why.")]
    owner: Annotated[str | None, about("Who sees to it.")]
    state: Annotated[str, one_of(STATES, "The state that it had.")]
    state_since: Annotated[Moment, about("Since when.")]
    superseded_by: Annotated[str | None, about("The decision that took its place.")]
    supersedes: Annotated[list[str], about("Decisions whose place it takes.")]
    decided_at: Annotated[Moment, about("When it was decided.")]
    contradicts: Annotated[list[str], about("Decisions of the same title that stood beside it.")]
    source: Annotated[SourceAnswer | None, about("Where it is from.")]
    citations: Annotated[list[UUID], about("Its source, among the citations of the snapshot.")]


class SnapshotEvent(msgspec.Struct, frozen=True):
    """A line of the short history."""

    at: Annotated[str, about("When. ISO 8601.")]
    event: Annotated[str, about("`decision_<state>`.")]
    id: Annotated[str, about("The decision.")]
    title: Annotated[str, about("Its title.")]


class SnapshotQuestion(msgspec.Struct, frozen=True):
    """A question that was open."""

    id: Annotated[UUID, about("Our id of the question.")]
    text: Annotated[str, about("What is to be asked.")]


class SnapshotBudget(msgspec.Struct, frozen=True):
    """What a snapshot costs."""

    limit: Annotated[int, about("Tokens at most.")]
    used: Annotated[int, about("Tokens that it takes.")]
    tokenizer: Annotated[str, about("How they were counted.")]


class MissingAnswer(msgspec.Struct, frozen=True):
    """What was in the snapshot and is not there any more."""

    type: Annotated[str, about("`fact`, `decision`, `question` or `source`.")]
    id: Annotated[str, about("Its id.")]
    reason: Annotated[str, one_of(("forgotten", "erased"), "Why. What is forgotten may come back.")]


class SnapshotAnswer(msgspec.Struct, frozen=True):
    """What a project was, for a question, as of a moment. It does not change."""

    id: Annotated[UUID, about("Our id of the snapshot.")]
    project_id: Annotated[str, about("The project.")]
    version: Annotated[int, about("Counts the snapshots of the project from 1.")]
    built_at: Annotated[Moment, about("When it was built.")]
    hash: Annotated[str, about("Equal for equal ids and versions. It confirms no word.")]
    as_of: Annotated[Moment | None, about("The moment whose state it shows. Null: when it was built.")]
    known_at: Annotated[Moment | None, about("As far as it was known then. Null: when it was built.")]
    name: Annotated[str, about("The name of the project.")]
    status: Annotated[str, about("Where it stood.")]
    mission: Annotated[str, about("What it is for. Never cut.")]
    goals: Annotated[list[str], about("What it is to reach. Never cut.")]
    constraints: Annotated[list[str], about("What must be kept to. Never cut.")]
    facts: Annotated[list[SnapshotFact], about("Most relevant first.")]
    decisions: Annotated[list[SnapshotDecision], about("Most relevant first.")]
    timeline: Annotated[list[SnapshotEvent], about("The latest changes.")]
    open_questions: Annotated[list[SnapshotQuestion], about("Questions that were open.")]
    citations: Annotated[list[SourceAnswer], about("The sources, in the order of the marks S1, S2, ...")]
    budget: Annotated[SnapshotBudget, about("What it costs.")]
    missing: Annotated[list[MissingAnswer], about("What was forgotten or erased since it was built.")]


class ChangeAnswer(msgspec.Struct, frozen=True):
    """One difference."""

    type: Annotated[str, one_of(("project", "fact", "decision", "question"), "What it is about.")]
    id: Annotated[str, about("Its id; of the project the field.")]
    change: Annotated[str, one_of(("added", "removed", "changed"), "What happened to it.")]
    before: Annotated[str | None, about("As it was. Null: it was not there.")]
    now: Annotated[str | None, about("As it is. Null: it is not there.")]
    text: Annotated[str, about("The difference in words.")]


class DiffAnswer(msgspec.Struct, frozen=True):
    """Two snapshots of a project held against each other."""

    snapshot_id: Annotated[UUID, about("The first one.")]
    other_id: Annotated[UUID, about("The second one.")]
    changes: Annotated[list[ChangeAnswer], about("What is otherwise in the second one.")]
    text: Annotated[str, about("All of it in words, a line each.")]


class PassageAnswer(msgspec.Struct, frozen=True):
    """Turns of a conversation that follow each other."""

    conversation_id: Annotated[str, about("Your id of the conversation.")]
    message_ids: Annotated[list[MessageId], about("The messages, in order.")]
    text: Annotated[str, about("What was said.")]


class KnowledgeAnswer(msgspec.Struct, frozen=True):
    """An excerpt of a corpus."""

    corpus: Annotated[str, about("The corpus.")]
    document_id: Annotated[str | None, about("Your id of the document. Null for a record.")]
    chunk_id: Annotated[int | None, about("Our number of the piece of text.")]
    title: Annotated[str, about("Its title.")]
    text: Annotated[str, about("What it says.")]
    citation: Annotated[str, about("How it is cited: `corpus/document`.")]


class BundleMessage(msgspec.Struct, frozen=True):
    """A message for a chat-completions call."""

    role: Annotated[str, one_of(("system", "user"), "Who speaks.")]
    content: Annotated[str, about("What it says.")]


class BundleRendering(msgspec.Struct, frozen=True):
    """The bundle as messages."""

    messages: Annotated[list[BundleMessage], about("Ready for a chat-completions call; the question is the last.")]


class BundleBudget(msgspec.Struct, frozen=True):
    """What a bundle costs."""

    limit: Annotated[int, about("Tokens at most.")]
    used: Annotated[int, about("Tokens that the rendering takes.")]
    snapshot: Annotated[int, about("Tokens of the snapshot among them.")]
    tokenizer: Annotated[str, about("How they were counted.")]


class BundleAnswer(msgspec.Struct, frozen=True):
    """Everything that a model needs for one reply about a project."""

    instructions: Annotated[list[str], about("How to answer: eight at most.")]
    mission: Annotated[str, about("What the project is for.")]
    facts: Annotated[list[SnapshotFact], about("Facts, hypotheses and interpretations, told apart by their level.")]
    decisions: Annotated[list[SnapshotDecision], about("Decisions with their states.")]
    passages: Annotated[list[PassageAnswer], about("Of conversations, the densest one first.")]
    knowledge: Annotated[list[KnowledgeAnswer], about("Of corpora, the best one first.")]
    constraints: Annotated[list[str], about("What must be kept to.")]
    open_questions: Annotated[list[SnapshotQuestion], about("Questions that are open.")]
    citations: Annotated[list[SourceAnswer], about("The sources, in the order of the marks S1, S2, ...")]
    clarifying_questions: Annotated[list[str], about("What to ask the user: two at most.")]
    snapshot_id: Annotated[UUID, about("The snapshot that it was made from.")]
    receipt_id: Annotated[UUID | None, about("The receipt of the context.")]
    budget: Annotated[BundleBudget, about("What it costs.")]
    rendered: Annotated[BundleRendering, about("The bundle as messages.")]


class WritebackAnswer(msgspec.Struct, frozen=True):
    """What became of an answer."""

    facts: Annotated[list[FactResult], about("Statements: those that were known, and those that are hypotheses now.")]
    decisions: Annotated[list[DecisionAnswer], about("Decisions: proposals, as nobody has taken them.")]
    links: Annotated[list[LinkAnswer], about("Links from new statements to what they rest on.")]
    questions: Annotated[list[str], about("Questions that are open now.")]
    unknown_citations: Annotated[list[str], about("Citations that name nothing of the snapshot.")]


class NamedEntity(msgspec.Struct, frozen=True):
    """Something that a request names."""

    text: Annotated[str, about("As it is written there.")]
    start: Annotated[int, about("Where it begins, in code points.")]
    end: Annotated[int, about("Where it has ended.")]
    type: Annotated[str | None, about("Its type in the corpus.")]
    key: Annotated[str | None, about("Its key in the corpus.")]
    corpus: Annotated[str | None, about("The corpus that knows it.")]


class NormalisedAnswer(msgspec.Struct, frozen=True):
    """A request as it was understood."""

    project_id: Annotated[str | None, about("The project that it is about. Null: none, or several alike.")]
    binding: Annotated[str | None, about("How it was found: `given`, `thread`, `name` or `records`. Null: it was not.")]
    intent: Annotated[str, about("`why`, `decision`, `status`, `question`, `contradiction`, `history` or `other`.")]
    entities: Annotated[list[NamedEntity], about("What it names.")]
    constraints: Annotated[list[str], about("Clauses that bound the answer, word for word.")]
    relevance: Annotated[str, one_of(SCOPES, "Whether it belongs to the project.")]


class MonitorAnswer(msgspec.Struct, frozen=True):
    """How a project's processes did in the last 30 days. Null where nothing was counted."""

    latency: Annotated[dict[str, float | None], about("Milliseconds of contexts: `p50`, `p95`.")]
    hit_at_k: Annotated[float | None, about("Share of cited sources that were of the first ten parts of a context.")]
    attr_rate: Annotated[float | None, about("Share of stated facts and excerpts that had a source.")]
    conflict_rate: Annotated[float, about("Open contradictions for each visible fact and decision.")]
    token_budget_used: Annotated[float | None, about("Share of their budget that contexts used.")]
    runs: Annotated[int, about("How many runs of processes were counted.")]
    refused: Annotated[int, about("Proposals of a model that were refused.")]


# --- from values of the rooms -----------------------------------------------------------------------------------------


def show_snapshot(snapshot: Snapshot) -> SnapshotAnswer:
    """A snapshot as callers see it."""
    row = snapshot.row
    return SnapshotAnswer(
        id=row.id, project_id=snapshot.project.external_id, version=row.version, built_at=row.built_at,
        hash=row.hash, as_of=row.as_of, known_at=row.known_at, name=snapshot.name, status=snapshot.status,
        mission=snapshot.mission, goals=list(snapshot.goals), constraints=list(snapshot.constraints),
        facts=[show_snapshot_fact(fact) for fact in snapshot.facts],
        decisions=[show_snapshot_decision(decision) for decision in snapshot.decisions],
        timeline=[SnapshotEvent(each.at, each.event, each.id, each.title) for each in snapshot.timeline],
        open_questions=show_questions(snapshot), citations=show_sources(snapshot.citations),
        budget=SnapshotBudget(row.budget_tokens, row.used_tokens, TOKENIZER),
        missing=[MissingAnswer(each.type, each.id, each.reason) for each in snapshot.missing],
    )  # fmt: skip


def show_questions(snapshot: Snapshot) -> list[SnapshotQuestion]:
    """The open questions of a snapshot."""
    return [SnapshotQuestion(each.id, each.text) for each in snapshot.open_questions]


def show_snapshot_fact(fact: FactView) -> SnapshotFact:
    """A fact of a snapshot."""
    return SnapshotFact(
        id=fact.external_id, version=fact.version, subject=fact.subject, value=fact.value, level=fact.level,
        status=fact.status, valid_from=fact.valid_from, valid_to=fact.valid_to, contradicts=list(fact.contradicts),
        source=show_source(fact.sources[0] if fact.sources else None),
        citations=[source.id for source in fact.sources],
    )  # fmt: skip


def show_snapshot_decision(decision: DecisionView) -> SnapshotDecision:
    """A decision of a snapshot."""
    return SnapshotDecision(
        id=decision.external_id, version=decision.version, title=decision.title or "",
        description=decision.description or "", owner=decision.owner, state=decision.state.state,
        state_since=decision.state.at, superseded_by=decision.state.superseded_by,
        supersedes=list(decision.supersedes), decided_at=decision.decided_at, contradicts=list(decision.contradicts),
        source=show_source(decision.source), citations=[decision.source.id] if decision.source else [],
    )  # fmt: skip


def show_bundle(bundle: Bundle) -> BundleAnswer:
    """A context as callers see it."""
    snapshot = bundle.snapshot
    return BundleAnswer(
        instructions=list(bundle.instructions), mission=snapshot.mission,
        facts=[show_snapshot_fact(fact) for fact in snapshot.facts],
        decisions=[show_snapshot_decision(decision) for decision in snapshot.decisions],
        passages=[
            PassageAnswer(each.conversation_id, [message.id for message in each.messages], each.text)
            for each in bundle.passages
        ],
        knowledge=[
            KnowledgeAnswer(each.corpus, each.document_id, each.chunk_id, each.title, each.text, each.citation)
            for each in bundle.knowledge
        ],
        constraints=list(snapshot.constraints), open_questions=show_questions(snapshot),
        citations=show_sources(snapshot.citations), clarifying_questions=list(bundle.clarifying_questions),
        snapshot_id=snapshot.row.id, receipt_id=bundle.receipt_id,
        budget=BundleBudget(bundle.budget_tokens, bundle.used_tokens, snapshot.row.used_tokens, TOKENIZER),
        rendered=BundleRendering([BundleMessage(each["role"], each["content"]) for each in bundle.rendered]),
    )  # fmt: skip


def show_change(change: Change) -> ChangeAnswer:
    """A difference."""
    return ChangeAnswer(change.type, change.id, change.change, change.before, change.now, change.text)


def show_normalised(found: Normalised) -> NormalisedAnswer:
    """A request as it was understood."""
    return NormalisedAnswer(
        found.project_id, found.binding, found.intent,
        [
            NamedEntity(each.text, each.start, each.end, each.type or None, each.key or None, each.corpus or None)
            for each in found.entities
        ],
        list(found.constraints), found.relevance,
    )  # fmt: skip


def show_figures(figures: Figures) -> MonitorAnswer:
    """The monitor's figures."""
    return MonitorAnswer(
        {"p50": figures.latency_p50_ms, "p95": figures.latency_p95_ms}, figures.hit_at_k, figures.attr_rate,
        figures.conflict_rate, figures.token_budget_used, figures.runs, figures.refused,
    )  # fmt: skip
