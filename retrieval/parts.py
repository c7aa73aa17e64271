"""What a pack is made of, between the stages that make it and the account that is kept of it."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.cards.making import CardSet
from retrieval.pack.assembly import Assembly, Ingredients
from retrieval.pack.background import Background
from retrieval.search.candidates import Ranking
from retrieval.search.ranking_state import RankingState
from retrieval.search.stages import Found


@dataclass(frozen=True, slots=True)
class PackParts:
    """All parts of a pack."""

    background: Background
    found: Found
    cards: CardSet
    ingredients: Ingredients
    assembly: Assembly
    ranked: Ranking
    """The candidates after age and usefulness."""
    ranking_state: RankingState
