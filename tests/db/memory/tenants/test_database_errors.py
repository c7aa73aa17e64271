"""Database errors provoked for real: each has its code, none its text (D-16)."""

import io
from uuid import uuid4

import psycopg
import pytest
import structlog
from django.db import connection, transaction

from config.launch.folders import Folders
from memory.errors import CodedError, UserBusy
from memory.tenants.database_errors import (
    ConstraintViolated,
    DatabaseUnavailable,
    StatementTimeout,
    UnstorableText,
    coded_database_errors,
)

pytestmark = pytest.mark.django_db

MARKER = "никель-0190a11c"


def provoke(statement: str, parameters: list[object] | None = None) -> CodedError:
    with (
        pytest.raises(CodedError) as caught,
        coded_database_errors(),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, parameters)
    error = caught.value
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert MARKER not in f"{error!r} {error} {error.message} {error.fields}"
    return error


def test_a_violated_constraint_is_named_and_the_value_is_not() -> None:
    insert = "INSERT INTO tenant (id, slug, name, timezone, settings) VALUES (gen_random_uuid(), %s, '', 'UTC', '{}')"
    error = provoke(insert, [MARKER])
    assert isinstance(error, ConstraintViolated)
    assert error.fields == {"tenant_slug_is_lower_case_letters_digits_dashes": "is violated"}


def test_a_value_twice_is_a_conflict() -> None:
    error = provoke(
        "INSERT INTO tenant (id, slug, name, timezone, settings)"
        " SELECT gen_random_uuid(), 'twice', %s, 'UTC', '{}' FROM generate_series(1, 2)",
        [MARKER],
    )
    assert isinstance(error, ConstraintViolated)
    assert next(iter(error.fields)).startswith("tenant_slug")


def test_a_statement_over_its_time_is_a_timeout() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 20")
        assert isinstance(provoke("SELECT pg_sleep(5), %s::text", [MARKER]), StatementTimeout)


def test_a_lock_that_is_held_is_user_busy(owner_connection: object) -> None:
    import psycopg

    assert isinstance(owner_connection, psycopg.Connection)
    owner_connection.execute("SELECT pg_advisory_lock(190)")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = 20")
            assert isinstance(provoke("SELECT pg_advisory_xact_lock(190)"), UserBusy)
    finally:
        owner_connection.execute("SELECT pg_advisory_unlock(190)")


@pytest.mark.django_db(transaction=True)
def test_a_process_that_hung_in_a_transaction_has_lost_it_and_its_locks(owner_connection: psycopg.Connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("10min",)
        cursor.execute("SET idle_in_transaction_session_timeout = 20")
    with (
        pytest.raises(DatabaseUnavailable),
        coded_database_errors(),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT pg_advisory_xact_lock(42)")
        owner_connection.execute("SELECT pg_advisory_xact_lock(42)")  # comes when the other one is ended
        cursor.execute("SELECT 1")
    connection.close()


def test_text_that_cannot_be_stored_is_the_callers_fault() -> None:
    assert isinstance(provoke("SELECT %s::jsonb", ['{"a": "\\u0000' + MARKER + '"}']), UnstorableText)


def test_what_nobody_foresaw_is_internal_and_says_nothing() -> None:
    error = provoke("SELECT %s::text::int", [MARKER])
    assert (type(error), error.code, error.status) == (CodedError, "internal_error", 500)


def test_no_log_of_ours_or_of_the_server_holds_what_was_refused(
    database_cluster: Folders, log_stream: io.StringIO
) -> None:
    """Every kind of refusal in one go, each about a value that nothing else holds."""
    marker = f"أحمر-{uuid4().hex}"
    refusals: list[tuple[str, list[object]]] = [
        (
            "INSERT INTO tenant (id, slug, name, timezone, settings) VALUES (gen_random_uuid(), %s, '', '', '{}')",
            [marker],
        ),
        ("SELECT %s::text::int", [marker]),
        ("SELECT %s::text::timestamptz", [marker]),
        ("SELECT %s::jsonb", [f'{{"a": "\\u0000{marker}"}}']),
        ("SELECT to_tsvector('simple', %s)", [f"{marker} " * 200_000]),
        ("SELECT pg_sleep(5), %s::text", [marker]),
    ]
    for statement, parameters in refusals:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 300")
            with pytest.raises(CodedError) as caught, coded_database_errors(), transaction.atomic():
                cursor.execute(statement, parameters)
        structlog.get_logger("memory.test").error("refused", exc_info=caught.value)
    assert log_stream.getvalue().count('"refused"') == len(refusals)
    assert marker not in log_stream.getvalue()
    assert marker.encode() not in (database_cluster.log / "postgres.log").read_bytes()
