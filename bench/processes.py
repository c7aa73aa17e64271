"""CPU time of the service's processes and of this one, read from /proc."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def read_cpu_seconds(data: Path | None) -> dict[str, float]:
    """Seconds so far of web workers, database and this process; empty without a data directory to know them by."""
    if data is None:
        return {}
    seconds = {"web": 0.0, "database": 0.0, "client": _read_own_seconds()}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            kind = _find_kind(entry, data)
            if kind:
                seconds[kind] += _read_seconds(entry)
        except (OSError, IndexError):
            continue  # it ended meanwhile
    return seconds


def read_group_seconds(parent: int) -> float:
    """Seconds so far of a process and of its children."""
    seconds = 0.0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            above = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            seconds += _read_seconds(entry) if str(parent) in (entry.name, above) else 0.0
        except (OSError, IndexError):
            continue  # it ended meanwhile
    return seconds


def _find_kind(entry: Path, data: Path) -> str | None:
    command = (entry / "cmdline").read_bytes()
    if b"granian" in command:
        return "web" if f"UNDE_CHILD_OF={data}".encode() in (entry / "environ").read_bytes().split(b"\0") else None
    if command.startswith(b"postgres: "):
        # A backend's command line is its state; that of the process above it names the cluster.
        above = (entry / "stat").read_text().rpartition(")")[2].split()[1]
        command = Path("/proc", above, "cmdline").read_bytes()
    return "database" if b"postgres" in command and f"{data}/pg".encode() in command.split(b"\0") else None


def _read_seconds(entry: Path) -> float:
    fields = (entry / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _read_own_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
