"""Small pages of memory joined to huge ones."""

import mmap
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from config import pages
from config.pages import HUGE_BYTES, LEAST_SHARE, SMALL_BYTES, Joined, join_pages, list_used

HUGE_PAGES = 8
SMALL_PAGES = HUGE_BYTES // SMALL_BYTES

Memory = NDArray[Any]


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAUSE_SECONDS", 0)


@pytest.fixture
def memory() -> Memory:
    """Small pages that nobody has touched, a row for each huge page that they can become."""
    if not sys.platform.startswith("linux"):
        pytest.skip("pages are joined on Linux")
    size = (HUGE_PAGES + 1) * HUGE_BYTES
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_DONTFORK)  # unlike its neighbours', so the kernel keeps an account of it alone
    whole = np.frombuffer(memory, np.uint8)
    first = -find_address(whole) % HUGE_BYTES
    return whole[first : first + HUGE_PAGES * HUGE_BYTES].reshape(HUGE_PAGES, SMALL_PAGES, SMALL_BYTES)


def find_address(memory: Memory) -> int:
    return int(memory.__array_interface__["data"][0])


def measure_huge(memory: Memory) -> int:
    """How many of its bytes are in huge pages."""
    smaps = Path("/proc/self/smaps").read_text()
    for block in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", smaps):
        start, end = (int(edge, 16) for edge in block.split(maxsplit=1)[0].split("-"))
        if start <= find_address(memory) < end:
            return int(re.findall(r"AnonHugePages: +(\d+) kB", block)[0]) * 1024
    raise AssertionError("no such memory")


def test_pages_in_use_are_joined_and_hold_what_they_held(memory: Memory) -> None:
    memory[:, :, 0] = np.arange(SMALL_PAGES) % 251
    before = measure_huge(memory)
    joined = join_pages()
    if not joined.held:
        pytest.skip("this kernel joins no pages")
    assert measure_huge(memory) >= max(before, HUGE_PAGES * HUGE_BYTES)
    assert (memory[:, :, 0] == np.arange(SMALL_PAGES) % 251).all()
    assert not memory[:, :, 1:].any()


def test_what_is_joined_once_stays_so(memory: Memory) -> None:
    memory[:, :, 0] = 1
    first, again = join_pages(), join_pages()
    assert again.held >= first.held
    assert measure_huge(memory) == (HUGE_PAGES * HUGE_BYTES if first.held else 0)


def test_only_memory_that_is_nearly_all_in_use_is_joined(memory: Memory) -> None:
    least = int(SMALL_PAGES * LEAST_SHARE)
    memory[1, :least, 0] = 1
    memory[2, : least - 1, 0] = 1
    places = {find_address(row) for row in memory}
    assert places.intersection(list_used()) == {find_address(memory[1])}


def test_files_and_memory_shared_with_others_are_left_alone(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(4 * HUGE_BYTES))
    with (tmp_path / "file").open("r+b") as file:
        own = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE)
        shared = mmap.mmap(-1, 4 * HUGE_BYTES)
        for other in (own, shared):
            edges = np.frombuffer(other, np.uint8)
            edges[::SMALL_BYTES] = 1
            start = find_address(edges)
            assert not [place for place in list_used() if start <= place < start + len(edges)]


@pytest.mark.parametrize("missing", ["platform", "page size"])
def test_where_pages_cannot_be_joined_nothing_happens(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_find_madvise", pages._find_madvise.__wrapped__)
    if missing == "platform":
        monkeypatch.setattr(sys, "platform", "darwin")
    else:
        monkeypatch.setattr(pages.resource, "getpagesize", lambda: 65536)
    assert join_pages() == Joined()


def test_without_an_account_of_the_memory_nothing_is_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    assert list_used() == []
