"""Ranking recipes: named, frozen, chosen by settings. Weights were measured (docs/retrieval.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """How raw features become one order. Boosts act on the fused score divided by its best.

    `dense_weight` is for vectors of a model, `hashed_weight` for the built-in ones, which know words and not meanings.
    """

    name: str
    fusion: str = "score"  # "score": value / best value; "rank": 1 / (rank_k + place)
    rank_k: int = 60
    depth: int = 200
    """How many of each kind take part; at most twice this number of candidates leaves the database."""
    dense_weight: float = 1.0
    hashed_weight: float = 0.2
    length_scale: float = 160.0
    """In words: the lexical score is divided by 1 + len / length_scale."""
    position_weights: tuple[float, float, float, float] = (0.3, 0.3, 0.6, 1.0)
    """Of words of the one before the previous, the next, the previous message, and the message itself."""
    smoothing: tuple[float, float, float] = (0.5, 0.2, 0.3)
    """What the previous, the one before it and the next message add to a message's dot product."""
    session_boost: float = 0.2
    speaker_boost: float = 0.15
    user_boost: float = 0.5
    standing_boost: float = 1.0
    """For rules and tastes the user stated, when the question asks for help (SPEC S-3: they apply to the answer)."""
    fresh_score: float = 0.6
    """Dense part of a message of the last minutes that has no vector yet (D-18)."""
    recency_bound: float = 0.10
    """Recency moves a message's score by at most this share, in packs only (D-17)."""
    recency_half_life_days: float = 90.0
    mood_penalty: float = 0.2
    """An emotion memory under another mood loses this share and is never removed (KSP fix 7)."""

    def weigh_dense(self, model_name: str) -> float:
        """The weight of the dense part under an embedding model."""
        return self.hashed_weight if model_name.startswith("hashed") else self.dense_weight


DEFAULT = Recipe(name="score-fusion-2")
RRF60 = Recipe(
    name="rrf60",
    fusion="rank",
    rank_k=60,
    depth=20,
    hashed_weight=1.0,
    session_boost=0.0,
    speaker_boost=0.0,
    user_boost=0.0,
    standing_boost=0.0,
)
RECIPES = {recipe.name: recipe for recipe in (DEFAULT, RRF60)}


class UnknownRecipe(Exception):
    """Settings or a command name a recipe that does not exist."""


def get_recipe(name: str = "") -> Recipe:
    """The recipe of that name, the default one for an empty name. Raises UnknownRecipe."""
    if not name:
        return DEFAULT
    if name not in RECIPES:
        raise UnknownRecipe(f"no recipe {name!r}; there are: {', '.join(sorted(RECIPES))}")
    return RECIPES[name]
