"""What the entities of a question weigh as starts of the rank."""

import pytest

from retrieval.knowledge.entities.types import Match
from retrieval.knowledge.planning.deciding import Decision
from retrieval.knowledge.search.recipe import DEFAULT
from retrieval.knowledge.search.searching import weigh_entities
from tests.unit.retrieval.knowledge.planning.portfolio import Named


def weigh(text: str, names: list[str], match: Match = Match.FOLDED, *, has_types: bool = True) -> list[float]:
    hits = [
        Named(number, "Document", name, name, text.index(name), text.index(name) + len(name), match)
        for number, name in enumerate(names)
    ]
    weights = weigh_entities(text, Decision(entities=tuple(hits)), DEFAULT, has_types=has_types)
    return [weights.get(number, 0.0) for number in range(len(names))]


@pytest.mark.parametrize(
    ("text", "names", "weights"),
    [
        ("the place of birth of the director of The Zone", ["place of birth", "The Zone"], [DEFAULT.plain_seed, 1.0]),
        ("the place of birth of the director of the zone", ["place of birth", "the zone"], [1.0, 1.0]),
        ("где родился режиссёр фильма Зона", ["режиссёр", "Зона"], [DEFAULT.plain_seed, 1.0]),
        ("أين ولد مخرج فيلم المنطقة", ["مخرج", "المنطقة"], [1.0, 1.0]),
    ],
    ids=["a phrase beside a name", "all in small letters", "Russian", "a script without capitals"],
)
def test_a_phrase_in_small_letters_weighs_little_beside_a_name(
    text: str, names: list[str], weights: list[float]
) -> None:
    assert weigh(text, names) == weights


def test_what_may_stand_for_a_name_weighs_only_where_none_is_written_and_names_are_few() -> None:
    assert weigh("who runs SKIO", ["SKIO"], Match.SKELETON) == [DEFAULT.far_seed]
    assert weigh("who runs SKIO", ["SKIO"], Match.SKELETON, has_types=False) == [0.0]
