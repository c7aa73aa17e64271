"""From ranked hits to episode cards: text by key, snippet, excerpt, span and guard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.types import UserRef
from patterns.text.excerpts import choose_snippet, make_excerpt
from patterns.text.tokens import tokenise
from retrieval.cards.guard import NOT_RELATED, filter_span
from retrieval.cards.spans import mark_core, needs_span
from retrieval.cards.texts import CardText, list_card_texts, list_span_neighbours
from retrieval.cards.thresholds import get_recent_thresholds
from retrieval.index.snippets import is_wanted
from retrieval.metrics import SNIPPET_LOOKUPS, SPANS_FILTERED
from retrieval.search.fusion import find_mood_factor
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe
from retrieval.search.stages import Found
from retrieval.types import EpisodeCard, QueryVector, Ranked


@dataclass(frozen=True, slots=True)
class KeptBack:
    """A neighbour that the guard let nobody see: beside which card, how near to the question, and why."""

    card_id: UUID
    message_id: UUID
    role: str
    similarity: float | None
    code: str


@dataclass(slots=True)
class CardSet:
    """Cards, best first, and what the guard kept back."""

    cards: list[EpisodeCard] = field(default_factory=list)
    kept_back: list[KeptBack] = field(default_factory=list)

    @property
    def guardrail_hits(self) -> list[str]:
        """The codes of what was kept back."""
        return [one.code for one in self.kept_back]


def make_cards(
    *, user: UserRef, ranked: Sequence[Ranked], found: Found, recipe: Recipe, mood: str = "", trace: bool = False
) -> CardSet:
    """Cards of the given hits.

    Reads their texts by key, and for short or pointing ones the two messages before (SPEC S-5).
    """
    ids = [hit.candidate.message_id for hit in ranked]
    texts = list_card_texts(user=user, message_ids=ids, as_of=found.as_of)
    cards = CardSet()
    for hit in ranked:
        text = texts.get(hit.candidate.message_id)
        if text is not None:
            cards.cards.append(make_card(hit, text, recipe=recipe, mood=mood, trace=trace))
    cards.cards.sort(key=lambda card: (-card.score, card.message_id.bytes))
    if found.question.expands_spans:
        contents = {message_id: text.content for message_id, text in texts.items()}
        add_spans(cards, user=user, contents=contents, vector=found.vector, language=found.question.language)
    return cards


def make_card(hit: Ranked, text: CardText, *, recipe: Recipe, mood: str, trace: bool) -> EpisodeCard:
    """One card without its span."""
    if is_wanted(role=text.role, content=text.content, memory_type=text.memory_type, description=text.description):
        SNIPPET_LOOKUPS.labels("yes" if text.snippet else "no").inc()
    factor = find_mood_factor(memory_type=text.memory_type, message_mood=text.mood, mood=mood, recipe=recipe)
    return EpisodeCard(
        message_id=text.message_id,
        client_id=text.client_id,
        conversation_id=text.conversation_id,
        role=text.role,
        speaker=text.speaker,
        memory_type=text.memory_type,
        mood=text.mood,
        created_at=text.created_at,
        score=hit.score * factor,
        snippet=choose_snippet(
            role=text.role,
            content=text.content,
            memory_type=text.memory_type,
            description=text.description,
            snippet=text.snippet,
        ),
        raw_excerpt=make_excerpt(text.content, memory_type=text.memory_type),
        trace=dict(hit.parts) | {"mood": factor} if trace else None,
    )


def add_spans(
    cards: CardSet, *, user: UserRef, contents: dict[UUID, str], vector: QueryVector | None, language: str
) -> None:
    """Give short and pointing cards the messages before them, as far as the guard lets them through."""
    short = [card.message_id for card in cards.cards if needs_span(contents[card.message_id])]
    neighbours = list_span_neighbours(user=user, message_ids=short, vector=vector)
    if not neighbours:
        return
    thresholds = get_recent_thresholds(
        model_name=vector.model_name if vector else "", dimensions=vector.dimensions if vector else 0
    )
    for place, card in enumerate(cards.cards):
        if card.message_id in neighbours:
            marked = mark_core(neighbours[card.message_id])
            kept, codes = filter_span(marked, thresholds=thresholds, language=language)
            cards.cards[place] = replace(card, span_context=tuple(kept))
            held = [message for message in marked if message not in kept]
            SPANS_FILTERED.inc(len(held))
            cards.kept_back.extend(
                KeptBack(card.message_id, message.message_id, message.role, message.similarity, code)
                for message, code in zip(held, codes, strict=True)
            )


def withhold_neighbours(cards: CardSet, *, question: Question) -> None:
    """A message that the guard keeps back beside a hit gets no lesser card of its own (SPEC S-5, K13).

    A message is found by its neighbours' words too; one that shares no word of its own with the question, and is not
    near it, is there for its place alone. Packs only: a search hands out what it finds.
    """
    wanted = {term.lexeme for term in question.terms}
    place_of = {card.message_id: place for place, card in enumerate(cards.cards)}
    held = {
        one.message_id
        for one in cards.kept_back
        if one.code == NOT_RELATED and place_of[one.card_id] < place_of.get(one.message_id, -1)
    }
    cards.cards = [
        card for card in cards.cards if card.message_id not in held or wanted & list_lexemes(card.raw_excerpt)
    ]


def list_lexemes(text: str) -> set[str]:
    """Every key that a text could be found by."""
    return {lexeme for token in tokenise(text) for lexeme, _ in token.lexemes}
