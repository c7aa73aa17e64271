"""Who waits for a slow sender, and who does not."""

import threading
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from config.admission import AWAITED_BYTES, AwaitedBody, RequestGate


class Slow:
    """A body whose sender has gone to lunch."""

    def __init__(self) -> None:
        self.is_sent = threading.Event()
        self.is_awaited = threading.Event()

    def read(self, size: int = -1) -> bytes:
        self.is_awaited.set()
        assert self.is_sent.wait(10)
        return b"late"[:size]


def echo(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [environ["wsgi.input"].read()]


def call(gate: RequestGate, body: Any = b"", *, address: str = "10.0.0.1", **more: str) -> tuple[str, bytes]:
    said: list[str] = []
    stream = BytesIO(body) if isinstance(body, bytes) else body
    length = str(len(body)) if isinstance(body, bytes) else "4"
    environ = {"wsgi.input": stream, "CONTENT_LENGTH": length, "REMOTE_ADDR": address, "PATH_INFO": "/v1/messages"}
    answer = b"".join(gate(environ | more, lambda status, headers: said.append(status)))
    return said[0][:3], answer


def send_slowly(
    gate: RequestGate, count: int, *, address: str = "10.0.0.1"
) -> tuple[list[Slow], list[threading.Thread]]:
    bodies = [Slow() for _ in range(count)]
    threads = [threading.Thread(target=call, args=(gate, body), kwargs={"address": address}) for body in bodies]
    for thread, body in zip(threads, bodies, strict=True):
        thread.start()
        assert body.is_awaited.wait(10)
    return bodies, threads


def finish(bodies: list[Slow], threads: list[threading.Thread]) -> None:
    for body in bodies:
        body.is_sent.set()
    for thread in threads:
        thread.join(10)


def test_slow_senders_keep_nobody_who_works_from_working() -> None:
    gate = RequestGate(echo, working=1, per_address=8)
    waiting = send_slowly(gate, 8)
    assert call(gate, b"quick", address="10.0.0.2") == ("200", b"quick")
    assert call(gate) == ("200", b"")  # nothing to wait for: not even the slow address is refused
    finish(*waiting)


def test_one_address_cannot_fill_all_threads_with_waiting_and_is_let_in_again() -> None:
    gate = RequestGate(echo, per_address=3)
    waiting = send_slowly(gate, 3)
    status, answer = call(gate, b"one more")
    assert (status, b"too_many_uploads" in answer) == ("503", True)
    finish(*waiting)
    assert call(gate, b"again") == ("200", b"again")


def test_no_more_requests_are_worked_on_at_a_time_than_may_be() -> None:
    entered, inside, most, lock = 0, 0, 0, threading.Lock()
    is_full = threading.Barrier(3)

    def work(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        nonlocal entered, inside, most
        with lock:
            entered, inside = entered + 1, inside + 1
            most, is_first = max(most, inside), entered <= 2
        if is_first:
            is_full.wait(10)
        with lock:
            inside -= 1
        return echo(environ, start_response)

    gate = RequestGate(work, working=2)
    threads = [threading.Thread(target=call, args=(gate, b"x")) for _ in range(6)]
    for thread in threads:
        thread.start()
    is_full.wait(10)
    for thread in threads:
        thread.join(10)
    assert most == 2


def test_a_large_body_is_left_to_the_view_that_allows_it() -> None:
    stream = BytesIO(b"x" * (AWAITED_BYTES + 1))
    seen: list[int] = []

    def look(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        seen.append(environ["wsgi.input"].tell())
        return echo(environ, start_response)

    call(RequestGate(look), stream, CONTENT_LENGTH=str(AWAITED_BYTES + 1))
    assert seen == [0]


def test_a_page_never_takes_a_body_as_large_as_an_import() -> None:
    stream = Slow()
    status, answer = call(RequestGate(echo), stream, CONTENT_LENGTH=str(8 * AWAITED_BYTES), PATH_INFO="/admin/login/")
    assert (status, b"body_too_large" in answer) == ("413", True)
    assert not stream.is_awaited.is_set()


def test_a_body_without_a_length_is_all_there() -> None:
    for size in (5, AWAITED_BYTES, AWAITED_BYTES + 7):
        body = b"a\n" * (size // 2) + b"b" * (size % 2)
        chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
        assert call(RequestGate(echo), body, **chunked) == ("200", body)


def test_what_was_awaited_and_what_follows_read_as_one() -> None:
    def make() -> AwaitedBody:
        return AwaitedBody(b"ab\ncd", BytesIO(b"e\nf"))

    assert make().read() == b"ab\ncde\nf"
    body = make()
    assert [body.read(4), body.read(2), body.read(99), body.read(1)] == [b"ab\nc", b"de", b"\nf", b""]
    body = make()
    assert [body.readline(), body.readline(), body.readline(), body.readline()] == [b"ab\n", b"cde\n", b"f", b""]


def test_a_reader_who_takes_his_time_over_an_answer_holds_up_nobody() -> None:
    class Stream:
        streaming = True
        is_closed = False

        def __iter__(self) -> Any:
            yield from (b"a", b"b")

        def close(self) -> None:
            self.is_closed = True

    stream = Stream()
    gate = RequestGate(lambda environ, start_response: stream, working=1)
    environ = {"wsgi.input": BytesIO(), "PATH_INFO": "/v1/users/x/export"}
    answer = gate(environ, lambda status, headers: None)
    pieces = iter(answer)
    assert next(pieces) == b"a"
    assert b"".join(gate(environ, lambda status, headers: None)) == b"ab"  # while the first is half read
    assert list(pieces) == [b"b"]
    answer.close()  # type: ignore[attr-defined]
    assert stream.is_closed
