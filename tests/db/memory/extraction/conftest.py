"""What the tests of extraction share."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory.extraction.runs.log import open_manual_run
from memory.extraction.runs.running import run_extraction
from memory.extraction.types import Claim, RunOutcome
from tests.cast import Chatter
from tests.scripted_model import ScriptedModel, propose

ALLERGIC = "I am allergic to wool"
WOOL = propose(knowledge_key="wool", value="wool")


@pytest.fixture
def no_instant_step(settings: Any) -> None:
    """What is plainly said is left to the model here, so that a better grammar does not empty these tests."""
    left = ("memory.storing.steps.ApplyEdits", "retrieval.steps.IndexMessages")
    settings.INGEST_STEPS = [name for name in settings.INGEST_STEPS if name in left]


@pytest.fixture
def tune(settings: Any) -> Iterator[Callable[..., None]]:
    """Changes numbers of `tuning` until the test ends: it is a module, which the settings fixture does not put back."""
    before: dict[str, Any] = {}

    def change(**values: Any) -> None:
        for name, value in values.items():
            before.setdefault(name, getattr(settings.UNDE_TUNING, name))
            setattr(settings.UNDE_TUNING, name, value)

    yield change
    for name, value in before.items():
        setattr(settings.UNDE_TUNING, name, value)


def claim(person: Chatter, **more: Any) -> Claim:
    """An open run of this person, as somebody asked for it."""
    from django.utils import timezone

    claimed = open_manual_run(user=person.ref, now=more.pop("now", None) or timezone.now())
    assert claimed is not None
    return claimed


def extract(person: Chatter, model: ScriptedModel, *, draw: float = 1.0, **more: Any) -> RunOutcome:
    """One whole run with a scripted model; `draw` below the share puts changes into the review queue."""
    return run_extraction(claim(person, **more), client=model.make_client(), draw=lambda: draw)
