"""Under which account the embedded servers run, and what that account can reach."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from config.launch.errors import LaunchError


@dataclass(frozen=True)
class Account:
    """An operating system account, as far as starting a process under it needs."""

    name: str
    uid: int
    gid: int


def find_server_account() -> Account | None:
    """The account for the embedded servers, or None when they simply run as whoever starts them.

    PostgreSQL refuses uid 0, so root hands over to UNDE_SERVER_USER, else to `postgres`, else to `nobody`.
    Raises LaunchError when no such account exists.
    """
    if os.geteuid() != 0:
        return None
    asked = os.environ.get("UNDE_SERVER_USER")
    for name in [asked] if asked else ["postgres", "nobody"]:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise LaunchError(
        f"PostgreSQL does not run as root and there is no account {asked or 'postgres or nobody'} to run it under: "
        "set UNDE_SERVER_USER to an account that exists."
    )


def has_way_to(path: Path, account: Account | None) -> bool:
    """Whether `account` may walk down to `path` (every folder above it, and itself when it is a folder).

    Mode bits only: an access list that allows more is not seen, and the launcher then copies what it need not.
    Parts that don't exist yet count as reachable, since the launcher makes them.
    """
    if account is None:
        return True
    resolved = path.resolve()
    folders = [*reversed(resolved.parents), resolved]
    return all(_may_enter(folder, account) for folder in folders)


def hand_over(path: Path, account: Account | None) -> None:
    """Give one of the launcher's own folders or files to the servers' account (nothing to do without one)."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _may_enter(folder: Path, account: Account) -> bool:
    try:
        entry = folder.stat()
    except FileNotFoundError:
        return True
    if not stat.S_ISDIR(entry.st_mode):
        return True
    if entry.st_uid == account.uid:
        return bool(entry.st_mode & stat.S_IXUSR)
    if entry.st_gid == account.gid:
        return bool(entry.st_mode & stat.S_IXGRP)
    return bool(entry.st_mode & stat.S_IXOTH)
