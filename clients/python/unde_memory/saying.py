"""What the adapters do with what was said: store it, and never lose a message without a word."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from unde_memory.sync_client import Memory

LOG = logging.getLogger("unde_memory")
AT_ONCE = 500
NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
"""NUL and half a character: the service takes neither. A person who reads it sees the sign for what is no text."""


def store_said(memory: Memory, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Store messages in order; the answer for each.

    A message that is refused, as one that is too long, does not keep back the others, and a framework has no place for
    its error. So it is logged, by its id and the code of the refusal. Raises UndeError when a request fails as a whole.
    """
    texts = [{**row, "content": NO_TEXT.sub("\ufffd", row["content"])} for row in rows]
    answers: list[dict[str, Any]] = []
    for start in range(0, len(texts), AT_ONCE):
        answers += memory.add_messages(texts[start : start + AT_ONCE]).results
    for row, answer in zip(rows, answers):  # noqa: B905
        if "error" in answer:
            LOG.warning("message %s was refused: %s", row["id"], answer["error"]["code"])
    return answers
