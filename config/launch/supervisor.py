"""Watches the processes of the service: starts again what dies, with growing pauses, and stops all in order.

What dies at once while the service starts ends the start. Later nothing that dies ends the rest.
"""

import signal
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from config.launch.embedded.reserve import Reserve
from config.launch.embedded.servers import Servers
from config.launch.errors import LaunchError
from config.launch.processes import Child, Command, start_child
from config.launch.states import MANY_QUICK_DEATHS, ProcessState, write_states

QUICK_DEATH_SECONDS = 60.0  # a worker that finds no broker takes a quarter of it to say so
FIRST_PAUSE_SECONDS = 0.25
PAUSE_GROWTH = 2.0
LONGEST_PAUSE_SECONDS = 60.0
LOG_LIMIT = 50 * 2**20  # bytes; then the log moves aside, one older generation is kept


@dataclass
class Service:
    """One process of the service: how to start it, where it logs (None: the terminal), how long its end may take."""

    name: str
    command: Command
    log: Path | None
    stop_seconds: float
    child: Child | None = None

    def start(self) -> None:
        """Start it (again), killing what its earlier life left in its group."""
        if self.child is not None:
            self.child.clear_group()
        if self.log is None:
            self.child = start_child(self.name, self.command, output=None)
            return
        with self.log.open("ab") as output:
            self.child = start_child(self.name, self.command, output=output)


@dataclass
class Patience:
    """How often one process was started again and died young, and when it may be tried (monotonic seconds)."""

    quick_deaths: int = 0
    restarts: int = 0
    code: int | None = None
    restart_at: float | None = None

    def note_death(self, *, lived: float, now: float, code: int | None = None) -> None:
        """Count a death and set the pause before the next start, which grows while the deaths stay quick."""
        self.quick_deaths = self.quick_deaths + 1 if lived < QUICK_DEATH_SECONDS else 1
        self.code = code
        # Bounded before it is raised: a process that dies for a year must not reach the end of floats.
        growth = PAUSE_GROWTH ** min(self.quick_deaths - 1, 32)
        self.restart_at = now + min(FIRST_PAUSE_SECONDS * growth, LONGEST_PAUSE_SECONDS)

    def note_life(self, *, lived: float) -> None:
        """Forget quick deaths once it lives for long."""
        if lived >= QUICK_DEATH_SECONDS:
            self.quick_deaths = 0

    @property
    def is_crash_loop(self) -> bool:
        return self.quick_deaths >= MANY_QUICK_DEATHS

    def describe(self) -> ProcessState:
        """The same for readers in other processes, who have another clock."""
        next_try = None if self.restart_at is None else time.time() + self.restart_at - time.monotonic()
        return ProcessState(
            is_up=self.restart_at is None,
            restarts=self.restarts,
            quick_deaths=self.quick_deaths,
            code=self.code,
            next_try_at=None if next_try is None else round(next_try, 1),
        )


@dataclass
class Supervisor:
    """The embedded servers and the services, as one thing to start, watch and stop."""

    servers: Servers
    services: list[Service]
    patience: dict[str, Patience] = field(default_factory=dict)
    reserve: Reserve | None = None
    """Room kept for the embedded database; None where the database is elsewhere."""
    is_starting: bool = True
    """Until it is set to False, what dies too often too soon ends the start."""

    def start_services(self) -> None:
        """Start every service; none is waited for."""
        for service in self.services:
            service.start()
        self._write_states()

    def watch(self) -> list[str]:
        """One round: start again what has died, after its pause. Returns a sentence for each event.

        Raises LaunchError while the service starts, when something has died too often too soon.
        """
        told, before = [], {name: replace(patience) for name, patience in self.patience.items()}
        for name, child in self._list_children().items():
            if child.is_alive():
                self.patience.setdefault(name, Patience()).note_life(lived=time.monotonic() - child.started_at)
            else:
                told += self._tend(name, child)
        for service in self.services:
            _bound_log(service.log)
        told += filter(None, [self.reserve.tend() if self.reserve else None])
        if before != self.patience:
            self._write_states()
        return told

    def _list_children(self) -> dict[str, Child]:
        services = {service.name: service.child for service in self.services if service.child is not None}
        return {**self.servers.children, **services}

    def _write_states(self) -> None:
        names = self._list_children()
        write_states(
            self.servers.places.data, {name: self.patience.setdefault(name, Patience()).describe() for name in names}
        )

    def stop(self, *, is_hurried: bool = False) -> None:
        """Stop web, worker and beat together, each within its time, then the servers."""
        running = [service for service in self.services if service.child is not None]
        for service in running:
            service.child.send(signal.SIGTERM)  # type: ignore[union-attr]
        started_at = time.monotonic()
        for service in running:
            limit = 1.0 if is_hurried else service.stop_seconds
            service.child.wait(started_at + limit - time.monotonic())  # type: ignore[union-attr]
            service.child.clear_group()  # type: ignore[union-attr]
            service.child.wait(5.0)  # type: ignore[union-attr]
        self.servers.stop()

    def _tend(self, name: str, child: Child) -> list[str]:
        now = time.monotonic()
        patience = self.patience.setdefault(name, Patience())
        if patience.restart_at is None:
            code = child.process.returncode
            patience.note_death(lived=now - child.started_at, now=now, code=code)
            return [self._tell_death(name, child)]
        if now < patience.restart_at:
            return []
        patience.restart_at, patience.restarts = None, patience.restarts + 1
        try:
            self._restart(name)
        except (LaunchError, OSError) as error:
            # The old child is still the dead one, so the failed try is counted here.
            patience.note_death(lived=0.0, now=time.monotonic(), code=child.process.returncode)
            return [f"{error} {self._tell_death(name, child)}"]
        return []

    def _tell_death(self, name: str, child: Child) -> str:
        """A sentence about a death. Raises LaunchError while the service starts, once there were too many."""
        patience = self.patience[name]
        if not patience.is_crash_loop:
            return f"{name} ended (code {patience.code}) and is started again"
        if self.is_starting:
            raise LaunchError(self._explain(name, child))
        pause = (patience.restart_at or 0.0) - time.monotonic()
        return (
            f"{name} ended {patience.quick_deaths} times in a row (code {patience.code}) and is tried again "
            f"in {max(pause, 0.0):.0f} seconds; the rest goes on"
        )

    def _restart(self, name: str) -> None:
        if name in self.servers.children:
            self.servers.revive(name)
            return
        next(service for service in self.services if service.name == name).start()

    def _explain(self, name: str, child: Child) -> str:
        log = next((service.log for service in self.services if service.name == name), None)
        said = f" The end of {log} says:\n{_read_tail(log)}" if log is not None else ""
        return f"{name} ended {MANY_QUICK_DEATHS} times in a row (code {child.process.returncode}).{said}"


def _bound_log(log: Path | None) -> None:
    """Copy and truncate, since the writer keeps its handle (opened for appending) to this very file.

    Where there is no room for the copy, the log itself is given up: it would only grow.
    """
    if log is None or not log.exists() or log.stat().st_size < LOG_LIMIT:
        return
    older = log.with_suffix(".log.1")
    older.unlink(missing_ok=True)
    try:
        with log.open("rb") as source, older.open("wb") as target:
            while block := source.read(2**20):
                target.write(block)
    except OSError:
        older.unlink(missing_ok=True)
    with log.open("r+b") as source:
        source.truncate(0)


def _read_tail(log: Path) -> str:
    with log.open("rb") as handle:
        handle.seek(max(0, log.stat().st_size - 8192))
        return "\n".join(handle.read().decode(errors="replace").strip().splitlines()[-12:])
