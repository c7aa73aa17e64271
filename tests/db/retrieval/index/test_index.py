"""The index as rows: places, sessions, forgetting, rebuilding, and what a vector belongs to."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.core.cache import cache
from django.db import IntegrityError, ProgrammingError, connection

from memory.tenants.scope import tenant_scope
from patterns.text.lexemes import ENTRY_BYTES, MAX_INDEXED_ENTRIES, has_own_lexeme, hash_lexeme
from retrieval import tasks
from retrieval.embedding.types import EmbeddingFailed
from retrieval.index import embedding_models as models
from retrieval.index import forgetting
from retrieval.index.comparing import compare_user
from retrieval.index.embeddings import claim_tasks, embed_claimed, plan_missing, plan_portion, sweep_tasks
from retrieval.models import EmbeddingModel, EmbeddingTask, MessageEmbedding
from retrieval.search.columns import ROLES, TYPES
from retrieval.search.statement import read_places
from tests.cast import Chatter, get_ids
from tests.db.retrieval.conftest import find_texts, search


def read_rows(person: Chatter) -> list[tuple[int, int, bytes]]:
    """Place, session and lexemes of every row, in order."""
    with tenant_scope(person.tenant.id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq, session_no, lexemes || coalesce(more_lexemes, '') FROM message_index"
            " WHERE user_id = %s ORDER BY conversation_id, seq",
            [person.ref.id],
        )
        return [(seq, session_no, bytes(lexemes)) for seq, session_no, lexemes in cursor.fetchall()]


def has_lexeme(packed: bytes, lexeme: str) -> bool:
    return hash_lexeme(lexeme) in packed


def test_a_row_holds_its_own_words_and_not_those_of_its_neighbours(alice: Chatter):
    alice.say("saffron")
    alice.say("cardamom cardamom")
    lexemes = read_rows(alice)[1][2]
    assert has_own_lexeme(lexemes, ["cardamom"])
    assert not has_lexeme(lexemes, "saffron")


def test_search_reads_where_each_message_stands_and_what_it_is(alice: Chatter):
    alice.say("saffron", memory_type="event", speaker="Layla\nB")
    heard = alice.hear("cardamom", conversation_id="other")
    with tenant_scope(alice.tenant.id):
        places = read_places(user=alice.ref)
    said, answer = places.columns.tolist()
    assert answer[0] == heard.message_id.bytes.rstrip(b"\0")
    assert (said[2:4], answer[2:4]) == ((1, 1), (1, 1))
    assert (ROLES[said[9]], TYPES[said[10]], ROLES[answer[9]], TYPES[answer[10]]) == (
        "user",
        "event",
        "assistant",
        "chat",
    )
    assert places.speakers == ["Layla B", ""]
    assert places.said_at[0] == pytest.approx(alice.clock.timestamp(), abs=3600)


def test_a_long_message_is_found_by_the_words_that_do_not_fit_the_index(alice: Chatter):
    alice.say("cardamom")
    alice.hear(" ".join(f"word{n}" for n in range(2_000)))
    alice.say("thanks")
    rows = read_rows(alice)
    assert len(rows[1][2]) > MAX_INDEXED_ENTRIES * ENTRY_BYTES
    assert find_texts(alice, "word1999")[0].startswith("word0")
    with tenant_scope(alice.tenant.id):
        forgetting.forget_messages(user=alice.ref, message_ids=[alice.said[1].message_id])
    assert not any(text.startswith("word0") for text in find_texts(alice, "word1999"))


def test_one_by_one_and_in_a_batch_give_the_same_rows(alice: Chatter, bob: Chatter):
    from django.utils import timezone

    from memory.services.drafts import make_draft
    from memory.storing.messages import store_messages

    texts = ["saffron", "cardamom", "turmeric", "cinnamon", "pepper"]
    start = timezone.now() - timedelta(hours=3)
    times = [start + timedelta(minutes=n if n < 4 else n + 60) for n in range(5)]
    for text, moment in zip(texts, times, strict=True):
        alice.say(text, created_at=moment)
    drafts = [
        make_draft(
            user_id="bob", conversation_id="chat", role="user", content=text, now=timezone.now(), created_at=moment
        )
        for text, moment in zip(texts, times, strict=True)
    ]
    store_messages(tenant=bob.tenant, drafts=drafts, actor="key:test", now=timezone.now())
    assert read_rows(alice) == read_rows(bob)
    assert [session for _, session, _ in read_rows(alice)] == [1, 1, 1, 1, 2]


def test_a_silence_of_more_than_thirty_minutes_starts_a_session(alice: Chatter):
    start = alice.clock
    for minutes in (0, 30, 61):
        alice.say("tea", created_at=start + timedelta(minutes=minutes))
    assert [session for _, session, _ in read_rows(alice)] == [1, 1, 2]


def test_forgetting_takes_the_words_along(alice: Chatter):
    said = [alice.say(text) for text in ("cardamom", "secretword", "turmeric", "cinnamon")]
    with tenant_scope(alice.tenant.id):
        counts = forgetting.forget_messages(user=alice.ref, message_ids=[said[1].message_id])
    rows = read_rows(alice)
    assert counts["index_rows_cleared"] == 1
    assert not any(has_lexeme(lexemes, "secretword") for _, _, lexemes in rows)
    assert find_texts(alice, "secretword") == []


def test_restoring_gives_back_exactly_what_was_there(alice: Chatter):
    said = [alice.say(text) for text in ("cardamom", "secretword", "turmeric")]
    before = read_rows(alice)
    with tenant_scope(alice.tenant.id):
        forgetting.forget_messages(user=alice.ref, message_ids=[said[1].message_id])
        forgetting.restore_messages(user=alice.ref, message_ids=[said[1].message_id])
    assert read_rows(alice) == before


@pytest.mark.parametrize("minutes", [(0, 1, 2, 3, 4), (0, 40, 80, 120, 160), (0, 1, 40, 41, 90)])
@pytest.mark.parametrize("places", [(0,), (2,), (4,), (1, 2), (0, 2, 4)])
def test_whatever_is_forgotten_and_restored_the_rows_are_the_same(alice: Chatter, minutes, places):
    start = alice.clock
    said = [alice.say(f"word{n} tea", created_at=start + timedelta(minutes=m)) for n, m in enumerate(minutes)]
    before = read_rows(alice)
    ids = [said[place].message_id for place in places]
    with tenant_scope(alice.tenant.id):
        forgetting.forget_messages(user=alice.ref, message_ids=ids)
        forgetting.restore_messages(user=alice.ref, message_ids=ids)
    assert read_rows(alice) == before


def test_a_replaced_version_does_not_come_back(alice: Chatter):
    first = alice.say("My flat is in Deira")
    alice.say("My flat is in Jumeirah", replaces_id=first.message_id)
    with tenant_scope(alice.tenant.id):
        counts = forgetting.restore_messages(user=alice.ref, message_ids=[first.message_id])
    assert counts == {"index_rows_restored": 0}


def test_a_rebuild_changes_nothing(alice: Chatter):
    for text in ("saffron", "قهوة", "кардамон"):
        alice.say(text)
    before = read_rows(alice)
    with tenant_scope(alice.tenant.id):
        assert forgetting.rebuild_user(alice.ref) == 3
    assert read_rows(alice) == before


def test_a_vector_knows_its_model_and_dimensions(alice: Chatter):
    alice.say("saffron")
    with tenant_scope(alice.tenant.id):
        vector = MessageEmbedding.objects.select_related("model").get(user_id=alice.ref.id)
    assert (vector.model.name, vector.model.dimensions, vector.dimensions) == ("hashed-ngrams-3", 256, 256)


def test_the_built_in_embedder_is_known_before_the_first_message(db):
    assert EmbeddingModel.objects.filter(name="hashed-ngrams-3", dimensions=256, is_inline=True).exists()


def test_a_vector_of_other_dimensions_than_it_says_is_refused(alice: Chatter):
    alice.say("saffron")
    user = alice.ref
    with (
        pytest.raises(IntegrityError, match="a_vector_has_the_dimensions_it_says"),
        tenant_scope(alice.tenant.id),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE message_embedding SET dimensions = 3 WHERE user_id = %s", [user.id])


def test_system_messages_are_not_indexed(alice: Chatter):
    alice.say("You are a stylist", role="system")
    alice.say("saffron")
    assert len(read_rows(alice)) == 1


@dataclass
class ScriptedProvider:
    """An asynchronous embedder that fails as often as it is told to."""

    name: str = "scripted"
    dimensions: int = 4
    is_inline: bool = False
    refused: str = ""
    """Texts that hold it are refused."""
    is_away: bool = False
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.extend(texts)
        if self.is_away:
            raise EmbeddingFailed("embedding_unreachable", is_outage=True)
        if self.refused and any(self.refused in text for text in texts):
            raise EmbeddingFailed("embedding_http_400")
        return [[1.0, 0.0, 0.0, 0.0] for _ in texts]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedProvider:
    provider = ScriptedProvider()
    monkeypatch.setattr(models, "get_provider", lambda config: provider)
    return provider


@pytest.fixture
def as_worker(as_role, transactional_db) -> None:
    """The claims belong to the worker's role alone (D-14)."""
    as_role("worker")


