"""How a user's questions to a corpus go for good (SPEC G-2, D-47)."""

from __future__ import annotations

from memory.erasure.erasers import TableEraser

# In a part erasure they stay: a question is in no conversation of RAW and names no message of it.
ASK_TURNS = TableEraser(name="ask_turns", models=("knowledge.AskTurn",), table="ask_turn")
