"""Room that is kept for the database: taken while there is enough, given up on a disk that is really full."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.launch.embedded.reserve import Reserve
from tests.disks import fill_disk, mount_disk

MEGABYTE = 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a hundred megabytes, of which four are kept."""
    with mount_disk(tmp_path / "disk", megabytes=100) as folder:
        yield folder


def measure_free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def test_room_is_really_taken_once(disk: Path) -> None:
    before = measure_free(disk)
    reserve = Reserve(disk)
    assert reserve.tend() is None
    assert before - measure_free(disk) == 4 * MEGABYTE
    assert reserve.tend() is None
    assert before - measure_free(disk) == 4 * MEGABYTE


def test_a_disk_that_others_filled_to_the_end_gets_room_again_and_once(disk: Path) -> None:
    reserve = Reserve(disk)
    reserve.tend()
    filler = fill_disk(disk)
    assert reserve.tend() == "The disk is full: 4 MB that were kept for this day go to the database."
    assert measure_free(disk) == 4 * MEGABYTE
    assert [reserve.tend(), reserve.tend()] == [None, None]
    filler.unlink()
    assert reserve.tend() == "There is room on the disk again."
    assert reserve.path.stat().st_size == 4 * MEGABYTE


def test_no_room_is_taken_that_writes_need(disk: Path) -> None:
    fill_disk(disk, spare=8 * MEGABYTE)
    assert Reserve(disk).tend() is None
    assert not (disk / "reserve").exists()


def test_a_folder_that_is_not_there_is_nothing_to_tend(tmp_path: Path) -> None:
    assert Reserve(tmp_path / "nowhere").tend() is None
