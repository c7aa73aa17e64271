"""A client that costs as little as a client can: one socket kept open, requests made beforehand, answers not parsed."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any


def make_request(method: str, path: str, *, host: str, key: str = "", body: dict[str, Any] | None = None) -> bytes:
    """The bytes of one request that keeps its connection open."""
    payload = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(payload)}"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if payload:
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, "", ""]).encode() + payload


class HttpConnection:
    """One connection. Call it with a request's bytes; the answer is whether it succeeded, in a batch every item."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @classmethod
    def factory(cls, host: str, port: int) -> Callable[[], HttpConnection]:
        """What makes a connection for each client."""
        return lambda: cls(host, port)

    def __call__(self, request: bytes) -> bool:
        """Send, and read the whole answer. Raises OSError when the server closes the connection."""
        self._socket.sendall(request)
        received = self._receive()
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._receive()
        head = received[:end].lower()
        missing = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0] or 0) - (len(received) - end - 4)
        parts = [received[end + 4 :]]
        while missing > 0:
            parts.append(self._receive())
            missing -= len(parts[-1])
        return head[9:10] == b"2" and not any(b'{"error"' in part for part in parts)

    def _receive(self) -> bytes:
        received = self._socket.recv(1 << 18)
        if not received:
            raise OSError("the server closed the connection")
        return received
