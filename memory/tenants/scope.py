"""The one way to open a transaction: inside a tenant (D-14)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import ContextDecorator
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction

from memory.database.queries import Query, Rows, send_apart, send_together
from memory.database.statements import execute
from memory.tenants.database_errors import OutcomeUnknown, is_rolled_back

_current: ContextVar[UUID | None] = ContextVar("unde_tenant_id", default=None)
_innermost: ContextVar[tenant_scope | None] = ContextVar("unde_scope", default=None)

# Old values are read by the statement that sets the new ones: a select list is evaluated from left to right.
_ENTER: Final = """
SELECT current_setting('app.tenant_id', true), current_setting('statement_timeout'), enter_tenant_v2(%s, %s)
"""
# The hot paths look everything up by a user's keys: a plan made anew for each user costs as much as the statement.
_ENTER_HOT: Final = f"{_ENTER.rstrip()}, set_config('plan_cache_mode', 'force_generic_plan', true)"
_RESTORE: Final = "SELECT set_config('app.tenant_id', %s, true), set_config('statement_timeout', %s, true)"


def current_tenant_id() -> UUID | None:
    """The tenant of the innermost open scope of this thread, or None outside of any."""
    return _current.get()


def _list_values(tenant_id: UUID, *, statement_timeout_ms: int | None) -> list[Any]:
    """The values of `_ENTER`: tenant, and time limit (None: as it is)."""
    return [str(tenant_id), None if statement_timeout_ms is None else str(statement_timeout_ms)]


def run_in_scope(statements: Sequence[Query]) -> list[Rows]:
    """The rows of each statement, sent together, inside the innermost scope of this thread.

    The first call of a scope that `opens_with_statement` takes BEGIN and the tenant along. Outside of a scope they see
    no row.
    """
    scope = _innermost.get()
    return send_together(statements) if scope is None else scope.run(statements)


def prefetch(statements: Sequence[Query], *, meanwhile: Callable[[], object] | None = None) -> None:
    """Send statements together whose answers are asked for soon: each of them is there for the next `ask`, once.

    For reads that nothing is written between. The same again is not sent again. `meanwhile` as in `send_together`.
    """
    scope = _innermost.get()
    if scope is not None and statements:
        wanted = {statement.name: statement for statement in statements}
        scope.ahead.update(zip(wanted, scope.run(list(wanted.values()), meanwhile=meanwhile), strict=True))


def ask(statement: Query) -> Rows:
    """The rows of a statement, sent now unless `prefetch` had it."""
    scope = _innermost.get()
    if scope is not None and scope.ahead:
        rows = scope.ahead.pop(statement.name, None)
        if rows is not None:
            return rows
    return run_in_scope([statement])[0]


def start_apart(statement: Query, *, share: float) -> Future[list[Rows]] | None:
    """Begin a statement that reads, on another connection at the same time as the first of the innermost scope: for its
    tenant, under a share of its time limit. The rows are the last of the future's.

    None where the scope has begun already or is inside another (what that wrote is not seen elsewhere), and where no
    connection is free.
    """
    scope = _innermost.get()
    return scope.start_apart(statement, share=share) if scope is not None else None


class tenant_scope(ContextDecorator):
    """Open a transaction in which the service sees one tenant's rows and no others (SPEC A-1, D-14).

    Inside another scope it is a savepoint, and the outer tenant and time limit are back when it ends. Without
    `statement_timeout_ms` the limit in force stays. Commits when the block ends, rolls back when it raises.
    Raises OutcomeUnknown where the connection is lost during COMMIT. Usable
    as a decorator. With `opens_with_statement` the tenant is set by the first `run_in_scope` of the block: an exchange
    fewer on the hottest paths; a statement before it sees no row.
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
        self.ahead: dict[Hashable, Rows] = {}
        self._is_entered = False
        self._is_outermost = False
        self._outer: tuple[str | None, str] | None = None
        self._outer_scope: tenant_scope | None = None

    def _recreate_cm(self) -> Self:
        return type(self)(
            self.tenant_id,
            statement_timeout_ms=self.statement_timeout_ms,
            using=self.using,
            opens_with_statement=self.opens_with_statement,
        )

    def run(self, statements: Sequence[Query], *, meanwhile: Callable[[], object] | None = None) -> list[Rows]:
        """As `run_in_scope`, in this scope."""
        if self._is_entered:
            return send_together(statements, using=self.using, meanwhile=meanwhile)
        entry = Query(_ENTER_HOT, self._list_values(), is_binary=False)
        rows = send_together([entry, *statements], using=self.using, meanwhile=meanwhile)
        self._is_entered = True
        return rows[1:]

    def start_apart(self, statement: Query, *, share: float) -> Future[list[Rows]] | None:
        """As the function of this name, in this scope."""
        if self._is_entered or not self._is_outermost or not self.opens_with_statement:
            return None
        limit_ms = None if self.statement_timeout_ms is None else max(1, int(self.statement_timeout_ms * share))
        values = _list_values(self.tenant_id, statement_timeout_ms=limit_ms)
        entry = Query(_ENTER_HOT, values, is_binary=False)
        return send_apart([entry, statement], using=self.using)

    def __enter__(self) -> Self:
        is_nested = connections[self.using].in_atomic_block
        self._is_outermost, self._is_entered = not is_nested, False
        self.ahead = {}
        self._atomic = transaction.atomic(using=self.using)
        self._atomic.__enter__()
        if is_nested or not self.opens_with_statement:
            try:
                outer = self._enter_tenant()
            except BaseException as error:
                self._atomic.__exit__(type(error), error, error.__traceback__)
                raise
            self._outer = outer if is_nested else None
        self._outer_scope = _innermost.get()
        _current.set(self.tenant_id)
        _innermost.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Not by token: a streamed answer may be closed in another context than it was opened in.
        _innermost.set(self._outer_scope)
        _current.set(self._outer_scope.tenant_id if self._outer_scope else None)
        try:
            self._leave_tenant(has_failed=kind is not None)
        except BaseException as failure:
            self._atomic.__exit__(type(failure), failure, failure.__traceback__)
            raise
        try:
            self._atomic.__exit__(kind, error, traceback)
        except DatabaseError as failure:
            if kind is None and self._is_outermost and not is_rolled_back(failure):
                raise OutcomeUnknown from None
            raise

    def _list_values(self) -> list[Any]:
        return _list_values(self.tenant_id, statement_timeout_ms=self.statement_timeout_ms)

    def _enter_tenant(self) -> tuple[str | None, str]:
        row = send_together([Query(_ENTER, self._list_values(), is_binary=False)], using=self.using)[0][0]
        self._is_entered = True
        return row[0], row[1]

    def _leave_tenant(self, *, has_failed: bool) -> None:
        # A rollback to the savepoint, and the end of the transaction, take the values back by themselves.
        connection = connections[self.using]
        if self._outer is None or has_failed or connection.needs_rollback:
            return
        execute(_RESTORE, [self._outer[0] or "", self._outer[1]])