def count_tasks(person: Chatter, **conditions: object) -> int:
    with tenant_scope(person.tenant.id):
        return EmbeddingTask.objects.filter(user_id=person.ref.id, **conditions).count()


@pytest.mark.django_db(transaction=True)
def test_an_asynchronous_embedder_gets_its_messages_from_the_work_list(as_worker, scripted: ScriptedProvider, alice):
    alice.say("saffron")
    assert count_tasks(alice) == 1
    now = datetime.now(UTC)
    tasks = claim_tasks(provider=scripted, now=now, limit=10)
    assert claim_tasks(provider=scripted, now=now, limit=10) == []
    assert embed_claimed(tasks=tasks, provider=scripted, now=now) == 1
    assert (scripted.asked, count_tasks(alice)) == (["saffron"], 0)
    assert search(alice, "saffron").degraded_reason is None


@pytest.mark.django_db(transaction=True)
def test_a_task_is_tried_three_times_and_then_an_orphan(as_worker, scripted: ScriptedProvider, alice):
    alice.say("saffron")
    scripted.refused = "saffron"
    now = datetime.now(UTC)
    for _ in range(3):
        tasks = claim_tasks(provider=scripted, now=now, limit=10)
        assert len(tasks) == 1
        assert embed_claimed(tasks=tasks, provider=scripted, now=now) == 0
        assert claim_tasks(provider=scripted, now=now, limit=10) == []
        now += timedelta(minutes=31)
    assert count_tasks(alice, orphaned_at__isnull=False) == 1
    assert claim_tasks(provider=scripted, now=now + timedelta(days=1), limit=10) == []


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_died_loses_its_claim_after_ten_minutes(as_worker, scripted: ScriptedProvider, alice):
    alice.say("saffron")
    now = datetime.now(UTC)
    assert len(claim_tasks(provider=scripted, now=now, limit=10)) == 1
    assert claim_tasks(provider=scripted, now=now + timedelta(minutes=9), limit=10) == []
    assert len(claim_tasks(provider=scripted, now=now + timedelta(minutes=11), limit=10)) == 1


