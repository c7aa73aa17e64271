"""LangGraph's store over the service: documents, paths, filters, lifetimes and what is refused."""

import asyncio

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp
from langgraph.store.memory import InMemoryStore

from unde_memory import Memory
from unde_memory.errors import BadRequest
from unde_memory.langgraph import UndeStore


@pytest.fixture
def store(memory: Memory, user: str) -> UndeStore:
    return UndeStore(memory, user=user)


def test_a_document_is_put_read_changed_found_and_gone(store: UndeStore) -> None:
    store.put(("notes", "a_%"), "k", {"text": "black boots", "size": 40})
    first = store.get(("notes", "a_%"), "k")
    store.put(("notes", "a_%"), "k", {"text": "brown boots", "size": 41})
    second = store.get(("notes", "a_%"), "k")
    assert first and second and second.updated_at > first.updated_at and second.created_at == first.created_at
    store.put(("notesX",), "k", {"text": "boots elsewhere"})
    assert [item.value["size"] for item in store.search(("notes",), query="boots")] == [41]
    assert store.search(("notes",), filter={"size": {"$gt": 40}}) and not store.search(("notes",), filter={"size": 40})
    store.delete(("notes", "a_%"), "k")
    assert store.get(("notes", "a_%"), "k") is None


def test_namespaces_are_listed_by_beginning_end_and_depth(store: UndeStore) -> None:
    for path in [("a", "b", "c"), ("a", "x", "c"), ("a", "b", "d"), ("ab",)]:
        store.put(path, "k", {"v": 1})
    assert store.list_namespaces(prefix=("a", "*"), suffix=("c",)) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(prefix=("a",), max_depth=2) == [("a", "b"), ("a", "x")]
    assert store.list_namespaces(limit=1, offset=3) == [("ab",)]


def test_what_is_no_path_or_no_operator_is_refused_before_anything_is_stored(store: UndeStore) -> None:
    for wrong in [("a.b",), ("a", "")]:
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(("right",), "k", {}), PutOp(wrong, "k", {})])
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", {})
    assert store.get(("right",), "k") is None
    with pytest.raises(BadRequest):
        store.search((), filter={"size": {"$near": 3}})


def test_many_steps_keep_their_order_and_other_users_see_none_of_them(store: UndeStore, memory: Memory) -> None:
    steps = [PutOp(("many",), str(number), {"n": number}, index=False) for number in range(1100)]
    results = store.batch([*steps, GetOp(("many",), "0"), GetOp(("many",), "1099")])
    assert [item.value["n"] for item in results[-2:]] == [0, 1099] and set(results[:-2]) == {None}
    assert UndeStore(memory, user="check-another").get(("many",), "0") is None
    assert len(store.search((), limit=5000)) == 1100 and len(store.search(("many",), limit=1050, offset=100)) == 1000
    assert store.search((), limit=0) == [] and store.list_namespaces(limit=0) == []


def test_the_calls_over_asyncio_do_the_same_and_a_lifetime_ends(store: UndeStore) -> None:
    async def use() -> list[str]:
        await asyncio.gather(*(store.aput(("t",), str(n), {"n": n}, ttl=0.02 if n else None) for n in range(2)))
        assert len(await store.asearch(("t",), refresh_ttl=False)) == 2
        await asyncio.sleep(1.5)
        return [item.key for item in await store.asearch(("t",))]

    assert asyncio.run(use()) == ["0"]


def test_memories_of_langmem_are_copied_as_the_page_says(store: UndeStore) -> None:
    old_store = InMemoryStore()
    for number in range(3):
        old_store.put(("memories", "u"), str(number), {"kind": "Memory", "content": {"content": f"note {number}"}})
    for item in old_store.search((), limit=10_000):
        store.put(item.namespace, item.key, item.value)
    assert {item.value["content"]["content"] for item in store.search(())} == {"note 0", "note 1", "note 2"}
