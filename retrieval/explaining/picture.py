"""One query through all stages, as a page draws it: bars, chips and reasons. Reads nothing beside the parts.

`manage.py explain_pack` prints the same (retrieval/explaining/lines.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from uuid import UUID

from memory.types import Fact
from retrieval.accounts import list_outcomes
from retrieval.cards.making import KeptBack
from retrieval.explaining.lines import PART_NAMES, SHOWN_CANDIDATES
from retrieval.index.traits import Traits
from retrieval.pack.budget import find_density_cap, find_margin
from retrieval.pack.rendering import order_for_reading
from retrieval.parts import PackParts
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe
from retrieval.types import EpisodeCard, FactExcerpt, Ranked

WORDS, MEANING, BOOSTS = "words", "meaning", "boosts"
# The prefixes of keys that are no words of a language (patterns/text/tokens.py).
_KINDS = {"c:": "concept", "k:": "consonants", "n:": "name", "m:": "month"}
SHOWN_AT_ONCE = 8
"""Candidates that a page shows before it is asked for the rest."""
SLOT_WORDS = {
    "system": "rules",
    "personal": "cards",
    "input": "question",
    "generation": "kept free for the reply",
    "window": "last messages",
    "pending_raw": "pending",
}
FATES = {
    "chosen": "goes into the pack",
    "over_density_cap": "the user has said too little for more cards",
    "over_budget": "its tokens did not fit",
}


@dataclass(frozen=True, slots=True)
class Term:
    """A word that is looked for, what kind of key it is, and its weight."""

    text: str
    kind: str
    weight: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of a bar: its name, its width in percent of the whole, and what it stands for."""

    name: str
    width: float
    value: float


@dataclass(frozen=True, slots=True)
class Chip:
    """A factor or a summand of a score, in words."""

    text: str
    is_gain: bool


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate with the bar of its score, and what became of it."""

    place: int
    message_id: UUID
    role: str
    said_at: datetime
    score: float
    bars: Sequence[Bar]
    chips: Sequence[Chip]
    fate: str
    text: str
    """Its words; empty where they were not read or are gone."""


@dataclass(frozen=True, slots=True)
class SlotLine:
    """A slot of the budget: what it was given and took, with bars in percent of the largest slot."""

    name: str
    allotted: int
    used: int
    allotted_width: float
    used_width: float


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact of the pack with the user's own words behind it, as far as the pack had room for them (SPEC T-3)."""

    fact: Fact
    words: Sequence[FactExcerpt]


@dataclass(frozen=True, slots=True)
class PackPicture:
    """Everything the page shows, stage by stage."""

    parts: PackParts
    terms: Sequence[Term]
    traits: Sequence[str]
    degraded: Sequence[str]
    candidates: Sequence[CandidateLine]
    further: Sequence[CandidateLine]
    """Those below the first few, as far as they are drawn."""
    below: int
    """How many are below the first few, drawn or not."""
    fates: Sequence[tuple[str, str]]
    """What became of candidates, and why, as far as it happened here."""
    kept_back: Mapping[UUID, Sequence[KeptBack]]
    max_cards: int
    max_share: int
    slots: Sequence[SlotLine]
    total: int
    margin: int
    used: int
    facts: Sequence[FactLine]
    cards_in_order: Sequence[EpisodeCard]
    outcomes: Sequence[tuple[UUID, str]]
    """What the sanitiser took out of the parts that went in."""
    timings: Sequence[tuple[str, float]]


def draw_picture(
    parts: PackParts, *, recipe: Recipe, total: int, texts: Mapping[UUID, str] = MappingProxyType({})
) -> PackPicture:
    """The picture of a pack. `total` is what its budget had to share, in tokens; `texts` the words of candidates that
    came too far down to be read for the pack."""
    found, assembly = parts.found, parts.assembly
    cap = find_density_cap(found.message_count)
    in_window = {message.id for message in assembly.window}
    shown = [card for card in assembly.cards if card.message_id not in in_window]
    kept_back: dict[UUID, list[KeptBack]] = {}
    for one in parts.cards.kept_back:
        kept_back.setdefault(one.card_id, []).append(one)
    lines = list_candidate_lines(parts, recipe=recipe, texts=texts)
    return PackPicture(
        parts=parts,
        terms=list_terms(found.question),
        traits=[
            trait.name.lower().replace("_", " ") for trait in Traits if trait in found.question.traits and trait.name
        ],
        degraded=[*parts.background.degraded_reasons, *found.degraded_reasons, *assembly.degraded_reasons],
        candidates=lines[:SHOWN_AT_ONCE],
        further=lines[SHOWN_AT_ONCE:],
        below=max(0, len(found.ranked) - SHOWN_AT_ONCE),
        fates=[(_write(fate), why) for fate, why in FATES.items() if any(line.fate == _write(fate) for line in lines)],
        kept_back=kept_back,
        max_cards=cap.max_cards,
        max_share=round(cap.max_share * 100),
        slots=list_slot_lines(parts),
        total=total,
        margin=find_margin(total),
        used=sum(use.used for use in assembly.budget.values()),
        facts=[FactLine(fact, assembly.words.get(fact.id, ())) for fact in parts.background.facts],
        cards_in_order=order_for_reading(shown),
        outcomes=sorted(list_outcomes(parts).items()),
        timings=sorted(found.timings_ms.items(), key=lambda item: -item[1]),
    )