@pytest.mark.django_db(transaction=True)
def test_the_sweep_makes_late_tasks_due_again(as_worker, scripted: ScriptedProvider, alice):
    alice.say("saffron")
    scripted.refused = "saffron"
    now = datetime.now(UTC)
    embed_claimed(tasks=claim_tasks(provider=scripted, now=now, limit=10), provider=scripted, now=now)
    later = now + timedelta(hours=2)
    assert sweep_tasks(now=later) == (1, 0, 0)
    assert count_tasks(alice, priority=2) == 1
    assert len(claim_tasks(provider=scripted, now=later, limit=10)) == 1


@pytest.mark.django_db(transaction=True)
def test_another_embedder_gets_tasks_for_everything_it_has_no_vector_of(as_worker, alice, monkeypatch):
    alice.say("saffron")
    alice.say("cardamom")
    other = ScriptedProvider(name="other")
    now = datetime.now(UTC)
    assert plan_missing(provider=other, now=now, limit=100) == 2
    assert plan_missing(provider=other, now=now, limit=100) == 0
    assert len(claim_tasks(provider=other, now=now, limit=10)) == 2


@pytest.mark.django_db(transaction=True)
def test_a_new_embedder_is_planned_in_portions_until_nothing_is_left(as_worker, alice):
    for text in ("saffron", "cardamom", "cloves"):
        alice.say(text)
    other, now = ScriptedProvider(name="other"), datetime.now(UTC)
    # Three wait for a model that is not asked any more: they hold nothing up.
    plan_missing(provider=ScriptedProvider(name="former"), now=now, limit=10)
    portions = []
    for _ in range(3):
        portions.append(plan_portion(provider=other, now=now, limit=2))
        portions.append(plan_portion(provider=other, now=now, limit=2))
        embed_claimed(tasks=claim_tasks(provider=other, now=now, limit=10), provider=other, now=now)
    # A full portion, no room for another; the rest, again no need for more than to look; nothing.
    assert portions == [(2, True), (0, True), (1, False), (0, True), (0, False), (0, False)]
    assert sorted(other.asked) == ["cardamom", "cloves", "saffron"]


def list_widths(person: Chatter) -> list[int]:
    """How many numbers each stored vector of a user has, in order."""
    with tenant_scope(person.tenant.id):
        vectors = MessageEmbedding.objects.filter(user_id=person.ref.id)
        return sorted(vectors.values_list("dimensions", flat=True))


def search_dense(person: Chatter, query: str) -> tuple[str | None, dict[str, bool]]:
    """Why an answer was made with less, and for each text found whether its vector had a part in it."""
    result = search(person, query, trace=True)
    return result.degraded_reason, {card.raw_excerpt: card.trace["dense"] > 0 for card in result.results}


