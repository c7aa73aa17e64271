"""The client over asyncio. The one over threads is made from this file by `scripts/make_sync.py`."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import msgspec

from unde_memory import transport, writing
from unde_memory.async_user import AsyncSession, AsyncUser
from unde_memory.calls import EventsCalls, KnowledgeCalls, MessagesCalls, ProjectsCalls, UsersCalls
from unde_memory.errors import UnexpectedAnswer, Unreachable, make_error
from unde_memory.transport import operation
from unde_memory.types import AskEvent, BatchResults, ChatEvent, Imported, Operation
from unde_memory.writing import UNSET, fill, new_id, once, write_rows

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
Format = Literal["unde", "jsonl", "mem0", "zep", "hindsight"]


class AsyncMemory(MessagesCalls, UsersCalls, KnowledgeCalls, EventsCalls, ProjectsCalls):
    """The memory of your users.

    `AsyncMemory(url=..., api_key=...)`, or from `UNDE_URL` and `UNDE_API_KEY`. Every call of the service is a method;
    `user` is the short way. Requests are tried again after failures that may pass: each write carries an id, so that
    nothing is stored twice. Raises `UndeError`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = transport.DEFAULT_TIMEOUT,
        retries: int = transport.DEFAULT_RETRIES,
        user: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """`user` names the user of kept items in each request, where the key does not. `http` is a client of yours."""
        import httpx

        address, secret = transport.find_settings(url, api_key)
        self.url, self.retries, self.named_user = address, retries, user
        self._headers = transport.make_headers(secret)
        self._http = http or httpx.AsyncClient(timeout=timeout)
        self._is_own, self._lost = http is None, httpx.RequestError

    def user(self, user_id: str) -> AsyncUser:
        """One user: add, context, search, facts, forget."""
        return AsyncUser(self, user_id)

    def session(self, user_id: str, conversation_id: str) -> AsyncSession:
        """One conversation of a user."""
        return AsyncSession(self, user_id, conversation_id)

    def as_user(self, user_id: str) -> AsyncMemory:
        """The same client, whose kept items are of this user."""
        other = AsyncMemory.__new__(type(self))
        other.__dict__ = {**self.__dict__, "named_user": user_id, "_is_own": False}
        return other

    async def aclose(self) -> None:
        """Close connections that are this client's own."""
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    @overload
    async def request(
        self,
        method: str,
        path: str,
        kind: type[T],
        *,
        body: Any = UNSET,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> T: ...

    @overload
    async def request(
        self,
        method: str,
        path: str,
        kind: Any = Any,
        *,
        body: Any = UNSET,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> Any: ...

    async def request(
        self,
        method: str,
        path: str,
        kind: Any = Any,
        *,
        body: Any = UNSET,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> Any:
        """Any call of the service, again after failures that may pass; its answer as `kind`, None for None.

        All methods are made of this one; call it for what has no method here yet.
        """
        data = content if body is UNSET else writing.write_body(body)
        parameters, wanted = writing.write_query(query or {}), self._write_headers(headers, data)
        for attempt in itertools.count():
            is_last = attempt >= self.retries
            try:
                response = await self._http.request(
                    method, f"{self.url}/{path.removeprefix('/')}", params=parameters, content=data, headers=wanted
                )
            except self._lost as error:
                if is_last:
                    raise Unreachable(f"No answer from the service: {type(error).__name__}.") from None
                await asyncio.sleep(transport.find_pause(attempt, None))
                continue
            if response.status_code < 300:
                return transport.read_answer(response.content, kind)
            pause = response.headers.get("Retry-After")
            if is_last or response.status_code not in transport.TRIED_AGAIN:
                raise transport.read_error(response.status_code, response.content, pause)
            await asyncio.sleep(transport.find_pause(attempt, pause))
        raise AssertionError("unreachable")

    async def stream_lines(self, path: str) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of an answer of JSON Lines, as they come. Raises Unreachable, and coded errors."""
        async with aclosing(self._stream("GET", path, None, None)) as lines:
            async for line in lines:
                if line:
                    yield transport.read_answer(line, dict[str, Any])

    async def stream_events(
        self, path: str, *, body: Any, headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[tuple[str, str, bytes], None]:
        """The server-sent events of a call as they come: name, id, data. Raises Unreachable, and coded errors."""
        reader = transport.EventReader()
        async with aclosing(self._stream("POST", path, writing.write_body(body), headers)) as lines:
            async for line in lines:
                event = reader.read_line(line.decode(errors="replace"))
                if event is not None:
                    yield event

    async def _stream(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str] | None
    ) -> AsyncGenerator[bytes, None]:
        """The lines of an answer as they come."""
        wanted, lines = self._write_headers(headers, content), transport.LineReader()
        try:
            async with self._http.stream(method, self.url + path, content=content, headers=wanted) as response:
                if response.status_code >= 300:
                    await response.aread()
                    pause = response.headers.get("Retry-After")
                    raise transport.read_error(response.status_code, response.content, pause)
                async for piece in response.aiter_bytes():
                    for line in lines.read(piece):
                        yield line
                yield lines.rest
        except self._lost as error:
            raise Unreachable(f"The stream broke: {type(error).__name__}.") from None

    def _write_headers(self, more: Mapping[str, str] | None, content: bytes | None) -> dict[str, str]:
        typed = {} if content is None else {"Content-Type": "application/json"}
        return {**self._headers, **typed, **(more or {}), **writing.name_user(self.named_user)}

    # What is more than one request and its answer is written out from here on.

    @operation("POST /v1/messages/batch")
    async def add_messages(self, messages: Sequence[Mapping[str, Any]]) -> BatchResults:
        """Store up to 500 messages; one bad item does not lose the others. Those without an id get one here."""
        return await self.request("POST", "/v1/messages/batch", BatchResults, body={"messages": write_rows(messages)})

    @operation("GET /v1/users/{user_id}/export")
    async def export(self, user_id: str) -> AsyncGenerator[dict[str, Any], None]:
        """Everything that is stored about a user, as JSON Lines."""
        async with aclosing(self.stream_lines(fill("/v1/users/{user_id}/export", user_id=user_id))) as lines:
            async for line in lines:
                yield line

    async def stream_chat(
        self,
        *,
        user_id: str,
        conversation_id: str,
        message: str,
        id: str | None = None,
        corpora: Sequence[str] = UNSET,
        project_id: str | None = UNSET,
        skills: Sequence[str] | None = UNSET,
    ) -> AsyncGenerator[ChatEvent, None]:
        """As `chat`, the reply as it is made. A stream that breaks is taken up where it was, a few times.

        Raises what the service refuses, also in the middle: then the same call with the same `id` goes on.
        """
        body = {
            "user_id": user_id,
            "conversation_id": conversation_id,
            "message": message,
            "id": id or new_id(),
            "stream": True,
            "corpora": corpora,
            "project_id": project_id,
            "skills": skills,
        }
        last = ""
        for attempt in range(transport.STREAM_TRIES):
            try:
                headers = {"Last-Event-ID": last} if last else None
                async with aclosing(self.stream_events("/v1/chat", body=body, headers=headers)) as events:
                    async for name, event_id, data in events:
                        last = event_id or last
                        event = transport.read_event(name, data, ChatEvent)
                        yield event
                        if event.kind == "reply":
                            return
                raise Unreachable("The stream ended too early.")
            except Unreachable:
                if attempt + 1 == transport.STREAM_TRIES:
                    raise
            await asyncio.sleep(transport.find_pause(attempt, None))

    async def stream_ask(
        self,
        *,
        corpus: str,
        query: str,
        user_id: str | None = UNSET,
        conversation_id: str | None = UNSET,
        history: Sequence[str] = UNSET,
        style_hint: Literal["auto", "list", "text"] = UNSET,
        model: str | None = UNSET,
        as_of: datetime | None = UNSET,
    ) -> AsyncGenerator[AskEvent, None]:
        """As `ask`: the text as it is made, then the whole answer. Raises what the service refuses, and Unreachable."""
        body = {
            "corpus": corpus,
            "query": query,
            "user_id": user_id,
            "conversation_id": conversation_id,
            "history": history,
            "style_hint": style_hint,
            "stream": True,
            "model": model,
            "as_of": as_of,
        }
        async with aclosing(self.stream_events("/v1/ask", body=body)) as events:
            async for name, _, data in events:
                event = transport.read_event(name, data, AskEvent)
                yield event
                if event.answer is not None:
                    return
        raise Unreachable("The stream ended too early.")

    @operation("POST /v1/users/{user_id}/import")
    async def import_lines(
        self,
        user_id: str,
        lines: bytes,
        *,
        format: Format = UNSET,
        idempotency_key: str | None = None,
        timeout: float = 600.0,
    ) -> Imported:
        """Import a user's memory: JSON Lines of our export, plain messages, or another system's export.

        Returns when it is over. A large file is taken by a worker of the service, and is waited for.
        """
        answer = await self._send_lines(user_id, lines, format, once(idempotency_key))
        if "kind" not in answer:
            return msgspec.convert(answer, Imported)
        done = await self.wait_for_operation(answer["id"], timeout=timeout)
        if done.result is None:
            raise UnexpectedAnswer("the import is over and says nothing of what it stored")
        return done.result

    async def start_import(
        self, user_id: str, lines: bytes, *, format: Format = UNSET, idempotency_key: str | None = None
    ) -> Operation:
        """As `import_lines`, and return at once: `wait_for_operation(started.id)` says what it stored."""
        headers = {**once(idempotency_key), "Prefer": "respond-async"}
        return msgspec.convert(await self._send_lines(user_id, lines, format, headers), Operation, strict=False)

    async def _send_lines(
        self, user_id: str, lines: bytes, format: Format, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        path = fill("/v1/users/{user_id}/import", user_id=user_id)
        query = {"format": format}
        return await self.request("POST", path, dict[str, Any], query=query, content=lines, headers=headers)

    async def wait_for_operation(self, operation_id: str, *, timeout: float = 600.0) -> Operation:
        """Ask until the work is over, ever less often, and answer it as it ended.

        Raises the coded error of work that failed, and TimeoutError after `timeout` seconds: it goes on all the same.
        """
        pause, waited = 0.2, 0.0
        while True:
            found = await self.get_operation(operation_id)
            if (failed := found.error) is not None:
                raise make_error(status=0, code=failed.code, message=failed.message, fields=failed.fields)
            if found.is_over:
                return found
            if waited >= timeout:
                raise TimeoutError(f"operation {operation_id} is not over after {timeout:g} seconds")
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(pause * 1.5, 5.0)
