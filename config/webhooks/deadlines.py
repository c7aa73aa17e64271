"""A limit on a whole exchange with a stranger's server, from the first byte to the last that is read.

The time limits of httpx count each read alone. A server that sends a byte every few seconds would keep one of our
threads for days. Here every read and write gets what is left of the time of its exchange.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx


class _Clock(threading.local):
    """When the exchange of this thread must be over. An exchange is begun, sent and read by one thread."""

    ends_at = 0.0

    def begin(self, seconds: float) -> None:
        self.ends_at = time.monotonic() + seconds

    def cut(self, timeout: float | None, late: type[Exception]) -> float:
        """The smaller of a limit and the time left. Raises `late` when none is left."""
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise late
        return left if timeout is None else min(timeout, left)


class DeadlineTransport(httpx.BaseTransport):
    """Connections on which a request and what is read of its answer take at most `seconds` together.

    Raises httpx.TimeoutException when the time is over. Asks no proxy of the environment. The look-up of a name is
    over before this: requests go to addresses.
    """

    def __init__(self, *, seconds: float) -> None:
        self._clock, self._seconds = _Clock(), seconds
        self._connections = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False), network_backend=_Backend(self._clock)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        self._clock.begin(self._seconds)
        url = request.url
        with _say_as_httpx():
            answer = self._connections.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        self._connections.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _say_as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _say_as_httpx() -> Iterator[None]:
    """What the connections raise under the same name of httpx, which has them all."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        name = type(error).__name__
        raise getattr(httpx, name, httpx.TransportError)(name) from None


class _Backend(httpcore.SyncBackend):
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.cut(timeout, httpcore.ConnectTimeout)
        return _Stream(super().connect_tcp(host, port, left, local_address, socket_options), self._clock)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, clock: _Clock) -> None:
        self._inner, self._clock = inner, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._clock.cut(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._clock.cut(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._clock.cut(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
