"""Shapes of questions are learnt from examples, and questions of the same shape get the path."""

import pytest

from memory.errors import InvalidRequest
from retrieval.knowledge.graph.paths import read_edge_kinds
from retrieval.knowledge.planning.intents import read_intents
from retrieval.knowledge.planning.learning import Example, learn_plan, read_example_path, split_at_name
from retrieval.knowledge.planning.matching import compile_plan, find_shape
from retrieval.knowledge.planning.wording import split_question

KINDS = read_edge_kinds(
    {
        "types": ["Movie", "Person", "Year"],
        "edges": [
            {"kind": "directed by", "from": ["Movie"], "to": ["Person"]},
            {"kind": "starred actors", "from": ["Movie"], "to": ["Person"]},
            {"kind": "written by", "from": ["Movie"], "to": ["Person"]},
            {"kind": "release year", "from": ["Movie"], "to": ["Year"]},
        ],
    }
)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("movie_to_director", ["directed by"]),
        ("actor_to_movie", ["<starred actors"]),
        ("movie_to_writer_to_movie_to_year", ["written by", "<written by", "release year"]),
        (["directed by", "<directed by"], ["directed by", "<directed by"]),
    ],
)
def test_a_path_is_read_by_names_of_types_or_by_kinds(path: str | list[str], steps: list[str]) -> None:
    assert [str(step) for step in read_example_path(path, KINDS)] == steps


def test_a_path_of_unknown_names_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        read_example_path("movie_to_colour", KINDS)


def test_a_question_of_a_shape_that_was_seen_gets_its_path() -> None:
    examples = [
        Example("what movies did Temuera Morrison act in", "Temuera Morrison", "actor_to_movie"),
        Example("who directed Kismet", "Kismet", "movie_to_director"),
    ]
    learnt = learn_plan(examples, kinds=KINDS)
    plan = compile_plan(read_intents(learnt.intents, KINDS))
    question = "What movies did Charles Martin Smith act in?"
    shape = find_shape(plan, split_question(question))
    assert shape and shape.intents[0].name == "actor_to_movie"
    assert question[shape.start : shape.end] == "Charles Martin Smith"
    assert find_shape(plan, split_question("what colour is the sky")) is None


def test_what_teaches_nothing_is_said() -> None:
    learnt = learn_plan([Example("who directed it", "Kismet", "movie_to_director")], kinds=KINDS)
    assert not learnt.intents and dict(learnt.left_out) == {"name_not_in_question": [1]}


def test_a_shape_that_stands_for_two_paths_alike_stands_for_none() -> None:
    examples = [Example("tell me of X", "X", "movie_to_director"), Example("tell me of Y", "Y", "movie_to_writer")]
    assert learn_plan(examples, kinds=KINDS).shapes == 0


def test_a_name_is_a_word_of_its_own() -> None:
    assert split_at_name("who wrote Up and up", "up") == ("who wrote ", " and up")
    assert split_at_name("who wrote Upton", "up") is None


def test_words_that_mean_the_same_make_shapes_that_no_example_has() -> None:
    asked = {
        "what films did X act in": "actor_to_movie",
        "what movies did X act in": "actor_to_movie",
        "films directed by X": "director_to_movie",
        "movies directed by X": "director_to_movie",
        "films written by X": "writer_to_movie",
        "who directed X": "movie_to_director",
        "who wrote X": "movie_to_writer",
    }
    learnt = learn_plan([Example(question, "X", path) for question, path in asked.items()], kinds=KINDS)
    plan = compile_plan(read_intents(learnt.intents, KINDS))
    shape = find_shape(plan, split_question("movies written by Tove Jansson"))
    assert shape and [intent.name for intent in shape.intents] == ["writer_to_movie"]
    assert (learnt.shapes, learnt.variants) == (7, 1)


def test_words_that_once_meant_another_thing_are_not_alike() -> None:
    asked = {
        "films by X": "director_to_movie",
        "movies by X": "director_to_movie",
        "films with X": "actor_to_movie",
        "movies with X": "actor_to_movie",
        "films of X": "director_to_movie",
        "movies of X": "writer_to_movie",
        "films for X": "writer_to_movie",
    }
    assert learn_plan([Example(question, "X", path) for question, path in asked.items()], kinds=KINDS).variants == 0
