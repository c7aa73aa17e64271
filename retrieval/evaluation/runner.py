"""Running a labelled set through the real tables and the real statement, in a transaction that is rolled back."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.database.statements import execute
from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.types import RecordedMessage, UserRef
from retrieval.embedding.types import EmbeddingProvider
from retrieval.evaluation.dataset import LabelledConversation, LabelledQuestion
from retrieval.evaluation.metrics import average_scores, find_percentile, score_ranking
from retrieval.index.entries import build_embedded_text
from retrieval.index.writing import index_messages, store_vectors
from retrieval.search.recipes import Recipe
from retrieval.search.stages import PreparedQuestion, SearchPlan, find_ranked, prepare_question

DEPTH = 50
PORTION = 500


@dataclass(slots=True)
class Report:
    """What a run measured: scores by category (`ALL` first) and by question, and milliseconds a question."""

    recipe: str
    scores: dict[str, dict[str, float]]
    by_question: dict[str, dict[str, float]]
    p50_ms: float
    p95_ms: float
    messages: int
    ingest_seconds: float


@dataclass(slots=True)
class ScratchUser:
    """A user of the run and the labelled ids of their messages."""

    user: UserRef
    labels: dict[UUID, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """What a run asks, and how its conversations are put under users."""

    conversations: Sequence[LabelledConversation]
    questions: Sequence[LabelledQuestion]
    is_one_user: bool = False
    sessions_are_conversations: bool = False


class _Undo(Exception):
    """Takes the run's transaction back."""


@contextmanager
def scratch_tenant() -> Iterator[UUID]:
    """A tenant that is gone when the block ends, with all that was written for it."""
    tenant_id = new_id()
    try:
        with tenant_scope(tenant_id):
            execute(
                "INSERT INTO tenant (id, slug, name, timezone, settings) VALUES (%s, %s, 'evaluation', 'UTC', '{}')",
                [tenant_id, f"evaluation-{tenant_id}"],
            )
            yield tenant_id
            raise _Undo
    except _Undo:
        return


def evaluate_recipes(
    *, labelled: LabelledSet, recipes: Sequence[Recipe], provider: EmbeddingProvider | None, now: datetime
) -> list[Report]:
    """Ingest once, ask under each recipe, score: the reports in the order of the recipes. Nothing stays.

    `provider` None leaves vectors out.

    A question is asked at its `asked_at`, or `now`, so that "last week" means what it meant.
    """
    with scratch_tenant() as tenant_id:
        started = time.perf_counter()
        users = ingest_conversations(
            tenant_id,
            labelled.conversations,
            provider=provider,
            now=now,
            is_one_user=labelled.is_one_user,
            sessions_are_conversations=labelled.sessions_are_conversations,
        )
        ingest_seconds = time.perf_counter() - started
        asked = [
            (users["" if labelled.is_one_user else question.user_id], question, _prepare(question, provider))
            for question in labelled.questions
        ]
        return [_ask(asked, recipe, labelled, ingest_seconds, now) for recipe in recipes]


def _prepare(question: LabelledQuestion, provider: EmbeddingProvider | None) -> PreparedQuestion:
    return prepare_question(text=question.query, provider=provider)


def _ask(
    asked: Sequence[tuple[ScratchUser, LabelledQuestion, PreparedQuestion]],
    recipe: Recipe,
    labelled: LabelledSet,
    ingest_seconds: float,
    now: datetime,
) -> Report:
    scores: dict[str, list[dict[str, float]]] = defaultdict(list)
    times: list[float] = []
    by_question: dict[str, dict[str, float]] = {}
    for scratch, question, prepared in asked:
        started = time.perf_counter()
        plan = SearchPlan(user=scratch.user, prepared=prepared, recipe=recipe, now=question.asked_at or now)
        ranked = find_ranked(plan).ranked[:DEPTH]
        times.append((time.perf_counter() - started) * 1000 + prepared.embed_ms)
        score = score_ranking([scratch.labels[hit.candidate.message_id] for hit in ranked], question.evidence)
        scores[question.category].append(score)
        by_question[question.id] = score
    return Report(
        recipe=recipe.name,
        scores={"ALL": average_scores(list(by_question.values()))}
        | {name: average_scores(scores[name]) for name in sorted(scores)},
        by_question=by_question,
        p50_ms=find_percentile(times, 0.5),
        p95_ms=find_percentile(times, 0.95),
        messages=sum(len(conversation.messages) for conversation in labelled.conversations),
        ingest_seconds=ingest_seconds,
    )


def ingest_conversations(
    tenant_id: UUID,
    conversations: Sequence[LabelledConversation],
    *,
    provider: EmbeddingProvider | None,
    now: datetime,
    is_one_user: bool = False,
    sessions_are_conversations: bool = False,
) -> dict[str, ScratchUser]:
    """Store and index conversations for users of a scratch tenant; the users by their labelled names (`""` for one)."""
    users: dict[str, ScratchUser] = {}
    for conversation in conversations:
        name = "" if is_one_user else conversation.user_id
        if name not in users:
            users[name] = ScratchUser(_make_user(tenant_id, now))
        parts: dict[str, list[int]] = defaultdict(list)
        for place, message in enumerate(conversation.messages):
            parts[message.session if sessions_are_conversations else ""].append(place)
        for places in parts.values():
            _ingest_part(users[name], conversation, places, provider, now)
    return users


def _ingest_part(
    scratch: ScratchUser,
    conversation: LabelledConversation,
    places: Sequence[int],
    provider: EmbeddingProvider | None,
    now: datetime,
) -> None:
    user = scratch.user
    conversation_id = _make_conversation(user, now)
    recorded = []
    for seq, place in enumerate(places, start=1):
        said = conversation.messages[place]
        message = RecordedMessage(
            id=new_id(),
            user_id=user.id,
            tenant_id=user.tenant_id,
            conversation_id=conversation_id,
            seq=seq,
            role=said.role,
            content=said.text.replace("\0", " "),
            created_at=said.said_at,
            received_at=said.said_at,
            speaker=said.speaker,
        )
        scratch.labels[message.id] = said.id
        recorded.append(message)
    for start in range(0, len(recorded), PORTION):
        portion = recorded[start : start + PORTION]
        _insert_raw(portion)
        index_messages(messages=portion, now=now, provider=provider)
        if provider is not None and not provider.is_inline:
            vectors = provider.embed_documents([build_embedded_text(message) for message in portion])
            by_id = {message.id: vector for message, vector in zip(portion, vectors, strict=True)}
            store_vectors(user=user, provider=provider, vectors=by_id)


def _make_user(tenant_id: UUID, now: datetime) -> UserRef:
    user = UserRef(id=new_id(), tenant_id=tenant_id)
    execute(
        "INSERT INTO memory_user (tenant_id, id, external_id, created_at) VALUES (%s, %s, %s, %s)",
        [tenant_id, user.id, str(user.id), now],
    )
    return user


def _make_conversation(user: UserRef, now: datetime) -> UUID:
    conversation_id = new_id()
    execute(
        "INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at) VALUES (%s, %s, %s, %s, %s)",
        [user.tenant_id, user.id, conversation_id, str(conversation_id), now],
    )
    return conversation_id


def _insert_raw(messages: Sequence[RecordedMessage]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, content_hash, role, speaker,"
            " content, created_at, received_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                [
                    message.tenant_id,
                    message.user_id,
                    message.id,
                    message.conversation_id,
                    message.seq,
                    hashlib.sha256(message.content.encode()).digest(),
                    message.role,
                    message.speaker,
                    message.content,
                    message.created_at,
                    message.received_at,
                ]
                for message in messages
            ],
        )
