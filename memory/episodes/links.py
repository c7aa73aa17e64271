"""Which episodes go on with which, and which speak of the same: by rare words and names that they share. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.episodes import recipe
from memory.episodes.contents import Contents
from memory.episodes.entities import NAME


@dataclass(frozen=True, slots=True)
class Profile:
    """What an episode is compared by: its words with their weights."""

    id: UUID
    started_at: datetime
    ended_at: datetime
    continues_from: UUID | None
    words: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Links:
    """Of one episode, the earlier one that it continues and those that speak of the same, nearest first."""

    continues_from: UUID | None
    related_to: tuple[UUID, ...]


def list_words(contents: Contents) -> dict[str, float]:
    """The words and names of an episode, each with what it counts when another has it too."""
    words = dict.fromkeys(contents.stems, 1.0)
    words.update({f"n:{one.text.casefold()}": recipe.NAME_WEIGHT for one in contents.entities if one.kind == NAME})
    return words


def link_episodes(profiles: Sequence[Profile], *, wanted: Collection[UUID]) -> dict[UUID, Links]:
    """The links of the wanted episodes to others of the same user."""
    holders: dict[str, list[int]] = {}
    for place, profile in enumerate(profiles):
        for word in profile.words:
            holders.setdefault(word, []).append(place)
    most = max(recipe.COMMON_LEAST, int(recipe.COMMON_SHARE * len(profiles)))
    rarity = {word: math.log(1 + len(profiles) / len(at)) for word, at in holders.items() if 1 < len(at) <= most}
    sizes = np.array([_find_size(profile, rarity) for profile in profiles])
    shared = _Shared({word: np.array(holders[word]) for word in rarity}, rarity, sizes)
    return {
        profile.id: _link(place, profiles, shared) for place, profile in enumerate(profiles) if profile.id in wanted
    }


@dataclass(frozen=True, slots=True)
class _Shared:
    """Of each rare word, which episodes have it and what it counts; of each episode, how much it says."""

    holders: Mapping[str, NDArray[np.intp]]
    rarity: Mapping[str, float]
    sizes: NDArray[np.float64]

    def compare(self, place: int, words: Mapping[str, float]) -> NDArray[np.float64]:
        """How alike every episode is to one: the cosine of their words. In arrays: a life has millions of pairs."""
        gains = np.zeros(len(self.sizes))
        for word, weight in words.items():
            if word in self.rarity:
                gains[self.holders[word]] += (weight * self.rarity[word]) ** 2
        gains[place] = 0.0
        likeness: NDArray[np.float64] = gains / (self.sizes[place] * self.sizes)
        return likeness


def _find_size(profile: Profile, rarity: Mapping[str, float]) -> float:
    return math.sqrt(sum((weight * rarity.get(word, 1.0)) ** 2 for word, weight in profile.words.items())) or 1.0


def _link(place: int, profiles: Sequence[Profile], shared: _Shared) -> Links:
    own = profiles[place]
    likeness = shared.compare(place, own.words)
    near = np.flatnonzero(likeness >= recipe.RELATED_AT).tolist()
    related = sorted(near, key=lambda other: (-likeness[other], profiles[other].id))
    earlier = [
        other
        for other in related
        if likeness[other] >= recipe.CONTINUES_AT and profiles[other].ended_at <= own.started_at
    ]
    latest = max(earlier, key=lambda other: (profiles[other].ended_at, profiles[other].id), default=None)
    return Links(
        continues_from=profiles[latest].id if latest is not None else None,
        related_to=tuple(profiles[other].id for other in related[: recipe.MOST_RELATED]),
    )


def list_projects(profiles: Sequence[Profile], continues: Mapping[UUID, UUID | None]) -> set[UUID]:
    """The latest episodes of chains that are long enough to be a project."""
    by_id = {profile.id: profile for profile in profiles}
    continued = {earlier for earlier in continues.values() if earlier}
    found = set()
    for profile in profiles:
        if profile.id in continued:
            continue
        chain = [profile]
        while (earlier := continues.get(chain[-1].id)) and earlier in by_id and len(chain) < len(profiles):
            chain.append(by_id[earlier])
        if len(chain) >= recipe.PROJECT_EPISODES and profile.ended_at - chain[-1].started_at >= recipe.PROJECT_SPAN:
            found.add(profile.id)
    return found


def find_likeness(words: Mapping[str, float], said: Mapping[str, int]) -> float:
    """How alike an episode is to what was asked lately: the cosine of its words and theirs, 0 to 1."""
    stems = [word for word in words if not word.startswith("n:")]
    size = math.sqrt(len(stems)) * math.sqrt(sum(count * count for count in said.values()))
    return sum(said.get(stem, 0) for stem in stems) / size if size else 0.0
