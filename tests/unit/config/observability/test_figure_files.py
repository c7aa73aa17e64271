"""Counters on a disk that is full: no process ends for them, and the page of figures goes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from config.observability.figure_files import ReservedFile
from tests.disks import fill_disk, mount_disk

COUNTING = """
import sys
if sys.argv[1] == "reserved":
    from config.observability.figure_files import reserve_figure_files
    reserve_figure_files()
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
told = Counter("told", "What was told.", ["name"])
for number in range(5):
    told.labels(str(number)).inc()
registry = CollectorRegistry()
MultiProcessCollector(registry)
print(generate_latest(registry).decode())
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    with mount_disk(tmp_path / "disk", megabytes=1) as folder:
        yield folder


def count(folder: Path, how: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    command = [sys.executable, "-c", COUNTING, how]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_process_that_starts_on_a_full_disk_lives(disk: Path) -> None:
    fill_disk(disk)
    assert count(disk, "as the library does").returncode == -7  # SIGBUS: what this is about
    for leftover in disk.glob("*.db"):
        leftover.unlink()
    lived = count(disk, "reserved")
    assert lived.returncode == 0, lived.stderr
    assert not list(disk.glob("*.db"))


def test_with_room_the_figures_are_on_the_page(disk: Path) -> None:
    assert 'told_total{name="4"} 1.0' in count(disk, "reserved").stdout


def test_figures_that_outgrow_their_file_on_a_full_disk_go_on_in_memory(disk: Path) -> None:
    figures = ReservedFile(str(disk / "counter_1.db"))
    figures.write_value("before", 1.0, 0.0)
    fill_disk(disk)
    for number in range(3_000):
        figures.write_value(f"a key of some length {number}", float(number), 0.0)
    assert figures.read_value("before") == (1.0, 0.0)
    assert figures.read_value("a key of some length 2999") == (2999.0, 0.0)
    stored = {key: value for key, value, *_ in MmapedDict.read_all_values_from_file(disk / "counter_1.db")}
    assert stored["before"] == 1.0


def test_figures_grow_over_many_files_sizes_and_are_read_again(tmp_path: Path) -> None:
    figures = ReservedFile(str(tmp_path / "counter_1.db"))
    for number in range(3_000):
        figures.write_value(f"ключ {number}", float(number), 0.0)
    figures.close()
    again = ReservedFile(str(tmp_path / "counter_1.db"))
    assert {key: value for key, value, _ in again.read_all_values()} == {f"ключ {n}": float(n) for n in range(3_000)}
