"""What the tests of extraction share."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from config.settings.tuning import EXTRACTION_LEASE
from memory.extraction.runs.running import run_extraction
from memory.extraction.types import Claim, RunOutcome
from memory.ids import new_id
from memory.models import ExtractionRun
from memory.tenants.scope import tenant_scope
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


def claim(person: Chatter, *, now: datetime | None = None) -> Claim:
    """An open run of this person, whatever its triggers say. Raises IntegrityError while another one is open."""
    moment, run_id = now or timezone.now(), new_id()
    with tenant_scope(person.tenant.id):
        last = ExtractionRun.objects.filter(user_id=person.ref.id).order_by("claimed_at", "id").last()
        ExtractionRun.objects.create(
            tenant_id=person.tenant.id, user_id=person.ref.id, id=run_id, status="open", triggered_by="manual",
            claimed_at=moment, next_at=moment + EXTRACTION_LEASE, failures=last.failures if last else 0,
        )  # fmt: skip
    return Claim(person.ref, run_id, "manual")


def extract(person: Chatter, model: ScriptedModel, *, draw: float = 1.0, **more: Any) -> RunOutcome:
    """One whole run with a scripted model; `draw` below the share puts changes into the review queue."""
    return run_extraction(claim(person, **more), client=model.make_client(), draw=lambda: draw)
