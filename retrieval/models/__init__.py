"""Tables of the room.

Django sees `id` or the message as the key; the real keys start with the user (D-10).

Rows are written by named SQL and read through selectors that start with the user: no save(), no get(pk=...) here.
"""

from retrieval.models.answers import AnswerFinding
from retrieval.models.embeddings import EmbeddingModel, EmbeddingTask, MessageEmbedding, SpanThreshold
from retrieval.models.feedback import Feedback
from retrieval.models.index import MessageIndex
from retrieval.models.receipts import RetrievalReceipt
from retrieval.models.snippets import MessageSnippet
from retrieval.models.usefulness import RankingSnapshot, Usefulness

__all__ = [
    "AnswerFinding",
    "EmbeddingModel",
    "EmbeddingTask",
    "Feedback",
    "MessageEmbedding",
    "MessageIndex",
    "MessageSnippet",
    "RankingSnapshot",
    "RetrievalReceipt",
    "SpanThreshold",
    "Usefulness",
]
