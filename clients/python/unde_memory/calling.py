"""A call is declared, and this is what sends it: the only place that knows how.

    @post("/v1/decisions/{decision}/state")
    def change_decision_state(
        self, decision: str, *, state: NewState, at: OptNone[datetime] = UNSET
    ) -> ProjectDecision:
        \"""Give a decision a state.\"""

is a whole call of both clients: `memory.change_decision_state(...)` answers a `ProjectDecision` of `Memory`, and is
awaited for one of `AsyncMemory`. The name of an argument says where it goes:

- a name of the path goes there, percent-encoded;
- `idempotency_key` is a header, made here where the caller gives none: so the call is safe to send again;
- all others are the query of a GET and the body of anything else. A `_` at the end keeps a name off Python's words.

What is left out is not sent; None is null in a body. With `makes_id` an `id` is made where the caller gives none. What
the signature returns is what the answer is read as. All of it is found out when a call is first made, and kept.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Coroutine
from string import Formatter
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, Union, overload

from unde_memory.writing import UNSET, UnsetType, fill, new_id, once

if TYPE_CHECKING:
    from unde_memory.async_client import AsyncMemory
    from unde_memory.sync_client import Memory

P = ParamSpec("P")
T = TypeVar("T")
Opt = Union[T, UnsetType]  # noqa: UP007
"""Of an argument that may be left out."""
OptNone = Union[T, UnsetType, None]  # noqa: UP007
"""Of an argument that may be left out, or be null."""


class Call(Generic[P, T]):
    """A declared call: an attribute of both clients, of each a method of its own kind."""

    def __init__(self, method: str, path: str, declared: Callable[Concatenate[Any, P], T], makes_id: bool) -> None:
        self.method, self.path, self.makes_id, self.declared = method, path, makes_id, declared
        self.in_path = [name for _, name, _, _ in Formatter().parse(path) if name]
        self._over_threads, self._over_asyncio = self._make_methods()

    @overload
    def __get__(self, client: AsyncMemory, owner: Any) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: Memory, owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: None, owner: type[AsyncMemory]
    ) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, owner: type[Memory]) -> Callable[Concatenate[Memory, P], T]: ...

    def __get__(self, client: Any, owner: Any) -> Any:
        """The method, as Python finds it: of a client (`memory.context`) or of its class (`Memory.context`)."""
        is_over_asyncio = inspect.iscoroutinefunction(owner.request)
        method = self._over_asyncio if is_over_asyncio else self._over_threads
        return method if client is None else types.MethodType(method, client)

    def _make_methods(self) -> tuple[Callable[..., T], Callable[..., Coroutine[Any, Any, T]]]:
        """The method of each client, with the name, the signature and the words of the declaration."""

        @functools.wraps(self.declared)
        def send(client: Any, /, *args: Any, **named: Any) -> Any:
            return client.request(self.method, **self._write(client, args, named))

        @functools.wraps(self.declared)
        async def send_and_wait(client: Any, /, *args: Any, **named: Any) -> Any:
            return await client.request(self.method, **self._write(client, args, named))

        for method in (send, send_and_wait):
            vars(method)["operation"] = f"{self.method} {self.path}"
        return send, send_and_wait

    @functools.cached_property
    def _plan(self) -> tuple[list[str], Any]:
        """The names of all arguments in their order, and what the answer is."""
        kind = typing.get_type_hints(self.declared)["return"]
        return list(inspect.signature(self.declared).parameters)[1:], None if kind is type(None) else kind

    def _write(self, client: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """What `client.request` is given. Raises TypeError as any function does, BadRequest for an id of the path."""
        self.declared(client, *args, **named)  # does nothing but refuse an argument too many or too few
        names, kind = self._plan
        named.update(zip(names, args, strict=False))
        given = {name: named[name] for name in names if name in named}
        path = fill(self.path, **{name: given.pop(name) for name in self.in_path})
        key = given.pop("idempotency_key", None)
        headers = once(key) if "idempotency_key" in names else None
        values = {name.removesuffix("_"): value for name, value in given.items()}
        if self.method == "GET":
            return {"path": path, "kind": kind, "query": values, "headers": headers}
        if values.get("id", UNSET) in (None, UNSET):
            values["id"] = new_id() if self.makes_id else UNSET
        has_body = {*names} - {*self.in_path, "idempotency_key"}
        return {"path": path, "kind": kind, "body": values if has_body else UNSET, "headers": headers}


def declare(method: str, path: str, makes_id: bool = False) -> Callable[[Callable[Concatenate[Any, P], T]], Call[P, T]]:
    """Makes a call of a signature without a body."""
    return lambda declared: Call(method, path, declared, makes_id)


get = functools.partial(declare, "GET")
post = functools.partial(declare, "POST")
put = functools.partial(declare, "PUT")
patch = functools.partial(declare, "PATCH")
delete = functools.partial(declare, "DELETE")
