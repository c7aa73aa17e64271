import base64
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from config.launch import paths
from memory.sealing.database_keystore import DatabaseKeyStore
from memory.sealing.errors import KeyStoreUnavailable, UserKeyDestroyed
from memory.sealing.keyring import MasterKeyring
from memory.sealing.keystore import get_key_store

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
BOB = UUID("01900000-0000-7000-8000-00000000000b")
OLD = "old:" + base64.b64encode(bytes(32)).decode()
NEW = "new:" + base64.b64encode(b"n" * 32).decode()


@pytest.fixture
def url(database_cluster: object, database_name: str) -> Iterator[str]:
    """A second database, of keys alone."""
    name = f"{database_name}_keys"
    with psycopg.connect(paths.database_url("superuser", database="postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")  # type: ignore[arg-type]
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        yield paths.database_url("superuser", database=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]


@pytest.fixture
def store(url: str) -> Iterator[DatabaseKeyStore]:
    store = DatabaseKeyStore(url, keyring=MasterKeyring.parse(OLD))
    yield store
    store.close()


def test_a_key_is_made_once_and_read_by_every_process(store: DatabaseKeyStore, url: str) -> None:
    assert store.get(ALICE) is None
    key = store.get_or_create(ALICE)
    other = DatabaseKeyStore(url, keyring=MasterKeyring.parse(OLD))
    assert other.get(ALICE) == other.get_or_create(ALICE) == key
    assert list(other.list()) == [ALICE]
    other.close()


def test_stores_that_ask_at_once_get_one_key_and_one_table(url: str) -> None:
    barrier, keys = threading.Barrier(3), []

    def make() -> None:
        own = DatabaseKeyStore(url, keyring=MasterKeyring.parse(OLD))
        barrier.wait(timeout=10)
        keys.append(own.get_or_create(ALICE))
        own.close()

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_a_destroyed_key_leaves_a_mark_and_never_comes_back(store: DatabaseKeyStore) -> None:
    store.get_or_create(ALICE)
    assert store.destroy(ALICE) is True
    assert store.destroy(ALICE) is False
    assert store.destroy(BOB) is False
    assert store.is_destroyed(ALICE) and store.is_destroyed(BOB)
    assert list(store.list()) == []
    for user_id in (ALICE, BOB):
        with pytest.raises(UserKeyDestroyed):
            store.get_or_create(user_id)


def test_rewrapping_keeps_the_key_and_skips_what_is_destroyed(store: DatabaseKeyStore, url: str) -> None:
    key = store.get_or_create(ALICE)
    store.get_or_create(BOB)
    store.destroy(BOB)
    both = DatabaseKeyStore(url, keyring=MasterKeyring.parse(f"{NEW},{OLD}"))
    assert (both.rewrap(ALICE), both.rewrap(ALICE), both.rewrap(BOB)) == (True, False, False)
    both.close()
    new = DatabaseKeyStore(url, keyring=MasterKeyring.parse(NEW))
    assert new.get(ALICE) == key
    new.close()


def test_a_store_out_of_reach_says_so(url: str) -> None:
    store = DatabaseKeyStore("host=/nowhere dbname=keys", keyring=MasterKeyring.parse(OLD), timeout_seconds=0.2)
    with pytest.raises(KeyStoreUnavailable):
        store.get(ALICE)
    store.close()


def test_settings_choose_the_store(url: str, settings: Any, tmp_path: Path) -> None:
    settings.UNDE_KEY_DIR = tmp_path / "keys"
    settings.UNDE_KEY_DATABASE_URL = url
    key = get_key_store().get_or_create(ALICE)
    assert not (tmp_path / "keys").exists()
    settings.UNDE_KEY_DATABASE_URL = ""
    assert get_key_store().get_or_create(ALICE) != key
    assert list((tmp_path / "keys").rglob("*.key"))
