"""How many statements the hot paths send. A number that grows is a regression that no timing would show on a fast disk."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.caller import Caller


@pytest.fixture
def warm(api: Caller) -> Caller:
    """Caches of the process filled: keys noted, model registered, user and conversation there."""
    api.send("привет")
    api.send("my size is M")
    api.post("/v1/search", {"user_id": "alice", "query": "размер"})
    return api


def list_statements(call: Callable[[], Any]) -> list[str]:
    """What a call sends, without what only the test's own transaction adds (savepoints, the tenant given back)."""
    with CaptureQueriesContext(connection) as queries:
        assert call().status_code in (200, 201)
    mine = ("SAVEPOINT", "RELEASE SAVEPOINT", "SELECT set_config('app.tenant_id', '', true)")
    sent = [query["sql"] for query in queries if not query["sql"].startswith(mine)]
    # The version of the rules and the count of erasures are looked at every two seconds, by whichever request comes then.
    return [sql for sql in sent if "patterns_" not in sql and "erasure_generation" not in sql]


def test_an_ordinary_message_takes_five_statements(warm: Caller):
    """Key, tenant, what the message needs to know, message with its counters, index with its vector."""
    assert len(list_statements(lambda: warm.send("just chatting about the weather", id="7"))) == 5


def test_a_message_that_teaches_a_fact_takes_two_more(warm: Caller):
    """The action with the position in the log, and the fact, whose trigger closes the former one."""
    assert len(list_statements(lambda: warm.send("my size is L", id="8"))) == 7


def test_a_user_without_facts_is_not_asked_for_any(api: Caller):
    """Nor for tastes that a "not" may deny."""
    api.send("привет")
    asked = list_statements(lambda: api.send("no, not that one, the link is wrong", id="9"))
    assert len(asked) == 5
    assert not [sql for sql in asked if "user_knowledge" in sql or "adaptive_item" in sql]


def test_only_a_reply_that_may_deny_a_claim_asks_a_user_without_facts_what_was_said_before(api: Caller):
    api.send("привет")
    asked = list_statements(lambda: api.send("I never said that", id="9"))
    assert len(asked) == 6
    assert not [sql for sql in asked if "user_knowledge" in sql]


def test_a_batch_that_may_correct_nothing_does_not_ask_what_was_said_before(warm: Caller):
    """Nor for the facts of who sends it."""

    def send(mark: str) -> list[str]:
        item = {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": "just chatting", "id": mark}
        return list_statements(lambda: warm.post("/v1/messages/batch", {"messages": [item]}))

    send("first")
    assert len(send("second")) == 5


def test_a_batch_costs_the_same_statements_whatever_its_length(warm: Caller):
    def send(count: int, mark: str) -> list[str]:
        items = [
            {"user_id": "alice", "conversation_id": "c-1", "role": "user", "content": f"talk {i}", "id": f"{mark}{i}"}
            for i in range(count)
        ]
        return list_statements(lambda: warm.post("/v1/messages/batch", {"messages": items}))

    few, many = send(3, "a"), send(60, "b")
    assert len(few) == len(many)
    assert len(many) <= 7


def test_a_search_takes_five_statements(warm: Caller):
    """Key, tenant, user with places and vectors, cards, receipt: the same however many messages there are (D-13)."""
    assert len(list_statements(lambda: warm.post("/v1/search", {"user_id": "alice", "query": "размер"}))) == 5


def test_a_pack_takes_thirteen_statements_and_four_more_with_episodes(warm: Caller):
    """One of them reads the words behind facts; it goes along with the cards, and so do three of the four.

    The fourth asks whether the tenant wants episodes; it goes along with the first reads.
    """
    body = {"user_id": "alice", "conversation_id": "c-1", "query": "размер"}
    assert len(list_statements(lambda: warm.post("/v1/context", {**body, "layers": False}))) == 13
    assert len(list_statements(lambda: warm.post("/v1/context", body))) == 17


def test_many_messages_of_others_add_no_statement(warm: Caller):
    for i in range(5):
        warm.send("my size is M", user_id=f"other-{i}")
    assert len(list_statements(lambda: warm.post("/v1/search", {"user_id": "alice", "query": "размер"}))) == 5


def test_a_question_that_the_graph_answers_takes_eleven_statements(warm: Caller):
    """Key; tenant, corpus, plan and switches in one exchange; the only entity of a type; names (two, and none when its
    words came before); the path with its items; their texts; receipt."""
    warm.put("/v1/corpora/cv", {"schema": "portfolio"})
    edges = [{"kind": "HAS_ACHIEVEMENT", "to": {"type": "Achievement", "name": "Rewrote three services"}}]
    warm.post(
        "/v1/corpora/cv/ingest",
        {"records": [{"id": "1", "type": "Project", "name": "Orbit", "text": "A desk.", "edges": edges}]},
    )
    body = {"corpus": "cv", "query": "Which achievements on Orbit?"}
    assert warm.post("/v1/ask", {"corpus": "cv", "query": "Hello"}).status_code == 200
    assert len(list_statements(lambda: warm.post("/v1/ask", body))) == 11
    assert warm.post("/v1/ask", body).json()["tool"] == "graph"
    assert len(list_statements(lambda: warm.post("/v1/ask", body))) == 9
