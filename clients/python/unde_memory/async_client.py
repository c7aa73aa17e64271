"""The client over asyncio. The one over threads is made from this file by `scripts/make_sync.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from unde_memory import transport
from unde_memory.async_episodes_calls import AsyncEpisodesCalls
from unde_memory.async_events_calls import AsyncEventsCalls
from unde_memory.async_facts_calls import AsyncFactsCalls
from unde_memory.async_imports_calls import AsyncImportsCalls
from unde_memory.async_knowledge_calls import AsyncKnowledgeCalls
from unde_memory.async_messages_calls import AsyncMessagesCalls
from unde_memory.async_project_items_calls import AsyncProjectItemsCalls
from unde_memory.async_projects_calls import AsyncProjectsCalls
from unde_memory.async_sources_calls import AsyncSourcesCalls
from unde_memory.async_users_calls import AsyncUsersCalls
from unde_memory.errors import Unreachable
from unde_memory.transport import UNSET, UnsetType
from unde_memory.types import BatchResults, Fact, Forgotten, Message, Pack, Role, SearchResults, StoredMessage

if TYPE_CHECKING:
    import httpx


class AsyncMemory(
    AsyncMessagesCalls,
    AsyncFactsCalls,
    AsyncUsersCalls,
    AsyncSourcesCalls,
    AsyncImportsCalls,
    AsyncEpisodesCalls,
    AsyncKnowledgeCalls,
    AsyncEventsCalls,
    AsyncProjectsCalls,
    AsyncProjectItemsCalls,
):
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
        self._is_own, self._lost = http is None, httpx.TransportError

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

    async def send(
        self,
        method: str,
        path: str,
        kind: Any,
        *,
        body: Any,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
        content: bytes | None,
    ) -> Any:
        """Send a call, again after failures that may pass, and read its answer as `kind`."""
        response = await self._send(method, path, body=body, query=query, headers=headers, content=content)
        return transport.read_answer(response.content, kind)

    async def stream_lines(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """The JSON objects of an answer of JSON Lines, as they come."""
        async with self._http.stream("GET", self.url + path, headers=self._write_headers(None)) as response:
            if response.status_code >= 400:
                await response.aread()
                raise transport.read_error(response.status_code, response.content, response.headers.get("Retry-After"))
            async for line in response.aiter_lines():
                if line:
                    yield msgspec.json.decode(line)

    async def stream_events(
        self, path: str, *, body: Any, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[tuple[str, str, bytes]]:
        """The server-sent events of a call as they come: name, id, data. Raises Unreachable, and coded errors."""
        wanted = {**self._write_headers(headers), "Content-Type": "application/json"}
        content = transport.write_body(body)
        try:
            async with self._http.stream("POST", self.url + path, content=content, headers=wanted) as response:
                if response.status_code >= 400:
                    await response.aread()
                    after = response.headers.get("Retry-After")
                    raise transport.read_error(response.status_code, response.content, after)
                reader = transport.EventReader()
                async for line in response.aiter_lines():
                    event = reader.read_line(line)
                    if event is not None:
                        yield event
        except self._lost as error:
            raise Unreachable(f"The stream broke: {type(error).__name__}.") from None

    async def aclose(self) -> None:
        """Close connections that are this client's own."""
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(
        self,
        method: str,
        path: str,
        *,
        body: Any,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
        content: bytes | None,
    ) -> httpx.Response:
        data = content if body is UNSET else transport.write_body(body)
        wanted = self._write_headers(headers)
        if data is not None:
            wanted.setdefault("Content-Type", "application/json")
        parameters = transport.write_query(query or {})
        for attempt in range(self.retries + 1):
            is_last = attempt == self.retries
            try:
                response = await self._http.request(
                    method, self.url + path, params=parameters, content=data, headers=wanted
                )
            except self._lost as error:
                if is_last:
                    raise Unreachable(f"No answer from the service: {type(error).__name__}.") from None
                await asyncio.sleep(transport.find_pause(attempt, None))
                continue
            pause = response.headers.get("Retry-After")
            if response.status_code < 400:
                return response
            if is_last or response.status_code not in transport.TRIED_AGAIN:
                raise transport.read_error(response.status_code, response.content, pause)
            await asyncio.sleep(transport.find_pause(attempt, pause))
        raise AssertionError("unreachable")

    def _write_headers(self, more: Mapping[str, str] | None) -> dict[str, Any]:
        named = {} if self.named_user is None else {"X-UNDE-User": self.named_user.encode()}
        return {**self._headers, **named, **(more or {})}


