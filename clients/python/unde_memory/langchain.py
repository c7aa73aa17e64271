"""LangChain: a retriever over what a user said.

retriever = UndeRetriever(memory=Memory(), user="layla", k=8)
documents = retriever.invoke("what does she wear?")
"""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from unde_memory.sync_client import Memory
from unde_memory.writing import UNSET

MOST = 100


class UndeRetriever(BaseRetriever):
    """Messages that a question may mean, best first, word for word. A user of whom nothing is stored has none."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    user: str
    k: int = 8
    filters: dict[str, Any] | None = None
    """As in `POST /v1/search`: roles, times, metadata."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        wanted = self.k if k is None else k
        if not query.strip() or wanted < 1:
            return []
        found = self.memory.search(
            user_id=self.user, query=query, top_k=min(wanted, MOST), filters=self.filters or UNSET
        )
        return [
            Document(
                id=card.message_id,
                page_content=card.raw_excerpt,
                metadata={
                    "conversation_id": card.conversation_id,
                    "role": card.role,
                    "created_at": card.created_at.isoformat(),
                    "score": card.score,
                },
            )
            for card in found.results
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k)
