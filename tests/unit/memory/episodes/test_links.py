"""Links of episodes: rare words make them, and a long life takes no more work an episode than a short one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from memory.episodes import recipe
from memory.episodes.links import Profile, link_episodes

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def tell(place: int, *words: str) -> Profile:
    at = BEGAN + timedelta(days=place)
    return Profile(UUID(int=place + 1), at, at, None, dict.fromkeys(words, 1.0))


def test_rare_words_link_episodes_and_common_ones_do_not() -> None:
    most = int(recipe.COMMON_SHARE * 100)
    profiles = [tell(place, *(["often"] if place <= most else []), f"own-{place}") for place in range(98)]
    profiles += [tell(98, "lisbon", "hotel"), tell(99, "lisbon", "hotel", "ferry")]
    found = link_episodes(profiles, wanted={profiles[0].id, profiles[98].id, profiles[99].id})
    assert found[profiles[0].id].related_to == ()
    assert (found[profiles[98].id].continues_from, found[profiles[98].id].related_to) == (None, (profiles[99].id,))
    assert found[profiles[99].id].continues_from == profiles[98].id
    # Two have the word instead of a fifth of all: it is rare, and links them.
    rare = [tell(place, "often") for place in range(2)] + profiles[2:20:6] + profiles[22:]
    rare = [each for each in rare if "often" not in each.words or each in rare[:2]]
    assert link_episodes(rare, wanted={rare[1].id})[rare[1].id].continues_from == rare[0].id


def test_of_equals_the_nearest_three_are_named_in_the_order_of_their_ids() -> None:
    profiles = [tell(place, "lisbon") for place in (0, 1, 2, 3, 4)] + [
        tell(place, f"own-{place}") for place in range(5, 40)
    ]
    found = link_episodes(profiles, wanted={profiles[4].id})[profiles[4].id]
    assert found.related_to == tuple(each.id for each in profiles[: recipe.MOST_RELATED])
    assert found.continues_from == profiles[3].id
