"""Ranking recipes: named, frozen, chosen by settings. Weights were measured (docs/retrieval-quality.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from retrieval.search.questions import Question


@dataclass(frozen=True, slots=True)
class Recipe:
    """How raw features become one order. Boosts act on the fused score divided by its best.

    `dense_weight` is for vectors of a model, `hashed_weight` for the built-in ones, which know words and not meanings,
    and for word vectors, which do not know how words stand together.
    """

    name: str
    fusion: str = "score"  # "score": value / best value; "rank": 1 / (rank_k + place)
    rank_k: int = 60
    depth: int = 200
    """How many of each kind take part; at most twice this number of candidates leaves the database."""
    dense_weight: float = 0.6
    hashed_weight: float = 0.2
    length_scale: float = 160.0
    """In words: the lexical score is divided by 1 + len / length_scale."""
    summary_length_scale: float = math.inf
    """The same under a question for a summary: what was told at length is what there is to sum up."""
    position_weights: tuple[float, float, float, float] = (0.3, 0.3, 0.6, 1.0)
    """Of words of the one before the previous, the next, the previous message, and the message itself."""
    assistant_position_weights: tuple[float, float, float, float] = (0.1, 0.1, 0.35, 1.0)
    """The same for speakers without names: an assistant's long replies say less of what stands beside them."""
    smoothing: tuple[float, float, float] = (0.5, 0.2, 0.3)
    """What the previous, the one before it and the next message add to a message's dot product."""
    assistant_smoothing: tuple[float, float, float] = (0.15, 0.05, 0.1)
    phrase_weight: float = 0.15
    """What two words that follow each other in question and message count, as a share of a word said once."""
    session_boost: float = 0.2
    speaker_boost: float = 0.15
    user_boost: float = 0.75
    """For the user's own words, where speakers have no names."""
    summary_user_boost: float = 0.25
    """The same under a question for a summary, in which the assistant's part has its place."""
    standing_boost: float = 1.0
    """For rules and tastes the user stated, when the question asks for help: they apply whatever their words.

    `rule_share` and `taste_share` of the best score are added to at most `standing_limit` of each.
    """
    rule_share: float = 0.6
    taste_share: float = 0.4
    standing_limit: int = 8
    rule_words: int = 30
    """A rule that stands in more words than these is lifted in proportion: in long messages it is a remark."""
    asking_penalty: float = 0.25
    """In chats between people (speakers with names): for messages that only ask. The four after it: for those about the
    one spoken to, for substance (words that tell something, in full at `full_words`), for names, and for a time under
    "when"."""
    addressing_penalty: float = 0.1
    substance_boost: float = 0.3
    naming_boost: float = 0.1
    when_boost: float = 0.15
    full_words: int = 40
    answer_share: float = 0.12
    """Between people, what an answer takes of the score of the question before it."""
    period_boost: float = 0.3
    period_share: float = 0.6
    """For messages of a time that the question names: a factor, and a share of the best score (SPEC S-3, D-17)."""
    fresh_score: float = 0.6
    """Dense part of a message of the last minutes that has no vector yet (D-18)."""
    recency_bound: float = 0.10
    """Recency moves a message's score by at most this share, in packs only (D-17)."""
    recency_half_life_days: float = 90.0
    mood_penalty: float = 0.2
    """An emotion memory under another mood loses this share and is never removed (KSP fix 7)."""

    def scale_length(self, question: Question) -> float:
        """The length in words that halves a message's lexical score under a question."""
        return self.summary_length_scale if question.asks_for_summary else self.length_scale

    def weigh_dense(self, model_name: str) -> float:
        """The weight of the dense part under an embedding model."""
        return self.hashed_weight if model_name.startswith(("hashed", "static")) else self.dense_weight


DEFAULT = Recipe(name="score-fusion-6")
PLAIN = Recipe(
    name="plain",
    summary_length_scale=DEFAULT.length_scale,
    phrase_weight=0.0,
    session_boost=0.0,
    speaker_boost=0.0,
    user_boost=0.0,
    summary_user_boost=0.0,
    standing_boost=0.0,
    rule_share=0.0,
    taste_share=0.0,
    asking_penalty=0.0,
    addressing_penalty=0.0,
    substance_boost=0.0,
    naming_boost=0.0,
    when_boost=0.0,
    answer_share=0.0,
    period_boost=0.0,
    period_share=0.0,
)
RRF60 = replace(PLAIN, name="rrf60", fusion="rank", rank_k=60, depth=20, hashed_weight=1.0)
RECIPES = {recipe.name: recipe for recipe in (DEFAULT, RRF60, PLAIN)}
PARTS: dict[str, tuple[str, ...]] = {
    "window": ("position_weights", "assistant_position_weights", "smoothing", "assistant_smoothing"),
    "phrases": ("phrase_weight",),
    "sessions": ("session_boost",),
    "speakers": ("speaker_boost",),
    "own-words": ("user_boost", "summary_user_boost"),
    "standing": ("standing_boost", "rule_share", "taste_share"),
    "questions-held-back": ("asking_penalty", "addressing_penalty"),
    "substance": ("substance_boost", "naming_boost", "when_boost"),
    "answers": ("answer_share",),
    "periods": ("period_boost", "period_share"),
}
"""What an ablation takes away, by the fields of a recipe."""


def list_ablations(recipe: Recipe) -> list[Recipe]:
    """The recipe with one part taken away each time, named `recipe-without-part`."""
    alone, nobody = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    nothing: dict[str, object] = {
        "position_weights": alone,
        "assistant_position_weights": alone,
        "smoothing": nobody,
        "assistant_smoothing": nobody,
    }
    return [
        replace(recipe, name=f"{recipe.name}-without-{part}", **{field: nothing.get(field, 0.0) for field in fields})  # type: ignore[arg-type]
        for part, fields in PARTS.items()
    ]


class UnknownRecipe(Exception):
    """Settings or a command name a recipe that does not exist."""


def get_recipe(name: str = "") -> Recipe:
    """The recipe of that name, the default one for an empty name. Raises UnknownRecipe."""
    if not name:
        return DEFAULT
    if name not in RECIPES:
        raise UnknownRecipe(f"no recipe {name!r}; there are: {', '.join(sorted(RECIPES))}")
    return RECIPES[name]
