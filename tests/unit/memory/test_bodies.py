"""Bodies of answers over real HTTP: packed, packed twice, longer than they say, shorter, late."""

import gzip
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import httpx
import pytest

from memory.bodies import BodyLate, BodyTooLong, BodyUnreadable, read_body

LIMIT = 100_000
Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Answers any request with these bytes, head and all; the address."""
    opened: list[socket.socket] = []

    def start(head: str, body: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        opened.append(listener)

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                with suppress(OSError):  # the client has had enough
                    connection.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body)

        threading.Thread(target=answer, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in opened:
        listener.close()


def fetch(url: str, **more: object) -> bytes:
    with httpx.Client(timeout=5) as client, client.stream("GET", url) as answer:
        return read_body(answer, limit=LIMIT, **more)  # type: ignore[arg-type]


def pack(body: bytes, *codings: str) -> bytes:
    for coding in codings:
        body = gzip.compress(body) if coding == "gzip" else zlib.compress(body)
    return body


def pack_head(body: bytes, codings: str) -> str:
    return f"Content-Length: {len(body)}\r\nContent-Encoding: {codings}"


@pytest.mark.parametrize("codings", [("gzip",), ("deflate",), ("gzip", "gzip"), ("deflate", "gzip")])
def test_a_packed_body_is_unpacked_in_the_order_of_its_header(codings: tuple[str, ...], serve: Serve) -> None:
    body = pack(b"hello " * 1000, *codings)
    assert fetch(serve(pack_head(body, ", ".join(codings)), body)) == b"hello " * 1000


def test_deflate_without_its_header_is_unpacked_too(serve: Serve) -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = packer.compress(b"hello") + packer.flush()
    assert fetch(serve(pack_head(body, "deflate"), body)) == b"hello"


@pytest.mark.parametrize("codings", [("gzip",), ("deflate",), ("gzip", "gzip"), ("deflate", "gzip")])
def test_a_small_body_that_unpacks_to_much_takes_no_more_memory_than_the_limit(
    codings: tuple[str, ...], serve: Serve
) -> None:
    body = pack(bytes(50_000_000), *codings)
    url = serve(pack_head(body, ", ".join(codings)), body)
    tracemalloc.start()
    with pytest.raises(BodyTooLong):
        fetch(url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * LIMIT


@pytest.mark.parametrize(
    ("codings", "body"),
    [
        ("gzip, gzip, gzip", b"x"),
        ("br", b"x"),
        ("gzip", b"this is no gzip"),
        ("gzip", gzip.compress(b"hello" * 100, mtime=0)[:-20]),
        ("deflate", b"\xff\xff\xff"),
    ],
)
def test_what_cannot_be_unpacked_is_said_to_be_so(codings: str, body: bytes, serve: Serve) -> None:
    with pytest.raises(BodyUnreadable):
        fetch(serve(pack_head(body, codings), body))


@pytest.mark.parametrize("head", ["Connection: close", f"Content-Length: {10**12}"])
def test_a_body_that_is_longer_than_the_limit_is_not_read_to_its_end(head: str, serve: Serve) -> None:
    with pytest.raises(BodyTooLong):
        fetch(serve(head, bytes(10 * LIMIT)))


def test_a_body_that_is_shorter_than_it_says_is_an_error_of_the_connection(serve: Serve) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        fetch(serve("Content-Length: 5000", b"short"))


def test_a_body_that_is_longer_than_it_says_ends_where_it_says(serve: Serve) -> None:
    assert fetch(serve("Content-Length: 5", b"hello" + bytes(1000))) == b"hello"


def test_a_late_body_is_given_up(serve: Serve) -> None:
    with pytest.raises(BodyLate):
        fetch(serve("Content-Length: 5", b"hello"), is_late=lambda: True)
