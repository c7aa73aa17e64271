"""Where the keys of users live: apart from the database, so that no dump or base backup holds them (D-15)."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from memory.sealing.database_keystore import DatabaseKeyStore
from memory.sealing.file_keystore import FileKeyStore
from memory.sealing.key_cache import CachedKeyStore
from memory.sealing.keyring import MasterKeyring
from memory.sealing.types import KeyStore


def get_key_store() -> KeyStore:
    """The key store that the settings name, with this process's cache of unwrapped keys (60 s).

    Raises MasterKeysInvalid when UNDE_MASTER_KEYS cannot be read.
    """
    from django.conf import settings

    return _build_key_store(
        str(settings.UNDE_KEY_DIR), settings.UNDE_KEY_DATABASE_URL, settings.UNDE_MASTER_KEYS, os.getpid()
    )


@lru_cache(maxsize=8)
def _build_key_store(key_dir: str, database_url: str, master_keys: str, process_id: int) -> KeyStore:
    # The process id is part of the key: connections and cached keys must not cross a fork.
    keyring = MasterKeyring.parse(master_keys)
    store: KeyStore = (
        DatabaseKeyStore(database_url, keyring=keyring)
        if database_url
        else FileKeyStore(Path(key_dir), keyring=keyring)
    )
    return CachedKeyStore(store)
