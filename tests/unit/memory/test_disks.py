"""Room on real disks: what is low, what is full, and what a refused write leaves behind."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from memory import disks as storage
from memory.disks import describe_shortage, is_storage_full, list_disks, note_storage_full
from tests.disks import fill_disk, mount_disk


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.UNDE_TUNING, "DISK_LOOKED_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(storage, "_full_until", 0.0)
    monkeypatch.setattr(storage, "_looked_at", float("-inf"))


@pytest.fixture
def disk(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A disk of ten megabytes that database and keys are on."""
    with mount_disk(tmp_path / "disk", megabytes=10) as folder:
        (folder / "pg").mkdir()
        (folder / "keys").mkdir()
        settings.UNDE_DATA_DIR, settings.UNDE_KEY_DIR = folder, folder / "keys"
        yield folder


def test_a_disk_with_room_is_nothing_to_tell(disk: Path) -> None:
    assert describe_shortage() is None
    assert not is_storage_full()


def test_a_disk_is_low_before_it_is_full(disk: Path) -> None:
    fill_disk(disk, spare=900_000)
    assert describe_shortage() == "9% of the disk of data is free (1 MB)"
    assert not is_storage_full()


def test_writes_end_while_some_room_is_left_and_begin_when_there_is_room_again(disk: Path) -> None:
    filler = fill_disk(disk, spare=400_000)
    assert is_storage_full()
    assert (describe_shortage() or "").endswith("nothing new is stored, reading goes on")
    filler.unlink()
    assert not is_storage_full()


def test_a_full_disk_that_holds_neither_database_nor_keys_refuses_nothing(disk: Path, settings: Any) -> None:
    (disk / "pg").rmdir()
    settings.UNDE_KEY_DATABASE_URL = "postgres://elsewhere/keys"
    fill_disk(disk)
    assert not is_storage_full()
    assert describe_shortage() == "0% of the disk of data is free (0 MB)"


def test_room_that_was_kept_for_the_database_is_not_for_new_messages(disk: Path) -> None:
    reserve = disk / "reserve"
    reserve.write_bytes(b"kept")
    assert not is_storage_full()
    reserve.write_bytes(b"")
    assert is_storage_full()
    assert (describe_shortage() or "").endswith("nothing new is stored, reading goes on")


def test_what_a_database_on_another_machine_says_holds_for_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(storage.time, "monotonic", lambda: now)
    note_storage_full()
    assert is_storage_full()
    now += settings.UNDE_TUNING.DISK_REFUSED_SECONDS
    assert not is_storage_full()


def test_folders_that_are_not_there_are_no_disks(tmp_path: Path, settings: Any) -> None:
    settings.UNDE_DATA_DIR, settings.UNDE_KEY_DIR = tmp_path, tmp_path / "keys"
    settings.UNDE_TOMBSTONE_DIR = tmp_path / "nowhere"
    assert [disk.folder for disk in list_disks()] == ["data"]
