"""A process's short memory of unwrapped keys."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from uuid import UUID

from memory.sealing.types import KeyStore


class CachedKeyStore:
    """A key store that remembers keys for `ttl_seconds`, at most `capacity` of them, and forgets on `destroy`.

    Another process may hold a destroyed key until its time is up: the fence around an erased user stops it before.
    """

    def __init__(
        self,
        store: KeyStore,
        *,
        ttl_seconds: float = 60.0,
        capacity: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._ttl_seconds = ttl_seconds
        self._capacity = capacity
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[UUID, tuple[float, bytes]] = OrderedDict()

    def get(self, user_id: UUID) -> bytes | None:
        """As KeyStore.get, from memory when it was asked for shortly before."""
        key = self._recall(user_id)
        if key is None:
            key = self._store.get(user_id)
            self._remember(user_id, key)
        return key

    def get_or_create(self, user_id: UUID) -> bytes:
        """As KeyStore.get_or_create, from memory when it was asked for shortly before."""
        key = self._recall(user_id)
        if key is None:
            key = self._store.get_or_create(user_id)
            self._remember(user_id, key)
        return key

    def destroy(self, user_id: UUID) -> bool:
        """As KeyStore.destroy; the key leaves this process's memory too."""
        was_there = self._store.destroy(user_id)
        with self._lock:
            self._entries.pop(user_id, None)
        return was_there

    def is_destroyed(self, user_id: UUID) -> bool:
        """As KeyStore.is_destroyed."""
        return self._store.is_destroyed(user_id)

    def holds_key(self, user_id: UUID) -> bool:
        """As KeyStore.holds_key."""
        return self._store.holds_key(user_id)

    def list(self) -> Iterator[UUID]:
        """As KeyStore.list."""
        return self._store.list()

    def rewrap(self, user_id: UUID) -> bool:
        """As KeyStore.rewrap; the key itself stays the same, so the memory of it stays right."""
        return self._store.rewrap(user_id)

    def _recall(self, user_id: UUID) -> bytes | None:
        with self._lock:
            entry = self._entries.get(user_id)
            if entry is None:
                return None
            if entry[0] <= self._clock():
                del self._entries[user_id]
                return None
            return entry[1]

    def _remember(self, user_id: UUID, key: bytes | None) -> None:
        if key is None:
            return
        with self._lock:
            self._entries[user_id] = (self._clock() + self._ttl_seconds, key)
            self._entries.move_to_end(user_id)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
