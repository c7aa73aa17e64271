"""A command without an installation ends with a plain sentence, not with a traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from config.launch import paths

COMMANDS = (
    ["create_tenant", "acme", "--name", "Acme"],
    ["doctor"],
    ["export_memory", "--tenant", "acme", "--user", "alice"],
)


@pytest.fixture
def empty_database(superuser_connection: psycopg.Connection) -> Iterator[str]:
    """The name of a database in which nothing has ever been installed."""
    name = "empty_of_tables"
    superuser_connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    superuser_connection.execute(f"CREATE DATABASE {name} OWNER unde_owner")
    yield name
    superuser_connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run(environment: dict[str, str], database: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    urls = {
        variable: paths.database_url(role, database=database)
        for variable, role in (
            ("DATABASE_URL", "app"),
            ("DATABASE_OWNER_URL", "owner"),
            ("DATABASE_WORKER_URL", "worker"),
        )
    }
    return subprocess.run(
        [sys.executable, str(paths.ROOT / "manage.py"), *arguments],
        env={**environment, **urls, "DJANGO_SETTINGS_MODULE": "config.settings.base"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_database_without_tables_is_told_in_a_sentence(
    service_environment: dict[str, str], empty_database: str, arguments: list[str]
) -> None:
    ran = run(service_environment, empty_database, arguments)
    assert ran.returncode == 1
    assert "There is no installation here yet" in ran.stdout + ran.stderr
    assert "script/server" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.django_db
def test_a_database_that_is_not_there_is_told_in_a_sentence(service_environment: dict[str, str]) -> None:
    ran = run(service_environment, "no_such_database", ["create_tenant", "acme", "--name", "Acme"])
    assert ran.returncode == 1
    assert ran.stderr.endswith("The database cannot be reached. Is PostgreSQL up, and does DATABASE_URL lead there?\n")
    assert "Traceback" not in ran.stderr
