"""Answers without a model: lists whole, one short sentence when there is nothing, no ids (SPEC N-6). Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

DATA: Final = Path(__file__).resolve().parent / "data"
LANGUAGES: Final = ("ru", "en", "ar", "arabizi")
TONES: Final = ("neutral", "friendly")
BULLET: Final = "- "
Style = Literal["auto", "list", "text"]
LIST_MAX_ITEMS: Final = 20  # lines of an answer where the corpus sets no other number (D-49)
_SPACE: Final = re.compile(r"\s+")
_END: Final = re.compile(r"[.!?…؟。]$")


def render_items(
    texts: Sequence[str],
    *,
    total: int,
    language: str,
    tone: str = "",
    style: Style = "auto",
    limit: int = LIST_MAX_ITEMS,
) -> str:
    """Items as lines, or as one sentence for style `text`; beyond the limit how many more there are.

    One item alone is a sentence unless a list is asked for. No item: the sentence that there is nothing.
    """
    if not texts:
        return say_nothing(language=language, tone=tone)
    lines = [clean_line(text) for text in texts[: max(1, limit)]]
    left = max(total, len(texts)) - len(lines)
    if style == "text" or (style == "auto" and len(lines) == 1 and not left):
        body = end_sentence("; ".join(line.rstrip(".") for line in lines) if len(lines) > 1 else lines[0])
        return f"{body} {say_more(left, total=left + len(lines), language=language, tone=tone)}" if left else body
    body = "\n".join(f"{BULLET}{line}" for line in lines)
    return f"{body}\n{say_more(left, total=left + len(lines), language=language, tone=tone)}" if left else body


def say_nothing(*, language: str, tone: str = "") -> str:
    """The sentence of an answer that has nothing."""
    return _get_sentence(language, "nothing", tone)


def say_more(count: int, *, total: int, language: str, tone: str = "") -> str:
    """The sentence about items that an answer does not show."""
    return _get_sentence(language, "more", tone).format(count=count, total=total)


def clean_line(text: str) -> str:
    """A text on one line."""
    return _SPACE.sub(" ", text).strip()


def end_sentence(text: str) -> str:
    """A text with a full stop where it has no end of its own."""
    return text if not text or _END.search(text) else f"{text}."


def _get_sentence(language: str, name: str, tone: str) -> str:
    sentences = _read_sentences()
    by_tone: Mapping[str, str] = sentences.get(language if language in LANGUAGES else "en", {})[name]
    return by_tone.get(tone) or by_tone[TONES[0]]


@cache
def _read_sentences() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DATA / "sentences.json").read_text(encoding="utf-8"))
    return content
