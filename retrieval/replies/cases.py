"""Golden cases of replies: a pack is rendered, a model answers, the reply is held to the rules (X-6). No database.

What a reply must never do is the same in each case; a case adds its language and whether it has to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID, uuid5

import yaml
from django.conf import settings

from memory.extraction.model.openai_client import ModelFailed
from memory.extraction.types import Completion
from memory.registries import GoldenResult
from memory.types import Fact
from retrieval.pack.directives import list_directives
from retrieval.pack.rendering import render_messages
from retrieval.replies.answers import ShownFact, ShownMessage, ShownPack, check_answer
from retrieval.search.questions import detect_language
from retrieval.types import EpisodeCard

_NAMESPACE: Final = UUID(int=2027)
REPLIED_ON: Final = date(2026, 3, 2)


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
    """What a reply does that it must not, as codes: those of `retrieval.replies.answers` and the case's own. Pure."""
    findings = check_answer(reply, pack=_show(case), replied_on=REPLIED_ON)
    problems = list(dict.fromkeys(finding.code for finding in findings))
    if not reply.strip():
        problems.append("says_nothing")
    elif detect_language(reply) not in (case.language, "mixed"):
        problems.append(f"not_in_{case.language}")
    if case.must_ask and not re.search(r"[?؟]", reply):
        problems.append("does_not_ask")
    folded = reply.casefold()
    if any(word.casefold() in folded for word in case.never):
        problems.append("says_what_it_must_not")
    return problems


def _show(case: AnswerCase) -> ShownPack:
    messages = [
        ShownMessage(card.message_id, card.raw_excerpt, card.snippet, card.created_at.date()) for card in case.cards
    ]
    facts = [ShownFact(fact.id, str(fact.value)) for fact in case.facts]
    receipt_id = uuid5(_NAMESPACE, case.name)
    return ShownPack(receipt_id, case.question, messages=messages, facts=facts)


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
