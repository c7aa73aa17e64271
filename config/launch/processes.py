"""Child processes that never outlive the launcher, and what /proc says about processes of an earlier life."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from config.launch.account import Account

PR_SET_PDEATHSIG = 1
MARK = "UNDE_CHILD_OF"  # in the environment of every child: the data directory it belongs to


@dataclass(frozen=True)
class Command:
    """What to run: arguments, whole environment, account, and the signal that ends it when the launcher is gone."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    account: Account | None = None
    folder: Path | None = None
    end_signal: signal.Signals = signal.SIGTERM


@dataclass
class Child:
    """A running child: its process, leader of its own group, and when it was started (monotonic seconds)."""

    name: str
    process: subprocess.Popen[bytes]
    started_at: float = field(default_factory=time.monotonic)

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the child alone; nothing happens when it is gone."""
        if self.is_alive():
            self.process.send_signal(number)

    def wait(self, seconds: float) -> bool:
        """Wait for its end at most that long; True when it has ended."""
        try:
            self.process.wait(timeout=max(seconds, 0.01))
        except subprocess.TimeoutExpired:
            return False
        return True

    def clear_group(self) -> None:
        """Kill what is left of the child's group: helpers of a process that died without ending them."""
        kill_group(self.pid)


def start_child(name: str, command: Command, *, output: IO[bytes] | None) -> Child:
    """Start a child in a group of its own that ends when this process does.

    Call it from the main thread: the kernel counts the death of the forking thread as the parent's.
    Its own group keeps a terminal's Ctrl-C with the launcher, which stops things in order.
    """
    account = command.account
    process = subprocess.Popen(
        list(command.arguments),
        env=dict(command.environment),
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        process_group=0,
        # The launcher has no threads, which alone could make this unsafe.
        preexec_fn=_follow_parent(command.end_signal),  # noqa: PLW1509
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )
    return Child(name=name, process=process)


def _follow_parent(number: signal.Signals) -> Callable[[], None]:
    parent = os.getpid()
    control = _find_prctl()

    def follow() -> None:
        # Runs after the change of account, which would clear the death signal again.
        if control is not None:
            control(PR_SET_PDEATHSIG, int(number))
            if os.getppid() != parent:
                os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    return follow


def _find_prctl() -> Callable[[int, int], int] | None:
    if sys.platform != "linux":
        return None  # elsewhere the next start finds and ends what was left
    return ctypes.CDLL(None, use_errno=True).prctl


def kill_group(pid: int) -> None:
    """SIGKILL to a process group, quietly when it is gone."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def is_running(pid: int) -> bool:
    """Whether a process with that id exists and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _read_state(pid) != "Z"


def read_command_line(pid: int) -> list[str]:
    """The arguments of a running process; empty when it is gone."""
    if not Path("/proc/self").exists():
        return subprocess.run(
            ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout.split()
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(part) for part in raw.split(b"\0") if part]


def list_left_behind(data: Path) -> list[int]:
    """Ids of processes that an earlier launcher of this data directory started and that no launcher owns now.

    Ask only while holding the launcher's lock: then whoever carries the mark is left behind.
    """
    wanted = f"{MARK}={data}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0") and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return [pid for pid in found if _read_state(pid) not in ("Z", "")]


def end_left_behind(data: Path) -> None:
    """End what an earlier launcher of this data directory left, PostgreSQL apart (its own start does that)."""
    for pid in list_left_behind(data):
        if "postgres" not in "".join(read_command_line(pid)[:1]):
            end_process(pid, number=signal.SIGTERM, seconds=5.0)


def end_process(pid: int, *, number: signal.Signals, seconds: float) -> bool:
    """Ask a process that is not our child to end and kill it when it does not in time; False when it was killed."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return True
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_running(pid):
            return True
        time.sleep(0.05)
    kill_group(pid)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False


def _read_state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""
