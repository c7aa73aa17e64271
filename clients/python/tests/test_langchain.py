"""LangChain's retriever over the service."""

import asyncio

from unde_memory import Memory
from unde_memory.langchain import UndeRetriever


def test_messages_are_found_word_for_word_at_most_k_of_them(memory: Memory, user: str) -> None:
    texts = [f"linen shirt number {number}" for number in range(4)]
    memory.user(user).add_all([{"role": "user", "content": text} for text in texts], conversation="c-1")
    retriever = UndeRetriever(memory=memory, user=user, k=3)
    found = retriever.invoke("linen")
    assert len(found) == 3 and {one.page_content for one in found} <= set(texts)
    assert found[0].metadata["conversation_id"] == "c-1" and found[0].id
    assert len(asyncio.run(retriever.ainvoke("linen", k=1))) == 1
    assert retriever.invoke(" ") == [] and retriever.invoke("linen", k=0) == []
    assert UndeRetriever(memory=memory, user="check-another").invoke("linen") == []
