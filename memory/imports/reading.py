"""Bytes of a file as JSON objects with their line numbers. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.conf import settings

from memory.errors import InvalidRequest


class BadLine(InvalidRequest):
    """The line is not a JSON object in UTF-8."""

    code = "invalid_json"
    default_message = "The line is not a JSON object."


class LineTooLong(InvalidRequest):
    """No line of an export is as long: it is not held in memory to see what it says."""

    code = "line_too_long"
    default_message = "The line is over 16 MiB."


class NulInLine(InvalidRequest):
    """A NUL character, which PostgreSQL cannot store in text."""

    code = "nul_byte"
    default_message = "Text must not contain the NUL character."


class LoneSurrogate(InvalidRequest):
    """Half of a character: no encoding of Unicode can write it down."""

    code = "invalid_utf8"
    default_message = "The line contains an incomplete character."


Row = tuple[int, dict[str, Any] | InvalidRequest]


def read_rows(source: BinaryIO) -> Iterator[Row]:
    """Each line that is not empty with its number, decoded; the error for one that is no JSON object, or is endless."""
    for number, line in enumerate(_list_lines(source), start=1):
        if line is None:
            yield number, LineTooLong()
        elif line.strip():
            yield number, read_row(line)


def _list_lines(source: BinaryIO) -> Iterator[bytes | None]:
    while line := source.readline(settings.UNDE_TUNING.IMPORT_LONGEST_LINE):
        if len(line) < settings.UNDE_TUNING.IMPORT_LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := source.readline(settings.UNDE_TUNING.IMPORT_LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


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
