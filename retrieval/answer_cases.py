"""Golden cases of replies: a pack is rendered, a model answers, the reply is held to the rules (X-6). No database.

What a reply must never do is the same in each case; a case adds its language and whether it has to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID, uuid5

import yaml
from django.conf import settings

from memory.extraction.client import ModelFailed
from memory.extraction.types import Completion
from memory.registries import GoldenResult
from memory.types import Fact
from retrieval.directives import list_directives
from retrieval.questions import detect_language
from retrieval.rendering import render_messages
from retrieval.types import EpisodeCard

MAX_SHARED_WORDS: Final = 5
"""Words in a row that a reply may share with a memory: more is a quotation and no retelling."""
_NAMESPACE: Final = UUID(int=2027)
_WORD: Final = re.compile(r"[\w'’]+")
_TRACES: Final = (
    ("id", re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|\bmessage[_ ]id\b", re.IGNORECASE)),
    ("date", re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")),
    ("score", re.compile(r"\b0[.,]\d{2,}\b|\bconfidence\b|\bscore\b|уверенность\s+\d|بثقة\s+\d", re.IGNORECASE)),
    ("tag", re.compile(r"user_memory|episode_card|pending_raw|raw_excerpt|snippet|provenance", re.IGNORECASE)),
)


class ChatClient(Protocol):
    """What a case asks of a model."""

    def chat(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """A reply in plain text. Raises ModelFailed."""
        ...


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """A pack and what the reply to it must be like."""

    name: str
    promise: str
    question: str
    language: str
    facts: tuple[Fact, ...]
    cards: tuple[EpisodeCard, ...]
    has_recent_correction: bool = False
    must_ask: bool = False
    never: tuple[str, ...] = ()
    """Words that must not stand in the reply."""


def run_answer_cases(
    client: ChatClient, *, only: Sequence[str] = (), path: Path | None = None
) -> Iterator[GoldenResult]:
    """Put every case to the endpoint; see memory.registries.GoldenSuite."""
    for case in load_answer_cases(path or settings.BASE_DIR / "tests/data/golden/answers.yaml"):
        if only and case.name not in only:
            continue
        try:
            reply = client.chat(render_case(case)).text
        except ModelFailed as failure:
            yield GoldenResult(case.name, is_right=False, outcome=failure.code)
            continue
        problems = list_problems(reply, case)
        yield GoldenResult(case.name, is_right=not problems, outcome=", ".join(problems) or "kept to the rules")


def load_answer_cases(path: Path) -> list[AnswerCase]:
    """The cases of a YAML file; its form is described at its top."""
    return [_make_case(raw) for raw in yaml.safe_load(path.read_text(encoding="utf-8"))]


def render_case(case: AnswerCase) -> list[dict[str, str]]:
    """The chat messages of the case's pack, as the service sends them."""
    directives = list_directives(language=case.language, has_recent_correction=case.has_recent_correction)
    return render_messages(
        directives=directives, facts=case.facts, cards=case.cards, pending=(), window=(), question=case.question
    )


def list_problems(reply: str, case: AnswerCase) -> list[str]:
    """What a reply does that it must not, as codes; empty for a good one. Pure."""
    problems = [f"names_{name}" for name, pattern in _TRACES if pattern.search(reply)]
    if any(count_shared_run(reply, card.raw_excerpt) > MAX_SHARED_WORDS for card in case.cards):
        problems.append("quotes_a_memory")
    if not reply.strip():
        problems.append("says_nothing")
    elif detect_language(reply) not in (case.language, "mixed"):
        problems.append(f"not_in_{case.language}")
    if case.must_ask and not re.search(r"[?؟]", reply):
        problems.append("does_not_ask")
    folded = reply.casefold()
    problems.extend("says_what_it_must_not" for word in case.never if word.casefold() in folded)
    return problems


def count_shared_run(one: str, other: str) -> int:
    """The most words in a row that two texts share."""
    first, second = (_WORD.findall(text.casefold()) for text in (one, other))
    longest, before = 0, [0] * (len(second) + 1)
    for word in first:
        here = [0, *(before[i] + 1 if word == other_word else 0 for i, other_word in enumerate(second))]
        longest, before = max(longest, *here), here
    return longest


def _make_case(raw: Mapping[str, Any]) -> AnswerCase:
    name = str(raw["name"])
    return AnswerCase(
        name=name,
        promise=str(raw["promise"]),
        question=str(raw["question"]),
        language=str(raw["language"]),
        facts=tuple(_make_fact(name, place, text) for place, text in enumerate(raw.get("facts", ()))),
        cards=tuple(_make_card(name, place, card) for place, card in enumerate(raw.get("cards", ()))),
        has_recent_correction=bool(raw.get("has_recent_correction", False)),
        must_ask=bool(raw.get("must_ask", False)),
        never=tuple(raw.get("never", ())),
    )


def _make_fact(name: str, place: int, text: str) -> Fact:
    slot, _, value = text.removesuffix(" disputed").partition("=")
    knowledge_type, _, key = slot.partition("/")
    said_at = datetime(2025, 10, 1, 12, tzinfo=UTC)
    return Fact(
        id=uuid5(_NAMESPACE, f"{name} fact {place}"),
        knowledge_type=knowledge_type,
        knowledge_key=key,
        value=value,
        confidence=0.95,
        extracted_from="onboarding",
        provenance="confirmed_by_user",
        valid_at=said_at,
        last_validated_at=said_at,
        log_position=place + 1,
        is_disputed=text.endswith(" disputed"),
    )


def _make_card(name: str, place: int, raw: Mapping[str, Any]) -> EpisodeCard:
    return EpisodeCard(
        message_id=uuid5(_NAMESPACE, f"{name} card {place}"),
        client_id=None,
        conversation_id="before",
        role=str(raw.get("role", "user")),
        speaker="",
        memory_type="chat",
        mood="",
        created_at=datetime.fromisoformat(str(raw["at"])),
        score=0.8 - place / 10,
        snippet=str(raw.get("snippet", "")),
        raw_excerpt=str(raw["text"]),
    )