class AsyncUser:
    """One user of the memory."""

    def __init__(self, memory: AsyncMemory, user_id: str) -> None:
        self.memory, self.id = memory, user_id

    async def add(
        self,
        content: str | Sequence[Mapping[str, Any]],
        *,
        conversation: str = "default",
        role: Role = "user",
        id: str | None = None,
        created_at: datetime | UnsetType = UNSET,
        receipt_id: str | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType = UNSET,
        wait_for_index: bool | UnsetType = UNSET,
    ) -> StoredMessage:
        """Store one message, word for word; the answer says which facts it taught."""
        return await self.memory.add_message(
            user_id=self.id,
            conversation_id=conversation,
            role=role,
            content=content,
            id=id or transport.new_id(),
            created_at=created_at,
            receipt_id=receipt_id,
            metadata=metadata,
            wait_for_index=wait_for_index,
        )

    async def add_all(self, messages: Sequence[Mapping[str, Any]], *, conversation: str = "default") -> BatchResults:
        """Store up to 500 messages (`role` and `content`, as chat APIs have them), in order."""
        own = {"user_id": self.id, "conversation_id": conversation}
        return await self.memory.add_messages([{**own, "id": transport.new_id(), **one} for one in messages])

    async def context(self, query: str, *, conversation: str = "default", **options: Any) -> Pack:
        """What one reply needs to know. `pack.to_openai()` and `pack.to_anthropic()` are ready to send."""
        return await self.memory.context(user_id=self.id, conversation_id=conversation, query=query, **options)

    async def search(self, query: str, **options: Any) -> SearchResults:
        """Messages that a question may mean, best first."""
        return await self.memory.search(user_id=self.id, query=query, **options)

    async def facts(
        self, knowledge_type: str | UnsetType = UNSET, *, as_of: datetime | UnsetType = UNSET
    ) -> list[Fact]:
        """What is known now, or was at a moment: all of it."""
        found: list[Fact] = []
        after: str | UnsetType | None = UNSET
        while after is not None:
            page = await self.memory.list_facts(
                self.id, knowledge_type=knowledge_type, as_of=as_of, after=after, limit=200
            )
            found += page.results
            after = page.next
        return found

    async def set_facts(self, *facts: Mapping[str, Any]) -> Any:
        """State facts that the app knows: `knowledge_type`, `value`, and `source` onboarding or explicit."""
        return await self.memory.put_facts(self.id, [{"source": "explicit", **fact} for fact in facts])

    async def forget(
        self,
        query: str | None = None,
        *,
        message_ids: Sequence[str] | None = None,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> Forgotten:
        """Hide messages and what rests on them. A query is planned and then carried out, unless `dry_run`."""
        if message_ids is not None:
            return await self.memory.forget(self.id, message_ids=message_ids, dry_run=dry_run, reason=reason)
        plan = await self.memory.forget(self.id, query=query, dry_run=True)
        if dry_run or plan.plan_id is None:
            return plan
        return await self.memory.forget(self.id, plan_id=plan.plan_id, reason=reason)

    async def messages(self, conversation: str | UnsetType = UNSET) -> list[Message]:
        """Everything that was said, word for word, oldest first."""
        found: list[Message] = []
        after: str | UnsetType | None = UNSET
        while after is not None:
            page = await self.memory.list_messages(self.id, conversation_id=conversation, after=after, limit=200)
            found += page.results
            after = page.next
        return found

    def items(self) -> AsyncMemory:
        """A client whose kept items are this user's."""
        return self.memory.as_user(self.id)


class AsyncSession:
    """One conversation: what is said goes in, and what the next reply needs comes out."""

    def __init__(self, memory: AsyncMemory, user_id: str, conversation_id: str) -> None:
        self.user, self.conversation = AsyncUser(memory, user_id), conversation_id
        self.receipt_id: str | None = None
        """Of the last pack: the reply that is added next names it."""

    async def add(self, content: str, *, role: Role = "user", **more: Any) -> StoredMessage:
        """Store a message. A reply of the assistant names the pack that it was made from."""
        if role == "assistant" and self.receipt_id is not None:
            more.setdefault("receipt_id", self.receipt_id)
            self.receipt_id = None
        return await self.user.add(content, conversation=self.conversation, role=role, **more)

    async def context(self, query: str, **options: Any) -> Pack:
        """What the next reply needs to know."""
        pack = await self.user.context(query, conversation=self.conversation, **options)
        self.receipt_id = pack.receipt_id
        return pack

    async def messages(self) -> list[Message]:
        """What was said in it, oldest first."""
        return await self.user.messages(self.conversation)
