"""A part that is missing, slow or broken: the answer comes, says so, and is counted (SPEC S-1, P-8)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from prometheus_client import REGISTRY

from memory.errors import CodedError
from memory.tenants.scope import tenant_scope
from retrieval.configuration import Pipeline, get_pipeline
from retrieval.embedding.types import EmbeddingFailed
from retrieval.models import RetrievalReceipt
from retrieval.pack import background
from retrieval.search import stages
from retrieval.search import statement as places
from retrieval.search.time_limits import TooLate, run_until
from retrieval.types import QueryVector
from tests.cast import Chatter
from tests.db.retrieval.conftest import build_pack, find_texts, search
from tests.scripted_embedder import ScriptedEmbedder, scripted_embedder

__all__ = ["scripted_embedder"]

SAID = "I collect stamps from Malta"
ASKED = "where are my stamps from?"
Make = Callable[..., ScriptedEmbedder]


def read_count(kind: str, reason: str) -> float:
    """How often answers of a kind were counted under a reason."""
    return REGISTRY.get_sample_value("unde_retrieval_degraded_total", {"kind": kind, "reason": reason}) or 0.0


def use(embedder: ScriptedEmbedder, **more: Any) -> Pipeline:
    """The configured pipeline with this embedder."""
    return replace(get_pipeline(), provider=embedder.make_provider(), **more)


@pytest.mark.parametrize(
    ("script", "deadline_ms", "reason"),
    [
        ({"delay_seconds": 3.0}, 100, "embedding_late"),
        ({"trickle_seconds": 0.05}, 100, "embedding_late"),
        ({"status": 503}, 2_000, "embedding_http_503"),
        ({"answer": {"data": ["no vector"]}}, 2_000, "embedding_answer_malformed"),
        ({"answer": {"data": [{"embedding": ["a"] * 64}]}}, 2_000, "embedding_answer_malformed"),
        ({"answer": [1, 2]}, 2_000, "embedding_answer_malformed"),
        ({"answer": {"data": [{"embedding": [0.5] * 3}]}}, 2_000, "embedding_dimensions_differ"),
    ],
)
def test_an_embedder_that_fails_or_hangs_leaves_the_answer_to_full_text(
    alice: Chatter, scripted_embedder: Make, script: dict[str, Any], deadline_ms: int, reason: str
):
    alice.say(SAID, conversation_id="before")
    pipeline = use(scripted_embedder(**script), embed_deadline_ms=deadline_ms)
    counted = read_count("search", reason), read_count("context", reason)
    found = search(alice, ASKED, pipeline=pipeline)
    pack = build_pack(alice, ASKED, pipeline=pipeline)
    assert (found.degraded_reason, [card.raw_excerpt for card in found.results]) == (reason, [SAID])
    assert (pack.degraded_reasons, pack.episode_cards[0].raw_excerpt) == ((reason,), SAID)
    assert (read_count("search", reason), read_count("context", reason)) == (counted[0] + 1, counted[1] + 1)
    with tenant_scope(alice.tenant.id):
        assert RetrievalReceipt.objects.get(id=pack.receipt_id).degraded_reasons == [reason]


def test_an_embedder_that_answers_in_time_takes_part(alice: Chatter, scripted_embedder: Make):
    alice.say(SAID)
    embedder = scripted_embedder(delay_seconds=0.05)
    result = search(alice, ASKED, pipeline=use(embedder, embed_deadline_ms=5_000), trace=True)
    assert result.degraded_reason is None
    assert (embedder.requests, result.trace["stores"]) == (1, ["full_text", "vectors"])


def test_without_vectors_every_answer_says_so_and_is_counted(alice: Chatter):
    alice.say(SAID)
    before = read_count("search", "vectors_off")
    assert search(alice, ASKED, pipeline=replace(get_pipeline(), provider=None)).degraded_reason == "vectors_off"
    assert read_count("search", "vectors_off") == before + 1


def test_after_a_change_of_the_engine_answers_say_that_no_message_has_its_vector(
    alice: Chatter, scripted_embedder: Make
):
    now = timezone.now()
    alice.say(SAID, now=now - timedelta(hours=1))
    alice.say("ok", now=now)
    before = read_count("search", "vectors_missing")
    result = search(alice, ASKED, pipeline=use(scripted_embedder(), embed_deadline_ms=5_000), trace=True)
    assert (result.degraded_reason, result.results[0].raw_excerpt) == ("vectors_missing", SAID)
    assert (result.trace["stores"], read_count("search", "vectors_missing")) == (["full_text"], before + 1)


def test_messages_that_have_just_come_are_not_missed_by_the_embedder(alice: Chatter, scripted_embedder: Make):
    alice.say(SAID)
    assert search(alice, ASKED, pipeline=use(scripted_embedder(), embed_deadline_ms=5_000)).degraded_reason is None


def test_late_vectors_are_counted(alice: Chatter, monkeypatch: pytest.MonkeyPatch):
    def wait(*, user: Any, vector: QueryVector) -> bytes:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")
        return b""

    alice.say(SAID)
    for module in (stages, places):
        monkeypatch.setattr(module, "MESSAGES_AT_ONCE", 0)
    monkeypatch.setattr(stages, "read_dots", wait)
    before = read_count("search", "vectors_late")
    result = search(alice, ASKED, pipeline=replace(get_pipeline(), deadline_ms=300))
    assert (result.degraded_reason, result.results[0].raw_excerpt) == ("vectors_late", SAID)
    assert read_count("search", "vectors_late") == before + 1


@pytest.mark.parametrize("configuration", ["simple", "english", "russian"])
def test_words_need_no_text_search_configuration_of_the_database(alice: Chatter, configuration: str):
    """Tokens are ours: endings of any language are known whatever the database is set to (D-11)."""
    alice.say("Вчера купила бордовое платье")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('default_text_search_config', %s, true)", [f"pg_catalog.{configuration}"])
    assert find_texts(alice, "какие платья я покупала?") == ["Вчера купила бордовое платье"]


class Unavailable(CodedError):
    code = "store_unavailable"
    status = 503


@pytest.mark.parametrize(
    ("part", "failure", "reason"),
    [
        ("list_unproven", Unavailable(), "unproven_store_unavailable"),
        ("find_recent_correction", Unavailable(), "actions_store_unavailable"),
    ],
)
def test_a_store_that_fails_is_left_out_of_the_pack_and_named(
    alice: Chatter, monkeypatch: pytest.MonkeyPatch, part: str, failure: CodedError, reason: str
):
    alice.say(SAID, conversation_id="before")
    asked = alice.say(ASKED)

    def fail(**_: Any) -> Any:
        raise failure

    monkeypatch.setattr(background, part, fail)
    before = read_count("context", reason)
    pack = build_pack(alice, ASKED)
    assert asked.is_new
    assert pack.degraded_reasons == (reason,)
    assert pack.episode_cards[0].raw_excerpt == SAID
    assert read_count("context", reason) == before + 1


def test_a_deadline_gives_up_waiting_and_passes_on_what_the_work_raises():
    def fail() -> int:
        raise EmbeddingFailed("embedding_unreachable")

    assert run_until(lambda: 7, deadline_ms=1_000) == 7
    with pytest.raises(EmbeddingFailed):
        run_until(fail, deadline_ms=1_000)
    with pytest.raises(TooLate):
        run_until(lambda: __import__("time").sleep(0.5), deadline_ms=20)
