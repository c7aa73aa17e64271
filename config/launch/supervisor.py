"""Watches the processes of the service: starts again what dies, gives up on what dies at once, stops all in order."""

import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from config.launch.errors import LaunchError
from config.launch.processes import Child, Command, start_child
from config.launch.servers import Servers

QUICK_DEATH_SECONDS = 10.0
MOST_QUICK_DEATHS = 5
LONGEST_PAUSE_SECONDS = 8.0
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
    """How often one process died young, and when it may be started again (monotonic seconds)."""

    quick_deaths: int = 0
    restart_at: float | None = None

    def note_death(self, *, lived: float, now: float) -> None:
        """Count a death and set the pause before the next start, doubling while the deaths stay quick."""
        self.quick_deaths = self.quick_deaths + 1 if lived < QUICK_DEATH_SECONDS else 1
        self.restart_at = now + min(0.25 * 2 ** (self.quick_deaths - 1), LONGEST_PAUSE_SECONDS)

    @property
    def is_over(self) -> bool:
        return self.quick_deaths >= MOST_QUICK_DEATHS


@dataclass
class Supervisor:
    """The embedded servers and the services, as one thing to start, watch and stop."""

    servers: Servers
    services: list[Service]
    patience: dict[str, Patience] = field(default_factory=dict)

    def start_services(self) -> None:
        """Start every service; none is waited for."""
        for service in self.services:
            service.start()

    def watch(self) -> list[str]:
        """One round: start again what has died, after its pause. Returns a sentence for each event.

        Raises LaunchError when something has died too often too soon, or when a server does not come back.
        """
        told = []
        for name in self.servers.list_dead():
            told += self._tend(name, self.servers.children[name])
        for service in self.services:
            if service.child is not None and not service.child.is_alive():
                told += self._tend(service.name, service.child)
            _bound_log(service.log)
        return told

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
            patience.note_death(lived=now - child.started_at, now=now)
            if patience.is_over:
                raise LaunchError(self._explain(name, child))
            return [f"{name} ended (code {child.process.returncode}) and is started again"]
        if now >= patience.restart_at:
            patience.restart_at = None
            self._restart(name)
        return []

    def _restart(self, name: str) -> None:
        if name in self.servers.children:
            self.servers.revive(name)
            return
        next(service for service in self.services if service.name == name).start()

    def _explain(self, name: str, child: Child) -> str:
        log = next((service.log for service in self.services if service.name == name), None)
        said = f" The end of {log} says:\n{_read_tail(log)}" if log is not None else ""
        return f"{name} ended {MOST_QUICK_DEATHS} times in a row (code {child.process.returncode}).{said}"


def _bound_log(log: Path | None) -> None:
    """Copy and truncate, since the writer keeps its handle (opened for appending) to this very file."""
    if log is None or not log.exists() or log.stat().st_size < LOG_LIMIT:
        return
    older = log.with_suffix(".log.1")
    older.unlink(missing_ok=True)
    with log.open("rb") as source, older.open("wb") as target:
        while block := source.read(2**20):
            target.write(block)
    with log.open("r+b") as source:
        source.truncate(0)


def _read_tail(log: Path, lines: int = 12) -> str:
    with log.open("rb") as handle:
        handle.seek(max(0, log.stat().st_size - 8192))
        return "\n".join(handle.read().decode(errors="replace").strip().splitlines()[-lines:])
