"""The active recipe has passed the gate with just its numbers (docs/retrieval.md)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from retrieval.search.accepted import SHIPPED, digest_recipe, is_accepted, read_accepted
from retrieval.search.recipes import DEFAULT, PLAIN, RRF60


def test_the_default_recipe_has_passed_and_one_changed_number_is_another_recipe(tmp_path: Path, settings: Any) -> None:
    settings.UNDE_ACCEPTED_RECIPES = str(tmp_path / "none.json")
    assert is_accepted(DEFAULT), (
        "script/manage evaluate --gate tests/data/retrieval/held_out.baseline.json --accept ..."
    )
    assert is_accepted(replace(DEFAULT, name="renamed"))
    assert not is_accepted(replace(DEFAULT, session_boost=0.21))
    assert not is_accepted(PLAIN) and not is_accepted(RRF60)


def test_a_note_says_what_the_recipe_was_held_against() -> None:
    (note,) = read_accepted(SHIPPED)
    assert (note.recipe, note.digest) == (DEFAULT.name, digest_recipe(DEFAULT))
    assert note.scores.keys() == note.before.keys() == {"recall@10", "precision@r"}
