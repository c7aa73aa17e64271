"""What the launcher knows of its processes, in a file that web processes read for `/readyz` and `/metrics`.

The file has one size from its first moment and is written in place: a full disk must not hide what goes wrong on it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from config.launch.processes import is_running

FILE_NAME: Final = "processes.json"
MANY_QUICK_DEATHS: Final = 5  # in a row: from then on it is called a crash loop
FILE_BYTES: Final = 4096  # one page: a reader sees the old text or the new one


@dataclass(frozen=True)
class ProcessState:
    """One process: is it up, how often was it started again, how often did it die young in a row, the next try."""

    is_up: bool = True
    restarts: int = 0
    quick_deaths: int = 0
    code: int | None = None
    next_try_at: float | None = None
    """Seconds since 1970; None while it runs."""

    @property
    def is_crash_loop(self) -> bool:
        """Whether it has died young so often that somebody has to look."""
        return self.quick_deaths >= MANY_QUICK_DEATHS


def write_states(folder: Path, states: Mapping[str, ProcessState]) -> None:
    """Put the states in place of those before. Nothing happens where the file cannot be written."""
    text = json.dumps({"launcher": os.getpid(), "processes": {name: asdict(one) for name, one in states.items()}})
    with suppress(OSError):
        handle = os.open(folder / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(handle, text.encode().ljust(FILE_BYTES), 0)
        finally:
            os.close(handle)


def read_states(folder: Path) -> dict[str, ProcessState]:
    """The states by process; empty where no launcher runs, as under systemd."""
    try:
        told = json.loads((folder / FILE_NAME).read_bytes())
        if not is_running(told["launcher"]):
            return {}
        return {name: ProcessState(**one) for name, one in told["processes"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
