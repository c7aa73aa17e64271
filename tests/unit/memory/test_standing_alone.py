"""Here, as in every test of memory, the soft ports are unplugged."""

from typing import Any

import pytest

from config.chat.skills import list_skills
from config.launch import paths
from memory.extraction.configuration import find_endpoint
from memory.extraction.model.openai_client import Endpoint, OpenAICompatibleClient
from retrieval.knowledge.answers.modelling import find_model
from retrieval.knowledge.search import searching
from retrieval.knowledge.search.searching import ask_corpus
from tests.plugin.unplugged import ABOUT_THE_MODEL, MEMORY, Unplugged


def test_knowledge_that_is_asked_fails_the_test() -> None:
    ask: Any = ask_corpus
    with pytest.raises(Unplugged):
        ask("corpus", "query", switches=None, now=None)
    with pytest.raises(Unplugged):
        searching.ask_corpus(None, None, switches=None, now=None)  # type: ignore[arg-type]


def test_a_model_that_is_asked_fails_the_test() -> None:
    client = OpenAICompatibleClient(Endpoint(url="http://127.0.0.1:9/v1", model="any"))
    with pytest.raises(Unplugged):
        client.chat([{"role": "user", "content": "hello"}])
    with pytest.raises(Unplugged):
        next(client.stream([{"role": "user", "content": "hello"}]))


def test_no_model_and_no_skill_is_found() -> None:
    assert find_endpoint() is None
    assert find_model("any") == (None, "")
    assert list_skills() == ()


def test_every_place_that_is_named_holds_tests() -> None:
    """A file that is renamed would run with its soft ports, and nobody would notice."""
    missing = [place for place in (*MEMORY, *ABOUT_THE_MODEL) if not (paths.ROOT / place).exists()]
    assert missing == []
