"""The policies that migrations made, asked of the live database under each role."""

import psycopg
import pytest
from psycopg import sql

from memory.tenants.sql import enable_rls, restrict_function

ALICES = "0190a11c-0000-7000-8000-000000000001"
BOBS = "0190b0b0-0000-7000-8000-000000000002"


@pytest.fixture
def two_keys(owner_connection: psycopg.Connection) -> psycopg.Connection:
    """A key of Alice's and one of Bob's tenant, for as long as the owner's transaction is open."""
    owner_connection.autocommit = False
    for tenant_id, slug in ((ALICES, "alices"), (BOBS, "bobs")):
        owner_connection.execute(
            "INSERT INTO tenant (id, slug, name, timezone, settings) VALUES (%s, %s, %s, 'UTC', '{}')",
            [tenant_id, slug, slug],
        )
        owner_connection.execute(
            "INSERT INTO api_key (id, tenant_id, name, prefix, key_hash, scopes)"
            " VALUES (%s, %s, 'web', %s, %s, '{read}')",
            [tenant_id, tenant_id, slug, slug.encode()],
        )
    yield owner_connection
    owner_connection.rollback()


def test_the_owner_sees_all_rows_so_that_its_functions_can_claim_across_tenants(two_keys: psycopg.Connection) -> None:
    assert two_keys.execute("SELECT count(*) FROM api_key WHERE name = 'web'").fetchone() == (2,)


@pytest.mark.parametrize("table", ["api_key", "audit_event"])
def test_every_protected_table_forces_its_policies(owner_connection: psycopg.Connection, table: str) -> None:
    row = owner_connection.execute(
        "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = %s", [table]
    ).fetchone()
    assert row == (True, True)


def test_the_worker_without_a_tenant_sees_nothing(
    two_keys: psycopg.Connection, worker_connection: psycopg.Connection
) -> None:
    assert worker_connection.execute("SELECT count(*) FROM api_key").fetchone() == (0,)
    worker_connection.execute("SELECT set_config('app.tenant_id', '', false)")
    assert worker_connection.execute("SELECT count(*) FROM api_key").fetchone() == (0,)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE api_key",
        "ALTER TABLE api_key DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_isolation ON api_key",
        "UPDATE audit_event SET action = 'x'",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'x', now())",
        "CREATE TABLE mine (id int)",
        "SET ROLE unde_owner",
        "SELECT seal_audit_day_v1('0190a11c-0000-7000-8000-000000000001', '2026-01-01')",
    ],
)
def test_the_web_role_cannot_get_past_its_policies(statement: str) -> None:
    from django.db import connection, transaction
    from django.db.utils import ProgrammingError

    with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_tables_made_later_are_open_to_the_service_and_protected_ones_keep_their_policies(
    owner_connection: psycopg.Connection, worker_connection: psycopg.Connection
) -> None:
    owner_connection.execute("CREATE TABLE later (id int, tenant_id uuid)")
    try:
        assert worker_connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
        for operation in enable_rls("later", append_only=True):
            owner_connection.execute(sql.SQL(operation.sql))  # type: ignore[attr-defined]
        owner_connection.execute("INSERT INTO later VALUES (1, %s), (2, %s)", [ALICES, BOBS])
        worker_connection.execute("SELECT set_config('app.tenant_id', %s, false)", [ALICES])
        assert worker_connection.execute("SELECT id FROM later").fetchall() == [(1,)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker_connection.execute("UPDATE later SET id = 3")
        for operation in reversed(enable_rls("later", append_only=True)):
            owner_connection.execute(sql.SQL(operation.reverse_sql))  # type: ignore[attr-defined]
    finally:
        owner_connection.execute("DROP TABLE later")


def test_a_restricted_function_runs_for_the_named_role_alone(
    owner_connection: psycopg.Connection, worker_connection: psycopg.Connection
) -> None:
    owner_connection.execute("CREATE FUNCTION told() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    try:
        for operation in restrict_function("told()", roles=("unde_app",)):
            owner_connection.execute(sql.SQL(operation.sql))  # type: ignore[attr-defined]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker_connection.execute("SELECT told()")
    finally:
        owner_connection.execute("DROP FUNCTION told()")


@pytest.mark.parametrize("name", ["Table", "a b", 'a"; DROP TABLE x', "", "x" * 64])
def test_a_name_that_is_not_plain_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a plain"):
        enable_rls(name)
