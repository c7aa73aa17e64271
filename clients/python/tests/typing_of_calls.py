"""What type checkers must know of declared calls, in both clients. It is checked and never run:

mypy unde_memory tests/typing_of_calls.py
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any

from typing_extensions import assert_type

from unde_memory import AsyncMemory, Memory
from unde_memory.types import Fact, Item, Pack, Page


def over_threads(memory: Memory) -> None:
    assert_type(memory.get_fact("f"), Fact)
    assert_type(Memory.get_fact(memory, fact_id="f"), Fact)
    assert_type(memory.list_facts("u", as_of=None, limit=3), Page[Fact])
    assert_type(memory.context(user_id="u", conversation_id="c", query="q"), Pack)
    assert_type(memory.get_item(namespace="n", key="k"), Item | None)
    assert_type(memory.user("u").facts(), list[Fact])
    assert_type(memory.export("u"), Generator[dict[str, Any], None, None])
    memory.list_facts("u", lmit=3)  # type: ignore[call-arg]
    memory.list_facts("u", limit=None)  # type: ignore[arg-type]
    memory.get_fact(3)  # type: ignore[arg-type]
    memory.context(user_id="u")  # type: ignore[call-arg]


async def over_asyncio(memory: AsyncMemory) -> None:
    assert_type(await memory.get_fact("f"), Fact)
    assert_type(await AsyncMemory.get_fact(memory, fact_id="f"), Fact)
    assert_type(await memory.list_facts("u", as_of=None, limit=3), Page[Fact])
    assert_type(await memory.get_item(namespace="n", key="k"), Item | None)
    assert_type(await memory.user("u").facts(), list[Fact])
    assert_type(memory.export("u"), AsyncGenerator[dict[str, Any], None])
    await memory.list_facts("u", lmit=3)  # type: ignore[call-arg]
    _: Fact = memory.get_fact("f")  # type: ignore[assignment]
