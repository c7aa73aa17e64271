"""User keys as rows of a second database, for installations with several machines (D-15)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from memory.sealing.cipher import KEY_BYTES
from memory.sealing.errors import KeyStoreUnavailable, UserKeyDestroyed
from memory.sealing.keyring import MasterKeyring

_TABLE_LOCK: Final = 7_215_411  # any number that nobody else locks in the key database
_CREATE_TABLE: Final = """
CREATE TABLE IF NOT EXISTS user_key (
  user_id uuid PRIMARY KEY,
  wrapped bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  destroyed_at timestamptz,
  CONSTRAINT a_key_is_there_or_destroyed CHECK ((wrapped IS NULL) = (destroyed_at IS NOT NULL))
)
"""
_INSERT: Final = "INSERT INTO user_key (user_id, wrapped) VALUES (%s, %s) ON CONFLICT (user_id) DO NOTHING"
_LIST: Final = "SELECT user_id FROM user_key WHERE user_id > %s AND wrapped IS NOT NULL ORDER BY user_id LIMIT 1000"
_DESTROY: Final = """
WITH old AS (SELECT wrapped IS NOT NULL AS is_there FROM user_key WHERE user_id = %(user_id)s FOR UPDATE),
     new AS (INSERT INTO user_key (user_id, wrapped, destroyed_at) VALUES (%(user_id)s, NULL, now())
             ON CONFLICT (user_id) DO UPDATE
             SET wrapped = NULL, destroyed_at = coalesce(user_key.destroyed_at, excluded.destroyed_at))
SELECT coalesce((SELECT is_there FROM old), false)
"""


class DatabaseKeyStore:
    """Implements KeyStore over a table `user_key` that it makes itself.

    A destroyed key leaves its row, emptied, as the mark. Its old version stays in the table's file until VACUUM, and
    in that database's log and backups for as long as those are kept: keep them short, and apart from the main ones.
    """

    def __init__(self, url: str, *, keyring: MasterKeyring, timeout_seconds: float = 5.0) -> None:
        self._keyring = keyring
        self._timeout_seconds = timeout_seconds
        self._has_table = False
        self._lock = threading.Lock()
        self._pool: ConnectionPool[psycopg.Connection[tuple[Any, ...]]] = ConnectionPool(
            url, min_size=0, max_size=4, open=False, kwargs={"autocommit": True}, check=ConnectionPool.check_connection
        )

    def close(self) -> None:
        """Close the connections. The store is of no use afterwards."""
        self._pool.close()

    def get(self, user_id: UUID) -> bytes | None:
        """See KeyStore.get."""
        row = self._fetch("SELECT wrapped FROM user_key WHERE user_id = %s", [user_id])
        if row is None:
            return None
        if row[0] is None:
            raise UserKeyDestroyed
        return self._keyring.unwrap(row[0], user_id=user_id)

    def get_or_create(self, user_id: UUID) -> bytes:
        """See KeyStore.get_or_create. Writes a row when the key is new."""
        key = self.get(user_id)
        if key is None:
            with self._connect() as connection:
                connection.execute(_INSERT, [user_id, self._keyring.wrap(os.urandom(KEY_BYTES), user_id=user_id)])
            key = self.get(user_id)
        if key is None:
            raise KeyStoreUnavailable
        return key

    def destroy(self, user_id: UUID) -> bool:
        """See KeyStore.destroy."""
        row = self._fetch(_DESTROY, {"user_id": user_id})
        return bool(row and row[0])

    def is_destroyed(self, user_id: UUID) -> bool:
        """See KeyStore.is_destroyed."""
        return self._fetch("SELECT 1 FROM user_key WHERE user_id = %s AND wrapped IS NULL", [user_id]) is not None

    def holds_key(self, user_id: UUID) -> bool:
        """See KeyStore.holds_key."""
        return self._fetch("SELECT 1 FROM user_key WHERE user_id = %s AND wrapped IS NOT NULL", [user_id]) is not None

    def list(self) -> Iterator[UUID]:
        """See KeyStore.list. Reads pages of 1,000, so that a long rotation holds no cursor open."""
        last = UUID(int=0)
        while True:
            with self._connect() as connection:
                page = connection.execute(_LIST, [last]).fetchall()
            if not page:
                return
            for (user_id,) in page:
                yield user_id
            last = page[-1][0]

    def rewrap(self, user_id: UUID) -> bool:
        """See KeyStore.rewrap. A key destroyed meanwhile stays destroyed: the row must still hold what was read."""
        row = self._fetch("SELECT wrapped FROM user_key WHERE user_id = %s", [user_id])
        if row is None or row[0] is None or self._keyring.get_key_id(row[0]) == self._keyring.current_id:
            return False
        wrapped = self._keyring.wrap(self._keyring.unwrap(row[0], user_id=user_id), user_id=user_id)
        with self._connect() as connection:
            cursor = connection.execute(
                "UPDATE user_key SET wrapped = %s WHERE user_id = %s AND wrapped = %s", [wrapped, user_id, row[0]]
            )
            return cursor.rowcount == 1

    def _fetch(self, statement: str, parameters: Any) -> tuple[Any, ...] | None:
        with self._connect() as connection:
            return connection.execute(statement, parameters).fetchone()

    @contextmanager
    def _connect(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        try:
            self._pool.open()
            with self._pool.connection(timeout=self._timeout_seconds) as connection:
                self._ensure_table(connection)
                yield connection
        except (psycopg.OperationalError, PoolTimeout) as error:
            raise KeyStoreUnavailable from error

    def _ensure_table(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        with self._lock:
            if self._has_table:
                return
            # IF NOT EXISTS alone lets processes that make it at once fail on the catalogue: one after the other.
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_TABLE_LOCK])
                connection.execute(_CREATE_TABLE)
            self._has_table = True
