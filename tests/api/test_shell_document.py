"""The document of the whole API as this installation publishes it."""

from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema


@pytest.fixture
def document() -> Any:
    GENERATOR_STATS.reset()
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_document_is_valid_and_nothing_in_it_was_guessed(document: Any) -> None:
    validate_schema(document)
    assert not GENERATOR_STATS._error_cache
    assert not GENERATOR_STATS._warn_cache


def test_every_call_says_what_it_is_for_and_how_it_fails(document: Any) -> None:
    calls = {
        f"{method.upper()} {path}": call
        for path, methods in document["paths"].items()
        for method, call in methods.items()
    }
    for name, call in calls.items():
        assert call.get("summary"), name
        assert {"401", "403", "429"} <= set(call["responses"]), name
        is_own = name.partition(" ")[2].split("/")[2] == "me"
        assert call["security"] == [{"visit" if is_own else "apiKey": []}], name
