"""Excerpts: what of a message travels in a card.

Head and tail, for a negation often stands at the end (KSP fix 4A, SPEC S-4).
"""

from __future__ import annotations

GAP = " [...] "
WHOLE_CHARACTERS = 500
HARD_WHOLE_CHARACTERS = 1_500
HARD_TYPES = frozenset({"fact", "event"})
HEAD, TAIL = 280, 220
HARD_HEAD, HARD_TAIL = 800, 400
SHORT_CHARACTERS = 200  # behind a fact, where many facts share the room for words
SHORT_HEAD, SHORT_TAIL = 120, 73
SPAN_CHARACTERS = 200
PENDING_CHARACTERS = 300
MIN_SNIPPET_CONTENT = 200  # shorter messages are their own index (SPEC E-3)


def make_excerpt(content: str, *, memory_type: str = "chat") -> str:
    """Whole up to 500 characters (facts and events up to 1,500), else head and tail with a mark between them."""
    is_hard = memory_type in HARD_TYPES
    if len(content) <= (HARD_WHOLE_CHARACTERS if is_hard else WHOLE_CHARACTERS):
        return content
    head, tail = (HARD_HEAD, HARD_TAIL) if is_hard else (HEAD, TAIL)
    return f"{content[:head]}{GAP}{content[-tail:]}"


def make_short_excerpt(excerpt: str) -> str:
    """Whole up to 200 characters, else head and tail."""
    if len(excerpt) <= SHORT_CHARACTERS:
        return excerpt
    return f"{excerpt[:SHORT_HEAD]}{GAP}{excerpt[-SHORT_TAIL:]}"


def shorten(content: str, *, limit: int) -> str:
    """The first `limit` characters."""
    return content[:limit]


def choose_snippet(*, role: str, content: str, memory_type: str, description: str | None, snippet: str | None) -> str:
    """The index of a card: an assistant's description, else the stored snippet, else nothing.

    Never the beginning of the message: a model would take it for a summary (KSP fix 4B). Facts, events and short
    messages have none, for they travel whole (SPEC E-3).
    """
    if role == "assistant" and description:
        return description
    if memory_type in HARD_TYPES or len(content) < MIN_SNIPPET_CONTENT:
        return ""
    return snippet or ""
