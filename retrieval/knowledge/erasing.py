"""How a user's questions to corpora, and the receipts of their answers, go for good (SPEC G-2, D-47)."""

from __future__ import annotations

from memory.erasure.erasers import TableEraser, covers_thread, covers_time

# No question is a message. With a conversation go those that were asked in it, with a range those that were asked then.
ASK_TURNS = TableEraser(
    name="ask_turns",
    models=("knowledge.AskTurn",),
    table="ask_turn",
    part=f"({covers_time('asked_at')} OR {covers_thread()})",
)
# A receipt has no words and names no conversation. It goes with a range.
ANSWER_RECEIPTS = TableEraser(
    name="answer_receipts",
    models=("knowledge.AnswerReceipt",),
    table="knowledge_receipt",
    part=covers_time("created_at"),
)
