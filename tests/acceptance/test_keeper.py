"""Servers shared by commands and test runs: up for as long as somebody uses them, and no longer."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.launch import paths
from config.launch.embedded.keeper import is_up, join_servers
from config.launch.folders import Folders, make_folders
from config.launch.locks import read_holder
from tests.acceptance.service_process import build_environment, is_gone, remove_installation, wait_until

pytestmark = pytest.mark.slow

# A command in miniature: joins, says so, and waits to be killed.
USER = """
import sys, time
from pathlib import Path
from config.launch.embedded.keeper import join_servers
from config.launch.folders import make_folders
share = join_servers(make_folders(Path(sys.argv[1])))
print("joined", flush=True)
time.sleep(120)
"""


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Folders]:
    """An installation whose servers have never run."""
    yield make_folders(tmp_path / "data")
    remove_installation(tmp_path / "data")


def test_users_share_one_keeper_and_the_last_ones_kill_stops_the_servers(places: Folders) -> None:
    users = [_start_user(places.data) for _ in range(3)]
    for user in users:
        assert user.stdout is not None
        assert user.stdout.readline() == "joined\n"
    keeper, _ = read_holder(places.lock)
    for user in users[:2]:
        user.kill()
        user.wait()
    assert is_up(places)
    assert _ask(places.data) == "unde_app"
    users[2].kill()
    users[2].wait()
    assert wait_until(lambda: is_gone(keeper))
    assert not (places.state / "pg" / "postmaster.pid").exists()


def test_a_killed_keeper_is_replaced_by_the_next_user(places: Folders) -> None:
    share = join_servers(places)
    keeper, _ = read_holder(places.lock)
    os.kill(keeper, signal.SIGKILL)
    assert wait_until(lambda: not is_up(places))
    again = join_servers(places)
    assert read_holder(places.lock)[0] != keeper
    assert _ask(places.data) == "unde_app"
    share.release()
    again.release()


def test_a_command_ends_with_the_code_of_manage_py(places: Folders) -> None:
    ran = _run_command(places.data, "shell", "-c", "import sys; sys.exit(7)")
    assert ran.returncode == 7, ran.stderr
    assert _run_command(places.data, "no_such_command").returncode == 1


def test_a_command_connects_as_the_service_and_the_schema_as_its_owner(places: Folders) -> None:
    ask = "from django.conf import settings; print(settings.DATABASES['default']['USER'])"
    assert _run_command(places.data, "shell", "-v", "0", "-c", ask).stdout.strip() == "unde_app"
    migrated = _run_command(places.data, "migrate", "contenttypes")
    assert migrated.returncode == 0, migrated.stderr
    with psycopg.connect(paths.database_url("owner", data=places.data)) as connection:
        row = connection.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'django_content_type'").fetchone()
    assert row == ("unde_owner",)


def _start_user(data: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", USER, str(data)]
    return subprocess.Popen(command, env=build_environment(data), stdout=subprocess.PIPE, text=True)


def _run_command(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "config.launch.manage", *arguments]
    return subprocess.run(
        command, env=build_environment(data), capture_output=True, text=True, timeout=500, check=False
    )


def _ask(data: Path) -> str:
    with psycopg.connect(paths.database_url("app", data=data)) as connection:
        row = connection.execute("SELECT current_user::text").fetchone()
    return str(row[0]) if row else ""
