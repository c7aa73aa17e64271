"""Where the data directory, the sockets and the embedded servers are: computed, never asked of a running server."""

import hashlib
import os
import re
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, quote, urlsplit

from config.launch.account import find_server_account, has_way_to

Role = Literal["app", "owner", "worker", "superuser"]

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "unde"
ROLE_NAMES: dict[Role, str] = {
    "app": "unde_app",
    "owner": "unde_owner",
    "worker": "unde_worker",
    "superuser": "postgres",
}
# A socket address holds 108 bytes with its closing NUL, and PostgreSQL appends "/.s.PGSQL.5432.lock" to the folder.
SOCKET_DIR_LIMIT = 107 - len("/.s.PGSQL.5432.lock")
# Commas separate hosts for PostgreSQL's client, and URLs, Celery and Valkey each escape the rest in a way of their own.
PLAIN_PATH = re.compile(r"[A-Za-z0-9._/+=@-]+")


def data_dir() -> Path:
    """The data directory, absolute: UNDE_DATA_DIR (relative to the current folder), else `.data` in the checkout."""
    named = os.environ.get("UNDE_DATA_DIR", "")
    return (Path(named).expanduser() if named else ROOT / ".data").resolve()


def test_data_dir() -> Path:
    """The data directory of test runs: UNDE_TEST_DATA_DIR, else `.data/test` in the checkout."""
    named = os.environ.get("UNDE_TEST_DATA_DIR", "")
    return (Path(named).expanduser() if named else ROOT / ".data" / "test").resolve()


test_data_dir.__test__ = False  # type: ignore[attr-defined]  # the name would otherwise be collected by pytest


def socket_dir(data: Path | None = None) -> Path:
    """The folder of both servers' sockets for a data directory; the same answer in every process.

    `<data>/run`, or a short folder of its own when that path is too long for a socket address, has unusual characters,
    or when the servers' account could not walk down to it.
    """
    data = data or data_dir()
    near = data / "run"
    is_plain = len(os.fsencode(near)) <= SOCKET_DIR_LIMIT and PLAIN_PATH.fullmatch(str(near)) is not None
    if is_plain and has_way_to(near, find_server_account()):
        return near
    mark = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    if os.geteuid() == 0:
        return Path("/run") / f"unde-memory-{mark}"
    return Path("/tmp") / f"unde-memory-{os.geteuid()}-{mark}"


def database_url(role: Role = "app", *, database: str = DATABASE, data: Path | None = None) -> str:
    """The URL of the embedded PostgreSQL for a role: a Unix socket, no password (the folder is the lock)."""
    return f"postgres://{ROLE_NAMES[role]}@/{database}?host={quote(str(socket_dir(data)))}"


def redis_url(data: Path | None = None) -> str:
    """The URL of the embedded Valkey in the form that redis-py and Django's cache read."""
    return f"unix://{quote(str(socket_dir(data) / 'valkey.sock'))}?db=0"


def celery_broker_url(url: str | None = None) -> str:
    """A Redis URL in the form that Celery reads; the embedded Valkey when none is given.

    Celery wants `redis+socket://PATH?virtual_host=N` where redis-py wants `unix://PATH?db=N`; others pass unchanged.
    """
    parts = urlsplit(url or redis_url())
    if parts.scheme != "unix":
        return parts.geturl()
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={number}"
