"""The embedded PostgreSQL: made once, started as our child, started again after any kind of death."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from config.launch.account import hand_over
from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.processes import MARK, Child, Command, end_process, is_running, read_command_line, start_child

START_SECONDS = 60.0  # for attempts that die because an earlier life is still ending
RECOVERY_SECONDS = 900.0  # for one attempt that lives and reads its log after a crash
STOP_SECONDS = 30.0
# An eighth of the memory within these bounds: searches read 3 GB of a million messages, and from the system's cache
# instead of the server's own it costs them twice the CPU (bench/results.md).
LEAST_BUFFERS_MB, MOST_BUFFERS_MB = 64, 4096
# What a server process keeps of freed memory for its next statement, a 128th of the memory within bounds. Searches
# build their answers in pieces of up to 32 MB; the C library would return each, and the system clears every page again:
# a third of the statement for 1,000 messages, more than half for 20,000 (bench/results.md).
LEAST_KEPT_MB, MOST_KEPT_MB, LARGEST_KEPT_MB = 4, 128, 32
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
# What PostgreSQL says when the dead postmaster is not yet reaped or its backends have not all noticed.
STILL_ENDING = ("already exists", "pre-existing shared memory block", "is still in use")
# The log of the server may hold no user text (D-16), so no statement, no parameter and no row is ever logged.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_wal_size": "2GB",
    "max_connections": "100",
    "jit": "off",
    "random_page_cost": "1.1",
    # Statements of a new installation are planned for empty tables, and kept: until the first look at what is in them,
    # one that changes ten facts reads all facts.
    "autovacuum_naptime": "15s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # The sentence of an error may itself quote a value ("invalid input syntax ..."); clients get it, the log does not.
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
}
# For a cluster that may be thrown away at any moment: the tests'.
FAST_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}


@dataclass(frozen=True)
class Postgres:
    """One cluster of one installation."""

    places: Folders
    programs: Path
    is_fast: bool = False

    @property
    def folder(self) -> Path:
        return self.places.state / "pg"

    @property
    def log(self) -> Path:
        return self.places.log / "postgres.log"

    def start(self) -> Child:
        """Make the cluster if there is none, start it and wait until it takes connections.

        Ends a postmaster of this cluster that an earlier launcher left. Raises LaunchError when it does not start.
        """
        self._make_cluster()
        deadline = time.monotonic() + START_SECONDS
        while True:
            self._end_orphan()
            position = self.log.stat().st_size if self.log.exists() else 0
            child = self._spawn()
            if self._wait_until_ready(child):
                return child
            said = _read_from(self.log, position)
            if time.monotonic() > deadline or not any(phrase in said for phrase in STILL_ENDING):
                raise LaunchError(f"PostgreSQL does not start. The end of {self.log} says:\n{_tail(said)}")
            time.sleep(0.3)

    def stop(self, child: Child) -> None:
        """Fast shutdown: open transactions roll back, a checkpoint is written, and nothing is left to recover."""
        for number, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, 5.0)):
            child.send(number)
            if child.wait(seconds):
                return
        child.clear_group()
        child.wait(5.0)

    def is_ready(self, pid: int | None = None) -> bool:
        """Whether the cluster takes connections (and, when asked, under exactly that process)."""
        lines = self._read_pid_file()
        if len(lines) < 8 or lines[7].strip() != "ready":
            return False
        return int(lines[0]) == pid if pid is not None else self._is_ours(int(lines[0]))

    def _make_cluster(self) -> None:
        self._check_version()
        if (self.folder / "PG_VERSION").exists():
            return
        for left_behind in self.places.state.glob("pg.init*"):
            shutil.rmtree(left_behind, ignore_errors=True)
        # A name of its own: an initdb whose launcher was killed takes away what it has made, some time later.
        half_made = self.places.state / f"pg.init.{os.getpid()}"
        half_made.mkdir(mode=0o700)
        hand_over(half_made, self.places.account)
        self._run_initdb(half_made)
        half_made.rename(self.folder)

    def _run_initdb(self, folder: Path) -> None:
        arguments = [str(self.programs / "initdb"), "-D", str(folder), "-U", "postgres", "--auth=trust", "-E", "UTF8"]
        arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        arguments += ["--no-sync"] if self.is_fast else []
        child_log = self.places.log / "initdb.log"
        with child_log.open("wb") as output:
            child = start_child("initdb", self._command(arguments), output=output)
            code = child.process.wait()
        if code != 0:
            raise LaunchError(
                f"PostgreSQL's initdb failed. The end of {child_log} says:\n{_tail(child_log.read_text())}"
            )

    def _check_version(self) -> None:
        marker = self.folder / "PG_VERSION"
        if not marker.exists():
            return
        said = subprocess.run(
            [str(self.programs / "postgres"), "--version"], capture_output=True, text=True, check=True
        )
        major = said.stdout.split()[2].split(".")[0]
        found = marker.read_text().strip()
        if found != major:
            raise LaunchError(
                f"The data in {self.folder} was made by PostgreSQL {found} and the programs here are {major}: dump it "
                f"with the old programs (UNDE_PG_BIN) and load it into a new data directory, see docs/running.md."
            )

    def _spawn(self) -> Child:
        settings = {**SETTINGS, "unix_socket_directories": str(self.places.run), "shared_buffers": self._size_buffers()}
        if self.is_fast:
            settings |= FAST_SETTINGS
        settings |= self._choose_libraries()
        arguments = [str(self.programs / "postgres"), "-D", str(self.folder)]
        for name, value in settings.items():
            arguments += ["-c", f"{name}={value}"]
        with self.log.open("ab") as output:
            return start_child("postgres", self._command(arguments), output=output)

    def _choose_libraries(self) -> dict[str, str]:
        """What this build of PostgreSQL brings along: statistics of statements, and a cache that outlives a restart."""
        libraries = ("pg_stat_statements", "pg_prewarm")
        has = {name: (self.programs.parent / f"lib/{name}.so").exists() for name in libraries}
        names = [name for name, is_there in has.items() if is_there and not (self.is_fast and name == "pg_prewarm")]
        settings = {"shared_preload_libraries": ",".join(names)} if names else {}
        # Its table keeps utility statements word for word, unlike queries, whose values it takes out.
        return settings | ({"pg_stat_statements.track_utility": "off"} if has["pg_stat_statements"] else {})

    def _command(self, arguments: list[str]) -> Command:
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", MARK: str(self.places.data)}
        return Command(
            arguments=arguments,
            environment=environment | self._size_kept_memory(),
            account=self.places.account,
            folder=Path("/"),
            end_signal=signal.SIGINT,
        )

    def _size_buffers(self) -> str:
        if self.is_fast:
            return "128MB"
        return f"{min(MOST_BUFFERS_MB, max(LEAST_BUFFERS_MB, read_memory() // 2**20 // 8))}MB"

    def _size_kept_memory(self) -> dict[str, str]:
        if self.is_fast:
            return {}
        kept = min(MOST_KEPT_MB, max(LEAST_KEPT_MB, read_memory() // 2**20 // 128))
        largest = min(kept, LARGEST_KEPT_MB)
        return {"MALLOC_TRIM_THRESHOLD_": str(kept * 2**20), "MALLOC_MMAP_THRESHOLD_": str(largest * 2**20)}

    def _wait_until_ready(self, child: Child) -> bool:
        deadline = time.monotonic() + RECOVERY_SECONDS
        while time.monotonic() < deadline:
            if self.is_ready(child.pid):
                return True
            if not child.is_alive():
                return False
            time.sleep(0.05)
        self.stop(child)
        return False

    def _end_orphan(self) -> None:
        lines = self._read_pid_file()
        if lines and self._is_ours(int(lines[0])):
            end_process(int(lines[0]), number=signal.SIGINT, seconds=STOP_SECONDS)

    def _is_ours(self, pid: int) -> bool:
        # A live process may have got the id of a dead postmaster: it counts only when it serves this very folder.
        arguments = read_command_line(pid)
        is_postgres = bool(arguments) and "postgres" in arguments[0]
        return is_running(pid) and is_postgres and f" -D {self.folder} " in f"{' '.join(arguments)} "

    def _read_pid_file(self) -> list[str]:
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []
        return lines if lines and lines[0].strip().isdigit() else []


def _read_from(log: Path, position: int) -> str:
    with log.open("rb") as handle:
        handle.seek(position)
        return handle.read().decode(errors="replace")


def _tail(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-5:])


def read_memory() -> int:
    """Bytes of memory of this machine, or of the container when it may use less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no such file, or "max"
        return memory
