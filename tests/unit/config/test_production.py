"""A production installation with nothing but its environment file passes Django's own inspection."""

import base64
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NEEDED = {
    "UNDE_SECRET_KEY": base64.b64encode(os.urandom(48)).decode(),
    "UNDE_MASTER_KEYS": f"main:{base64.b64encode(os.urandom(32)).decode()}",
    "ALLOWED_HOSTS": "memory.example.com",
}


def inspect(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("UNDE_", "DJANGO_", "DATABASE"))}
    own = {"UNDE_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings.production"}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={**kept, **own, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_check_deploy_finds_nothing(tmp_path: Path) -> None:
    found = inspect(tmp_path, **NEEDED)
    assert found.returncode == 0, found.stderr
    assert "security." not in found.stderr


def test_values_that_are_missing_are_named_in_one_sentence(tmp_path: Path) -> None:
    found = inspect(tmp_path, ALLOWED_HOSTS="memory.example.com")
    assert found.returncode == 1
    assert found.stderr == (
        "In production these variables must be set: UNDE_SECRET_KEY, UNDE_MASTER_KEYS. "
        "See docs/going-to-production.md for how to create them.\n"
    )


def test_a_missing_value_stops_the_start_with_its_name(tmp_path: Path) -> None:
    for name in NEEDED:
        found = inspect(tmp_path, **{each: value for each, value in NEEDED.items() if each != name})
        assert found.returncode != 0
        assert name in found.stderr
