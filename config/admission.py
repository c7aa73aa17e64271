"""Between the web server and Django: small bodies are awaited here, where a slow sender holds nothing but a thread.

The web server hands a request over as soon as its head is there. A sender who then takes an hour for the body would
keep one of the few threads that work, and the database connection with it. So there are many threads, few of them work
at a time, and no single address may fill all of them with waiting (SPEC A-1). A proxy in front that buffers bodies does
this better (docs/going-to-production.md). Pure WSGI, no Django.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Final

Environ = MutableMapping[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]

THREADS: Final = 64  # as many as may wait for senders; an idle one costs a few kilobytes
WORKING_THREADS: Final = 4
SENDERS_PER_ADDRESS: Final = 48  # one address, or one proxy: a proxy that buffers bodies never keeps anybody waiting
AWAITED_BYTES: Final = 1024 * 1024  # a larger body is read by the view that allows it, after it knows the caller
PAGE_BYTES: Final = 4 * 1024 * 1024  # the largest form of the console: a pack of rules

_BUSY: Final = b'{"code":"too_many_uploads","message":"Too many unfinished requests from this address.","fields":{}}'
_LARGE: Final = b'{"code":"body_too_large","message":"The request body is too large.","fields":{}}'


class RequestGate:
    """A WSGI application around another: awaits bodies, bounds who may wait and how many requests are worked on."""

    def __init__(
        self,
        application: Application,
        *,
        working: int = WORKING_THREADS,
        per_address: int = SENDERS_PER_ADDRESS,
    ) -> None:
        self._application = application
        self._slots = threading.Semaphore(working)
        self._per_address = per_address
        self._senders: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        declared = environ.get("CONTENT_LENGTH") or ""
        is_chunked = not declared and "HTTP_TRANSFER_ENCODING" in environ
        if declared.isdigit() and int(declared) > PAGE_BYTES and not environ["PATH_INFO"].startswith("/v1/"):
            return _refuse(start_response, "413 Content Too Large", _LARGE)
        if is_chunked or (declared not in ("", "0")):
            with self._waiting(environ.get("REMOTE_ADDR", "")) as may_wait:
                if not may_wait:
                    return _refuse(start_response, "503 Service Unavailable", _BUSY)
                _await_body(environ, declared)
        return self._work(environ, start_response)

    def _work(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        with self._slots:
            return self._answer(environ, start_response)

    def _answer(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        answer: Any = self._application(environ, start_response)
        if getattr(answer, "streaming", True):
            return SlottedStream(answer, self._slots) if hasattr(answer, "streaming") else answer
        # Its end gives the connection to the database back: here, so that the next in turn finds it in the pool.
        body = list(answer)
        answer.close()
        return body

    @contextmanager
    def _waiting(self, address: str) -> Iterator[bool]:
        with self._lock:
            may_wait = self._senders[address] < self._per_address
            self._senders[address] += may_wait
        try:
            yield may_wait
        finally:
            with self._lock:
                self._senders[address] -= may_wait
                if not self._senders[address]:
                    del self._senders[address]


class SlottedStream:
    """An answer that is made while it is sent: making a piece is work, waiting for its reader is not."""

    def __init__(self, answer: Any, slots: threading.Semaphore) -> None:
        self._answer = answer
        self._slots = slots

    def __iter__(self) -> Iterator[bytes]:
        pieces = iter(self._answer)
        while True:
            with self._slots:
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def close(self) -> None:
        """The request is over, read to its end or not."""
        self._answer.close()


class AwaitedBody:
    """What has come already, then whatever the server still has: read like the stream that it stands for."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head = BytesIO(head)
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, everything without it."""
        found = self._head.read(size)
        if 0 <= size <= len(found):
            return found
        more: bytes = self._rest.read(size - len(found) if size >= 0 else -1)
        return found + more

    def readline(self, size: int = -1) -> bytes:
        """One line, at most `size` bytes of it."""
        found = self._head.readline(size)
        if found.endswith(b"\n") or 0 <= size <= len(found):
            return found
        more: bytes = self._rest.readline()
        return found + more


def _await_body(environ: Environ, declared: str) -> None:
    stream = environ["wsgi.input"]
    if declared.isdigit() and int(declared) <= AWAITED_BYTES:
        environ["wsgi.input"] = BytesIO(stream.read(int(declared)))
    elif not declared:
        head = stream.read(AWAITED_BYTES)
        environ["wsgi.input"] = BytesIO(head) if len(head) < AWAITED_BYTES else AwaitedBody(head, stream)


def _refuse(start_response: Any, status: str, body: bytes) -> list[bytes]:
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("Retry-After", "1")]
    start_response(status, headers)
    return [body]
