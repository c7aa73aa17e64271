"""`ENGINE = "config.database"`: Django's own backend, but for what taking a connection from the pool costs.

Django asks the server whether a connection still works each time it takes one: a round trip before every request. A
server that has gone has closed its end, and the closed end can be seen without asking: only then is it asked.
"""

from __future__ import annotations

import select
from collections import deque
from typing import Any

from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from psycopg import Connection
from psycopg_pool import ConnectionPool


def check_when_stirred(connection: Connection[Any]) -> None:
    """Leave a silent connection alone; ask one on which something has arrived, as the end of a server does.

    Raises what psycopg raises for a connection that does not work.
    """
    watched = select.poll()
    watched.register(connection.fileno(), select.POLLIN)
    if watched.poll(0):
        ConnectionPool.check_connection(connection)


class LatestFirst(deque[Connection[Any]]):
    """The idle connections of a pool, such that the one used last is taken first.

    The pool's own way is the one idle for longest. What a server process has at hand (plans, pages, the processor's
    caches) is worth a tenth of a search; those that nobody needs are closed after a while (`LatestFirstPool`).
    """

    def append(self, connection: Connection[Any]) -> None:
        """Give a connection back."""
        self.appendleft(connection)


class LatestFirstPool(ConnectionPool[Any]):
    """A pool that gives out the connection used last, and closes the one idle for longest when it has too many."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pool = LatestFirst()

    def _shrink_pool(self) -> None:
        # It closes the first, which is the one idle for longest in its own order only.
        with self._lock:
            if self._nconns > self._min_size and self._nconns_min > 0:
                self._pool.rotate(1)
        super()._shrink_pool()


class DatabaseWrapper(PostgresWrapper):
    """Django's wrapper with a pool of ours. The pool is one a process, shared by its threads."""

    @property
    def pool(self) -> ConnectionPool[Any] | None:
        """The pool, made at its first use; None where settings ask for none."""
        found = self._connection_pools.get(self.alias)
        if found is None and self.settings_dict["OPTIONS"].get("pool") and self.settings_dict["CONN_HEALTH_CHECKS"]:
            options = self.settings_dict["OPTIONS"]["pool"]
            found = LatestFirstPool(
                kwargs={**self.get_connection_params(), "autocommit": True},
                open=False,
                configure=self._configure_connection,
                check=check_when_stirred,
                **({} if options is True else options),
            )
            # Two threads may both make it: one is kept, and the other was never opened.
            found = self._connection_pools.setdefault(self.alias, found)
        return found if found is not None else super().pool
