"""Golden cases of the knowledge staging pipeline that end in a context pack: K10, K11, K13, K16, K18 and K28 by name."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.types import TenantRef
from retrieval.index.backlog import list_embedding_queues
from retrieval.index.embedding_models import get_configured_provider
from retrieval.index.embeddings import claim_tasks, embed_claimed, sweep_tasks
from tests.caller import Caller, make_caller
from tests.scripted_embedder import ScriptedEmbedder, scripted_embedder

__all__ = ["scripted_embedder"]


def ask(api: Caller, query: str, **more: Any) -> dict[str, Any]:
    return api.post("/v1/context", {"user_id": "alice", "conversation_id": "c-9", "query": query, **more}).json()


def search(api: Caller, query: str) -> list[dict[str, Any]]:
    return api.post("/v1/search", {"user_id": "alice", "query": query}).json()["results"]


def test_k10_four_messages_in_twenty_seconds_are_all_found_at_once(api: Caller):
    begun = timezone.now() - timedelta(seconds=20)
    words = ["изумрудное платье", "изумрудные серьги", "изумрудный клатч", "изумрудные туфли"]
    sent = [
        api.send(text, created_at=(begun + timedelta(seconds=5 * i)).isoformat()).json()["id"]
        for i, text in enumerate(words)
    ]
    assert {hit["message_id"] for hit in search(api, "изумрудный")} == set(sent)


def test_k11_an_episode_card_has_a_snippet_a_raw_excerpt_and_an_id(api: Caller):
    said = "Сегодня ходила с Лейлой по моллу, она обожает Zara, каждый раз туда тащит, а мне не очень"
    message_id = api.send(said).json()["id"]
    (card,) = ask(api, "что я говорила про Zara?")["episode_cards"]
    assert (card["message_id"], card["raw_excerpt"], card["snippet"]) == (message_id, said, "")
    assert card["span_context"] == []


def test_k11_a_long_message_keeps_its_beginning_and_its_end(api: Caller):
    said = "Начало про шубу. " + "Середина ни о чём. " * 60 + "Но мех я не ношу."
    api.send(said)
    (card,) = ask(api, "шуба")["episode_cards"]
    assert card["raw_excerpt"] == f"{said[:280]} [...] {said[-220:]}"


def test_k13_a_private_matter_beside_a_hit_stays_out_and_the_receipt_says_so(api: Caller):
    """The neighbour is found by its place alone: it says nothing about the question, so nobody sees it."""
    api.send("мы с мужем разводимся, я всю ночь плакала")
    api.send("Мне очень жаль. Отвлечься поможет шопинг?", role="assistant")
    chosen = api.send("беру синее платье").json()["id"]
    pack = ask(api, "какое платье я решила взять на вечеринку?")
    (card,) = [card for card in pack["episode_cards"] if card["message_id"] == chosen]
    assert all("разводимся" not in span["text"] for span in card["span_context"])
    assert "разводимся" not in pack["rendered"]["messages"][0]["content"]
    receipt = api.get(f"/v1/receipts/{pack['receipt_id']}").json()
    assert "span_not_related" in receipt["guardrail_hits"]


def test_k18_what_was_said_in_two_languages_is_in_the_pack(api: Caller):
    api.send("مقاسي M بس مابي open shoulders")
    facts = ask(api, "dress for friday")["facts"]
    assert {(f["knowledge_type"], f["value"]) for f in facts} == {
        ("body_params", "M"),
        ("hard_ban", "open_shoulders"),
    }


@pytest.mark.parametrize("reply", ["Второй!", "да, беру", "the second one", "الثاني"])
def test_k28_a_pointing_reply_brings_the_turn_it_points_at(api: Caller, reply: str):
    api.send("Что надеть на ужин?")
    offer = "Вот три образа: 1) минимализм, 2) бохо, 3) классика"
    offered = api.send(offer, role="assistant").json()["id"]
    chosen = api.send(reply).json()["id"]
    cards = {
        card["message_id"]: card
        for card in ask(api, "какой образ из трёх я выбрала: бохо или классику?")["episode_cards"]
    }
    assert chosen in cards
    span = cards[chosen]["span_context"]
    assert {"message_id": offered, "role": "assistant", "text": offer} in span


def test_k16_a_message_without_a_vector_is_found_retried_and_counted_as_an_orphan(
    transactional_db: None,
    tenant: TenantRef,
    scripted_embedder: Callable[..., ScriptedEmbedder],
    settings: Any,
    as_role: Callable[[str], None],
):
    """Full text answers and says so while the provider is away, which is held against no message; one that the
    provider refuses is retried by the sweep, and the third refusal makes an orphan."""
    embedder = scripted_embedder(status=503)
    settings.UNDE_EMBEDDING = embedder.make_config(timeout_seconds=2.0)
    provider = get_configured_provider()
    api = make_caller(tenant)
    sent = api.send("у меня встреча с ювелиром", wait_for_index=True).json()
    assert sent["indexed"] is False
    answer = api.post("/v1/search", {"user_id": "alice", "query": "ювелир"}).json()
    assert [hit["message_id"] for hit in answer["results"]] == [sent["id"]]
    assert answer["degraded_reason"]
    as_role("worker")
    now = timezone.now()
    for _ in range(4):
        now += timedelta(hours=2)
        sweep_tasks(now=now)
        tasks = claim_tasks(provider=provider, now=now, limit=10)
        assert embed_claimed(tasks=tasks, provider=provider, now=now) == 0
    (queue,) = list_embedding_queues()
    assert (queue.pending, queue.orphaned) == (1, 0)
    embedder.status, embedder.refused = 200, "ювелир"
    for _ in range(3):
        now += timedelta(hours=2)
        sweep_tasks(now=now)
        tasks = claim_tasks(provider=provider, now=now, limit=10)
        assert [str(task.message_id) for task in tasks] == [sent["id"]]
        assert embed_claimed(tasks=tasks, provider=provider, now=now) == 0
    (queue,) = list_embedding_queues()
    assert (queue.pending, queue.orphaned) == (0, 1)
