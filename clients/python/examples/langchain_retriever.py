"""LangChain's retriever over what a user said. Runs without a model."""

from unde_memory import Memory
from unde_memory.langchain import UndeRetriever

memory = Memory()
memory.user("layla").add("I wear linen in summer", conversation="chat-1")
retriever = UndeRetriever(memory=memory, user="layla", k=3)
print([document.page_content for document in retriever.invoke("what does she wear in summer?")])
