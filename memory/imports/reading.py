"""Bytes of a file as JSON objects with their line numbers. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from memory.errors import InvalidRequest


class BadLine(InvalidRequest):
    """The line is not a JSON object in UTF-8."""

    code = "invalid_json"
    default_message = "The line is not a JSON object."


class NulInLine(InvalidRequest):
    """A NUL character, which PostgreSQL cannot store in text."""

    code = "nul_byte"
    default_message = "Text must not contain the NUL character."


class LoneSurrogate(InvalidRequest):
    """Half of a character: no encoding of Unicode can write it down."""

    code = "invalid_utf8"
    default_message = "The line holds half of a character."


def read_rows(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any] | InvalidRequest]]:
    """Each line that is not empty with its number, decoded; the error for one that is no JSON object."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, read_row(line)


def read_row(line: bytes) -> dict[str, Any] | InvalidRequest:
    """One line as an object, or why not."""
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return BadLine()
    if not isinstance(row, dict):
        return BadLine()
    return find_bad_text(row) or row


def read_document(data: bytes) -> Any | None:
    """The whole file as one JSON value; None when it is a line an object."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value


def find_bad_text(value: Any) -> InvalidRequest | None:
    """The error for text that can't be stored, wherever it is in the value."""
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text and "\x00" in _join_texts(value):
        return NulInLine()
    try:
        text.encode()
    except UnicodeEncodeError:
        return LoneSurrogate()
    return None


def _join_texts(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(map(_join_texts, (*value.keys(), *value.values())))
    if isinstance(value, list):
        return "".join(map(_join_texts, value))
    return ""
