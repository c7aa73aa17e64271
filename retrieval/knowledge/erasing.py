"""How a user's questions to corpora, and the receipts of their answers, go for good (SPEC G-2, D-47)."""

from __future__ import annotations

from memory.erasure.erasers import TableEraser

# In a part erasure they stay: a question is in no conversation of RAW, and neither it nor a receipt names a message.
ASK_TURNS = TableEraser(name="ask_turns", models=("knowledge.AskTurn",), table="ask_turn")
ANSWER_RECEIPTS = TableEraser(name="answer_receipts", models=("knowledge.AnswerReceipt",), table="knowledge_receipt")
