"""The one way to open a transaction: inside a tenant (D-14)."""

from __future__ import annotations

from contextlib import ContextDecorator
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, transaction

_current: ContextVar[UUID | None] = ContextVar("unde_tenant_id", default=None)

# Old values are read by the statement that sets the new ones: a select list is evaluated from left to right.
_ENTER: Final = """
SELECT current_setting('app.tenant_id', true), current_setting('statement_timeout'),
       set_config('app.tenant_id', %s, true),
       set_config('statement_timeout', coalesce(%s, current_setting('statement_timeout')), true)
"""
SCOPE: Final = (
    "(SELECT set_config('app.tenant_id', %s, true) AS tenant_id, set_config('statement_timeout', %s, true)) scope"
)
"""What the first statement of an `opens_with_statement` scope reads from; its values: tenant, milliseconds (as text).

It goes on by `LATERAL ...(scope.tenant_id::uuid, ...)`, so that the tenant is set before anything is read.
"""
_RESTORE: Final = "SELECT set_config('app.tenant_id', %s, true), set_config('statement_timeout', %s, true)"


def current_tenant_id() -> UUID | None:
    """The tenant of the innermost open scope of this thread, or None outside of any."""
    return _current.get()


class tenant_scope(ContextDecorator):
    """Open a transaction in which the service sees one tenant's rows and no others (SPEC A-1, D-14).

    Inside another scope it is a savepoint, and the outer tenant and time limit are back when it ends. Without
    `statement_timeout_ms` the limit in force stays. Commits when the block ends, rolls back when it raises. Usable
    as a decorator. With `opens_with_statement` the first statement of the block sets the tenant itself, by `SCOPE`:
    a statement fewer on the hottest path; one that forgets it sees no row.
    """

    def __init__(
        self,
        tenant_id: UUID | str,
        *,
        statement_timeout_ms: int | None = None,
        using: str = DEFAULT_DB_ALIAS,
        opens_with_statement: bool = False,
    ) -> None:
        self.tenant_id = tenant_id if isinstance(tenant_id, UUID) else UUID(tenant_id)
        self.statement_timeout_ms = statement_timeout_ms
        self.using = using
        self.opens_with_statement = opens_with_statement
        self._outer: tuple[str | None, str] | None = None
        self._outer_id: UUID | None = None

    def _recreate_cm(self) -> Self:
        return type(self)(
            self.tenant_id,
            statement_timeout_ms=self.statement_timeout_ms,
            using=self.using,
            opens_with_statement=self.opens_with_statement,
        )

    def __enter__(self) -> Self:
        connection = connections[self.using]
        is_nested = connection.in_atomic_block
        self._atomic = transaction.atomic(using=self.using)
        self._atomic.__enter__()
        if is_nested or not self.opens_with_statement:
            try:
                outer = self._enter_tenant()
            except BaseException as error:
                self._atomic.__exit__(type(error), error, error.__traceback__)
                raise
            self._outer = outer if is_nested else None
        self._outer_id = _current.get()
        _current.set(self.tenant_id)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Not by token: a streamed answer may be closed in another context than it was opened in.
        _current.set(self._outer_id)
        try:
            self._leave_tenant(has_failed=kind is not None)
        except BaseException as failure:
            self._atomic.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._atomic.__exit__(kind, error, traceback)

    def _enter_tenant(self) -> tuple[str | None, str]:
        timeout = None if self.statement_timeout_ms is None else str(self.statement_timeout_ms)
        with connections[self.using].cursor() as cursor:
            cursor.execute(_ENTER, [str(self.tenant_id), timeout])
            row = cursor.fetchone()
        return row[0], row[1]

    def _leave_tenant(self, *, has_failed: bool) -> None:
        # A rollback to the savepoint, and the end of the transaction, take the values back by themselves.
        connection = connections[self.using]
        if self._outer is None or has_failed or connection.needs_rollback:
            return
        with connection.cursor() as cursor:
            cursor.execute(_RESTORE, [self._outer[0] or "", self._outer[1]])
