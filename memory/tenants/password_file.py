"""Where a one-time password goes: a file that only the service's account can read (D-32)."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings


def write_password_file(*, username: str, password: str) -> Path:
    """Write `<username>-password` with mode 0600 into the data folder and return its path. Replaces an older one."""
    folder: Path = settings.UNDE_DATA_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{username}-password"
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(password + "\n")
    return path
