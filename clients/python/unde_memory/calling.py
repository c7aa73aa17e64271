"""A call is declared, and this is what sends it: the only place that knows how.

    @post("/v1/decisions/{decision}/state")
    def change_decision_state(self, decision: str, *, state: NewState, at: datetime | None = UNSET) -> ProjectDecision:
        \"""Give a decision a state.\"""

is a whole call of both clients: `memory.change_decision_state(...)` answers a `ProjectDecision` with `Memory`, and is
awaited for one with `AsyncMemory`. The name of an argument says where it goes:

- a name of the path goes there, percent-encoded;
- `idempotency_key` is a header, made here where the caller gives none: so the call is safe to send again;
- all others are the query of a GET and the body of anything else. A `_` at the end keeps a name off Python's words.

What is left out is not sent; None is null in a body, but no `id` is: with `makes_id` one is made where the caller gives
none. What the signature returns is what the answer is read as. All of it is found out when a call is first made.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Coroutine
from string import Formatter
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from unde_memory.transport import operation
from unde_memory.writing import UNSET, fill, new_id, once

if TYPE_CHECKING:
    from unde_memory.async_client import AsyncMemory
    from unde_memory.sync_client import Memory

P = ParamSpec("P")
T = TypeVar("T")


class Call(Generic[P, T]):
    """A declared call. A client has a method of its own kind in its place, which `__get__` tells type checkers."""

    def __init__(self, method: str, path: str, declared: Callable[Concatenate[Any, P], T], makes_id: bool) -> None:
        self.method, self.path, self.makes_id, self.declared = method, path, makes_id, declared
        self.in_path = [name for _, name, _, _ in Formatter().parse(path) if name]

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
        return self

    def make_method(self, *, is_over_asyncio: bool) -> Callable[..., Any]:
        """The method of a client, with the name, the signature and the words of the declaration."""

        @functools.wraps(self.declared)
        def send(client: Any, /, *args: Any, **named: Any) -> Any:
            return client.request(self.method, **self._write(client, args, named))

        @functools.wraps(self.declared)
        async def send_and_wait(client: Any, /, *args: Any, **named: Any) -> Any:
            return await client.request(self.method, **self._write(client, args, named))

        return operation(f"{self.method} {self.path}")(send_and_wait if is_over_asyncio else send)

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
        if self.makes_id:
            values["id"] = values.get("id") or new_id()
        elif values.get("id", UNSET) is None:
            del values["id"]
        has_body = {*names} - {*self.in_path, "idempotency_key"}
        return {"path": path, "kind": kind, "body": values if has_body else UNSET, "headers": headers}


class Calls:
    """A group of declarations, which a client takes over by having it as a base."""

    def __init_subclass__(cls) -> None:
        """Make the methods of a client: of a class that has `request`."""
        if "request" not in vars(cls):
            return
        is_over_asyncio = inspect.iscoroutinefunction(vars(cls)["request"])
        for group in cls.__mro__:
            for name, call in list(vars(group).items()):
                if isinstance(call, Call) and getattr(cls, name) is call:
                    setattr(cls, name, call.make_method(is_over_asyncio=is_over_asyncio))


def declare(method: str, path: str, makes_id: bool = False) -> Callable[[Callable[Concatenate[Any, P], T]], Call[P, T]]:
    """Makes a call of a signature without a body."""
    return lambda declared: Call(method, path, declared, makes_id)


get = functools.partial(declare, "GET")
post = functools.partial(declare, "POST")
put = functools.partial(declare, "PUT")
patch = functools.partial(declare, "PATCH")
delete = functools.partial(declare, "DELETE")
