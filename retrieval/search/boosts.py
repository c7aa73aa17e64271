"""What moves a fused score: the session, who speaks, what kind of saying it is, what it answers, and when it was said.

Pure. Every boost notes its factor or amount among the parts of the score, so that a trace can name it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from patterns.text.tokens import clean_text, split_words
from patterns.text.transliteration import find_name_key
from retrieval.index.traits import ASKING_SHARES, Traits
from retrieval.search.candidates import NO_PART, Candidates
from retrieval.search.columns import ROLES
from retrieval.search.periods import Period
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe

SESSION_TOP = 3
USER = ROLES.index("user")
SHARES = np.array(ASKING_SHARES)
Floats = NDArray[np.float64]
Parts = dict[str, Floats]


def boost_sessions(candidates: Candidates, parts: Parts, *, share: float) -> None:
    """Add up to `share` for sessions with several good hits: the mean of a session's best three, scaled to 1."""
    if not share:
        return
    scores = parts["score"]
    order = np.lexsort((-scores, candidates.session_keys))
    keys = candidates.session_keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    counts = np.diff(np.append(starts, len(keys)))
    places = np.arange(len(keys)) - np.repeat(starts, counts)
    means = np.add.reduceat(np.where(places < SESSION_TOP, scores[order], 0.0), starts) / SESSION_TOP
    boosts = np.empty(len(keys))
    boosts[order] = np.repeat(share * means / (means.max() or 1.0), counts)
    parts["session"] = np.where(scores > 0, boosts, NO_PART)
    parts["score"] = scores + np.where(scores > 0, boosts, 0.0)


def boost_speakers(candidates: Candidates, parts: Parts, *, question: Question, recipe: Recipe) -> None:
    """A speaker named in the question, or the user's own words where speakers have no names, count more.

    In a summary of what was talked about the assistant's part has its place: there the user's words count a little.
    """
    factors = np.ones(len(candidates))
    if not question.asks_about_assistant:
        own = recipe.summary_user_boost if question.asks_for_summary else recipe.user_boost
        factors[(candidates.speakers == "") & (candidates.roles == USER)] += own
    if recipe.speaker_boost:
        for speaker in np.unique(candidates.speakers):
            if speaker and is_named_in(str(speaker), question):
                factors[candidates.speakers == speaker] += recipe.speaker_boost
    multiply(parts, "speaker", factors)


def is_named_in(speaker: str, question: Question) -> bool:
    """Whether a word of the speaker's name is in the question, in whatever alphabet."""
    for word in split_words(clean_text(speaker)):
        low = word.lower()
        if low in question.words or (find_name_key(low) or "") in question.name_keys:
            return True
    return False


def boost_standing(candidates: Candidates, parts: Parts, *, question: Question, recipe: Recipe) -> None:
    """Rules and tastes that the user stated count more when the question asks for help, for they bind the answer.

    Rules rarely share a word with what they apply to, so that the nearest few of each kind are lifted whatever their
    words. A question about what was said or done asks for no help.
    """
    if Traits.REQUEST not in question.traits or Traits.RECALL in question.traits:
        return
    is_users = (candidates.roles == USER) & (candidates.speakers == "")
    has_rule = is_users & has_trait(candidates, Traits.RULE)
    has_taste = is_users & has_trait(candidates, Traits.STANDING)
    multiply(parts, "standing", np.where(has_taste, 1 + recipe.standing_boost, 1.0))
    alone = np.minimum(1.0, recipe.rule_words / np.maximum(candidates.lens, 1))
    lift = recipe.rule_share * alone * choose_nearest(parts["score"], has_rule, recipe.standing_limit)
    lift += recipe.taste_share * choose_nearest(parts["score"], has_taste & ~has_rule, recipe.standing_limit)
    add(parts, "applies", lift * (parts["score"].max() or 1.0))


