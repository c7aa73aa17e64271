"""Kept items that a question means, best first. Exact: every document under the prefix is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.kept.filters import passes
from memory.kept.reading import list_items, list_searchable, open_items
from memory.kept.types import KeptDocument, Namespace, Searchable
from memory.types import UserRef
from patterns.text.lexemes import ENTRY_BYTES
from retrieval.kept.reading import multiply, read_lexemes
from retrieval.search.columns import PLACE, Places, count_microseconds, unpack_places
from retrieval.search.matching import SUMS, match_words
from retrieval.search.recipes import PLAIN, Recipe
from retrieval.search.stages import PreparedQuestion

USER: Final = 1  # the number of the role in a place

Scored = tuple[KeptDocument, float | None]


def search_items(
    *,
    user: UserRef,
    prefix: Namespace,
    now: datetime,
    wanted: Mapping[str, Any] | None = None,
    question: PreparedQuestion | None = None,
    start: int = 0,
    limit: int = 10,
) -> list[Scored]:
    """Documents under a namespace that pass the filter: by score under a question, else the latest change first.

    A score is absolute, 0 to 1: how much of the question's words a document has, and how near its vector is. What is
    not indexed is found without a question alone.
    """
    if question is None:
        test = (lambda item: passes(item.value, wanted)) if wanted else None
        found = list_items(user=user, prefix=prefix, now=now, start=start, limit=limit, passes=test)
        return [(item, None) for item in found]
    searched = list_searchable(user=user, prefix=prefix, now=now)
    if wanted:
        opened = open_items(user=user, items=searched)
        searched = [one for one, item in zip(searched, opened, strict=True) if passes(item.value, wanted)]
    scores = score(searched, question=question, recipe=PLAIN)
    # Stable: of equal scores the latest change stays first.
    order = np.argsort(-scores, kind="stable")[start : start + limit].tolist()
    chosen = open_items(user=user, items=[searched[place] for place in order])
    best = [round(min(1.0, float(scores[place])), 6) for place in order]
    return list(zip(chosen, best, strict=True))


def score(items: Sequence[Searchable], *, question: PreparedQuestion, recipe: Recipe) -> NDArray[np.float64]:
    """The score of each document: the question's words in it, by rarity, and its vector. Pure."""
    if not items:
        return np.zeros(0)
    places, order = _stand(items)
    everywhere = np.ones(len(items), dtype=np.bool_)
    hits = match_words(places, question=question.question, recipe=recipe, in_scope=everywhere)
    most = float(hits.idfs.sum()) * SUMS[1] or 1.0
    lexical = hits.lexical / most / (1 + places.columns["len"] / recipe.scale_length(question.question))
    vector = question.vector
    dots = np.array([multiply(items[place].search_data, vector) for place in order])
    weight = recipe.weigh_dense(vector.model_name) if vector else 0.0
    scores = np.zeros(len(items))
    scores[order] = (lexical + weight * np.nan_to_num(np.fmax(dots, 0.0))) / (1 + weight)
    return scores


def _stand(items: Sequence[Searchable]) -> tuple[Places, list[int]]:
    """The documents as places of an index, each in a conversation of its own, and which item stands at each."""
    columns = np.zeros(len(items), dtype=PLACE)
    packed = []
    for place, item in enumerate(items):
        words, lexemes = read_lexemes(item.search_data)
        name, changed = item.id.bytes, count_microseconds(item.updated_at)
        columns[place] = (name, name, 0, 0, words, changed, changed, 0, len(lexemes) // ENTRY_BYTES, USER, 1)
        packed.append(lexemes)
    places = unpack_places(columns.tobytes(), b"".join(packed))
    place_of = {item.id.bytes.rstrip(b"\0"): place for place, item in enumerate(items)}
    return places, [place_of[name] for name in places.message_ids.tolist()]
