"""Outages of a provider of vectors, over real HTTP: they cost no message a try and mend themselves (SPEC E-2)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from memory.tenants.scope import tenant_scope
from retrieval.embedding.types import EmbeddingProvider
from retrieval.index import embedding_models as models
from retrieval.index.embeddings import claim_tasks, embed_claimed, sweep_tasks
from retrieval.index.outages import find_outage
from retrieval.models import EmbeddingTask
from tests.cast import Chatter
from tests.scripted_embedder import ScriptedEmbedder, scripted_embedder

__all__ = ["scripted_embedder"]

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., ScriptedEmbedder]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, as_role: Callable[[str], None]) -> Callable[..., EmbeddingProvider]:
    """Makes the endpoint the provider of the settings; the worker's role from here on."""

    def choose(embedder: ScriptedEmbedder, **more: Any) -> EmbeddingProvider:
        provider = embedder.make_provider(timeout_seconds=0.3, **more)
        monkeypatch.setattr(models, "get_provider", lambda config: provider)
        as_role("worker")
        return provider

    return choose


def work(provider: EmbeddingProvider, now: datetime) -> int:
    """What the task `embed_pending` does at a moment."""
    stored = 0
    while tasks := claim_tasks(provider=provider, now=now, limit=64):
        stored += embed_claimed(tasks=tasks, provider=provider, now=now)
    return stored


def list_tasks(person: Chatter) -> list[EmbeddingTask]:
    with tenant_scope(person.tenant.id):
        return list(EmbeddingTask.objects.filter(user_id=person.ref.id).order_by("received_at"))


def read_metric(name: str) -> float:
    page = Client().get("/metrics").content.decode()
    return next(s.value for family in text_string_to_metric_families(page) for s in family.samples if s.name == name)


def break_refused(embedder: ScriptedEmbedder) -> None:
    embedder.stop()


def break_500(embedder: ScriptedEmbedder) -> None:
    embedder.status = 500


def break_401(embedder: ScriptedEmbedder) -> None:
    embedder.status = 401


def break_400_for_all(embedder: ScriptedEmbedder) -> None:
    embedder.refused = ""
    embedder.status = 400


def break_slow(embedder: ScriptedEmbedder) -> None:
    embedder.delay_seconds = 1.0


def break_429(embedder: ScriptedEmbedder) -> None:
    embedder.status = 429
    embedder.headers = {"Retry-After": "120"}


OUTAGES = [break_refused, break_500, break_401, break_400_for_all, break_slow, break_429]


@pytest.mark.parametrize("fail", OUTAGES)
def test_k16_an_outage_of_hours_mends_itself_and_makes_no_orphan(
    fail: Callable[[ScriptedEmbedder], None], scripted_embedder: Make, use: Any, alice: Chatter, bob: Chatter
) -> None:
    embedder = scripted_embedder()
    provider = use(embedder)
    for text in ("saffron", "cardamom"):
        alice.say(text)
        bob.say(text)
    fail(embedder)
    now = datetime.now(UTC)
    end = now + timedelta(hours=7)
    while now < end:
        assert work(provider, now) == 0
        assert sweep_tasks(now=now)[1] == 0
        now += timedelta(minutes=20)
    assert {(task.attempts, task.orphaned_at, task.claimed_at) for task in list_tasks(alice)} == {(0, None, None)}
    assert read_metric("unde_embedding_outage_seconds") >= 0 and find_outage(provider) is not None
    if fail is break_refused:
        embedder = scripted_embedder(port=embedder.port)
    embedder.status, embedder.delay_seconds = 200, 0.0
    assert work(provider, now + settings.UNDE_TUNING.EMBED_LONGEST_REST) == 4
    assert (list_tasks(alice), find_outage(provider)) == ([], None)
    assert read_metric("unde_embedding_outage_seconds") == read_metric("unde_orphan_messages_total") == 0


def test_a_provider_that_is_away_is_asked_seldom(scripted_embedder: Make, use: Any, alice: Chatter) -> None:
    embedder = scripted_embedder(status=401)
    provider = use(embedder)
    for number in range(5):
        alice.say(f"saffron {number}")
    now = datetime.now(UTC)
    for minute in range(60):
        work(provider, now + timedelta(minutes=minute))
    # At 0, 0.5 -> 1, 3, 7, then each 10 minutes or so.
    assert embedder.requests <= 10


def test_a_provider_that_names_a_time_is_left_alone_until_then(
    scripted_embedder: Make, use: Any, alice: Chatter
) -> None:
    embedder = scripted_embedder(status=429)
    embedder.headers = {"Retry-After": "1800"}
    provider = use(embedder)
    alice.say("saffron")
    now = datetime.now(UTC)
    work(provider, now)
    embedder.status = 200
    assert work(provider, now + timedelta(minutes=29)) == 0
    assert work(provider, now + timedelta(minutes=31)) == 1


def test_a_message_that_is_refused_alone_keeps_no_other_from_its_vector(
    scripted_embedder: Make, use: Any, alice: Chatter
) -> None:
    provider = use(scripted_embedder(refused="poison"))
    for text in ("saffron", "poison", "cardamom"):
        alice.say(text)
    assert work(provider, datetime.now(UTC)) == 2
    (left,) = list_tasks(alice)
    assert (left.attempts, left.orphaned_at, find_outage(provider)) == (1, None, None)


def test_a_refused_message_is_an_orphan_after_three_tries_and_is_tried_again_every_day(
    scripted_embedder: Make, use: Any, alice: Chatter
) -> None:
    embedder = scripted_embedder(refused="poison")
    provider = use(embedder)
    alice.say("poison")
    now = datetime.now(UTC)
    for _ in range(3):
        work(provider, now)
        now += timedelta(minutes=31)
    assert read_metric("unde_orphan_messages_total") == 1
    assert sweep_tasks(now=now + timedelta(hours=6)) == (0, 0, 0)
    assert sweep_tasks(now=now + timedelta(hours=24))[2] == 1
    work(provider, now + timedelta(hours=24))
    assert read_metric("unde_orphan_messages_total") == 1
    embedder.refused = ""
    sweep_tasks(now=now + timedelta(hours=48))
    assert work(provider, now + timedelta(hours=48)) == 1
    assert read_metric("unde_orphan_messages_total") == 0