def list_terms(question: Question) -> list[Term]:
    """The words of the question as search looks for them, the heaviest first."""
    terms = []
    for term in question.terms:
        kind = _KINDS.get(term.lexeme[:2], "")
        terms.append(Term(term.lexeme[2:] if kind else term.lexeme, kind, term.weight))
    return sorted(terms, key=lambda term: (-term.weight, term.kind))


def list_shown_ids(parts: PackParts) -> list[UUID]:
    """The messages that the picture shows as candidates."""
    return [hit.candidate.message_id for hit in parts.ranked[:SHOWN_CANDIDATES]]


def list_candidate_lines(parts: PackParts, *, recipe: Recipe, texts: Mapping[UUID, str]) -> list[CandidateLine]:
    """The best candidates, their bars as wide as their scores."""
    ranked = parts.ranked[:SHOWN_CANDIDATES]
    best = max((hit.score for hit in ranked), default=1.0) or 1.0
    dense_weight = recipe.weigh_dense(parts.found.vector.model_name) if parts.found.vector else 0.0
    read = {**texts, **{card.message_id: card.raw_excerpt for card in parts.cards.cards}}
    return [
        CandidateLine(
            place=place,
            message_id=hit.candidate.message_id,
            role=hit.candidate.role,
            said_at=datetime.fromtimestamp(hit.candidate.said_at, tz=UTC),
            score=hit.score,
            bars=list_bars(hit, best=best, dense_weight=dense_weight),
            chips=list_chips(hit.parts),
            fate=_write(parts.assembly.reasons.get(hit.candidate.message_id, "")),
            text=read.get(hit.candidate.message_id, ""),
        )
        for place, hit in enumerate(ranked, start=1)
    ]


def list_bars(hit: Ranked, *, best: float, dense_weight: float) -> list[Bar]:
    """A score as three pieces: what words and meaning came to, and what boosts added; each in percent of the best.

    Both kinds share what the score is without boosts in proportion to what they came to before it was scaled.
    """
    words, meaning = hit.parts.get("lexical", 0.0), dense_weight * hit.parts.get("dense", 0.0)
    fused = words + meaning
    plain = min(hit.score, _find_plain(hit))
    pieces = [(WORDS, plain * words / fused if fused else 0.0), (MEANING, plain * meaning / fused if fused else 0.0)]
    pieces.append((BOOSTS, max(0.0, hit.score - sum(value for _, value in pieces))))
    return [Bar(name, round(100 * value / best, 2), value) for name, value in pieces if value > 0]


def list_chips(score: Mapping[str, float]) -> list[Chip]:
    """What moved a score, in words: factors as `x 1.50`, summands as `+ 0.20`."""
    chips = []
    for name, value in score.items():
        sign, _, words = PART_NAMES.get(name, "").partition(" ")
        if words and not (sign == "x" and abs(value - 1) < 0.005):
            chips.append(Chip(f"{words} {'×' if sign == 'x' else '+'}{value:.2f}", value > (1 if sign == "x" else 0)))
    return chips


def list_slot_lines(parts: PackParts) -> list[SlotLine]:
    """The slots that were given or took something."""
    uses = {name: use for name, use in parts.assembly.budget.items() if use.allotted or use.used}
    widest = max((max(use.allotted, use.used) for use in uses.values()), default=1)
    return [
        SlotLine(
            name=SLOT_WORDS.get(name, _write(name)),
            allotted=use.allotted,
            used=use.used,
            allotted_width=round(100 * use.allotted / widest, 2),
            used_width=round(100 * use.used / widest, 2),
        )
        for name, use in uses.items()
    ]


def _write(code: str) -> str:
    return code.replace("_", " ")


def _find_plain(hit: Ranked) -> float:
    """The score before boosts: factors divided out, summands taken away."""
    plain = hit.score
    for name, value in reversed(list(hit.parts.items())):
        sign = PART_NAMES.get(name, "")[:1]
        if sign == "x" and value > 0:
            plain /= value
        elif sign == "+":
            plain -= value
    return max(0.0, plain)
