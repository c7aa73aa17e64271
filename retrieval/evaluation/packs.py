"""Evidence per token: of how many evidence messages a rendered pack holds a sentence that bears on the question.

Both packs, with episodes and without, are made in one run over the same messages; all of it is rolled back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
from time import perf_counter
from uuid import UUID

from memory.database.statements import execute
from memory.episodes.cutting import Cutting, cut_conversation
from memory.models import Conversation
from memory.sealing.keystore import get_key_store
from memory.types import UserRef
from patterns.text.tokens import tokenise
from retrieval.configuration import Pipeline
from retrieval.embedding.types import EmbeddingProvider
from retrieval.evaluation.dataset import LabelledQuestion
from retrieval.evaluation.runner import LabelledSet, ScratchUser, ingest_conversations, scratch_tenant
from retrieval.pipeline import make_parts
from retrieval.search.stages import PreparedQuestion, prepare_question
from retrieval.types import ContextQuery

BUDGETS = (500, 1_000, 2_000, 4_000)
ENOUGH_WORDS = 8
_SENTENCE = re.compile(r"(?<=[.!?؟。！？])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class PackReport:
    """Shares of evidence by category (`ALL` first), then by budget, without episodes and with them."""

    shares: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    episodes: int = 0
    cut_seconds: float = 0.0
    pack_ms: tuple[float, float] = (0.0, 0.0)


def count_rows() -> None:
    """Let the planner know what was just written, as a running installation does by itself.

    What earlier runs took back leaves it to believe that the tables are empty: then it reads every row against every
    other. It takes a role that owns the tables; for another the server says so and goes on.
    """
    execute("ANALYZE memory_message, memory_conversation, memory_action, message_index, episode, episode_message")


def list_bearing(message: str, question: str) -> list[str]:
    """The sentences of an evidence message that bear on a question; without one, those of eight words and more."""
    sentences = [part.strip() for part in _SENTENCE.split(message) if part.strip()]
    wanted = _list_stems(question)
    bearing = [sentence for sentence in sentences if wanted & _list_stems(sentence)]
    return bearing or [sentence for sentence in sentences if len(_WORD.findall(sentence)) >= ENOUGH_WORDS]


def _list_stems(text: str) -> frozenset[str]:
    return frozenset(token.lexemes[0][0] for token in tokenise(text))


def measure_pack(rendered: str, evidence: Sequence[str], question: str) -> float | None:
    """The share of the evidence of which the pack holds such a sentence; None where no message has one."""
    wanted = [found for message in evidence if (found := list_bearing(message, question))]
    if not wanted:
        return None
    return fmean(any(sentence in rendered for sentence in sentences) for sentences in wanted)


def evaluate_packs(
    *,
    labelled: LabelledSet,
    pipeline: Pipeline,
    provider: EmbeddingProvider | None,
    now: datetime,
) -> PackReport:
    """Ingest, cut, ask for packs with and without episodes at each budget. Marks of destroyed keys stay alone."""
    with scratch_tenant() as tenant_id:
        users = ingest_conversations(tenant_id, labelled.conversations, provider=provider, now=now)
        run = _Run(labelled, pipeline, users, PackReport())
        try:
            run.cut(now)
            run.ask(provider, now, BUDGETS)
        finally:
            for scratch in users.values():
                get_key_store().destroy(scratch.user.id)
        return run.report


@dataclass(slots=True)
class _Run:
    labelled: LabelledSet
    pipeline: Pipeline
    users: dict[str, ScratchUser]
    report: PackReport
    latest: dict[UUID, UUID] = field(default_factory=dict)
    """By user the conversation in which the question is asked."""

    def cut(self, now: datetime) -> None:
        started = perf_counter()
        for scratch in self.users.values():
            cutting = Cutting(scratch.user, now)
            for row in Conversation.objects.filter(user_id=scratch.user.id).order_by("id"):
                self.report.episodes += cut_conversation(cutting, row).written
                self.latest[scratch.user.id] = row.id
        self.report.cut_seconds = perf_counter() - started
        count_rows()

    def ask(self, provider: EmbeddingProvider | None, now: datetime, budgets: Sequence[int]) -> None:
        texts = {m.id: m for conversation in self.labelled.conversations for m in conversation.messages}
        shares: dict[str, dict[int, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
        times: list[tuple[float, float]] = []
        for question in self.labelled.questions:
            prepared = prepare_question(text=question.query, provider=provider)
            user = self.users[question.user_id].user
            for budget in budgets:
                pair = [self._ask_once(user, question, prepared, budget, has, now) for has in (False, True)]
                times.append((pair[0][1], pair[1][1]))
                said = [texts[one].text for one in question.evidence]
                found = [measure_pack(rendered, said, question.query) for rendered, _ in pair]
                if found[0] is not None and found[1] is not None:
                    for name in ("ALL", question.category):
                        shares[name][budget].append((found[0], found[1]))
        self.report.pack_ms = (fmean(a for a, _ in times), fmean(b for _, b in times))
        for name, by_budget in sorted(shares.items(), key=lambda each: (each[0] != "ALL", each[0])):
            self.report.counts[name] = len(by_budget[budgets[0]])
            self.report.shares[name] = {
                budget: (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) for budget, pairs in by_budget.items()
            }

    def _ask_once(
        self,
        user: UserRef,
        question: LabelledQuestion,
        prepared: PreparedQuestion,
        budget: int,
        has_layers: bool,
        now: datetime,
    ) -> tuple[str, float]:
        query = ContextQuery(
            user=user,
            text=question.query,
            conversation_id=self.latest[user.id],
            max_tokens=budget,
            layers=has_layers,
        )
        started = perf_counter()
        parts = make_parts(query, now=question.asked_at or now, pipeline=self.pipeline, prepared=prepared)
        took = (perf_counter() - started) * 1000
        return "\n".join(message["content"] for message in parts.assembly.rendered[:-1]), took


def format_packs(report: PackReport) -> str:
    """A table: by category and budget, without episodes and with them."""
    budgets = list(next(iter(report.shares.values())))
    head = (
        f"{report.episodes} episodes in {report.cut_seconds:.1f} s; a pack takes {report.pack_ms[0]:.1f} ms without"
        f" them, {report.pack_ms[1]:.1f} ms with them"
    )
    lines = [head, f"{'category':28} {'n':>5} " + " ".join(f"{budget:>15}" for budget in budgets)]
    for category, by_budget in report.shares.items():
        cells = " ".join(f"{before:6.3f} > {after:6.3f}" for before, after in by_budget.values())
        lines.append(f"{category:28} {report.counts[category]:5d} {cells}")
    return "\n".join(lines)
