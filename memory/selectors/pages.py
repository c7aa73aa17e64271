"""All rows of a user without holding them: a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from django.conf import settings
from django.db import models

from memory.tenants.scope import tenant_scope
from memory.types import UserRef

Row = TypeVar("Row")
Stored = TypeVar("Stored", bound=models.Model)


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


def read_rows(user: UserRef, model: type[Stored]) -> Iterator[Stored]:
    """A user's rows of a table in the order of their ids, as `read_in_pages` reads them."""

    def read(last: Stored | None, limit: int) -> list[Stored]:
        rows = model._default_manager.filter(user_id=user.id)
        return list((rows.filter(id__gt=last.pk) if last else rows).order_by("id")[:limit])

    return read_in_pages(user, read)
