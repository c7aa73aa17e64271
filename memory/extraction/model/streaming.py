"""A chat completion as it is made: server-sent events of an OpenAI-compatible endpoint as pieces of text.

Size and time are bounded as a whole. Nothing here holds more than one event and what is left of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import httpx

from memory.bodies import BodyLate, BodyTooLong, BodyUnreadable

DONE: Final = b"[DONE]"


class StreamBroken(Exception):
    """The stream ended before it said so, or says that it failed. `code` says which."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read_stream(answer: httpx.Response, *, limit: int, is_late: Callable[[], bool]) -> Iterator[str]:
    """The pieces of a streamed completion in order, none of them empty.

    Raises BodyTooLong, BodyLate, BodyUnreadable, StreamBroken, and what httpx raises.
    """
    if answer.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise BodyUnreadable
    kept, has_ended = "", False
    for data in _list_events(answer, limit=limit, is_late=is_late):
        if data == DONE:
            has_ended = True
            break
        text, reason = _read_event(data)
        whole, kept = _split_halves(kept + text)
        if whole:
            yield whole
        if reason == "length":
            raise StreamBroken("answer_cut_off")
        has_ended = has_ended or bool(reason)
    if not has_ended:
        raise StreamBroken("model_stream_broken")


def _list_events(answer: httpx.Response, *, limit: int, is_late: Callable[[], bool]) -> Iterator[bytes]:
    """The data of each event."""
    received, rest = 0, b""
    for piece in answer.iter_raw():
        received += len(piece)
        if received > limit:
            raise BodyTooLong
        if is_late():
            raise BodyLate
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()


def _read_event(data: bytes) -> tuple[str, str]:
    """The text of an event and why the model stopped, empty while it has not."""
    try:
        event = json.loads(data)
        if event.get("error"):
            raise StreamBroken("model_stream_error")
        choices = event["choices"]
        choice: dict[str, Any] = choices[0] if choices else {}
        text = (choice.get("delta") or {}).get("content") or ""
        reason = choice.get("finish_reason") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise BodyUnreadable from None
    if not isinstance(text, str) or not isinstance(reason, str):
        raise BodyUnreadable
    return text.replace("\x00", ""), reason


def _split_halves(text: str) -> tuple[str, str]:
    """The text in whole characters, and half a character at its end that the next piece completes."""
    kept = text[-1:] if text and 0xD800 <= ord(text[-1]) <= 0xDBFF else ""
    whole = text[: len(text) - len(kept)]
    return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), kept
