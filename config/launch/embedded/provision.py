"""The three roles, the database and its extensions (D-14). The only part of the launcher that needs a driver."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql

from config.launch import paths
from config.launch.errors import LaunchError
from config.launch.paths import ROLE_NAMES, Role
from config.launch.secrets import read_or_make

OLDEST_POSTGRES = 18  # the schema uses what came with it
OLDEST_VECTOR = (0, 7)  # vectors of half precision
SERVICE_ROLES: tuple[Role, ...] = ("owner", "app", "worker")


@dataclass(frozen=True)
class DatabaseUrls:
    """One URL a role; `is_new` says that the database was made just now."""

    app: str
    owner: str
    worker: str
    is_new: bool = False

    def as_environment(self) -> dict[str, str]:
        """The variables that settings read."""
        return {
            "DATABASE_URL": self.app,
            "DATABASE_OWNER_URL": self.owner,
            "DATABASE_WORKER_URL": self.worker,
        }


def provision_embedded(data: Path, *, may_create_databases: bool = False) -> DatabaseUrls:
    """Make roles, database and extension on the embedded server where they are missing; safe to repeat.

    Without passwords: the sockets' folder admits one account only. `may_create_databases` is for the test cluster.
    """
    with _connect_superuser(data, "postgres") as connection:
        _create_roles(connection, passwords={}, may_create_databases=may_create_databases)
        is_new = _create_database(connection, paths.DATABASE)
    # In template1 as well: databases made later, the tests' above all, have the extension from birth.
    for database in ("template1", paths.DATABASE):
        with _connect_superuser(data, database) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return DatabaseUrls(
        app=paths.database_url("app", data=data),
        owner=paths.database_url("owner", data=data),
        worker=paths.database_url("worker", data=data),
        is_new=is_new,
    )


def provision_external(url: str, *, secrets: Path) -> DatabaseUrls:
    """Make the roles with passwords of our own on a server of the user's, and grant them its database.

    `url` names a role that may create roles. Passwords are kept in `secrets`. Raises LaunchError, which names what the
    database's administrator has to run, when the role may not or the server cannot be reached.
    """
    passwords: dict[Role, str] = {role: read_or_make(secrets, f"password_{role}") for role in SERVICE_ROLES}
    derived = {role: _with_login(url, ROLE_NAMES[role], password) for role, password in passwords.items()}
    urls = DatabaseUrls(app=derived["app"], owner=derived["owner"], worker=derived["worker"])
    if _is_provisioned(urls):  # every command comes here: two at once must not change the same role
        return urls
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            _check_version(connection)
            if not _may_create_roles(connection):
                raise LaunchError(_tell_administrator(connection.info.dbname))
            _create_roles(connection, passwords=passwords, may_create_databases=False)
            _grant_database(connection)
            _check_available_vector(connection)
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            if not _has_grants(connection):
                raise LaunchError(_tell_administrator(connection.info.dbname))
    except psycopg.OperationalError as error:
        raise LaunchError(f"The database server of DATABASE_URL cannot be reached: {_first_line(error)}") from None
    except psycopg.Error as error:
        raise LaunchError(f"The database of DATABASE_URL cannot be prepared: {_first_line(error)}") from None
    return urls


def check_server(url: str) -> None:
    """Look whether the database of a URL is one that this version of the service can work on.

    Raises LaunchError, which says what it is and what is needed.
    """
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            _check_version(connection)
            _check_vector(connection)
    except psycopg.OperationalError as error:
        raise LaunchError(f"The database server of DATABASE_URL cannot be reached: {_first_line(error)}") from None


def _check_version(connection: psycopg.Connection) -> None:
    version = connection.info.server_version
    if version < OLDEST_POSTGRES * 10_000:
        raise LaunchError(
            f"PostgreSQL {OLDEST_POSTGRES} or newer is needed; the server of DATABASE_URL is "
            f"{version // 10_000}.{version % 10_000}."
        )


def _check_vector(connection: psycopg.Connection) -> None:
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row is None:
        _check_available_vector(connection)
        raise LaunchError(
            f'The database "{connection.info.dbname}" has no extension vector. '
            "An administrator runs in it: CREATE EXTENSION vector;"
        )
    if _read_version(row[0]) < OLDEST_VECTOR:
        raise LaunchError(
            f"pgvector {_write_version(OLDEST_VECTOR)} or newer is needed; the database "
            f'"{connection.info.dbname}" has {row[0]}. Install a newer one on the server, then an administrator runs: '
            "ALTER EXTENSION vector UPDATE;"
        )


def _check_available_vector(connection: psycopg.Connection) -> None:
    """Raises LaunchError where the server has no pgvector, or one that is too old, to make the extension from."""
    row = connection.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    needed = f"pgvector {_write_version(OLDEST_VECTOR)} or newer is needed"
    if row is None:
        raise LaunchError(
            f"{needed}; the server of DATABASE_URL has none. On Debian and Ubuntu: "
            f"apt-get install postgresql-{OLDEST_POSTGRES}-pgvector"
        )
    if _read_version(row[0]) < OLDEST_VECTOR:
        raise LaunchError(f"{needed}; the server of DATABASE_URL has {row[0]}. Install a newer one there.")


def _read_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _write_version(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _is_provisioned(urls: DatabaseUrls) -> bool:
    try:
        for url in (urls.app, urls.worker, urls.owner):
            with psycopg.connect(url, connect_timeout=10) as connection:
                has_vector = connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone()
                if not has_vector or not _has_grants(connection):
                    return False
    except psycopg.Error:
        return False
    return True


def _connect_superuser(data: Path, database: str) -> psycopg.Connection:
    return psycopg.connect(paths.database_url("superuser", database=database, data=data), autocommit=True)


def _create_roles(connection: psycopg.Connection, *, passwords: dict[Role, str], may_create_databases: bool) -> None:
    for role in SERVICE_ROLES:
        name = sql.Identifier(ROLE_NAMES[role])
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE_NAMES[role]]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEROLE NOBYPASSRLS").format(name))
        if role in passwords:
            verifier = _seal_password(connection, ROLE_NAMES[role], passwords[role])
            connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(verifier)))
    if may_create_databases:
        connection.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(sql.Identifier(ROLE_NAMES["owner"])))


def _seal_password(connection: psycopg.Connection, name: str, password: str) -> str:
    """What the server stores for a password, made here: a server that logs statements never sees the password."""
    return connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()


def _create_database(connection: psycopg.Connection, name: str) -> bool:
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
        return False
    statement = sql.SQL("CREATE DATABASE {} OWNER {}")
    connection.execute(statement.format(sql.Identifier(name), sql.Identifier(ROLE_NAMES["owner"])))
    return True


def _may_create_roles(connection: psycopg.Connection) -> bool:
    row = connection.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user").fetchone()
    return bool(row and row[0])


def _grant_database(connection: psycopg.Connection) -> None:
    database = sql.Identifier(connection.info.dbname)
    owner, app, worker = (sql.Identifier(ROLE_NAMES[role]) for role in SERVICE_ROLES)
    for statement in (
        sql.SQL("GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {} TO {}").format(database, owner),
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}, {}").format(database, app, worker),
        sql.SQL("GRANT USAGE, CREATE ON SCHEMA public TO {}").format(owner),
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}, {}").format(app, worker),
    ):
        connection.execute(statement)


def _has_grants(connection: psycopg.Connection) -> bool:
    # A grant by somebody who may not give it is only a warning to PostgreSQL.
    row = connection.execute(
        "SELECT has_schema_privilege('unde_owner', 'public', 'CREATE')"
        " AND has_schema_privilege('unde_app', 'public', 'USAGE')"
    ).fetchone()
    return bool(row and row[0])


def _tell_administrator(database: str) -> str:
    return (
        "The role of DATABASE_URL may not create roles or give them their rights. An administrator has to run, "
        f'in the database "{database}": '
        "CREATE ROLE unde_owner LOGIN PASSWORD '...'; CREATE ROLE unde_app LOGIN PASSWORD '...'; "
        "CREATE ROLE unde_worker LOGIN PASSWORD '...'; "
        f'GRANT CONNECT, CREATE, TEMPORARY ON DATABASE "{database}" TO unde_owner; '
        "GRANT USAGE, CREATE ON SCHEMA public TO unde_owner; GRANT USAGE ON SCHEMA public TO unde_app, unde_worker; "
        "CREATE EXTENSION IF NOT EXISTS vector; "
        "and you give DATABASE_URL (as unde_app), DATABASE_OWNER_URL and DATABASE_WORKER_URL."
    )


def _with_login(url: str, name: str, password: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{name}:{quote(password, safe='')}@{host}").geturl()


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
