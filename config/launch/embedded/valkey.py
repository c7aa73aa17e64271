"""The embedded Valkey: cache and broker on a Unix socket. Losing it loses no work: work is rows in PostgreSQL."""

import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from config.launch.account import hand_over
from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.processes import MARK, Child, Command, start_child

START_SECONDS = 120.0  # on a machine that is busy with other things
STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Valkey:
    """One Valkey of one installation."""

    places: Folders
    program: Path

    @property
    def socket(self) -> Path:
        return self.places.run / "valkey.sock"

    @property
    def log(self) -> Path:
        return self.places.log / "valkey.log"

    def start(self) -> Child:
        """Start it and wait until it answers. Raises LaunchError when it does not."""
        folder = self.places.state / "valkey"
        if not folder.exists():
            folder.mkdir(mode=0o700)
            hand_over(folder, self.places.account)
        self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as output:
            child = start_child("valkey", self._command(folder), output=output)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and child.is_alive():
            if is_answering(self.socket):
                return child
            time.sleep(0.05)
        self.stop(child)
        raise LaunchError(f"Valkey does not start: see {self.log}.")

    def stop(self, child: Child) -> None:
        """Let it end; kill it when it does not."""
        child.send(signal.SIGTERM)
        if not child.wait(STOP_SECONDS):
            child.clear_group()
            child.wait(5.0)

    def _command(self, folder: Path) -> Command:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(folder),
            # Nothing is kept on the disk: a log that cannot be written, for want of room, refuses every change.
            "appendonly": "no",
            "save": "",
            "maxmemory-policy": "noeviction",
            # A changed title would overwrite the environment by which a later start knows whose process this was.
            "set-proc-title": "no",
        }
        arguments = [str(self.program)]
        for name, value in options.items():
            arguments += [f"--{name}", value]
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", MARK: str(self.places.data)}
        return Command(arguments=arguments, environment=environment, account=self.places.account, folder=Path("/"))


def is_answering(path: Path) -> bool:
    """Whether a Valkey on that socket answers a PING with PONG (and not that it is still loading)."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False
