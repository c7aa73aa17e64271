import base64
import multiprocessing
import threading
from pathlib import Path
from uuid import UUID

import pytest

from memory.sealing.errors import KeyStoreUnavailable, UserKeyDestroyed
from memory.sealing.file_keystore import FileKeyStore
from memory.sealing.keyring import MasterKeyring

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
BOB = UUID("01900000-0000-7000-8000-00000000000b")
OLD = "old:" + base64.b64encode(bytes(32)).decode()
NEW = "new:" + base64.b64encode(b"n" * 32).decode()


@pytest.fixture
def store(tmp_path: Path) -> FileKeyStore:
    return FileKeyStore(tmp_path / "keys", keyring=MasterKeyring.parse(OLD))


def test_a_user_has_no_key_until_one_is_made_and_then_always_the_same(store: FileKeyStore, tmp_path: Path) -> None:
    assert store.get(ALICE) is None
    key = store.get_or_create(ALICE)
    assert len(key) == 32
    assert store.get_or_create(ALICE) == key
    assert FileKeyStore(tmp_path / "keys", keyring=MasterKeyring.parse(OLD)).get(ALICE) == key


def test_two_users_have_different_keys(store: FileKeyStore) -> None:
    assert store.get_or_create(ALICE) != store.get_or_create(BOB)
    assert set(store.list()) == {ALICE, BOB}


def test_key_files_are_the_services_alone(store: FileKeyStore, tmp_path: Path) -> None:
    key = store.get_or_create(ALICE)
    paths = [path for path in (tmp_path / "keys").rglob("*") if path.is_file()]
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o600]
    assert paths[0].parent.stat().st_mode & 0o777 == 0o700
    assert key not in paths[0].read_bytes()


def test_a_destroyed_key_is_gone_for_good(store: FileKeyStore, tmp_path: Path) -> None:
    store.get_or_create(ALICE)
    assert store.destroy(ALICE) is True
    assert store.destroy(ALICE) is False
    assert store.is_destroyed(ALICE)
    assert list(store.list()) == []
    with pytest.raises(UserKeyDestroyed):
        store.get(ALICE)
    with pytest.raises(UserKeyDestroyed):
        store.get_or_create(ALICE)
    assert not list((tmp_path / "keys").rglob("*.key"))


def test_what_a_killed_rotation_left_behind_goes_with_the_key(store: FileKeyStore, tmp_path: Path) -> None:
    store.get_or_create(ALICE)
    path = next((tmp_path / "keys").rglob("*.key"))
    leftover = path.with_name(f".{path.name}.abc123")
    leftover.write_bytes(path.read_bytes())
    store.destroy(ALICE)
    assert [found.suffix for found in path.parent.iterdir()] == [".gone"]


def test_a_user_without_a_key_can_be_destroyed_before_the_first_fact(store: FileKeyStore) -> None:
    assert store.destroy(BOB) is False
    with pytest.raises(UserKeyDestroyed):
        store.get_or_create(BOB)


def test_a_key_restored_beside_its_mark_is_not_used(store: FileKeyStore, tmp_path: Path) -> None:
    store.get_or_create(ALICE)
    path = next((tmp_path / "keys").rglob("*.key"))
    copy = path.read_bytes()
    store.destroy(ALICE)
    path.write_bytes(copy)
    with pytest.raises(UserKeyDestroyed):
        store.get(ALICE)


def _create_in_a_process(root: str, barrier: "multiprocessing.synchronize.Barrier", results: object) -> None:
    own = FileKeyStore(Path(root), keyring=MasterKeyring.parse(OLD))
    barrier.wait()
    results.put(own.get_or_create(ALICE))  # type: ignore[attr-defined]


def test_processes_that_ask_at_once_get_one_key(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    arguments = (str(tmp_path / "keys"), barrier, results)
    processes = [context.Process(target=_create_in_a_process, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    keys = {results.get(timeout=30) for _ in processes}
    for process in processes:
        process.join(timeout=30)
    assert len(keys) == 1
    assert not list((tmp_path / "keys").rglob(".*"))


def test_threads_that_make_and_destroy_at_once_leave_no_key(store: FileKeyStore, tmp_path: Path) -> None:
    users = [UUID(int=number) for number in range(40)]
    barrier = threading.Barrier(2)

    def make() -> None:
        for user_id in users:
            barrier.wait(timeout=10)
            try:
                store.get_or_create(user_id)
            except (UserKeyDestroyed, KeyStoreUnavailable):
                continue

    def destroy() -> None:
        for user_id in users:
            barrier.wait(timeout=10)
            store.destroy(user_id)

    threads = [threading.Thread(target=make), threading.Thread(target=destroy)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not list((tmp_path / "keys").rglob("*.key"))
    assert all(store.is_destroyed(user_id) for user_id in users)


def test_a_rewrapped_key_is_the_same_key_under_the_new_master_key(store: FileKeyStore, tmp_path: Path) -> None:
    key = store.get_or_create(ALICE)
    both = FileKeyStore(tmp_path / "keys", keyring=MasterKeyring.parse(f"{NEW},{OLD}"))
    assert both.rewrap(ALICE) is True
    assert both.rewrap(ALICE) is False
    assert both.rewrap(BOB) is False
    assert FileKeyStore(tmp_path / "keys", keyring=MasterKeyring.parse(NEW)).get(ALICE) == key


def test_a_folder_that_cannot_be_written_is_said_to_be_unavailable(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be")
    store = FileKeyStore(tmp_path / "keys", keyring=MasterKeyring.parse(OLD))
    with pytest.raises(KeyStoreUnavailable):
        store.get_or_create(ALICE)
