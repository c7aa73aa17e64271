"""JSON that comes back exactly, also where a string of it is no text: the output of a tool may hold NUL."""

from __future__ import annotations

import json
import re
from typing import Any

NO_TEXT = re.compile(r"\\u0000|[\ud800-\udfff]")
"""NUL as JSON writes it, and half a character: the service takes neither in a string."""


def write_kept(document: Any) -> dict[str, Any]:
    """What is kept of a document: itself, or its JSON in ASCII. Raises TypeError for what is no JSON."""
    if NO_TEXT.search(json.dumps(document, ensure_ascii=False)):
        return {"json": json.dumps(document)}
    return {"item": document}


def read_kept(value: dict[str, Any]) -> Any:
    """The document that `write_kept` was given."""
    return value["item"] if "item" in value else json.loads(value["json"])
