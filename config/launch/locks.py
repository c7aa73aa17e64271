"""Who has the data directory: one launcher at a time, and how many commands use the servers it keeps."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO


class Lock:
    """A lock on a file, held until released or until the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None

    def take(self, *, is_shared: bool = False, is_waiting: bool = False) -> bool:
        """Take the lock; False when someone else has it and we don't wait."""
        handle = self.path.open("a+b")
        kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        try:
            fcntl.flock(handle, kind if is_waiting else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            return False
        self._file = handle
        return True

    def sign(self, name: str) -> None:
        """Write who holds it, so that others can say so: process id and a name. A full disk keeps it from nobody."""
        assert self._file is not None, "only a holder signs"
        with suppress(OSError):
            os.truncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), f"{os.getpid()} {name}\n".encode())

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_holder(path: Path) -> tuple[int, str]:
    """Process id and name that the last holder of a lock signed with; (0, "") when it has not signed yet."""
    try:
        pid, _, name = path.read_text().strip().partition(" ")
        return int(pid), name
    except (OSError, ValueError):
        return 0, ""
