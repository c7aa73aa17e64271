"""A search that passes its time limit: the pack comes without cards and says so (SPEC P-8)."""

from typing import Any

import pytest
from django.db import connection

from retrieval import stages
from retrieval.places import Places
from tests.caller import Caller


@pytest.fixture
def slow(api: Caller, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Caller:
    """A caller whose searches take far longer than they may."""
    api.send("my size is M")
    api.send("hello")

    def wait(**_: Any) -> Places:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(8)")
        raise AssertionError("the limit did not hold")

    settings.UNDE_SEARCH_DEADLINE_MS = 200
    monkeypatch.setattr(stages, "read_places", wait)
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


def test_a_new_user_gets_a_pack_all_the_same(slow: Caller):
    body = {"user_id": "newcomer", "conversation_id": "c-1", "query": "which dress fits me?"}
    assert slow.post("/v1/context", body).json()["degraded_reasons"] == ["search_late"]
