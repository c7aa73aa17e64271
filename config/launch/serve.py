"""`script/server`: everything up, watched, and down again in order."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from config.launch import paths
from config.launch.embedded.keeper import READY, read_wanted
from config.launch.embedded.provision import check_server, provision_embedded
from config.launch.embedded.reserve import Reserve
from config.launch.embedded.servers import Servers
from config.launch.environment import build_environment, find_database_urls, with_role
from config.launch.errors import LaunchError
from config.launch.folders import Folders, make_folders
from config.launch.locks import Lock, read_holder
from config.launch.processes import MARK, Child, end_left_behind, start_child
from config.launch.readiness import Readiness, check_port
from config.launch.services import Options, build_command, empty_folder, list_services, read_options
from config.launch.supervisor import Supervisor

READY_SECONDS = 180.0
KEEPER_SECONDS = 60.0  # how long a start waits for a command that has the servers for itself
PASSWORD_LINE = "admin_password_file="


class StopRequested(BaseException):
    """The launcher was told to stop; raised where it stands, so that a long start can be ended too."""


@dataclass
class Requests:
    """What signals have asked for."""

    has_stop: bool = False
    has_hurry: bool = False
    has_raise: bool = False
    is_stopping: bool = False

    def listen(self) -> None:
        """Take SIGINT and SIGTERM as stop (twice: hurry), SIGHUP as raising the rule-set version (D-9)."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note_stop)
        signal.signal(signal.SIGHUP, self._note_raise)

    def _note_stop(self, number: int, frame: FrameType | None) -> None:
        self.has_hurry = self.has_stop
        self.has_stop = True
        if not self.is_stopping:
            self.is_stopping = True
            raise StopRequested

    def _note_raise(self, number: int, frame: FrameType | None) -> None:
        self.has_raise = True


