"""The folders of one installation, made before anything is started."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from config.launch import paths
from config.launch.account import Account, find_server_account, hand_over, has_way_to
from config.launch.embedded.binaries import STATE_ROOT
from config.launch.errors import LaunchError
from config.launch.secrets import read_or_make


@dataclass(frozen=True)
class Folders:
    """Folders of an installation: `data` is the user's, `state` holds the servers' files, `run` their sockets."""

    data: Path
    state: Path
    run: Path
    account: Account | None

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def lock(self) -> Path:
        return self.data / "up.lock"

    @property
    def users_lock(self) -> Path:
        return self.data / "users.lock"

    @property
    def secrets(self) -> Path:
        return self.data / "secrets"


def make_folders(data: Path) -> Folders:
    """Make the folders of an installation where they are missing and say where they are.

    Writes folders only below `data`, the sockets' folder and, for root under a closed home, the system's state folder;
    existing folders keep their modes. Raises LaunchError when something cannot be written.
    """
    account = find_server_account()
    in_the_way = next((entry for entry in (data, *data.parents) if entry.exists() and not entry.is_dir()), None)
    if in_the_way is not None:
        raise LaunchError(
            f"The data directory {data} cannot be used: {in_the_way} is a file. "
            "Set UNDE_DATA_DIR to a folder, or move the file."
        )
    try:
        _make_data_dir(data, account)
        for name in ("log", "secrets", "keys"):
            (data / name).mkdir(mode=0o700, exist_ok=True)
        places = Folders(data=data, state=_locate_state(data, account), run=paths.socket_dir(data), account=account)
        _make_state_dir(places)
        _make_run_dir(places)
    except OSError as error:
        raise LaunchError(f"The data directory {data} cannot be used: {error.strerror} ({error.filename}).") from None
    return places


def _make_data_dir(data: Path, account: Account | None) -> None:
    if not data.exists():
        data.mkdir(parents=True)
        # Explicitly, whatever the umask: as root the servers' account walks through, and reads nothing.
        data.chmod(0o700 if account is None else 0o711)
    if not os.access(data, os.W_OK | os.X_OK):
        raise PermissionError(13, "no permission to write", str(data))


def _locate_state(data: Path, account: Account | None) -> Path:
    if has_way_to(data, account):
        return data
    # Named after the installation, not the path: a new data directory at an old path must not find the old cluster.
    return STATE_ROOT / f"data-{read_or_make(data / 'secrets', 'instance')}"


def _make_state_dir(places: Folders) -> None:
    if places.state == places.data:
        return
    places.state.mkdir(mode=0o755, parents=True, exist_ok=True)
    pointer = places.data / "servers"
    if not pointer.is_symlink():
        pointer.symlink_to(places.state)


def _make_run_dir(places: Folders) -> None:
    if not places.run.exists():
        places.run.mkdir(mode=0o700)
        hand_over(places.run, places.account)
    entry = places.run.lstat()
    owner = places.account.uid if places.account else os.geteuid()
    # Outside the data directory the name can be guessed, so somebody else could have made it first.
    if not stat.S_ISDIR(entry.st_mode) or entry.st_uid != owner or entry.st_mode & 0o077:
        raise LaunchError(
            f"The folder for sockets {places.run} belongs to someone else or is open to others: remove it."
        )
