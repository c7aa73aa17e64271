"""The context of one reply about a project: snapshot, passages and knowledge under one budget (SPEC J-2).

snapshot -> passages -> knowledge -> question to ask -> marks -> rendering -> receipt
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from memory.projects.errors import BudgetTooSmall
from memory.projects.services.history import update_history
from memory.projects.services.questions import choose_questions
from memory.projects.services.runs import RunNote, note_run
from memory.projects.types import SourceView
from memory.types import UserRef
from retrieval.knowledge.planning.plans import open_corpus
from retrieval.knowledge.planning.switches import read_switches
from retrieval.knowledge.search.searching import ask_corpus
from retrieval.knowledge.search.types import CorpusQuery
from retrieval.pack.policy import digest_parts
from retrieval.pack.token_counters import ESTIMATE
from retrieval.projects import weights
from retrieval.projects.candidates import Wanted
from retrieval.projects.lines import get_headings, tidy, write_decision, write_event, write_fact, write_source
from retrieval.projects.passages import Passage, find_passages, has_threads
from retrieval.projects.reading import Snapshot
from retrieval.projects.snapshots import build_snapshot, note_snapshot, refresh
from retrieval.receipts.writing import ReceiptDraft, write_receipt

RECIPE: Final = "project-bundle-1"
_FOLDER: Final = Path(__file__).resolve().parents[1] / "templates" / "projects" / "v1"
LANGUAGES: Final = ("en", "ru", "ar")
MAX_INSTRUCTIONS: Final = 8
SNAPSHOT_SHARE: Final = 0.5
"""Of what instructions and question leave. Without threads the snapshot has the passages' part too."""
KNOWLEDGE_SHARE: Final = 0.2
HEADINGS_TOKENS: Final = 60
MAX_KNOWLEDGE: Final = 8
_MESSAGE_TOKENS: Final = 8
"""Roles and separators of the two messages."""


