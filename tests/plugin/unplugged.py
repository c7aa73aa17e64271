"""Soft ports replaced by stubs for a whole run of tests: pytest -p tests.plugin.unplugged (SPEC B-4).

Knowledge and the model fail when they are asked: what remembers must not ask them. There are no skills.
"""

import sys
from typing import Any

import pytest

REPORT = "unplugged: knowledge, model, skills"


class Unplugged(AssertionError):
    """Something that has to work alone asked a soft port."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Put the stubs in wherever the ports are known by name."""
    from config.chat import skills
    from memory.extraction import configuration
    from memory.extraction.model.openai_client import OpenAICompatibleClient
    from retrieval.knowledge.answers import modelling
    from retrieval.knowledge.search import searching

    OpenAICompatibleClient._guard = refuse  # type: ignore[assignment]
    replaced = [
        replace(searching.ask_corpus, refuse),
        replace(modelling.find_model, lambda name, **_: (None, "")),
        replace(configuration.find_endpoint, lambda: None),
        replace(skills.list_skills, lambda: ()),
    ]
    assert all(replaced), "a port has another name now"


def pytest_report_header(config: pytest.Config) -> str:
    """What this run does without."""
    return REPORT


def refuse(*_: Any, **__: Any) -> Any:
    """What a port does that must not be asked."""
    raise Unplugged


def replace(port: Any, stub: Any) -> int:
    """Put a stub where modules name a port; in how many."""
    found = 0
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is port:
                setattr(module, name, stub)
                found += 1
    return found
