"""How much room is left on the disks that the memory is on, and whether it is still wise to write (SPEC Q-1).

A database without room for its log stops, and nobody can read any more. So writing ends while some room is left: what
is known can still be read, and what deletes can still be done.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

_full_until = 0.0
_looked_at = float("-inf")
_is_full = False


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system of one folder: what the folder is for, bytes in all, and bytes that a service may still fill."""

    folder: str
    size: int
    free: int
    is_needed: bool
    """Whether a message cannot be stored without it."""
    is_at_its_end: bool = False
    """Whether the room that was kept for the database has been given up."""

    @property
    def ratio(self) -> float:
        return self.free / self.size if self.size else 1.0

    @property
    def is_low(self) -> bool:
        """Whether somebody should make room soon."""
        tuning = settings.UNDE_TUNING
        return self.is_full or self.free < min(tuning.DISK_LOW_BYTES, tuning.DISK_LOW_RATIO * self.size)

    @property
    def is_full(self) -> bool:
        """Whether nothing new is to be written: what is left is for deleting, and for the database's own log."""
        tuning = settings.UNDE_TUNING
        return self.is_at_its_end or self.free < min(tuning.DISK_RESERVE_BYTES, tuning.DISK_RESERVE_RATIO * self.size)


def list_disks() -> list[Disk]:
    """The disks behind the folders of this installation that are on this machine. A few microseconds each."""
    data = Path(settings.UNDE_DATA_DIR)
    folders = {
        "data": (data, False),
        # Where root's installation has them elsewhere, `servers` leads there.
        "database": (data / "servers" / "pg" if (data / "servers").exists() else data / "pg", True),
        "keys": (Path(settings.UNDE_KEY_DIR), not settings.UNDE_KEY_DATABASE_URL),
        "tombstones": (Path(settings.UNDE_TOMBSTONE_DIR), False),
    }
    found = (_look(name, folder, is_needed) for name, (folder, is_needed) in folders.items())
    return [disk for disk in found if disk is not None]


def describe_shortage() -> str | None:
    """A sentence about the fullest disk that is low; None when there is room."""
    if time.monotonic() < _full_until:
        return "the database's disk is full: nothing new is stored, reading goes on"
    low = [disk for disk in list_disks() if disk.is_low]
    if not low:
        return None
    worst = min(low, key=lambda disk: (not (disk.is_full and disk.is_needed), disk.ratio))
    words = f"{worst.ratio:.0%} of the disk of {worst.folder} is free ({worst.free / 2**20:.0f} MB)"
    return f"{words}: nothing new is stored, reading goes on" if worst.is_full and worst.is_needed else words


def is_storage_full() -> bool:
    """Whether writes are refused now. Looked at once a second."""
    global _looked_at, _is_full
    now = time.monotonic()
    if now - _looked_at >= settings.UNDE_TUNING.DISK_LOOKED_AGAIN_SECONDS:
        _is_full = any(disk.is_full and disk.is_needed for disk in list_disks())
        _looked_at = now
    return _is_full or now < _full_until


def note_storage_full() -> None:
    """A write found no room, on whichever machine: for half a minute this process tries none."""
    global _full_until
    _full_until = time.monotonic() + settings.UNDE_TUNING.DISK_REFUSED_SECONDS


def _look(name: str, folder: Path, is_needed: bool) -> Disk | None:
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    is_at_its_end = name == "database" and _is_given_up(folder.parent / settings.UNDE_RESERVE_FILE)
    return Disk(name, found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize, is_needed, is_at_its_end)


def _is_given_up(reserve: Path) -> bool:
    """Whether the launcher has emptied the file that it keeps for a full disk (`config/launch/embedded/reserve.py`)."""
    try:
        return reserve.stat().st_size == 0
    except OSError:
        return False  # none is kept
