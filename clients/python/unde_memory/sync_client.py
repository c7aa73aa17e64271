"""The client over threads, made from `async_client.py`: change that one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from unde_memory import transport
from unde_memory.sync_episodes_calls import EpisodesCalls
from unde_memory.sync_events_calls import EventsCalls
from unde_memory.sync_facts_calls import FactsCalls
from unde_memory.sync_imports_calls import ImportsCalls
from unde_memory.sync_knowledge_calls import KnowledgeCalls
from unde_memory.sync_messages_calls import MessagesCalls
from unde_memory.sync_project_items_calls import ProjectItemsCalls
from unde_memory.sync_projects_calls import ProjectsCalls
from unde_memory.sync_sources_calls import SourcesCalls
from unde_memory.sync_users_calls import UsersCalls
from unde_memory.errors import Unreachable
from unde_memory.transport import UNSET, UnsetType
from unde_memory.types import BatchResults, Fact, Forgotten, Message, Pack, Role, SearchResults, StoredMessage

if TYPE_CHECKING:
    import httpx


class Memory(
    MessagesCalls,
    FactsCalls,
    UsersCalls,
    SourcesCalls,
    ImportsCalls,
    EpisodesCalls,
    KnowledgeCalls,
    EventsCalls,
    ProjectsCalls,
    ProjectItemsCalls,
):
    """The memory of your users.

    `Memory(url=..., api_key=...)`, or from `UNDE_URL` and `UNDE_API_KEY`. Every call of the service is a method;
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
        http: httpx.Client | None = None,
    ) -> None:
        """`user` names the user of kept items in each request, where the key does not. `http` is a client of yours."""
        import httpx

        address, secret = transport.find_settings(url, api_key)
        self.url, self.retries, self.named_user = address, retries, user
        self._headers = transport.make_headers(secret)
        self._http = http or httpx.Client(timeout=timeout)
        self._is_own, self._lost = http is None, httpx.TransportError

    def user(self, user_id: str) -> User:
        """One user: add, context, search, facts, forget."""
        return User(self, user_id)

    def session(self, user_id: str, conversation_id: str) -> Session:
        """One conversation of a user."""
        return Session(self, user_id, conversation_id)

    def as_user(self, user_id: str) -> Memory:
        """The same client, whose kept items are of this user."""
        other = Memory.__new__(type(self))
        other.__dict__ = {**self.__dict__, "named_user": user_id, "_is_own": False}
        return other

    def send(
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
        response = self._send(method, path, body=body, query=query, headers=headers, content=content)
        return transport.read_answer(response.content, kind)

    def stream_lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The JSON objects of an answer of JSON Lines, as they come."""
        with self._http.stream("GET", self.url + path, headers=self._write_headers(None)) as response:
            if response.status_code >= 400:
                response.read()
                raise transport.read_error(response.status_code, response.content, response.headers.get("Retry-After"))
            for line in response.iter_lines():
                if line:
                    yield msgspec.json.decode(line)

    def stream_events(
        self, path: str, *, body: Any, headers: Mapping[str, str] | None = None
    ) -> Iterator[tuple[str, str, bytes]]:
        """The server-sent events of a call as they come: name, id, data. Raises Unreachable, and coded errors."""
        wanted = {**self._write_headers(headers), "Content-Type": "application/json"}
        content = transport.write_body(body)
        try:
            with self._http.stream("POST", self.url + path, content=content, headers=wanted) as response:
                if response.status_code >= 400:
                    response.read()
                    after = response.headers.get("Retry-After")
                    raise transport.read_error(response.status_code, response.content, after)
                reader = transport.EventReader()
                for line in response.iter_lines():
                    event = reader.read_line(line)
                    if event is not None:
                        yield event
        except self._lost as error:
            raise Unreachable(f"The stream broke: {type(error).__name__}.") from None

    def close(self) -> None:
        """Close connections that are this client's own."""
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(
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
                response = self._http.request(
                    method, self.url + path, params=parameters, content=data, headers=wanted
                )
            except self._lost as error:
                if is_last:
                    raise Unreachable(f"No answer from the service: {type(error).__name__}.") from None
                time.sleep(transport.find_pause(attempt, None))
                continue
            pause = response.headers.get("Retry-After")
            if response.status_code < 400:
                return response
            if is_last or response.status_code not in transport.TRIED_AGAIN:
                raise transport.read_error(response.status_code, response.content, pause)
            time.sleep(transport.find_pause(attempt, pause))
        raise AssertionError("unreachable")

    def _write_headers(self, more: Mapping[str, str] | None) -> dict[str, Any]:
        named = {} if self.named_user is None else {"X-UNDE-User": self.named_user.encode()}
        return {**self._headers, **named, **(more or {})}


class User:
    """One user of the memory."""

    def __init__(self, memory: Memory, user_id: str) -> None:
        self.memory, self.id = memory, user_id

    def add(
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
        return self.memory.add_message(
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

    def add_all(self, messages: Sequence[Mapping[str, Any]], *, conversation: str = "default") -> BatchResults:
        """Store up to 500 messages (`role` and `content`, as chat APIs have them), in order."""
        own = {"user_id": self.id, "conversation_id": conversation}
        return self.memory.add_messages([{**own, "id": transport.new_id(), **one} for one in messages])

    def context(self, query: str, *, conversation: str = "default", **options: Any) -> Pack:
        """What one reply needs to know. `pack.to_openai()` and `pack.to_anthropic()` are ready to send."""
        return self.memory.context(user_id=self.id, conversation_id=conversation, query=query, **options)

    def search(self, query: str, **options: Any) -> SearchResults:
        """Messages that a question may mean, best first."""
        return self.memory.search(user_id=self.id, query=query, **options)

    def facts(
        self, knowledge_type: str | UnsetType = UNSET, *, as_of: datetime | UnsetType = UNSET
    ) -> list[Fact]:
        """What is known now, or was at a moment: all of it."""
        found: list[Fact] = []
        after: str | UnsetType | None = UNSET
        while after is not None:
            page = self.memory.list_facts(
                self.id, knowledge_type=knowledge_type, as_of=as_of, after=after, limit=200
            )
            found += page.results
            after = page.next
        return found

    def set_facts(self, *facts: Mapping[str, Any]) -> Any:
        """State facts that the app knows: `knowledge_type`, `value`, and `source` onboarding or explicit."""
        return self.memory.put_facts(self.id, [{"source": "explicit", **fact} for fact in facts])

    def forget(
        self,
        query: str | None = None,
        *,
        message_ids: Sequence[str] | None = None,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> Forgotten:
        """Hide messages and what rests on them. A query is planned and then carried out, unless `dry_run`."""
        if message_ids is not None:
            return self.memory.forget(self.id, message_ids=message_ids, dry_run=dry_run, reason=reason)
        plan = self.memory.forget(self.id, query=query, dry_run=True)
        if dry_run or plan.plan_id is None:
            return plan
        return self.memory.forget(self.id, plan_id=plan.plan_id, reason=reason)

    def messages(self, conversation: str | UnsetType = UNSET) -> list[Message]:
        """Everything that was said, word for word, oldest first."""
        found: list[Message] = []
        after: str | UnsetType | None = UNSET
        while after is not None:
            page = self.memory.list_messages(self.id, conversation_id=conversation, after=after, limit=200)
            found += page.results
            after = page.next
        return found

    def items(self) -> Memory:
        """A client whose kept items are this user's."""
        return self.memory.as_user(self.id)


class Session:
    """One conversation: what is said goes in, and what the next reply needs comes out."""

    def __init__(self, memory: Memory, user_id: str, conversation_id: str) -> None:
        self.user, self.conversation = User(memory, user_id), conversation_id
        self.receipt_id: str | None = None
        """Of the last pack: the reply that is added next names it."""

    def add(self, content: str, *, role: Role = "user", **more: Any) -> StoredMessage:
        """Store a message. A reply of the assistant names the pack that it was made from."""
        if role == "assistant" and self.receipt_id is not None:
            more.setdefault("receipt_id", self.receipt_id)
            self.receipt_id = None
        return self.user.add(content, conversation=self.conversation, role=role, **more)

    def context(self, query: str, **options: Any) -> Pack:
        """What the next reply needs to know."""
        pack = self.user.context(query, conversation=self.conversation, **options)
        self.receipt_id = pack.receipt_id
        return pack

    def messages(self) -> list[Message]:
        """What was said in it, oldest first."""
        return self.user.messages(self.conversation)
