"""What calls are made over: the client gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, overload

from unde_memory.transport import UNSET

T = TypeVar("T")


class Sending:
    """Sends a call and streams an answer."""

    @overload
    def request(
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
    def request(
        self,
        method: str,
        path: str,
        kind: Any = None,
        *,
        body: Any = UNSET,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> Any: ...

    def request(
        self,
        method: str,
        path: str,
        kind: Any = None,
        *,
        body: Any = UNSET,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> Any:
        """Any call of the service, its answer as `kind`: for what has no method here yet."""
        return self.send(method, path, kind, body=body, query=query, headers=headers, content=content)

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
        """Send it; see the client."""
        raise NotImplementedError

    def stream_lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects of an answer of JSON Lines; see the client."""
        raise NotImplementedError

    def stream_events(
        self, path: str, *, body: Any, headers: Mapping[str, str] | None = None
    ) -> Iterator[tuple[str, str, bytes]]:
        """The server-sent events of a call: name, id, data; see the client."""
        raise NotImplementedError
