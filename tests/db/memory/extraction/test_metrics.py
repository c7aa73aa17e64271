"""Figures over all tenants that alerts rest on: what waits and since when, what has switched itself."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.extraction.metrics import read_queue_size
from memory.extraction.quality.intervals import measure_precision
from memory.extraction.quality.switches import SYSTEM, block_until, quarantine_slice, switch_extraction
from memory.tenants.types import Actor, ActorType
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL, extract
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]


def read() -> dict[str, float]:
    """Every figure by name, and by its label where it has one."""
    return {
        sample.labels.get("switch", sample.name): sample.value
        for metric in read_queue_size()
        for sample in metric.samples
    }


def test_what_waits_has_an_age_where_somebody_works_it_off(alice: Chatter, settings: Any) -> None:
    long_ago = timezone.now() - timedelta(hours=5)
    alice.say(ALLERGIC, created_at=long_ago, now=long_ago)
    assert read()["unde_batch_extraction_oldest_seconds"] == 0.0
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = "http://127.0.0.1:9/v1", "scripted"
    figures = read()
    assert figures["unde_batch_extraction_queue_size"] >= 1
    assert figures["unde_batch_extraction_oldest_seconds"] == pytest.approx(5 * 3600, abs=60)


def test_a_sample_that_nobody_judges_grows_old(alice: Chatter, scripted_model: Callable[..., ScriptedModel]) -> None:
    before = read()["unde_extraction_review_oldest_seconds"]
    alice.say(ALLERGIC)
    extract(alice, scripted_model({"operations": [WOOL]}), draw=0.0)
    assert (before, read()["unde_extraction_review_oldest_seconds"] > 0) == (0.0, True)


def test_a_switch_by_itself_is_counted_and_one_by_staff_is_not(alice: Chatter) -> None:
    now, tenant_id = timezone.now(), alice.tenant.id
    staff = Actor(type=ActorType.STAFF, id="1")
    switch_extraction(tenant_id=tenant_id, mode="off", reason="by_staff", actor=staff, now=now)
    assert (read()["off"], read()["paused"]) == (0, 0)
    switch_extraction(tenant_id=tenant_id, mode="paused", reason="review_error_rate", actor=SYSTEM, now=now)
    block_until(tenant_id=tenant_id, until=now + timedelta(hours=1))
    low = measure_precision(right=20, judged=30)
    quarantine_slice(tenant_id=tenant_id, slice_name="type", value="budget", precision=low, now=now)
    figures = read()
    assert [figures[name] for name in ("paused", "off", "out_of_tokens", "quarantined")] == [1, 0, 1, 1]
