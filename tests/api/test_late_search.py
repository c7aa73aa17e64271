"""A search that passes its time limit: the pack comes without cards and says so (SPEC P-8)."""

from typing import Any

import psycopg
import pytest
from django.db import connection

from config.api.endpoints import search
from memory.database.queries import Query
from memory.tenants.scope import run_in_scope
from retrieval.search.statement import UserIndex
from tests.caller import Caller


@pytest.fixture
def slow(api: Caller, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Caller:
    """A caller whose searches take far longer than they may."""
    api.send("my size is M")
    api.send("hello")

    def wait(**_: Any) -> UserIndex:
        run_in_scope([Query("SELECT pg_sleep(8)")])
        raise AssertionError("the limit did not hold")

    settings.UNDE_SEARCH_DEADLINE_MS = 200
    monkeypatch.setattr(search, "open_index", wait)
    return api


def test_a_pack_comes_without_cards_and_says_so(slow: Caller):
    body = {"user_id": "alice", "conversation_id": "c-1", "query": "which dress fits me?"}
    answer = slow.post("/v1/context", body)
    assert answer.status_code == 200
    pack = answer.json()
    assert (pack["episode_cards"], pack["degraded_reasons"]) == ([], ["search_late"])
    assert [fact["value"] for fact in pack["facts"]] == ["M"]
    assert [message["content"] for message in pack["recent_messages"]] == ["my size is M", "hello"]
    receipt = slow.get(f"/v1/receipts/{pack['receipt_id']}").json()
    assert receipt["degraded_reasons"] == ["search_late"]


@pytest.mark.django_db(transaction=True)
def test_a_pack_comes_while_maintenance_holds_the_index(api: Caller, settings: Any):
    api.send("my size is M")
    settings.UNDE_SEARCH_DEADLINE_MS = 200
    values = connection.get_connection_params()
    where = {name: values[name] for name in ("host", "port", "dbname", "user", "password") if values.get(name)}
    with psycopg.connect(**where, options="-c lock_timeout=5000") as other:
        other.execute("LOCK TABLE message_index IN ACCESS EXCLUSIVE MODE")
        answer = api.post(
            "/v1/context", {"user_id": "alice", "conversation_id": "c-1", "query": "which dress fits me?"}
        )
        other.rollback()
    assert answer.status_code == 200
    pack = answer.json()
    assert pack["degraded_reasons"] == ["search_late"]
    assert [fact["value"] for fact in pack["facts"]] == ["M"]


def test_a_new_user_gets_a_pack_all_the_same(slow: Caller):
    body = {"user_id": "newcomer", "conversation_id": "c-1", "query": "which dress fits me?"}
    assert slow.post("/v1/context", body).json()["degraded_reasons"] == ["search_late"]


def test_a_search_answers_in_time_with_nothing_and_says_so(slow: Caller):
    answer = slow.post("/v1/search", {"user_id": "alice", "query": "which dress fits me?"})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["results"], found["degraded_reason"]) == ([], "search_late")
    assert slow.get(f"/v1/receipts/{found['receipt_id']}").json()["degraded_reasons"] == ["search_late"]


def test_a_late_search_of_nobody_finds_nobody(slow: Caller):
    answer = slow.post("/v1/search", {"user_id": "newcomer", "query": "which dress fits me?"}).json()
    assert answer == {"results": [], "degraded_reason": None, "receipt_id": None}
