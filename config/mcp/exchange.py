"""One request between its own thread, which waits, and the event loop of the process, where the SDK lives.

The loop sends what the thread shall do: begin the answer, go on with it, or run work that needs the database. Work is
done in the request's thread, so that its connection, its log lines and its tenant are those of the request.
"""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from config.mcp.desk import Desk

T = TypeVar("T")
Headers = list[tuple[bytes, bytes]]


class LoopEnded(Exception):
    """The loop left the request without an answer."""


@dataclass(frozen=True, slots=True)
class Start:
    """The answer begins."""

    status: int
    headers: Headers


@dataclass(frozen=True, slots=True)
class Piece:
    """More of the answer."""

    body: bytes
    is_last: bool


@dataclass(frozen=True, slots=True)
class Work:
    """Something to be done in the request's thread."""

    function: Callable[[], Any]
    done: asyncio.Future[Any]


class Exchange:
    """One request: what the loop reads of it and what it sends to it."""

    def __init__(self, *, body: bytes, loop: asyncio.AbstractEventLoop, desk: Desk | None) -> None:
        self.desk = desk
        self._body, self._loop = body, loop
        self._events: queue.SimpleQueue[Start | Piece | Work | None] = queue.SimpleQueue()
        self._is_read = False

    # --- on the loop ---

    async def receive(self) -> Mapping[str, Any]:
        """The body, once. After it nothing comes: a caller who goes early must not cancel what is being written."""
        if not self._is_read:
            self._is_read = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def send(self, message: Mapping[str, Any]) -> None:
        """Hand a part of the answer to the thread."""
        if message["type"] == "http.response.start":
            self._events.put(Start(message["status"], list(message.get("headers", ()))))
        elif message["type"] == "http.response.body":
            self._events.put(Piece(message.get("body", b""), not message.get("more_body", False)))

    async def run(self, function: Callable[[], T]) -> T:
        """Have the thread do something; its answer, or what it raises."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._events.put(Work(function, done))
        return await done

    def end(self) -> None:
        """Nothing more comes, whatever was sent."""
        self._events.put(None)

    # --- in the thread of the request ---

    def list_events(self) -> Iterator[Start | Piece]:
        """The answer as it comes; work is done on the way. Raises LoopEnded when it breaks off."""
        while True:
            event = self._events.get()
            if event is None:
                raise LoopEnded
            if isinstance(event, Work):
                self._carry_out(event)
                continue
            yield event
            if isinstance(event, Piece) and event.is_last:
                return

    def _carry_out(self, work: Work) -> None:
        try:
            answer = work.function()
        except Exception as error:  # it belongs to the one who waits for it
            self._loop.call_soon_threadsafe(_fail, work.done, error)
        else:
            self._loop.call_soon_threadsafe(_finish, work.done, answer)


def _finish(done: asyncio.Future[Any], answer: Any) -> None:
    if not done.done():
        done.set_result(answer)


def _fail(done: asyncio.Future[Any], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
