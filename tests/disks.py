"""A small file system of a test's own, which can really be filled."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

TRIES = 20


@contextmanager
def mount_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """A file system of that size on a folder; skips the test where this account may not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False) if os.geteuid() == 0 else None
    if mounted is None or mounted.returncode:
        pytest.skip("Only root may mount a small file system here, and nothing else can really be full.")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_disk(folder: Path, *, spare: int = 0) -> Path:
    """Take all room that a disk has now but `spare` bytes. The file that takes it; removing it makes room.

    What is given up meanwhile, as the launcher's reserve, is not taken: others have filled the disk, and have stopped.
    """
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for _ in range(TRIES):
            found = os.statvfs(folder)
            room = found.f_bavail * found.f_frsize - spare
            with suppress(OSError):  # somebody else has just taken some of it
                if room > 0:
                    os.posix_fallocate(file.fileno(), 0, room)
                break
    return filler
