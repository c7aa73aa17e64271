"""A PostgreSQL of the user's own: the launcher makes its roles there, or says who has to."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from config.launch import paths
from config.launch.account import find_server_account
from config.launch.embedded import provision
from config.launch.embedded.binaries import find_postgres
from config.launch.embedded.postgres import Postgres
from config.launch.embedded.provision import check_server, provision_external
from config.launch.errors import LaunchError
from config.launch.folders import make_folders
from tests.acceptance.service_process import build_environment, find_free_port, remove_installation, wait_until

pytestmark = pytest.mark.slow

PREPARE = (
    "CREATE ROLE administrator LOGIN CREATEROLE",
    "CREATE ROLE stranger LOGIN CREATEROLE",
    "CREATE ROLE nobody_special LOGIN",
    "CREATE DATABASE memory OWNER administrator",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A bare PostgreSQL with an empty database `memory` and none of the service's roles."""
    data = tmp_path_factory.mktemp("own") / "data"
    places = make_folders(data)
    postgres = Postgres(places, find_postgres(places.account), is_fast=True)
    child = postgres.start()
    with psycopg.connect(
        paths.database_url("superuser", database="postgres", data=data), autocommit=True
    ) as connection:
        for statement in PREPARE:
            connection.execute(statement)
    with _connect_superuser(data) as connection:
        connection.execute("CREATE EXTENSION vector")
    yield data
    postgres.stop(child)
    remove_installation(data)


def test_a_role_without_rights_is_told_what_the_administrator_has_to_run(server: Path, tmp_path: Path) -> None:
    for name in ("nobody_special", "stranger"):
        with pytest.raises(LaunchError) as caught:
            provision_external(_name_url(server, name), secrets=tmp_path)
        assert "CREATE ROLE unde_owner LOGIN" in str(caught.value), name
        assert '"memory"' in str(caught.value), name


def test_a_role_that_may_make_roles_is_enough(server: Path, tmp_path: Path) -> None:
    _drop_roles(server)
    first = provision_external(_name_url(server, "administrator"), secrets=tmp_path)
    again = provision_external(_name_url(server, "administrator"), secrets=tmp_path)
    assert first == again
    with psycopg.connect(first.owner) as owner:
        owner.execute("CREATE TABLE made_by_owner (id int)")
    for url, name in ((first.app, "unde_app"), (first.worker, "unde_worker")):
        with psycopg.connect(url) as connection:
            row = connection.execute(
                "SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            assert row == (name, False)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("CREATE TABLE made_by_service (id int)")


def test_passwords_are_kept_for_the_owner_of_the_data_alone_and_stored_sealed(server: Path, tmp_path: Path) -> None:
    _drop_roles(server)
    urls = provision_external(_name_url(server, "administrator"), secrets=tmp_path)
    kept = {path.name: path for path in tmp_path.iterdir()}
    assert set(kept) == {"password_owner", "password_app", "password_worker"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept.values())
    assert kept["password_app"].read_text().strip() in urls.app
    with _connect_superuser(server) as connection:
        row = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'unde_app'").fetchone()
    assert row is not None
    assert row[0].startswith("SCRAM-SHA-256$")


def test_a_postgresql_that_is_too_old_is_one_sentence_at_the_start(tmp_path: Path) -> None:
    with run_old_postgres() as url:
        code, said = start(tmp_path, DATABASE_URL=url)
        assert code == 1
        assert re.search(
            r"^PostgreSQL 18 or newer is needed; the server of DATABASE_URL is 15\.\d+\.$", said, re.MULTILINE
        )
        assert "Traceback" not in said
        given = {"DATABASE_OWNER_URL": url, "DATABASE_WORKER_URL": url}
        code, said = start(tmp_path, DATABASE_URL=url, **given)
        assert code == 1
        assert "PostgreSQL 18 or newer is needed" in said
        checked = check(tmp_path, DATABASE_URL=url, UNDE_DB_ROLE="app")
        assert checked.returncode == 1
        assert "(unde.E016) PostgreSQL 18 or newer is needed; this server is 15." in checked.stderr
        assert "Traceback" not in checked.stderr


def test_a_database_without_pgvector_is_one_sentence(server: Path, tmp_path: Path) -> None:
    url = paths.database_url("superuser", database="bare", data=server)
    with psycopg.connect(
        paths.database_url("superuser", database="postgres", data=server), autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE bare")
    with pytest.raises(LaunchError, match='The database "bare" has no extension vector'):
        check_server(url)


def test_an_old_pgvector_is_one_sentence(server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = paths.database_url("superuser", database="memory", data=server)
    check_server(url)
    monkeypatch.setattr(provision, "OLDEST_VECTOR", (99, 1))
    with pytest.raises(LaunchError, match=r'pgvector 99\.1 or newer is needed; the database "memory" has \d'):
        check_server(url)


def test_a_server_that_is_not_there_is_a_sentence_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="cannot be reached") as caught:
        provision_external("postgres://someone:secret-word@127.0.0.1:9/memory", secrets=tmp_path)
    assert "secret-word" not in str(caught.value)


@contextmanager
def run_old_postgres() -> Iterator[str]:
    """A PostgreSQL of the system's that is too old for the service; its URL. Skips the test where there is none."""
    programs = next(iter(sorted(Path("/usr/lib/postgresql").glob("1[0-7]/bin"))), None)
    if programs is None:
        pytest.skip("No PostgreSQL older than 18 is installed here (/usr/lib/postgresql).")
    account = find_server_account()
    with tempfile.TemporaryDirectory(prefix="unde-old-") as name:
        folder = Path(name)
        if account is not None:
            os.chown(folder, account.uid, account.gid)
        who = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
        make = [programs / "initdb", "-D", folder / "pg", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd="/", **who)
        run = [programs / "postgres", "-D", folder / "pg", "-c", "listen_addresses=", "-k", folder]
        server = subprocess.Popen(run, stderr=subprocess.DEVNULL, cwd="/", **who)
        try:
            assert wait_until((folder / ".s.PGSQL.5432").exists)
            yield f"postgres://postgres@/postgres?host={quote(name)}"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def start(folder: Path, **environment: str) -> tuple[int, str]:
    """A start of the whole service on servers of one's own; exit code and what was said."""
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "config.launch.serve"],
        env=build_environment(
            folder / "data", PORT=str(find_free_port()), REDIS_URL="redis://127.0.0.1:9", **environment
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=90,
        check=False,
    )
    return ran.returncode, ran.stdout


def check(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What `manage.py check` says of a live database, as the units of systemd ask it."""
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--database", "default"],
        cwd=paths.ROOT,
        env=build_environment(folder / "data", UNDE_ENVIRONMENT="production", **environment),
        capture_output=True,
        text=True,
        check=False,
    )


def _name_url(server: Path, name: str) -> str:
    return paths.database_url("superuser", database="memory", data=server).replace("postgres@", f"{name}@", 1)


def _connect_superuser(server: Path) -> psycopg.Connection:
    return psycopg.connect(paths.database_url("superuser", database="memory", data=server), autocommit=True)


def _drop_roles(server: Path) -> None:
    with _connect_superuser(server) as connection:
        for name in ("unde_owner", "unde_app", "unde_worker"):
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
                connection.execute(f"DROP OWNED BY {name} CASCADE")
                connection.execute(f"DROP ROLE {name}")
