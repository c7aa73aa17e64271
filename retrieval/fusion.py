"""From raw features to one order. Pure maths on at most a few hundred candidates (D-13, D-17, D-18)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from retrieval.questions import Question
from retrieval.recipes import Recipe
from retrieval.tokens import clean_text, split_words
from retrieval.traits import Traits
from retrieval.transliteration import find_name_key
from retrieval.types import Candidate, Ranked

FRESH_WINDOW = timedelta(minutes=5)
SESSION_TOP = 3
Scores = list[dict[str, float]]


def rank_candidates(
    candidates: Sequence[Candidate], *, question: Question, recipe: Recipe, dense_weight: float
) -> list[Ranked]:
    """Candidates by final score, best first; equal scores by id, so that the order is always the same (P-7).

    Each result keeps the parts of its score. `dense_weight` 0 leaves vectors out.
    """
    if not candidates:
        return []
    scores: Scores = [{} for _ in candidates]
    fuse = fuse_ranks if recipe.fusion == "rank" else fuse_scores
    fuse(candidates, scores, recipe=recipe, dense_weight=dense_weight)
    scale_to_best(scores)
    boost_sessions(candidates, scores, share=recipe.session_boost)
    boost_speakers(candidates, scores, question=question, recipe=recipe)
    boost_standing(candidates, scores, question=question, share=recipe.standing_boost)
    ranked = [
        Ranked(candidate, parts["score"], parts)
        for candidate, parts in zip(candidates, scores, strict=True)
        if parts["score"] > 0
    ]
    return sorted(ranked, key=lambda hit: (-hit.score, hit.candidate.message_id.bytes))


def fuse_scores(candidates: Sequence[Candidate], scores: Scores, *, recipe: Recipe, dense_weight: float) -> None:
    """`lexical / best + weight x dense / best` (docs/retrieval.md).

    A fresh message without a vector gets 0.6 (D-18).
    """
    lexical = [normalise_length(candidate, recipe) for candidate in candidates]
    dense = [max(0.0, candidate.smoothed or 0.0) for candidate in candidates]
    best_lexical, best_dense = max(lexical) or 1.0, max(dense) or 1.0
    for candidate, parts, lex, near in zip(candidates, scores, lexical, dense, strict=True):
        parts["lexical"] = lex / best_lexical
        parts["dense"] = near / best_dense
        if dense_weight and candidate.is_unembedded:
            parts["dense"] = recipe.fresh_score
        parts["score"] = parts["lexical"] + dense_weight * parts["dense"]


def fuse_ranks(candidates: Sequence[Candidate], scores: Scores, *, recipe: Recipe, dense_weight: float) -> None:
    """Reciprocal rank fusion, `sum of weight / (k + place)` over the best `depth` of each kind (Cormack et al.

    2009).
    """
    columns = (
        ("lexical", 1.0, [normalise_length(candidate, recipe) for candidate in candidates]),
        ("dense", dense_weight, [max(0.0, candidate.smoothed or 0.0) for candidate in candidates]),
    )
    for parts in scores:
        parts["score"] = 0.0
    for name, weight, values in columns:
        order = sorted(range(len(values)), key=lambda i: (-values[i], candidates[i].message_id.bytes))
        for place, i in enumerate(order[: recipe.depth], start=1):
            if values[i] > 0:
                scores[i][name] = values[i]
                scores[i]["score"] += weight / (recipe.rank_k + place)


def normalise_length(candidate: Candidate, recipe: Recipe) -> float:
    """The lexical score with long messages held back."""
    return candidate.lexical / (1 + candidate.len / recipe.length_scale)


def scale_to_best(scores: Scores) -> None:
    """Divide by the best score, so that boosts mean the same for every question."""
    best = max(parts["score"] for parts in scores) or 1.0
    for parts in scores:
        parts["score"] /= best


def boost_sessions(candidates: Sequence[Candidate], scores: Scores, *, share: float) -> None:
    """Add up to `share` for sessions with several good hits: the mean of a session's best three, scaled to 1."""
    if not share:
        return
    sessions: dict[int, list[float]] = defaultdict(list)
    keys = [candidate.session_key for candidate in candidates]
    for key, parts in zip(keys, scores, strict=True):
        sessions[key].append(parts["score"])
    means = {key: sum(sorted(values)[-SESSION_TOP:]) / SESSION_TOP for key, values in sessions.items()}
    best = max(means.values()) or 1.0
    for key, parts in zip(keys, scores, strict=True):
        if parts["score"] > 0:
            parts["session"] = share * means[key] / best
            parts["score"] += parts["session"]


def boost_speakers(candidates: Sequence[Candidate], scores: Scores, *, question: Question, recipe: Recipe) -> None:
    """A speaker named in the question, or the user's own words where speakers have no names, count more."""
    for candidate, parts in zip(candidates, scores, strict=True):
        factor = 1.0
        if candidate.speaker:
            if recipe.speaker_boost and is_named_in(candidate.speaker, question):
                factor += recipe.speaker_boost
        elif candidate.role == "user" and not question.asks_about_assistant:
            factor += recipe.user_boost
        if factor != 1.0:
            parts["speaker"] = factor
            parts["score"] *= factor


def is_named_in(speaker: str, question: Question) -> bool:
    """Whether a word of the speaker's name is in the question, in whatever alphabet."""
    for word in split_words(clean_text(speaker)):
        low = word.lower()
        if low in question.words or (find_name_key(low) or "") in question.name_keys:
            return True
    return False


def boost_standing(candidates: Sequence[Candidate], scores: Scores, *, question: Question, share: float) -> None:
    """Rules and tastes that the user stated count more when the question asks for help, for they bind the answer."""
    if not share or Traits.REQUEST not in question.traits:
        return
    for candidate, parts in zip(candidates, scores, strict=True):
        if candidate.role == "user" and not candidate.speaker and Traits.STANDING in Traits(candidate.traits):
            parts["standing"] = 1 + share
            parts["score"] *= 1 + share


def apply_recency(ranked: Sequence[Ranked], *, now: datetime, recipe: Recipe) -> list[Ranked]:
    """Move scores by at most `recency_bound` for age: a message is truth, not a claim that ages (D-17). Packs only."""
    moved = []
    for hit in ranked:
        age_days = max(0.0, (now.timestamp() - hit.candidate.said_at) / 86_400)
        factor = 1 - recipe.recency_bound * (1 - 0.5 ** (age_days / recipe.recency_half_life_days))
        moved.append(Ranked(hit.candidate, hit.score * factor, {**hit.parts, "recency": factor}))
    return sorted(moved, key=lambda hit: (-hit.score, hit.candidate.message_id.bytes))


def find_mood_factor(*, memory_type: str, message_mood: str, mood: str, recipe: Recipe) -> float:
    """1, or less for an emotion memory under another mood.

    Facts, preferences and events are never touched (KSP fix 7).
    """
    is_mismatch = bool(message_mood and mood) and message_mood.strip().lower() != mood.strip().lower()
    return 1 - recipe.mood_penalty if memory_type == "emotion" and is_mismatch else 1.0