@pytest.mark.django_db(transaction=True)
def test_a_built_in_embedder_of_other_dimensions_takes_over_from_the_former_one(as_worker, alice, settings):
    settings.UNDE_EMBEDDING = {"provider": "hashed", "dimensions": 512}
    alice.say("I buy saffron", conversation_id="before", now=datetime.now(UTC) - timedelta(hours=1))
    assert search_dense(alice, "saffron") == (None, {"I buy saffron": True})
    settings.UNDE_EMBEDDING = None
    # Words alone until vectors are there, and nothing is held against a vector of the former one.
    assert search_dense(alice, "saffron") == ("vectors_missing", {"I buy saffron": False})
    alice.say("saffron is dear", conversation_id="after")
    assert search_dense(alice, "saffron") == (None, {"I buy saffron": False, "saffron is dear": True})
    cache.delete(tasks.PLANNING)
    assert (tasks.plan_embeddings(), tasks.embed_pending()) == (1, 1)
    assert search_dense(alice, "saffron") == (None, {"I buy saffron": True, "saffron is dear": True})
    assert list_widths(alice) == [256, 256, 512]
    with tenant_scope(alice.tenant.id):
        differences = [(row.table, row.problem, row.reason) for row in compare_user(alice.ref)]
        forgetting.rebuild_user(alice.ref)
    assert differences == [("message_embedding", "different", "engine_changed")]
    assert list_widths(alice) == [256, 256]


@pytest.mark.django_db(transaction=True)
def test_vectors_that_are_missing_are_planned_by_one_chain_of_tasks(as_worker, alice):
    alice.say("saffron")
    with tenant_scope(alice.tenant.id):
        MessageEmbedding.objects.filter(user_id=alice.ref.id).delete()
    cache.delete(tasks.PLANNING)
    assert (tasks.plan_embeddings(), count_tasks(alice)) == (1, 1)
    with tenant_scope(alice.tenant.id):
        EmbeddingTask.objects.filter(user_id=alice.ref.id).delete()
    assert tasks.plan_embeddings() == 0  # the first is at it for the rest of its minute
    cache.delete(tasks.PLANNING)
    assert tasks.plan_embeddings() == 1


@pytest.mark.django_db(transaction=True)
def test_a_message_that_waits_for_its_vector_is_found_all_the_same(as_worker, scripted: ScriptedProvider, alice):
    said = [alice.say(text) for text in ("saffron", "a word apart")]
    found = search(alice, "zzz")
    assert [card.message_id for card in found.results] == get_ids(said) or len(found.results) == 2


def test_the_web_role_may_not_claim_work_of_others(alice: Chatter, scripted: ScriptedProvider):
    alice.say("saffron")
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        tenant_scope(alice.tenant.id),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT * FROM claim_embedding_tasks_v2(1::smallint, now(), 10)")


def test_receipts_of_a_day_have_a_partition_of_their_own(worker_connection: psycopg.Connection):
    day = (datetime.now(UTC) + timedelta(days=40)).date()
    made = worker_connection.execute("SELECT prepare_receipt_partitions_v1(%s, 2)", [day]).fetchone()
    again = worker_connection.execute("SELECT prepare_receipt_partitions_v1(%s, 2)", [day]).fetchone()
    worker_connection.rollback()
    assert (made, again) == ((2,), (0,))


def test_no_partition_of_receipts_has_statistics_of_lists_or_words(superuser_connection: psycopg.Connection):
    day = (datetime.now(UTC) + timedelta(days=40)).date()
    with superuser_connection.transaction(force_rollback=True):
        superuser_connection.execute("SELECT prepare_receipt_partitions_v1(%s, 1)", [day])
        sampled = superuser_connection.execute(
            "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
            " JOIN pg_type t ON t.oid = a.atttypid WHERE c.relname LIKE 'retrieval_receipt%' AND c.relkind IN ('r', 'p')"
            " AND (t.typcategory = 'A' OR t.typname IN ('jsonb', 'bytea') OR a.attname IN ('mood', 'reply_model'))"
            " AND a.attstattarget IS DISTINCT FROM 0"
        ).fetchall()
    assert sampled == []


def test_a_partition_of_receipts_is_closed_to_the_service(worker_connection: psycopg.Connection):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        worker_connection.execute("SELECT * FROM retrieval_receipt_rest")
    worker_connection.rollback()


@pytest.mark.parametrize("letters", ["\u4e00\u9fa5", "\u0621\u064a", "\u0430\u044f", "az"])
def test_the_longest_message_of_any_script_is_stored_and_found_by_its_beginning(alice: Chatter, letters: str):
    draw = random.Random(7)
    first, last = map(ord, letters)
    noise = "".join(chr(draw.randint(first, last)) if draw.random() > 0.15 else " " for _ in range(199_000))
    alice.say(f"saffron {noise}")
    alice.say("cardamom")
    assert any(text.startswith("saffron ") for text in find_texts(alice, "saffron"))
