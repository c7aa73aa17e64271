"""Search over stored messages: what is found, whose it is, and what is said when a part is missing."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from psycopg.errors import QueryCanceled

from memory.database.queries import Query
from memory.models import Conversation
from memory.tenants.scope import current_tenant_id, run_in_scope, tenant_scope
from retrieval.configuration import get_pipeline
from retrieval.embedding.types import EmbeddingFailed
from retrieval.models import MessageIndex, RetrievalReceipt
from retrieval.pipeline import prepare, search_messages
from retrieval.search import stages
from retrieval.search import statement as places
from retrieval.search.recipes import RRF60
from retrieval.search.statement import open_index
from retrieval.types import SearchFilters, SearchQuery, SearchResult
from tests.cast import Chatter
from tests.db.retrieval.conftest import find_texts, search

DISTRACTORS = ("The weather is awful today", "I watched a film about penguins", "My printer is broken again")


@pytest.fixture
def talkative(alice: Chatter) -> Chatter:
    for text in DISTRACTORS:
        alice.say(text, conversation_id="other")
    return alice


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I bought a burgundy skirt in the mall", "which skirts did I buy?"),
        ("Вчера купила бордовое платье", "какие платья я покупала?"),
        ("Мои дети любят мороженое", "что любит мой ребёнок?"),
        ("اشتريت فستان احمر من السوق", "وين الفساتين اللي اشتريتها؟"),
        ("3indi 7asasiya min el ful", "حساسية"),
        ("عندي حساسية من الفول", "7asasiya"),
        ("ходила с Лейлой по магазинам", "what did Leila do?"),
        ("Shopping with Katya was fun", "что мы делали с Катей?"),
        ("我喜欢红色的连衣裙", "连衣裙"),
        ("The code of the gate is 4711", "gate code 4711"),
    ],
)
def test_a_message_is_found_across_endings_and_scripts(talkative: Chatter, said: str, asked: str):
    talkative.say(said)
    assert find_texts(talkative, asked)[0] == said


def test_a_message_is_found_in_the_moment_it_is_stored(alice: Chatter):
    alice.say("My locker number is 88")
    result = search(alice, "locker number")
    assert result.results[0].raw_excerpt == "My locker number is 88"
    assert result.degraded_reason is None


def test_a_short_answer_is_found_by_the_question_before_it(talkative: Chatter):
    talkative.hear("Which city shall we fly to this winter?")
    talkative.say("Tbilisi")
    assert "Tbilisi" in find_texts(talkative, "which city did we choose for the flight this winter")[:2]


def test_neighbours_of_another_session_lend_no_words(alice: Chatter):
    alice.say("Let us talk about saffron")
    alice.say("Fine", created_at=alice.clock + timedelta(hours=2))
    found = search(alice, "saffron", trace=True).results  # vectors of two words may meet by chance, words may not
    assert [card.raw_excerpt for card in found if card.trace["lexical"] > 0] == ["Let us talk about saffron"]
    assert found[0].raw_excerpt == "Let us talk about saffron"


def test_nobody_finds_the_words_of_another_user(alice: Chatter, bob: Chatter):
    alice.say("My secret garden is in Ajman")
    bob.say("Hello there")
    assert find_texts(bob, "secret garden in Ajman") == []


def test_the_index_of_another_tenant_is_invisible(alice: Chatter, other_tenant):
    alice.say("My secret garden is in Ajman")
    with tenant_scope(other_tenant.id):
        assert MessageIndex.objects.count() == 0
    with tenant_scope(alice.tenant.id):
        assert MessageIndex.objects.count() == 1


def test_hostile_punctuation_is_only_text(alice: Chatter):
    alice.say("it's a 'quoted' \\ backslash: & | ! <-> ( word")
    assert len(find_texts(alice, "'quoted' \\ & | ! :* <2> ) backslash")) == 1


def test_a_question_of_stop_words_alone_finds_nothing_and_is_no_error(alice: Chatter):
    alice.say("I like linen")
    assert find_texts(alice, "who am I?") == []


def test_filters_narrow_the_hits(alice: Chatter):
    alice.say("red shoes please")
    alice.hear("red shoes are in stock")
    alice.say("red shoes for the party", conversation_id="party", memory_type="event")
    assert len(find_texts(alice, "red shoes")) == 3
    assert find_texts(alice, "red shoes", filters=SearchFilters(roles=("assistant",))) == ["red shoes are in stock"]
    assert find_texts(alice, "red shoes", filters=SearchFilters(memory_types=("event",))) == ["red shoes for the party"]
    with tenant_scope(alice.tenant.id):
        party = Conversation.objects.get(external_id="party").id
    assert find_texts(alice, "red shoes", filters=SearchFilters(conversation_id=party)) == ["red shoes for the party"]


def test_as_of_a_moment_later_messages_are_not_there(alice: Chatter):
    alice.say("I live in Sharjah")
    moment = alice.clock
    alice.say("I live in Fujairah now")
    assert find_texts(alice, "where do I live", as_of=moment) == ["I live in Sharjah"]


def test_top_k_bounds_the_answer(alice: Chatter):
    for n in range(12):
        alice.say(f"tea number {n}")
    assert len(find_texts(alice, "tea", top_k=5)) == 5


def test_an_edit_takes_the_place_of_the_older_version(alice: Chatter):
    first = alice.say("My flat is in Deira")
    alice.say("My flat is in Jumeirah", replaces_id=first.message_id)
    assert find_texts(alice, "where is my flat") == ["My flat is in Jumeirah"]


def test_a_description_is_searchable_and_is_the_snippet(alice: Chatter):
    alice.say("show me something")
    alice.hear("Here you are!", response_description="burgundy midi cotton skirt")
    card = search(alice, "burgundy cotton skirt").results[0]
    assert card.raw_excerpt == "Here you are!"
    assert card.snippet == "burgundy midi cotton skirt"


def test_standing_rules_come_up_when_help_is_asked(alice: Chatter):
    alice.say("Always show prices in dirhams when I ask about sneakers")
    for n in range(6):
        alice.say(f"The sneakers of colleague {n} look nice")
    assert find_texts(alice, "Can you recommend some sneakers?")[0].startswith("Always show prices")


class BrokenProvider:
    name, dimensions, is_inline = "broken", 8, False

    def embed_query(self, text: str) -> list[float]:
        raise EmbeddingFailed("embedding_unreachable")

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        raise EmbeddingFailed("embedding_unreachable")


def test_without_vectors_full_text_answers_and_says_so(alice: Chatter):
    alice.say("I collect stamps")
    pipeline = replace(get_pipeline(), provider=BrokenProvider())
    result = search(alice, "stamps", pipeline=pipeline)
    assert result.degraded_reason == "embedding_unreachable"
    assert [card.raw_excerpt for card in result.results] == ["I collect stamps"]


def test_rank_fusion_can_be_chosen(talkative: Chatter):
    talkative.say("I collect stamps from Malta")
    result = search(talkative, "stamps from Malta", pipeline=replace(get_pipeline(), recipe=RRF60))
    assert result.results[0].raw_excerpt == "I collect stamps from Malta"


def test_users_with_many_messages_get_the_same_answer_under_a_time_limit(talkative: Chatter, monkeypatch):
    talkative.say("I collect stamps from Malta")
    usual = search(talkative, "where are my stamps from?", trace=True)
    for module in (stages, places):
        monkeypatch.setattr(module, "MESSAGES_AT_ONCE", 0)
    large = search(talkative, "where are my stamps from?", trace=True)
    assert [card.to_dict() for card in usual.results] == [card.to_dict() for card in large.results]
    assert large.trace["stores"] == ["full_text", "vectors"]


def test_vectors_that_are_late_leave_the_answer_to_full_text(talkative: Chatter, monkeypatch):
    def wait(**_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    talkative.say("I collect stamps from Malta")
    for module in (stages, places):
        monkeypatch.setattr(module, "MESSAGES_AT_ONCE", 0)
    monkeypatch.setattr(stages, "read_dots", wait)
    result = search(talkative, "where are my stamps from?", pipeline=replace(get_pipeline(), deadline_ms=400))
    assert result.degraded_reason == "vectors_late"
    assert result.results[0].raw_excerpt == "I collect stamps from Malta"


@pytest.fixture
def aparts(monkeypatch) -> list[Future]:
    """Everybody has many messages; what would be read on another connection is read here, and kept in this list."""
    for module in (stages, places):
        monkeypatch.setattr(module, "MESSAGES_AT_ONCE", 0)
    monkeypatch.setattr(places, "_large", {})
    begun: list[Future] = []

    def start(statement: Query, *, share: float) -> Future:
        begun.append(Future())
        with tenant_scope(current_tenant_id()):
            begun[-1].set_result([[], run_in_scope([statement])[0]])
        return begun[-1]

    monkeypatch.setattr(places, "start_apart", start)
    return begun


def search_opened(person: Chatter, text: str) -> SearchResult:
    """As the API does: the user is found together with the index."""
    prepared = prepare(text, pipeline=get_pipeline())
    with tenant_scope(person.tenant.id, opens_with_statement=True):
        index = open_index(
            tenant_id=person.tenant.id, external_id=person.ref.external_id, conversation=None, vector=prepared.vector
        )
        query = SearchQuery(user=index.user, text=text, trace=True)
        return search_messages(query, now=timezone.now(), prepared=prepared, index=index)


def test_dot_products_of_a_user_known_to_be_large_are_read_apart_with_the_same_answer(talkative: Chatter, aparts):
    talkative.say("I collect stamps from Malta")
    first, second = (search_opened(talkative, "where are my stamps from?") for _ in range(2))
    assert len(aparts) == 1
    assert [card.to_dict() for card in first.results] == [card.to_dict() for card in second.results]
    assert first.trace["candidates"] == second.trace["candidates"]
    assert second.trace["stores"] == ["full_text", "vectors"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (QueryCanceled(), "vectors_late"),
        (TimeoutError(), "vectors_late"),
        (psycopg.OperationalError("gone"), None),
    ],
)
def test_dot_products_that_fail_apart_are_left_out_when_late_and_read_here_otherwise(
    talkative: Chatter, aparts, monkeypatch, error, reason
):
    talkative.say("I collect stamps from Malta")
    usual = search_opened(talkative, "stamps from Malta")
    failed: Future = Future()
    failed.set_exception(error)
    monkeypatch.setattr(places, "start_apart", lambda *_, **__: failed)
    result = search_opened(talkative, "stamps from Malta")
    assert result.degraded_reason == reason
    assert result.results[0].raw_excerpt == "I collect stamps from Malta"
    assert (result.trace["candidates"] == usual.trace["candidates"]) == (reason is None)


def test_dot_products_that_are_never_heard_of_leave_the_answer_to_full_text(talkative: Chatter, aparts, monkeypatch):
    talkative.say("I collect stamps from Malta")
    search_opened(talkative, "stamps from Malta")
    monkeypatch.setattr(settings.UNDE_TUNING, "SEARCH_GRACE_SECONDS", -10)  # nothing to wait for: the future never ends
    monkeypatch.setattr(places, "start_apart", lambda *_, **__: Future())
    result = search_opened(talkative, "stamps from Malta")
    assert result.degraded_reason == "vectors_late"
    assert result.results[0].raw_excerpt == "I collect stamps from Malta"


def test_dot_products_read_for_somebody_else_of_that_name_are_not_used(talkative: Chatter, bob: Chatter, aparts):
    talkative.say("I collect stamps from Malta")
    bob.say("I collect stamps")
    usual = search_opened(talkative, "stamps from Malta")
    (name,) = places._large
    places._large[name] = bob.ref.id
    assert search_opened(talkative, "stamps from Malta").trace["candidates"] == usual.trace["candidates"]
    assert places._large == {name: talkative.ref.id}


def test_no_name_that_a_tenant_gives_is_remembered_for_large_users(talkative: Chatter, aparts):
    search_opened(talkative, "stamps from Malta")
    assert list(places._large.values()) == [talkative.ref.id]
    assert talkative.ref.external_id not in repr(places._large)


def test_words_and_vectors_obey_the_same_filters(alice: Chatter):
    alice.say("stamps from Malta")
    moment = alice.clock
    alice.say("stamps from Malta again")
    trace = search(alice, "stamps from Malta", filters=SearchFilters(created_to=moment), trace=True).trace
    assert len(trace["candidates"]) == 1


def test_a_search_leaves_a_receipt_without_text(alice: Chatter):
    alice.say("My pearls are from Bahrain")
    result = search(alice, "pearls of Bahrain")
    with tenant_scope(alice.tenant.id):
        receipt = RetrievalReceipt.objects.get(id=result.receipt_id)
    assert receipt.chosen_ids == [result.results[0].message_id]
    assert receipt.decision_reasons == ["chosen"]
    assert "Bahrain" not in str(receipt.to_public_dict())


def test_the_trace_shows_the_parts_of_each_score(alice: Chatter):
    alice.say("My pearls are from Bahrain")
    trace = search(alice, "pearls of Bahrain", trace=True).trace
    assert {"lexical", "dense"} <= set(trace["candidates"][0]["parts"])


def test_a_far_future_clock_changes_no_search_score(alice: Chatter):
    alice.say("My pearls are from Bahrain")
    now = timezone.now()
    scores = [search(alice, "pearls", now=moment).results[0].score for moment in (now, now + timedelta(days=900))]
    assert scores[0] == scores[1]