def choose_nearest(scores: Floats, eligible: NDArray[np.bool_], limit: int) -> NDArray[np.bool_]:
    """The eligible with the best scores, at most `limit`."""
    places = np.flatnonzero(eligible)
    chosen = np.zeros(len(scores), dtype=np.bool_)
    chosen[places[np.argsort(-scores[places], kind="stable")][:limit]] = True
    return chosen


def boost_sayings(candidates: Candidates, parts: Parts, *, question: Question, recipe: Recipe) -> None:
    """Between people, who asks tells little, and who speaks of the one spoken to tells less of what that one did.

    What is said at some length, with names, tells more, and so does a time when the question asks for one. Users of an
    assistant put what they tell into what they ask, so that none of it holds for them.
    """
    is_named = candidates.speakers != ""
    if not is_named.any():
        return
    shares = find_asking_shares(candidates.traits)
    addresses = has_trait(candidates, Traits.SECOND_PERSON) & ~has_trait(candidates, Traits.FIRST_PERSON)
    substance = np.log1p(candidates.lens * (1 - shares)) / np.log1p(recipe.full_words)
    factors = {
        "asks": 1 - recipe.asking_penalty * shares,
        "addresses": 1 - recipe.addressing_penalty * addresses,
        "substance": 1 + recipe.substance_boost * np.minimum(1.0, substance),
        "names": 1 + recipe.naming_boost * has_trait(candidates, Traits.NAMES),
    }
    if Traits.WHEN in question.traits:
        factors["tells_when"] = 1 + recipe.when_boost * has_trait(candidates, Traits.TIME)
    for name, values in factors.items():
        multiply(parts, name, np.where(is_named, values, 1.0))


def boost_answers(candidates: Candidates, parts: Parts, *, share: float) -> None:
    """Between people, an answer takes a share of the score of the question right before it: who asks names the subject,
    who answers names the fact."""
    order = np.argsort(candidates.places)
    places, speakers = candidates.places[order], candidates.speakers[order]
    asks = find_asking_shares(candidates.traits[order]) > 0
    answers = (places[1:] == places[:-1] + 1) & candidates.follows[order][1:] & asks[:-1]
    answers &= (speakers[1:] != speakers[:-1]) & (speakers[1:] != "") & (speakers[:-1] != "")
    taken = np.zeros(len(order))
    taken[order[1:][answers]] = share * parts["score"][order[:-1][answers]]
    add(parts, "answers", taken)


def boost_periods(candidates: Candidates, parts: Parts, *, periods: Sequence[Period], recipe: Recipe) -> None:
    """Messages of a time that the question names count more: "what did I buy last week" hardly names anything else."""
    if not periods:
        return
    weights = np.max([period.weigh_all(candidates.said_at) for period in periods], axis=0)
    multiply(parts, "period", 1 + recipe.period_boost * weights)
    add(parts, "in_period", recipe.period_share * (parts["score"].max() or 1.0) * weights)


def has_trait(candidates: Candidates, trait: Traits) -> NDArray[np.bool_]:
    """Which candidates have a trait."""
    found: NDArray[np.bool_] = candidates.traits & int(trait) > 0
    return found


def find_asking_shares(traits: NDArray[np.int16]) -> Floats:
    """About which share of each message's words stands in questions."""
    shares: Floats = SHARES[(traits // int(Traits.ASKS_SOME)) & 3]
    return shares


def multiply(parts: Parts, name: str, factors: Floats) -> None:
    """Multiply the scores, and note the factors that are not 1 as a part of that name."""
    parts["score"] = parts["score"] * factors
    parts[name] = np.where(factors == 1.0, NO_PART, factors)


def add(parts: Parts, name: str, amounts: Floats) -> None:
    """Add to the scores, and note the amounts that are not 0 as a part of that name."""
    parts["score"] = parts["score"] + amounts
    parts[name] = np.where(amounts == 0.0, NO_PART, amounts)
