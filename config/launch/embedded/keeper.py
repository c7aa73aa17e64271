"""Keeps the embedded servers up for as long as a command or a test run uses them, then stops them.

`script/manage` and the test plugin call `join_servers`. Whoever comes first starts a keeper, whoever comes later shares
it, and the last one's end stops the servers, also when that end is a kill -9: a lock tells, not a counter.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from config.launch.embedded.provision import DatabaseUrls, provision_embedded
from config.launch.embedded.servers import Servers, Wanted
from config.launch.errors import LaunchError
from config.launch.folders import Folders, make_folders
from config.launch.locks import Lock, read_holder
from config.launch.processes import MARK, end_left_behind

LINGER_SECONDS = 2.0  # the next command of a script finds the servers still up
JOIN_SECONDS = 120.0
READY = "ready"


def read_wanted(*, is_fast: bool = False) -> Wanted:
    """Which servers the environment leaves to us."""
    return Wanted(postgres=not os.environ.get("DATABASE_URL"), valkey=not os.environ.get("REDIS_URL"), is_fast=is_fast)


def is_up(places: Folders) -> bool:
    """Whether a launcher or keeper holds this data directory and its servers can be used."""
    probe = Lock(places.lock)
    if probe.take():
        probe.release()
        return False
    return read_holder(places.lock)[1].endswith(READY)


def join_servers(places: Folders, *, is_fast: bool = False) -> Lock:
    """Return a share in running servers, starting a keeper when there is none; release it (or die) when done.

    Raises LaunchError when the servers do not come up.
    """
    share = Lock(places.users_lock)
    share.take(is_shared=True, is_waiting=True)  # waits for a keeper that is just stopping
    keeper: subprocess.Popen[bytes] | None = None
    deadline = time.monotonic() + JOIN_SECONDS
    while not is_up(places):
        if keeper is not None and keeper.poll():
            raise LaunchError(_read_last_line(places.log / "keeper.log"))
        if keeper is None or keeper.returncode is not None:
            keeper = _spawn_keeper(places, is_fast=is_fast)
        if time.monotonic() > deadline:
            pid, name = read_holder(places.lock)
            raise LaunchError(f"The servers of {places.data} do not come up (process {pid} {name} has them).")
        time.sleep(0.1)
    return share


def keep_servers(places: Folders, *, wanted: Wanted) -> DatabaseUrls | None:
    """Run the servers until nobody has had a share for a while; None when another process has the data directory."""
    lock = Lock(places.lock)
    if not lock.take():
        return None
    lock.sign("script/manage starting")
    servers = Servers(places, wanted)
    urls = None
    try:
        end_left_behind(places.data)
        servers.start()
        if wanted.postgres:
            urls = provision_embedded(places.data, may_create_databases=wanted.is_fast)
        lock.sign(f"script/manage {READY}")
        _wait_for_idle(places, servers)
    finally:
        lock.sign("script/manage stopping")
        servers.stop()
        lock.release()
    return urls


def _wait_for_idle(places: Folders, servers: Servers) -> None:
    """Returns with the users' lock taken for good, so that a newcomer waits until this keeper is gone."""
    idle_since: float | None = None
    alone = Lock(places.users_lock)
    while True:
        for name in servers.list_dead():
            servers.revive(name)
        if not alone.take():
            idle_since = None
        else:
            idle_since = idle_since or time.monotonic()
            if time.monotonic() - idle_since > LINGER_SECONDS:
                return
            alone.release()
        time.sleep(0.2)


def _spawn_keeper(places: Folders, *, is_fast: bool) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-m", "config.launch.embedded.keeper", str(places.data)] + (
        ["--fast"] if is_fast else []
    )
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    with (places.log / "keeper.log").open("wb") as output:
        return subprocess.Popen(
            arguments, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )


def _read_last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"The servers do not start, and {log} does not say why."


def main() -> int:
    """The keeper's own process."""
    parser = argparse.ArgumentParser(description=keep_servers.__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        keep_servers(make_folders(options.data), wanted=read_wanted(is_fast=options.fast))
    except LaunchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
