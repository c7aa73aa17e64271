"""LangGraph's store over the memory: documents of a user that outlive every thread. Runs without a model."""

from unde_memory import Memory
from unde_memory.langgraph import UndeStore

store = UndeStore(Memory(), user="layla")
store.put(("wardrobe",), "coat", {"text": "navy coat, knee-length", "price": 240})
store.put(("wardrobe",), "boots", {"text": "black, ankle-high", "price": 180})
print([item.key for item in store.search(("wardrobe",), query="a coat for winter", limit=1)])
print([item.key for item in store.search(("wardrobe",), filter={"price": {"$lt": 200}})])