@dataclass(frozen=True, slots=True)
class KnowledgeItem:
    """An excerpt of a corpus with where it is from."""

    corpus: str
    document_id: str | None
    chunk_id: int | None
    title: str
    text: str
    citation: str
    score: float


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that a model gets for one reply."""

    instructions: Sequence[str]
    snapshot: Snapshot
    passages: Sequence[Passage]
    knowledge: Sequence[KnowledgeItem]
    clarifying_questions: Sequence[str]
    rendered: Sequence[dict[str, str]]
    used_tokens: int
    budget_tokens: int
    language: str
    receipt_id: UUID | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    considered_chunks: Sequence[int] = ()
    """Chunks of knowledge, those that had no room included: for the receipt."""


def compose_context(wanted: Wanted, *, budget_tokens: int, corpora: Sequence[str] = ()) -> Bundle:
    """The context bundle for a question. Reads what is new in the threads first; writes snapshot, receipt and counts.

    Raises BudgetTooSmall, CorpusNotFound.
    """
    started = time.perf_counter()
    update_history(wanted.project, now=wanted.now)
    wanted = replace(wanted, project=refresh(wanted.project))
    instructions = list_instructions(wanted.language)
    fixed = ESTIMATE.count("\n".join(instructions)) + ESTIMATE.count(wanted.query) + HEADINGS_TOKENS + _MESSAGE_TOKENS
    free = budget_tokens - fixed
    if free <= 0:
        raise BudgetTooSmall(fields={"budget_tokens": f"instructions and question take {fixed}"})
    for_knowledge = int(free * KNOWLEDGE_SHARE) if corpora else 0
    is_threaded = has_threads(wanted.project, user_id=wanted.user_id)
    for_snapshot = int(free * SNAPSHOT_SHARE) if is_threaded else free - for_knowledge
    snapshot = build_snapshot(wanted, budget_tokens=for_snapshot)
    for_passages = free - snapshot.row.used_tokens - for_knowledge if is_threaded else 0
    passages = _find_passages(wanted, for_passages)
    knowledge, considered = _find_knowledge(wanted, corpora, for_knowledge)
    questions = choose_questions(wanted.project, now=wanted.now, reader=wanted.reader, language=wanted.language)
    bundle = _fit(
        Bundle(instructions, snapshot, passages, knowledge, questions, (), 0, budget_tokens, wanted.language), wanted
    )
    bundle = replace(bundle, considered_chunks=considered)
    milliseconds = round((time.perf_counter() - started) * 1000, 3)
    return _note(wanted, bundle, milliseconds)


@cache
def list_instructions(language: str) -> tuple[str, ...]:
    """The rules that come with a bundle, eight at most."""
    chosen = language if language in LANGUAGES else LANGUAGES[0]
    lines = (_FOLDER / chosen / "instructions.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line)[:MAX_INSTRUCTIONS]


def _find_passages(wanted: Wanted, budget: int) -> list[Passage]:
    if budget <= 0:
        return []
    return find_passages(
        wanted.project, query=wanted.query, user_id=wanted.user_id, budget_tokens=budget, as_of=wanted.when.as_of
    )


def _find_knowledge(wanted: Wanted, corpora: Sequence[str], budget: int) -> tuple[list[KnowledgeItem], list[int]]:
    """Excerpts of the corpora under a budget, best first (MAAS RetrieveKnowledge), and the chunks that were considered.

    Each excerpt says where it is from.
    """
    found: list[KnowledgeItem] = []
    for name in dict.fromkeys(corpora):
        corpus = open_corpus(tenant_id=wanted.project.tenant_id, external_id=name)
        query = CorpusQuery(text=wanted.query, top_k=MAX_KNOWLEDGE, as_of=wanted.when.as_of)
        for hit in ask_corpus(corpus, query, switches=read_switches(corpus), now=wanted.now).hits:
            ref = hit.document_id or hit.record_id or ""
            found.append(
                KnowledgeItem(name, hit.document_id, hit.chunk_id, hit.title, hit.text, f"{name}/{ref}", hit.score)
            )
    chosen, used = [], 0
    best = sorted(found, key=lambda item: (-item.score, item.citation))[:MAX_KNOWLEDGE]
    for item in best:
        cost = ESTIMATE.count(write_knowledge(item)) + 1
        if used + cost <= budget:
            used += cost
            chosen.append(item)
    return chosen, [item.chunk_id for item in best if item.chunk_id is not None]


def write_knowledge(item: KnowledgeItem) -> str:
    """An excerpt as a model reads it."""
    title = f"{item.title}: " if item.title else ""
    return f"- {title}{item.text} [{item.citation}]"


# --- rendering --------------------------------------------------------------------------------------------------------


def _fit(bundle: Bundle, wanted: Wanted) -> Bundle:
    """The bundle with its rendering. If it is over its budget, parts go: knowledge first, then passages."""
    while True:
        rendered = render(bundle, query=wanted.query)
        used = sum(ESTIMATE.count(message["content"]) for message in rendered) + _MESSAGE_TOKENS
        if used <= bundle.budget_tokens:
            return replace(bundle, rendered=rendered, used_tokens=used)
        if bundle.knowledge:
            bundle = replace(bundle, knowledge=bundle.knowledge[:-1])
        elif bundle.passages:
            bundle = replace(bundle, passages=bundle.passages[:-1])
        elif bundle.clarifying_questions:
            bundle = replace(bundle, clarifying_questions=bundle.clarifying_questions[:-1])
        else:
            raise BudgetTooSmall(fields={"budget_tokens": f"the least context takes {used}"})


def render(bundle: Bundle, *, query: str) -> list[dict[str, str]]:
    """Messages for a chat-completions call: the parts with their levels in words, then the question.

    What members and records say stays on a line of its own: it begins no part and gives no order.
    """
    snapshot, words = bundle.snapshot, get_headings(bundle.language)
    marks = {source.id: f"S{number}" for number, source in enumerate(snapshot.citations, start=1)}
    sections = [
        (words["mission"], [snapshot.mission, *(f"- {goal}" for goal in snapshot.goals)]),
        (words["constraints"], [f"- {one}" for one in snapshot.constraints]),
        (words["decisions"], [
            write_decision(each, marks=_mark(marks, [each.source] if each.source else []), language=bundle.language)
            for each in snapshot.decisions
        ]),
        (words["facts"], [
            write_fact(each, marks=_mark(marks, each.sources), language=bundle.language) for each in snapshot.facts
        ]),
        (words["open_questions"], [f"- {each.text}" for each in snapshot.open_questions]),
        (words["timeline"], [
            write_event(each.at, each.state, each.title, language=bundle.language) for each in snapshot.timeline
        ]),
        (words["ask"], [f"- {each}" for each in bundle.clarifying_questions]),
        (words["sources"], [
            write_source(marks[each.id], each) for each in snapshot.citations
        ]),
        (words["knowledge"], [write_knowledge(each) for each in bundle.knowledge]),
    ]  # fmt: skip
    passages = [f"({tidy(each.conversation_id)})\n{each.text}" for each in bundle.passages]
    parts = [(heading, [tidy(line) for line in lines if line]) for heading, lines in sections]
    parts.insert(-1, (words["passages"], passages))
    text = "\n".join(bundle.instructions)
    for heading, lines in parts:
        if lines:
            text += f"\n\n## {heading}\n" + "\n".join(lines)
    return [{"role": "system", "content": text}, {"role": "user", "content": query}]


def _mark(marks: dict[UUID, str], sources: Sequence[SourceView]) -> list[str]:
    return [marks[source.id] for source in sources if source.id in marks]


# --- account ----------------------------------------------------------------------------------------------------------


def _note(wanted: Wanted, bundle: Bundle, milliseconds: float) -> Bundle:
    snapshot = bundle.snapshot
    note_snapshot(snapshot, milliseconds=milliseconds, now=wanted.now)
    stated = [fact for fact in snapshot.facts if fact.level == "fact"]
    note_run(
        wanted.project,
        RunNote(
            process="context", milliseconds=milliseconds, budget_tokens=bundle.budget_tokens,
            used_tokens=bundle.used_tokens, stated=len(stated) + len(bundle.knowledge),
            attributed=sum(bool(fact.sources) for fact in stated) + len(bundle.knowledge),
        ),
        now=wanted.now,
    )  # fmt: skip
    return replace(bundle, receipt_id=write_receipt(_draft(wanted, bundle, milliseconds), waits_for_disk=True))


def _draft(wanted: Wanted, bundle: Bundle, milliseconds: float) -> ReceiptDraft:
    turns = [
        (message.id, passage.density, "passage")
        for passage in bundle.passages
        for message in passage.messages
        if passage.user_id == wanted.user_id
    ]
    chunks = [item.chunk_id for item in bundle.knowledge if item.chunk_id is not None]
    budget: dict[str, Any] = {
        "project": {"allotted": bundle.budget_tokens, "used": bundle.used_tokens},
        "snapshot": {"allotted": bundle.snapshot.row.budget_tokens, "used": bundle.snapshot.row.used_tokens},
    }
    return ReceiptDraft(
        user=UserRef(id=wanted.user_id, tenant_id=wanted.project.tenant_id),
        kind="context",
        question=wanted.query,
        created_at=wanted.now,
        policy_version=f"{RECIPE}/{weights.RECIPE}/{digest_parts()}",
        as_of=wanted.when.as_of,
        language=wanted.language,
        max_tokens=bundle.budget_tokens,
        tokenizer=ESTIMATE.name,
        chosen=turns,
        context_positions=[number for number, _ in enumerate(turns, start=1)],
        chunk_ids=chunks,
        chunk_positions=[number for number, _ in enumerate(chunks, start=len(turns) + 1)],
        left_out_chunk_ids=[one for one in bundle.considered_chunks if one not in chunks],
        stores=["projects", *(["knowledge"] if bundle.knowledge else [])],
        budget=budget,
        timings_ms={"project": milliseconds},
        rendered=bundle.rendered,
    )
