"""A PostgreSQL of the user's own: the launcher makes its roles there, or says who has to."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.launch import paths
from config.launch.binaries import find_postgres
from config.launch.errors import LaunchError
from config.launch.places import make_places
from config.launch.postgres import Postgres
from config.launch.provision import provision_external
from tests.acceptance.service_process import remove_installation

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
    places = make_places(data)
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


def test_a_server_that_is_not_there_is_a_sentence_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="cannot be reached") as caught:
        provision_external("postgres://someone:secret-word@127.0.0.1:9/memory", secrets=tmp_path)
    assert "secret-word" not in str(caught.value)


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
