"""Secrets that the installation makes for itself once and keeps in its data directory, readable by its owner alone."""

import base64
import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path


def _make_master_keys() -> str:
    return f"k1:{base64.b64encode(secrets.token_bytes(32)).decode()}"


MAKERS: dict[str, Callable[[], str]] = {
    "secret_key": lambda: secrets.token_urlsafe(50),
    "master_keys": _make_master_keys,
    "dev_api_key": lambda: f"unde_dev_{secrets.token_urlsafe(32)}",
    "instance": lambda: secrets.token_hex(8),
    "password_owner": lambda: secrets.token_urlsafe(32),
    "password_app": lambda: secrets.token_urlsafe(32),
    "password_worker": lambda: secrets.token_urlsafe(32),
}


def read_or_make(folder: Path, name: str) -> str:
    """The secret of that name, made now when the folder has none yet; two starts at once get the same one.

    Writes `<folder>/<name>` (mode 0600), on disk before it is used: a master key lost in a crash would lose facts.
    """
    path = folder / name
    if not path.exists():
        _write_once(path, MAKERS[name]())
    return path.read_text().strip()


def read_environment(folder: Path, *, has_demo: bool) -> dict[str, str]:
    """The secrets as the service reads them from its environment; what the environment already says is kept.

    The key of the tenant `demo` is among them where there is such a tenant: on embedded servers alone (D-32).
    """
    names = {"UNDE_SECRET_KEY": "secret_key", "UNDE_MASTER_KEYS": "master_keys"}
    if has_demo:
        names["UNDE_DEV_API_KEY"] = "dev_api_key"
    return {variable: os.environ.get(variable) or read_or_make(folder, name) for variable, name in names.items()}


def _write_once(path: Path, value: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w") as handle:
            handle.write(value + "\n")
            handle.flush()
            os.fsync(handle.fileno())
        os.link(temporary, path)  # fails when another start was quicker, whose secret then counts
        _sync_folder(path.parent)
    except FileExistsError:
        return
    finally:
        Path(temporary).unlink()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
