"""The body of an endpoint's answer, bounded while it is unpacked: a few kilobytes of gzip in gzip are gigabytes.

httpx unpacks each piece whole before anybody can count it, so what comes over the wire is read and unpacked here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

import httpx

ACCEPTED: Final = "gzip, deflate"
"""The `Accept-Encoding` of a request whose answer is read here."""
MAX_CODINGS: Final = 2
"""Packings one over the other: honest servers and the proxies before them use one."""
_WINDOWS: Final = {"gzip": (zlib.MAX_WBITS | 16,), "x-gzip": (zlib.MAX_WBITS | 16,)}
_DEFLATE: Final = (zlib.MAX_WBITS, -zlib.MAX_WBITS)
"""With a header as the standard wants it, or without one as some servers send it."""


class BodyTooLong(Exception):
    """The body is longer than the limit, as it comes or unpacked."""


class BodyUnreadable(Exception):
    """The body is packed in a way that is not known, or is not what its header says."""


class BodyLate(Exception):
    """The time is over and the body is not there yet."""


def read_body(answer: httpx.Response, *, limit: int, is_late: Callable[[], bool] = lambda: False) -> bytes:
    """The unpacked body of a streamed answer, at most `limit` bytes. Takes about three times as much memory.

    `is_late` is asked after each piece. Raises BodyTooLong, BodyUnreadable, BodyLate, and what httpx raises.
    """
    codings = _list_codings(answer)
    received = bytearray()
    for piece in answer.iter_raw():
        received += piece
        if len(received) > limit:
            raise BodyTooLong
        if is_late():
            raise BodyLate
    body = bytes(received)
    for coding in reversed(codings):
        body = _unpack(body, coding, limit=limit)
    return body


def _list_codings(answer: httpx.Response) -> list[str]:
    """The codings in the order in which they were applied."""
    named = [name.strip().lower() for name in answer.headers.get("Content-Encoding", "").split(",")]
    codings = [name for name in named if name and name != "identity"]
    if len(codings) > MAX_CODINGS or any(name not in _WINDOWS and name != "deflate" for name in codings):
        raise BodyUnreadable
    return codings


def _unpack(data: bytes, coding: str, *, limit: int) -> bytes:
    for window in _WINDOWS.get(coding, _DEFLATE):
        unpacker = zlib.decompressobj(window)
        try:
            unpacked = unpacker.decompress(data, limit + 1)
        except zlib.error:
            continue
        if len(unpacked) > limit:
            raise BodyTooLong
        if unpacker.eof:
            return unpacked
    if not data:
        return data
    raise BodyUnreadable
