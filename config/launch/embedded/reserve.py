"""Room that is kept for the embedded database, for the day when something else has filled the disk.

PostgreSQL without a single free block refuses new connections, stops at its next checkpoint and cannot start again. So
a file takes some room while there is enough, and gives it up when there is none. Nothing new is stored until there is
room for the file again (`memory/disks.py`), so that what it gave up serves reading and deleting alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config.settings import tuning

FILE_NAME: Final = "reserve"


@dataclass(frozen=True)
class Reserve:
    """The file beside a cluster. It is empty while its room is given up."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / FILE_NAME

    def tend(self) -> str | None:
        """Take the room, keep it or give it up, as the disk has it. A sentence when something has changed."""
        try:
            found = os.statvfs(self.folder)
            free, size = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
            wanted = int(min(tuning.DISK_BALLAST_BYTES, tuning.DISK_BALLAST_RATIO * size))
            held = self.path.stat().st_size if self.path.exists() else None
            if held and free < wanted // 4:
                os.truncate(self.path, 0)
                return f"The disk is full: {held / 2**20:.0f} MB that were kept for this day go to the database."
            enough = wanted + min(tuning.DISK_RESERVE_BYTES, tuning.DISK_RESERVE_RATIO * size)
            if not held and free >= enough:
                self._take(wanted)
                return None if held is None else "There is room on the disk again."
        except OSError:
            return None  # looked at again in a moment
        return None

    def _take(self, size: int) -> None:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(handle, 0, size)
            else:
                for _ in range(0, size, 2**20):
                    os.write(handle, bytes(2**20))
        except OSError:
            os.ftruncate(handle, 0)
        finally:
            os.close(handle)
