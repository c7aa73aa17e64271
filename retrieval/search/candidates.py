"""Choosing what may answer a question: the best by words, the best by vectors, and what is too new to have one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import repeat
from typing import overload
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from retrieval.index.traits import Traits
from retrieval.search.columns import ROLES, TYPES, Places, order_ids, read_seconds
from retrieval.search.matching import WordHits
from retrieval.search.periods import Period
from retrieval.search.questions import Question
from retrieval.search.recipes import Recipe
from retrieval.types import Candidate, Ranked

CALLED_STANDING = 50
LEAST = 1e-6  # so that even what words and vectors miss is of its time
SAME = ("speaker", "traits", "len", "said_at", "lexical", "covered", "is_unembedded")  # in a column and as a value
NO_PART = np.nan  # a part that plays no role in a candidate's score


@dataclass(frozen=True, slots=True)
class Candidates:
    """The columns of `retrieval.types.Candidate`, of equal length; `smoothed` is NaN without a vector.

    `places` numbers the user's messages in order, and `follows` says whether the one before is of the same session.
    """

    message_ids: NDArray[np.bytes_]
    session_keys: NDArray[np.int64]
    roles: NDArray[np.int16]
    memory_types: NDArray[np.int16]
    speakers: NDArray[np.str_]
    traits: NDArray[np.int16]
    lens: NDArray[np.int32]
    said_at: NDArray[np.float64]
    lexical: NDArray[np.float64]
    covered: NDArray[np.float64]
    smoothed: NDArray[np.float64]
    is_unembedded: NDArray[np.bool_]
    places: NDArray[np.int64]
    follows: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.message_ids)

    def take(self, places: NDArray[np.int64]) -> Candidates:
        """The candidates at the given places, in that order."""
        return Candidates(*(getattr(self, field.name)[places] for field in fields(self)))

    def list_values(self, part: slice) -> list[Candidate]:
        """Some of the candidates as values."""
        columns = [self.message_ids, self.session_keys, self.roles, self.memory_types, self.smoothed]
        columns += [self.speakers, self.traits, self.lens, self.said_at, self.lexical, self.covered, self.is_unembedded]
        return [
            Candidate(
                message_id=read_id(message_id),
                session_key=session_key,
                role=ROLES[role],
                memory_type=TYPES[memory_type],
                smoothed=None if math.isnan(smoothed) else smoothed,
                **dict(zip(SAME, rest, strict=True)),
            )
            for message_id, session_key, role, memory_type, smoothed, *rest in zip(
                *[column[part].tolist() for column in columns], strict=True
            )
        ]


@dataclass(frozen=True, slots=True)
class Ranking(Sequence[Ranked]):
    """Candidates in order, best first, with their scores and the parts these came from (NaN: no such part).

    Reads as a sequence of `Ranked`; only those that are looked at are made.
    """

    candidates: Candidates
    scores: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...

    @overload
    def __getitem__(self, place: slice) -> list[Ranked]: ...

    def __getitem__(self, place: int | slice) -> Ranked | list[Ranked]:
        if isinstance(place, slice):
            return self._list_values(place)
        at = range(len(self))[place]
        return self._list_values(slice(at, at + 1))[0]

    def list_ids(self, limit: int) -> list[UUID]:
        """The ids of the best."""
        return [read_id(message_id) for message_id in self.candidates.message_ids[:limit].tolist()]

    def write_ids(self, limit: int) -> list[str]:
        """The ids of the best in hexadecimal digits, for the database: objects take longer to make than to send."""
        digits = self.candidates.message_ids[:limit].tobytes().hex()
        return [digits[start : start + 32] for start in range(0, len(digits), 32)]

    def take(self, places: NDArray[np.int64]) -> Ranking:
        """The ranking of those at the given places, in that order."""
        parts = {name: values[places] for name, values in self.parts.items()}
        return Ranking(self.candidates.take(places), self.scores[places], parts)

    def _list_values(self, part: slice) -> list[Ranked]:
        names = list(self.parts)
        rows = zip(*[self.parts[name][part].tolist() for name in names], strict=True) if names else repeat(())
        return [
            Ranked(candidate, score, {name: value for name, value in zip(names, row, strict=True) if value == value})
            for candidate, score, row in zip(
                self.candidates.list_values(part), self.scores[part].tolist(), rows, strict=False
            )
        ]


NOBODY = Candidates(
    *(np.zeros(0, dtype=kind) for kind in ("S16", "i8", "i2", "i2", "U1", "i2", "i4", *["f8"] * 4, "?", "i8", "?"))
)
NOTHING_RANKED = Ranking(NOBODY, np.zeros(0), {})


def read_id(message_id: bytes) -> UUID:
    """An id as arrays hold it, the zeros at its end lost."""
    return UUID(bytes=message_id.ljust(16, b"\0"))


def choose_candidates(
    places: Places,
    *,
    hits: WordHits,
    smoothed: NDArray[np.float64],
    in_scope: NDArray[np.bool_],
    is_fresh: NDArray[np.bool_],
    question: Question,
    recipe: Recipe,
    called: NDArray[np.int64] | None = None,
) -> Candidates:
    """The best `recipe.depth` by words, as many by smoothed dot products, and the latest fresh ones without a vector
    (D-18), in order of id (P-7). `called` are places that take part whatever words and vectors say of them."""
    ids = places.message_ids
    held = hits.lexical / (1 + places.columns["len"] / recipe.scale_length(question))
    near = np.where(in_scope, np.fmax(smoothed, 0.0), 0.0)
    waiting = np.flatnonzero(is_fresh & in_scope & np.isnan(smoothed))
    latest = waiting[np.argsort(ids[waiting])][-recipe.depth :]
    best = (find_greatest(held, ids, recipe.depth), find_greatest(near, ids, recipe.depth))
    is_chosen = np.zeros(len(places), dtype=np.bool_)
    for some in (*best, latest, *([] if called is None else [called])):
        is_chosen[some] = True
    chosen = np.flatnonzero(is_chosen)
    chosen = chosen[order_ids(places.columns[chosen])]
    is_unembedded = np.zeros(len(places), dtype=np.bool_)
    is_unembedded[latest] = True
    columns = places.columns[chosen]
    return Candidates(
        message_ids=columns["message_id"],
        session_keys=places.sessions[chosen],
        roles=columns["role"].astype(np.int16),
        memory_types=columns["memory_type"].astype(np.int16),
        speakers=places.list_speakers(chosen),
        traits=columns["traits"].astype(np.int16),
        lens=columns["len"].astype(np.int32),
        said_at=read_seconds(columns["created_at"]),
        lexical=hits.lexical[chosen],
        covered=hits.covered[chosen],
        smoothed=smoothed[chosen],
        is_unembedded=is_unembedded[chosen],
        places=chosen,
        follows=places.has_previous[chosen],
    )


def find_called(
    places: Places,
    *,
    hits: WordHits,
    smoothed: NDArray[np.float64],
    in_scope: NDArray[np.bool_],
    question: Question,
    periods: Sequence[Period],
    recipe: Recipe,
) -> NDArray[np.int64]:
    """Places that a question calls for whatever words and vectors say of them: the latest rules and tastes when it asks
    for help, and of the times that it names the best half of `recipe.depth` by words and by vectors."""
    called = [np.zeros(0, dtype=np.int64)]
    if Traits.REQUEST in question.traits and recipe.rule_share + recipe.taste_share:
        users = in_scope & (places.columns["role"] == ROLES.index("user"))
        for trait in (Traits.RULE, Traits.STANDING):
            having = np.flatnonzero(users & (places.columns["traits"] & int(trait) > 0))
            called.append(having[np.argsort(places.said_at[having], kind="stable")][-CALLED_STANDING:])
    if periods and recipe.period_share:
        weights = np.max([period.weigh_all(places.said_at) for period in periods], axis=0) * in_scope
        for values in (hits.lexical, np.fmax(smoothed, 0.0)):
            called.append(find_greatest(weights * (values + LEAST), places.message_ids, recipe.depth // 2))
    return np.unique(np.concatenate(called))


def find_greatest(values: NDArray[np.float64], ids: NDArray[np.bytes_], depth: int) -> NDArray[np.int64]:
    """The places of at most `depth` greatest values above 0; of equal ones the smaller ids."""
    places = np.flatnonzero(values > 0)
    if len(places) <= depth:
        return places
    least = np.partition(values[places], -depth)[-depth]
    above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    return np.concatenate((above, equal[np.argsort(ids[equal])][: depth - len(above)]))
