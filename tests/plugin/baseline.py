"""Puts a test database back to the state after its migrations, for tests that really commit.

Truncating alone would also take what migrations wrote (groups, permissions, shared rules), so copies of the filled
tables are kept in a schema of their own. Runs as superuser in replica mode: append-only triggers and foreign keys
guard the service, not the test runner.
"""

import psycopg
from psycopg import sql

from config.launch import paths

COPIES = "baseline"
BLOATED_BYTES = 512 * 1024
"""A table beyond it is truncated. Below, deleting is cheaper: a truncation makes every index anew, and those of every
table that refers to it."""
TABLES = """
SELECT c.relname, pg_relation_size(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> 'django_migrations' AND pg_relation_size(c.oid) > 0
ORDER BY 1
"""
COLUMNS = """
SELECT a.attname FROM pg_attribute a
WHERE a.attrelid = ('public.' || quote_ident(%s))::regclass AND a.attnum > 0 AND NOT a.attisdropped
AND a.attgenerated = '' ORDER BY a.attnum
"""
DIFFERS = """
(SELECT {name} WHERE (SELECT count(*) FROM {table}) <> (SELECT count(*) FROM {copy})
OR EXISTS (SELECT one::text FROM {table} one EXCEPT ALL SELECT one::text FROM {copy} one))
"""


def store_baseline(database: str) -> None:
    """Copy every filled table of a freshly migrated database into the schema `baseline`."""
    with _connect(database) as connection, connection.transaction():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(COPIES)))
        for table, _ in connection.execute(TABLES).fetchall():
            statement = sql.SQL("CREATE TABLE {} AS TABLE {}")
            connection.execute(statement.format(sql.Identifier(COPIES, table), sql.Identifier("public", table)))


def restore_baseline(database: str) -> None:
    """Empty every table that a test filled and put the rows of the baseline back where they are others."""
    with _connect(database) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        # What a test left open in another connection must not stop the run: it fails where it happened.
        connection.execute("SET LOCAL lock_timeout = '60s'")
        sizes = dict(connection.execute(TABLES).fetchall())
        copies = _list_copies(connection)
        _truncate(connection, [table for table, size in sizes.items() if size > BLOATED_BYTES])
        changed = _list_changed(connection, copies)
        emptied = [table for table, size in sizes.items() if size <= BLOATED_BYTES and table not in copies]
        _delete(connection, [*emptied, *changed])
        for table in changed:
            _fill(connection, table)


def _truncate(connection: psycopg.Connection, tables: list[str]) -> None:
    if tables:
        names = sql.SQL(", ").join(sql.Identifier("public", table) for table in tables)
        connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))


def _list_changed(connection: psycopg.Connection, copies: list[str]) -> list[str]:
    """Tables whose rows are others than those of their copies."""
    differs = [
        sql.SQL(DIFFERS).format(
            name=sql.Literal(table), table=sql.Identifier("public", table), copy=sql.Identifier(COPIES, table)
        )
        for table in copies
    ]
    return [row[0] for row in connection.execute(sql.SQL(" UNION ALL ").join(differs)).fetchall()]


def _delete(connection: psycopg.Connection, tables: list[str]) -> None:
    statements = [sql.SQL("DELETE FROM {}").format(sql.Identifier("public", table)) for table in tables]
    if statements:
        connection.execute(sql.SQL("; ").join(statements))


def _fill(connection: psycopg.Connection, table: str) -> None:
    names = [row[0] for row in connection.execute(COLUMNS, [table]).fetchall()]
    columns = sql.SQL(", ").join(sql.Identifier(name) for name in names)
    statement = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM {}")
    connection.execute(
        statement.format(sql.Identifier("public", table), columns, columns, sql.Identifier(COPIES, table))
    )


def _list_copies(connection: psycopg.Connection) -> list[str]:
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [COPIES])
    return [row[0] for row in found.fetchall()]


def _connect(database: str) -> psycopg.Connection:
    return psycopg.connect(paths.database_url("superuser", database=database), autocommit=True)
