"""The test database: made by the owner, used as the service uses it, given back as it was after every test.

The tests connect as `unde_app`, so row-level security holds in every one of them; migrations run as `unde_owner`.
A migrated database is kept as a template under a fingerprint of the code, so only a changed code base migrates again.
Several runs may share the cluster: each takes the first free slot and with it a database of its own.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from config.launch import paths
from config.launch.embedded.keeper import join_servers
from config.launch.folders import Folders, make_folders
from config.launch.locks import Lock
from config.launch.paths import Role
from tests.plugin.baseline import restore_baseline, store_baseline

ROOMS = ("config", "memory", "retrieval", "corrections", "patterns")
SHAPING = ("*.py", "*.sql", "*.yaml", "*.yml", "*.json")  # what a migration may read


@pytest.fixture(scope="session")
def database_cluster() -> Iterator[Folders]:
    """The running test cluster; it stops some seconds after the last run that uses it."""
    places = make_folders(paths.test_data_dir())
    share = join_servers(places, is_fast=True)
    yield places
    share.release()


@pytest.fixture(scope="session")
def database_name(database_cluster: Folders) -> Iterator[str]:
    """The name of this run's database, free for as long as the run lives."""
    slot = _take_slot(database_cluster)
    yield f"test_unde_{slot.path.suffix[1:]}"
    slot.release()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, database_cluster: Folders, database_name: str
) -> Iterator[None]:
    """Make the database from the migrated template and let Django use it as `unde_app`."""
    from django.test import TransactionTestCase

    with django_db_blocker.unblock():
        _make_database(database_cluster, database_name)
        _switch_connection(name=database_name, user=paths.ROLE_NAMES["app"])
    flush = TransactionTestCase._fixture_teardown
    # Django's flush truncates as the connected role, which owns nothing here and may not.
    TransactionTestCase._fixture_teardown = lambda case: restore_baseline(database_name)
    yield
    TransactionTestCase._fixture_teardown = flush
    with django_db_blocker.unblock():
        _write_last_counts()
        _close_connections()
        _drop_database(database_name)


@pytest.fixture
def owner_connection(django_db_setup: None, database_name: str) -> Iterator[psycopg.Connection]:
    """A connection of its own as the owner of the tables (autocommit), for what the service may not do."""
    with _connect("owner", database_name) as connection:
        yield connection


@pytest.fixture
def worker_connection(django_db_setup: None, database_name: str) -> Iterator[psycopg.Connection]:
    """A connection of its own as `unde_worker` (autocommit)."""
    with _connect("worker", database_name) as connection:
        yield connection


@pytest.fixture
def superuser_connection(django_db_setup: None, database_name: str) -> Iterator[psycopg.Connection]:
    """A connection of its own as the cluster's superuser (autocommit), for what row-level security hides from all."""
    with _connect("superuser", database_name) as connection:
        yield connection


@pytest.fixture(scope="session")
def service_environment(django_db_setup: None, database_name: str) -> dict[str, str]:
    """The variables with which a child process uses this run's database and Valkey."""
    return {
        **os.environ,
        "DATABASE_URL": paths.database_url("app", database=database_name),
        "DATABASE_OWNER_URL": paths.database_url("owner", database=database_name),
        "DATABASE_WORKER_URL": paths.database_url("worker", database=database_name),
        "REDIS_URL": paths.redis_url(),
        "CELERY_BROKER_URL": paths.celery_broker_url(),
    }


def _connect(role: Role, database: str) -> psycopg.Connection:
    return psycopg.connect(paths.database_url(role, database=database), autocommit=True)


def _take_slot(places: Folders) -> Lock:
    for number in range(64):
        slot = Lock(places.data / f"database.{number}")
        if slot.take():
            return slot
    raise RuntimeError("64 test runs at once: no database is free")


def _make_database(places: Folders, name: str) -> None:
    # Under one lock, or a run with newer code could drop the template between making and copying it.
    building = Lock(places.data / "template.lock")
    building.take(is_waiting=True)
    try:
        with _connect("superuser", "postgres") as connection:
            template = f"template_{_fingerprint_code()}"
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
                _make_template(connection, template)
            connection.execute(_say("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))
            copy = "CREATE DATABASE {} TEMPLATE {} OWNER unde_owner STRATEGY FILE_COPY"
            connection.execute(_say(copy, name, template))
    finally:
        building.release()


def _make_template(connection: psycopg.Connection, name: str) -> None:
    _drop_old_templates(connection)
    half_made = f"half_{os.getpid()}"
    connection.execute(_say("CREATE DATABASE {} OWNER unde_owner", half_made))
    try:
        _migrate(half_made)
        store_baseline(half_made)
    except BaseException:
        _close_connections()
        connection.execute(_say("DROP DATABASE {} WITH (FORCE)", half_made))
        raise
    connection.execute(_say("ALTER DATABASE {} RENAME TO {}", half_made, name))


def _migrate(database: str) -> None:
    from django.core.management import call_command

    with _connection_as(database, paths.ROLE_NAMES["owner"]):
        call_command("migrate", verbosity=0, interactive=False)


@contextmanager
def _connection_as(name: str, user: str) -> Iterator[None]:
    from django.db import connection

    before = {key: connection.settings_dict[key] for key in ("NAME", "USER")}
    _switch_connection(name=name, user=user)
    try:
        yield
    finally:
        _switch_connection(name=before["NAME"], user=before["USER"])


def _switch_connection(*, name: str, user: str) -> None:
    from django.db import connection

    _close_connections()
    connection.settings_dict.update(NAME=name, USER=user)


def _write_last_counts() -> None:
    """What the process would write at its end, when this database is gone."""
    from patterns.services.refusals import flush_refusals

    flush_refusals()


def _close_connections() -> None:
    from django.db import connections

    connections.close_all()


def _drop_database(name: str) -> None:
    with _connect("superuser", "postgres") as connection:
        connection.execute(_say("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


def _drop_old_templates(connection: psycopg.Connection) -> None:
    found = connection.execute(
        "SELECT datname FROM pg_database WHERE datname LIKE 'template\\_%' OR datname LIKE 'half\\_%'"
    ).fetchall()
    for (name,) in found:
        connection.execute(_say("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


def _say(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*(sql.Identifier(name) for name in names))


def _fingerprint_code() -> str:
    """A hash of everything a migration may depend on: our code and data, and the pinned packages."""
    digest = hashlib.sha256()
    files = [paths.ROOT / "requirements.txt", paths.ROOT / "tests/plugin/baseline.py"]
    for room in ROOMS:
        files += [path for pattern in SHAPING for path in (paths.ROOT / room).rglob(pattern)]
    for path in sorted(files):
        digest.update(str(path.relative_to(paths.ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
