"""A batch of several users: stored together where nothing stands in the way, and nobody's trouble is another's."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from prometheus_client import REGISTRY

from memory.erasure.worker import run_erasure
from memory.errors import UserBusy
from memory.models import Conversation, ErasureRequest, Message, User
from memory.storing import messages as service
from memory.tenants.database_errors import OutcomeUnknown
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef
from tests.api.conftest import Caller

pytestmark = pytest.mark.django_db

TEXTS = ("мой размер M", "hello there", "I'm allergic to wool", "no, that is wrong", "مقاسي L")


def make_items(users: int, *, each: int = 2) -> list[dict[str, Any]]:
    return [
        {
            "user_id": f"user-{user}",
            "conversation_id": "c-1",
            "role": "user",
            "content": TEXTS[(user + place) % len(TEXTS)],
            "id": f"m-{user}-{place}",
        }
        for user in range(users)
        for place in range(each)
    ]


def strip_ids(answer: dict[str, Any]) -> tuple[Any, ...]:
    facts = [(f["knowledge_type"], f["knowledge_key"], f["value"], f["action"]) for f in answer["facts"]]
    return answer["client_id"], answer["language"], facts, answer["corrections"]


def send(api: Caller, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    response = api.post("/v1/messages/batch", {"messages": items})
    assert response.status_code == 200
    return response.json()["results"]


@pytest.fixture(autouse=True)
def unwoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker runs here."""
    monkeypatch.setattr("config.api.endpoints.erasures.wake_worker", lambda: None)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many drafts each transaction of one user had."""
    alone: list[int] = []
    open_user = service.open_user

    def note(*, drafts: Any, **given: Any) -> Any:
        alone.append(len(drafts))
        return open_user(drafts=drafts, **given)

    monkeypatch.setattr(service, "open_user", note)
    return alone


@pytest.fixture
def holder() -> Iterator[psycopg.Connection[Any]]:
    """Another writer, with a connection of its own."""
    values = connection.get_connection_params()
    where = {name: values[name] for name in ("host", "port", "dbname", "user", "password") if values.get(name)}
    with psycopg.connect(**where, options="-c lock_timeout=2000") as other:
        yield other


def test_together_they_are_answered_as_one_by_one(api: Caller, other_api: Caller, counted: list[int]):
    items = make_items(5)
    together = [strip_ids(answer) for answer in send(api, items)]
    assert counted == []
    assert together == [strip_ids(other_api.post("/v1/messages", item).json()) for item in items]


def test_facts_and_turns_of_known_users_are_read_together_as_one_by_one(api: Caller, other_api: Caller):
    said = (
        "my size is L",
        "my size is S",
        "my size is S",
        "no, that is wrong",
        "actually my size is M",
        "I wear size L",
    )
    later = [{**item, "content": said[place % 6]} for place, item in enumerate(make_items(4, each=6))]
    later = [{**item, "id": f"later-{item['id']}"} for item in later]
    for caller in (api, other_api):
        send(caller, make_items(4))
    together = send(api, later)
    alone = [answer for item in later for answer in send(other_api, [item])]
    assert [strip_ids(answer)[:3] for answer in together] == [strip_ids(answer)[:3] for answer in alone]
    actions = [fact["action"] for answer in together for fact in answer["facts"]]
    assert {"superseded", "renewed"} <= set(actions)


def test_the_same_batch_again_stores_nothing_and_answers_the_same(api: Caller, tenant: TenantRef):
    first = send(api, make_items(4))
    assert send(api, make_items(4)) == first
    with tenant_scope(tenant.id):
        assert Message.objects.count() == 8


def test_one_users_taken_id_loses_no_other_message(api: Caller, tenant: TenantRef):
    api.send("something else", user_id="user-1", id="m-1-0")
    answers = send(api, make_items(3))
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, None, "duplicate_id", None, None, None]
    with tenant_scope(tenant.id):
        assert Message.objects.count() == 6


def test_a_user_being_erased_is_refused_and_the_others_are_stored(api: Caller, counted: list[int]):
    api.send("hello", user_id="user-1")
    api.post("/v1/users/user-1/erasure", {"scope": "all", "reason": "user_request"})
    answers = send(api, make_items(3, each=1))
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, "user_erased", None]


@pytest.mark.parametrize(
    "target", [{"scope": "all"}, {"scope": "conversation", "conversation_id": "c-old"}], ids=["user", "conversation"]
)
def test_what_was_erased_does_not_come_back_in_a_batch_of_users(api: Caller, tenant: TenantRef, target: dict[str, str]):
    said_at = (timezone.now() - timedelta(hours=2)).isoformat()
    old = {"user_id": "user-1", "conversation_id": "c-old", "role": "user", "content": "hello", "created_at": said_at}
    api.post("/v1/messages", old)
    api.post("/v1/messages", {**old, "conversation_id": "c-kept"})
    accepted = api.post("/v1/users/user-1/erasure", {**target, "reason": "user_request"})
    assert accepted.status_code == 202
    with tenant_scope(tenant.id):
        rows = list(ErasureRequest.objects.all())
    for row in rows:
        run_erasure(user=UserRef(row.user_id, row.tenant_id), erasure_id=row.id, clock=timezone.now)
    answers = send(api, [*make_items(1), old])
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, None, "erased_period"]
    with tenant_scope(tenant.id):
        assert not Conversation.objects.filter(external_id="c-old").exists()


def test_what_may_be_stored_already_is_not_stored_again(
    api: Caller, tenant: TenantRef, counted: list[int], monkeypatch: pytest.MonkeyPatch
):
    def lose_the_answer(**_: Any) -> Any:
        raise OutcomeUnknown

    monkeypatch.setattr(service, "open_batch", lose_the_answer)
    response = api.post("/v1/messages/batch", {"messages": make_items(3)})
    assert (response.status_code, response.json()["code"]) == (503, "outcome_unknown")
    assert counted == []


@pytest.mark.django_db(transaction=True)
def test_a_busy_user_is_waited_for_alone(
    api: Caller, tenant: TenantRef, counted: list[int], holder: psycopg.Connection[Any]
):
    api.send("hello", user_id="user-1")
    with tenant_scope(tenant.id):
        user_id = User.objects.get(external_id="user-1").id
    holder.execute("SELECT pg_advisory_lock(hashtextextended(%s, 20260221))", [str(user_id)])
    counted.clear()
    answers = send(api, make_items(3, each=1))
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, "user_busy", None]
    assert counted == [1]


@pytest.mark.django_db(transaction=True)
def test_users_who_are_busy_meanwhile_share_the_next_transaction(
    api: Caller, tenant: TenantRef, counted: list[int], holder: psycopg.Connection[Any]
):
    send(api, make_items(4, each=1))
    with tenant_scope(tenant.id):
        busy = list(User.objects.filter(external_id__in=("user-1", "user-2")).values_list("id", flat=True))
    for user_id in busy:
        holder.execute("SELECT pg_advisory_lock(hashtextextended(%s, 20260221))", [str(user_id)])
    stored: list[str] = []

    def release(execute: Any, sql: str, *given: Any) -> Any:
        if "INSERT INTO memory_message" in sql:
            stored.append(sql)
            holder.execute("SELECT pg_advisory_unlock_all()")
        return execute(sql, *given)

    with connection.execute_wrapper(release):
        answers = send(api, [{**item, "id": f"again-{i}"} for i, item in enumerate(make_items(4, each=1))])
    assert [answer.get("error") for answer in answers] == [None] * 4
    assert (len(stored), counted) == (2, [])


@pytest.mark.django_db(transaction=True)
def test_a_busy_user_is_said_to_be_busy_and_written_for_afterwards(api: Caller, tenant: TenantRef, holder: Any):
    api.send("hello", user_id="user-1")
    with tenant_scope(tenant.id):
        user_id = User.objects.get(external_id="user-1").id
    connection.close()  # nothing is prepared on the next one
    holder.execute("SELECT pg_advisory_lock(hashtextextended(%s, 20260221))", [str(user_id)])
    refused = api.send("a nice day", user_id="user-1")
    assert (refused.status_code, refused.json()["code"]) == (503, "user_busy")
    holder.execute("SELECT pg_advisory_unlock_all()")
    assert [api.send(f"a nice day {i}", user_id="user-1").status_code for i in range(3)] == [201] * 3
    with tenant_scope(tenant.id):
        assert sorted(Message.objects.values_list("seq", flat=True)) == [1, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_back_and_done_again_user_by_user_is_counted_once(
    api: Caller, counted: list[int], monkeypatch: pytest.MonkeyPatch
):
    def read() -> float:
        labels = {"type": "allergy", "language": "en"}
        return REGISTRY.get_sample_value("unde_instant_extraction_total", labels) or 0.0

    def fail_together(ledgers: Any, **given: Any) -> None:
        save(ledgers, **given)
        if len(ledgers) > 1:
            raise UserBusy

    save = service.save_ledgers
    monkeypatch.setattr(service, "save_ledgers", fail_together)
    before = read()
    items = [{**item, "content": "I'm allergic to wool"} for item in make_items(3, each=1)]
    assert all(answer["facts"] for answer in send(api, items))
    assert (counted, read() - before) == ([1, 1, 1], 3)


def test_more_users_than_one_transaction_takes_are_all_stored(api: Caller, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(settings.UNDE_TUNING, "STORED_TOGETHER", 3)
    answers = send(api, make_items(8, each=1))
    assert len({answer["id"] for answer in answers}) == 8
