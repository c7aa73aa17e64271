"""Soft ports replaced by stubs while the essential tests of memory run, always (SPEC B-4).

Knowledge and the model fail when they are asked: what remembers must not ask them. There are no skills.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from config.launch import paths

MEMORY: Final = (
    "tests/acceptance/test_golden_cases.py",
    "tests/api/test_messages.py",
    "tests/api/test_facts.py",
    "tests/api/test_forgets.py",
    "tests/api/test_search_filters.py",
    "tests/api/test_feedback.py",
    "tests/db/memory",
    "tests/unit/memory",
)
ABOUT_THE_MODEL: Final = (
    "tests/db/memory/extraction",
    "tests/unit/memory/extraction",
    "tests/db/memory/episodes/test_modelling.py",
    "tests/db/memory/projects/test_modelled.py",
    "tests/db/memory/rebuild/test_unproven.py",
)
"""What these tests are of is what a model answers."""


class Unplugged(AssertionError):
    """Something that has to work alone asked a soft port."""


@pytest.fixture(autouse=True)
def memory_stands_alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test of memory passes without knowledge, model and skills, or it does not pass."""
    if not is_of_memory(request.path):
        yield
        return
    with unplug():
        yield


def is_of_memory(path: Path) -> bool:
    """Whether the tests of a file have to pass without any soft port."""
    return _is_in(path, MEMORY) and not _is_in(path, ABOUT_THE_MODEL)


def _is_in(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(paths.ROOT / place) for place in places)


@contextmanager
def unplug() -> Iterator[None]:
    """Put the stubs in for a while."""
    from django.conf import settings

    from config.chat import skills
    from memory.extraction.model.openai_client import OpenAICompatibleClient
    from retrieval.knowledge.search.searching import ask_corpus

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenAICompatibleClient, "_guard", refuse)
        # The function itself, under whatever name a module has imported it.
        patch.setattr(ask_corpus, "__code__", refuse.__code__)
        patch.setattr(settings, "UNDE_LLM_URL", "")
        patch.setattr(settings, "UNDE_LLM_MODEL", "")
        patch.setattr(skills, "entry_points", lambda **_: ())
        skills.list_skills.cache_clear()
        yield
    skills.list_skills.cache_clear()


def refuse(*_: Any, **__: Any) -> Any:
    """What a port does that must not be asked. It names nothing of this module: it also runs inside another."""
    from tests.plugin.unplugged import Unplugged

    raise Unplugged
