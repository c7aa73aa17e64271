import base64
from pathlib import Path
from uuid import UUID

import pytest

from memory.sealing.errors import UserKeyDestroyed
from memory.sealing.file_keystore import FileKeyStore
from memory.sealing.key_cache import CachedKeyStore
from memory.sealing.keyring import MasterKeyring

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
BOB = UUID("01900000-0000-7000-8000-00000000000b")
KEYRING = MasterKeyring.parse("k:" + base64.b64encode(bytes(32)).decode())


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def files(tmp_path: Path) -> FileKeyStore:
    return FileKeyStore(tmp_path, keyring=KEYRING)


def test_a_key_is_read_again_only_when_its_time_is_up(files: FileKeyStore, tmp_path: Path) -> None:
    clock = Clock()
    store = CachedKeyStore(files, ttl_seconds=60, clock=clock)
    key = store.get_or_create(ALICE)
    next(tmp_path.rglob("*.key")).unlink()
    clock.now = 59.0
    assert store.get(ALICE) == key
    clock.now = 60.0
    assert store.get(ALICE) is None


def test_a_destroyed_key_leaves_the_cache_at_once(files: FileKeyStore) -> None:
    store = CachedKeyStore(files, clock=Clock())
    store.get_or_create(ALICE)
    store.destroy(ALICE)
    with pytest.raises(UserKeyDestroyed):
        store.get(ALICE)


def test_the_cache_keeps_no_more_keys_than_its_capacity(files: FileKeyStore, tmp_path: Path) -> None:
    store = CachedKeyStore(files, capacity=1, clock=Clock())
    store.get_or_create(ALICE)
    bobs = store.get_or_create(BOB)
    for path in tmp_path.rglob("*.key"):
        path.unlink()
    assert store.get(ALICE) is None
    assert store.get(BOB) == bobs


def test_that_a_user_has_no_key_is_not_remembered(files: FileKeyStore) -> None:
    store = CachedKeyStore(files, clock=Clock())
    assert store.get(ALICE) is None
    files.get_or_create(ALICE)
    assert store.get(ALICE) is not None
