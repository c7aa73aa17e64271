from collections.abc import Callable
from typing import Any, TypeVar

_Column = TypeVar("_Column", bound=Callable[..., Any])

def display(
    *,
    description: str | None = ...,
    ordering: str | None = ...,
    boolean: bool | None = ...,
    empty_value: str | None = ...,
) -> Callable[[_Column], _Column]: ...
