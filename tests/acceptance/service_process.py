"""A real service of its own for acceptance tests: started as a person starts it, read as a person reads it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.launch import paths
from config.launch.locks import Lock, read_holder
from config.launch.processes import end_left_behind

START_SECONDS = 180.0
DROPPED = ("DATABASE_", "REDIS_", "CELERY_", "UNDE_", "DJANGO_", "PROMETHEUS_")


@dataclass
class ServiceProcess:
    """One `script/server` on a data directory and a port; `lines` is what it has printed.

    `workers`: processes for the web and for tasks each. One starts sooner than the two that a person gets.
    """

    data: Path
    port: int = 0
    workers: int = 1
    process: subprocess.Popen[str] | None = None
    lines: list[str] = field(default_factory=list)

    def start(self) -> "ServiceProcess":
        """Start it without waiting."""
        self.port = self.port or find_free_port()
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "config.launch.serve"],
            env=build_environment(self.data, PORT=str(self.port), **self._list_workers()),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return self

    def wait_ready(self) -> "ServiceProcess":
        """Read until the ready line; fails with all it printed when the process ends before."""
        for line in self._running.stdout or ():
            self.lines.append(line.rstrip())
            if line.startswith("ready "):
                return self
        raise AssertionError(f"never ready, code {self._running.wait()}:\n" + "\n".join(self.lines))

    def finish(self, *, seconds: float = 90.0) -> tuple[int, str]:
        """Wait for its end; exit code and everything it printed."""
        try:
            rest, _ = self._running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._running.kill()  # its children end with it, so that the next tests have the machine to themselves
            raise
        self.lines += rest.splitlines()
        return self._running.returncode, "\n".join(self.lines)

    def stop(self) -> tuple[int, str]:
        """SIGTERM, then as `finish`."""
        self._running.send_signal(signal.SIGTERM)
        return self.finish()

    def read_line(self) -> str:
        """The next line that it prints."""
        line = self._running.stdout.readline() if self._running.stdout else ""
        assert line, "it has ended:\n" + "\n".join(self.lines)
        self.lines.append(line.rstrip())
        return self.lines[-1]

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def key(self) -> str:
        """The API key of the tenant demo, as printed at the start."""
        said = next(line for line in self.lines if line.startswith("API key"))
        return said.rpartition(" ")[2]

    def list_children(self) -> dict[str, int]:
        """Its children by name: postgres, valkey, web, worker, beat."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            name = _name_child(entry, self.pid)
            if name:
                found[name] = int(entry.name)
        return found

    def kill_child(self, name: str) -> None:
        """SIGKILL to one of its children."""
        os.kill(self.list_children()[name], signal.SIGKILL)

    def call(self, path: str, body: object = None) -> tuple[int, bytes]:
        """One request with the demo key; status (0 when nothing answers) and body."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def _list_workers(self) -> dict[str, str]:
        return {"WEB_CONCURRENCY": str(self.workers), "UNDE_WORKER_CONCURRENCY": str(self.workers)}

    @property
    def _running(self) -> subprocess.Popen[str]:
        assert self.process is not None, "not started"
        return self.process


@contextmanager
def run_service(data: Path) -> Iterator[ServiceProcess]:
    """A service on a fresh data directory, ready; stopped and removed afterwards."""
    running = ServiceProcess(data).start()
    try:
        yield running.wait_ready()
    finally:
        if running.process is not None and running.process.poll() is None:
            running.stop()
        remove_installation(data)


def build_environment(data: Path, **more: str) -> dict[str, str]:
    """The environment of a person's shell: nothing of the test run's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return {**kept, "UNDE_DATA_DIR": str(data), "PYTHONPATH": str(paths.ROOT), **more}


def find_free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], *, seconds: float = 60.0) -> bool:
    """Ask again until it holds; False when it does not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


def is_gone(pid: int) -> bool:
    """Whether a process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def remove_installation(data: Path) -> None:
    """Remove a data directory and what lies elsewhere for it, when whoever keeps its servers has stopped them.

    Who has not stopped them after a minute is killed, and the test fails: nothing it left runs beside the next ones.
    """
    lock = Lock(data / "up.lock")
    has_stopped = not lock.path.exists() or wait_until(lock.take)
    if not has_stopped:
        os.kill(read_holder(lock.path)[0], signal.SIGKILL)
        end_left_behind(data)
    pointer = data / "servers"
    if pointer.is_symlink():
        shutil.rmtree(pointer.resolve(), ignore_errors=True)
    run = paths.socket_dir(data)
    shutil.rmtree(run, ignore_errors=True)
    shutil.rmtree(data, ignore_errors=True)
    assert has_stopped, f"the servers of {data} were still up"


def _name_child(entry: Path, parent: int) -> str:
    try:
        state = (entry / "stat").read_text().rpartition(")")[2].split()
        words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
    if int(state[1]) != parent or state[0] == "Z":
        return ""
    marks = {
        "postgres": "postgres -D",
        "valkey": "valkey-server",
        "web": " granian ",
        "worker": " worker ",
        "beat": " beat ",
    }
    return next((name for name, mark in marks.items() if mark in words), "")