@dataclass
class Launcher:
    """One life of the service."""

    places: Folders
    options: Options
    requests: Requests
    supervisor: Supervisor
    lock: Lock
    environment: dict[str, str] = field(default_factory=dict)
    errands: list[Child] = field(default_factory=list)

    def run(self) -> None:
        """Start all, say that it is ready, watch until told to stop. Raises LaunchError or StopRequested."""
        started_at = time.monotonic()
        self._start_servers()
        self._run_step("migrate", role="owner", saying="Bringing the database up to date ...")
        self._tell_password(self._run_step("fill", role="app", saying="Loading rules and static files ..."))
        say("Starting web, worker and beat ...")
        self.supervisor.services = list_services(self.places, options=self.options, environment=self.environment)
        self.supervisor.start_services()
        self._wait_until_ready()
        self.supervisor.is_starting = False
        self._tell_addresses(time.monotonic() - started_at)
        while True:
            self._watch()
            time.sleep(0.25)

    def _start_servers(self) -> None:
        wanted = self.supervisor.servers.wanted
        if wanted.postgres and not (self.places.state / "pg").exists():
            say(f"First start: making the database in {self.places.state} ...")
        elif wanted.postgres or wanted.valkey:
            say("Starting the embedded servers ...")
        if wanted.postgres:
            # Before it starts: a database without a single free block does not.
            self.supervisor.reserve = Reserve(self.places.state)
            self.supervisor.reserve.tend()
        self.supervisor.servers.start()
        urls = provision_embedded(self.places.data) if wanted.postgres else find_database_urls(self.places)
        if not wanted.postgres:
            check_server(urls.app)
        self.lock.sign(f"script/server {READY}")
        metrics = self.places.data / "metrics"
        # Counters of processes that no longer exist would be added up with those of the new ones.
        empty_folder(metrics)
        self.environment = build_environment(self.places, wanted=wanted, urls=urls)
        self.environment["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)

    def _run_step(self, name: str, *, role: str, saying: str) -> str:
        """Run one preparation and return what it printed. Raises LaunchError with its last lines when it fails."""
        say(saying)
        log = self.places.log / f"{name}.log"
        environment = with_role(self.environment, role)
        environment.pop("PROMETHEUS_MULTIPROC_DIR")
        command = build_command(self.places, ["-m", "config.launch.prepare", name], environment)
        with log.open("wb") as output:
            child = start_child(name, command, output=output)
        code = child.process.wait()
        said = log.read_text(errors="replace")
        if code == 0:
            log.unlink()  # the first login's password is in it
        else:
            tail = "\n".join(said.strip().splitlines()[-6:])
            raise LaunchError(f"The step {name} failed. The end of {log} says:\n{tail}")
        return said

    def _wait_until_ready(self) -> None:
        readiness = Readiness(self.options, self.environment)
        deadline = time.monotonic() + READY_SECONDS
        while not readiness.is_complete():
            self._watch()
            if time.monotonic() > deadline:
                raise LaunchError(
                    f"Not ready after {READY_SECONDS:.0f} seconds; missing: {readiness.missing}. "
                    f"The logs in {self.places.log} say more."
                )
            time.sleep(0.2)

    def _watch(self) -> None:
        for sentence in self.supervisor.watch():
            say(sentence)
        if self.requests.has_raise:
            self.requests.has_raise = False
            self._raise_rules_version()
        for child in [child for child in self.errands if not child.is_alive()]:
            self.errands.remove(child)
            say("The rule-set version is raised." if child.process.returncode == 0 else f"{child.name} failed.")

    def _raise_rules_version(self) -> None:
        command = build_command(self.places, ["manage.py", "raise_rules_version"], self.environment)
        with (self.places.log / "raise_rules_version.log").open("ab") as output:
            self.errands.append(start_child("raise_rules_version", command, output=output))

    def _tell_password(self, said: str) -> None:
        """Show the first login once: the command that made it names the file on a line of its own."""
        for line in said.splitlines():
            if line.startswith(PASSWORD_LINE):
                path = Path(line.removeprefix(PASSWORD_LINE).strip())
                say(f"First login: admin, password {path.read_text().strip()} (kept in {path})")

    def _tell_addresses(self, seconds: float) -> None:
        say(f"Up after {seconds:.1f} seconds. Logs: {self.places.log}")
        say(f"Admin: {self.options.address}/admin/")
        say(f"API:   {self.options.address}/v1/docs")
        if self.supervisor.servers.wanted.postgres:
            say(f"API key of the tenant demo: {self.environment['UNDE_DEV_API_KEY']}")
        else:
            say("Tenants, keys and logins: script/manage create_tenant, create_key, create_staff")
        say(f"ready {self.options.address}")


def say(sentence: str) -> None:
    """Print a line for the person who started us, who may have closed the terminal since."""
    with contextlib.suppress(OSError):
        print(sentence, flush=True)


@contextlib.contextmanager
def hold(places: Folders) -> Iterator[Lock]:
    """Have the data directory alone. Raises LaunchError when another launcher has it; waits for a passing command."""
    lock = Lock(places.lock)
    deadline = time.monotonic() + KEEPER_SECONDS
    has_told = False
    while not lock.take():
        pid, name = read_holder(places.lock)
        if not name.startswith("script/manage") or time.monotonic() > deadline:
            raise LaunchError(f"Already running on {places.data}: process {pid} ({name or 'starting'}).")
        if not has_told:
            say("Waiting for script/manage, which has the servers, to finish ...")
            has_told = True
        time.sleep(0.2)
    lock.sign("script/server starting")
    try:
        yield lock
    finally:
        lock.sign("script/server stopped")
        lock.release()


def main() -> int:
    """Run the service; the exit code is 0 after a stop and 1, with a plain sentence, when something prevents it."""
    if len(sys.argv) > 1:
        print("script/server takes no arguments. Its settings are environment variables: see script/server --help.")
        return 2
    os.environ.pop(MARK, None)
    requests = Requests()
    requests.listen()
    try:
        options = read_options()
        places = make_folders(paths.data_dir())
        with hold(places) as lock:
            # First, since a web process of an earlier life may still have the port.
            end_left_behind(places.data)
            check_port(options)
            _live(Launcher(places, options, requests, Supervisor(Servers(places, read_wanted()), []), lock))
    except LaunchError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    except StopRequested:
        return 0
    return 0


def _live(launcher: Launcher) -> None:
    try:
        launcher.run()
    except StopRequested:
        say("Stopping ...")
    finally:
        launcher.requests.is_stopping = True
        launcher.lock.sign("script/server stopping")
        launcher.supervisor.stop(is_hurried=launcher.requests.has_hurry)
    say("Stopped.")


if __name__ == "__main__":
    sys.exit(main())
