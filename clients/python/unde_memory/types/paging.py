"""Lists, a page at a time."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    """A page of a list; `next` is `after` of the one that follows, None on the last."""

    results: list[T]
    next: str | None = None
