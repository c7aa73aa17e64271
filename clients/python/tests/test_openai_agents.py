"""A session of the OpenAI Agents SDK over the service: items come back exactly, and the memory learns what was said."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from unde_memory import Memory
from unde_memory.openai_agents import UndeSession

CALL = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"q": "\\u00e9"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "[]"}
REPLY = {"role": "assistant", "content": [{"type": "output_text", "text": "Noted", "annotations": []}]}
TURN: list[Any] = [{"role": "user", "content": "my size is M"}, CALL, OUTPUT, REPLY]


def run(session: UndeSession, name: str, *given: Any) -> Any:
    return asyncio.run(getattr(session, name)(*given))


def test_items_come_back_exactly_and_only_what_was_said_is_learnt(memory: Memory, user: str) -> None:
    session = UndeSession(memory, user=user, session_id="chat.1")
    run(session, "add_items", TURN)
    assert run(session, "get_items") == TURN
    assert run(session, "get_items", 2) == TURN[-2:] and run(session, "get_items", 0) == []
    said = [(one.role, one.content) for one in memory.user(user).messages()]
    assert sorted(said) == [("assistant", "Noted"), ("user", "my size is M")]
    assert [fact.value for fact in memory.user(user).facts()] == ["M"]


def test_what_is_popped_is_forgotten_and_a_cleared_session_is_empty(memory: Memory, user: str) -> None:
    session = UndeSession(memory, user=user, session_id="chat-1")
    other = UndeSession(memory, user=user, session_id="chat-2", learns=False)
    run(session, "add_items", TURN[:1])
    run(other, "add_items", TURN)
    assert run(session, "pop_item") == TURN[0] and run(session, "pop_item") is None
    assert memory.user(user).messages() == [] and memory.user(user).facts() == []
    run(session, "add_items", TURN)
    run(session, "clear_session")
    assert run(session, "get_items") == [] and run(other, "get_items") == TURN


def test_one_session_is_used_from_the_loops_of_several_threads(memory: Memory, user: str) -> None:
    session = UndeSession(memory, user=user, session_id="chat-1", learns=False)
    items = [{"role": "user", "content": f"message {number}"} for number in range(12)]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda item: run(session, "add_items", [item]), items, timeout=60))
    kept = run(session, "get_items")
    assert sorted(item["content"] for item in kept) == sorted(item["content"] for item in items)


def test_what_is_no_text_comes_back_exactly_and_a_long_name_is_a_name(memory: Memory, user: str) -> None:
    output = {**OUTPUT, "output": "\x00\x01 \ud83d \\u0000 \U0001f642"}
    said = {"role": "user", "content": "my size is M\x00"}
    session = UndeSession(memory, user=user, session_id="x" * 300)
    run(session, "add_items", [said, CALL, output])
    assert run(session, "get_items") == [said, CALL, output] and run(session, "pop_item") == output
    assert [one.content for one in memory.user(user).messages()] == ["my size is M\ufffd"]
    assert run(UndeSession(memory, user=user, session_id="x" * 301), "get_items") == []


def test_a_message_that_is_refused_stays_in_the_session_and_is_logged_without_its_words(
    memory: Memory, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    session = UndeSession(memory, user=user, session_id="chat-1")
    long = {"role": "user", "content": "word " * 40_001}
    with caplog.at_level(logging.WARNING, logger="unde_memory"):
        run(session, "add_items", [long, *TURN])
    assert run(session, "get_items") == [long, *TURN]
    assert len(memory.user(user).messages()) == 2
    assert [record.args[1] for record in caplog.records] == ["invalid_request"] and "word" not in caplog.text
