"""All rows of a user without holding them: a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from django.conf import settings

from memory.tenants.scope import tenant_scope
from memory.types import UserRef

Row = TypeVar("Row")


def read_in_pages(user: UserRef, read: Callable[[Row | None, int], list[Row]]) -> Iterator[Row]:
    """Rows one by one, at most a page of them in memory, each page in a short transaction of its own (SPEC M-7).

    `read` gets the last row of the page before (None at first) and how many to answer: those that follow it. Between
    two pages no lock and no snapshot is held, so rows that come meanwhile may or may not be met. Reads only.
    """
    last: Row | None = None
    while True:
        with tenant_scope(user.tenant_id):
            page = read(last, settings.UNDE_TUNING.EXPORT_ROWS_AT_ONCE)
        yield from page
        if len(page) < settings.UNDE_TUNING.EXPORT_ROWS_AT_ONCE:
            return
        last = page[-1]
