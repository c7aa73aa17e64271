"""The ground that every database test stands on."""

import psycopg
import pytest
from django.contrib.auth.models import Group, User
from django.db import connection

from tests.plugin.baseline import BLOATED_BYTES, restore_baseline


@pytest.mark.django_db
def test_tests_see_the_database_as_the_service_does() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == ("unde_app", False)


@pytest.mark.django_db
def test_owner_and_worker_have_connections_of_their_own(
    owner_connection: psycopg.Connection, worker_connection: psycopg.Connection
) -> None:
    for its, name in ((owner_connection, "unde_owner"), (worker_connection, "unde_worker")):
        row = its.execute("SELECT current_user, current_database()").fetchone()
        assert row == (name, connection.settings_dict["NAME"])


@pytest.mark.django_db(transaction=True)
def test_what_a_committing_test_wrote_goes_and_what_migrations_wrote_stays(database_name: str) -> None:
    before = sorted(Group.objects.values_list("name", flat=True))
    assert before
    User.objects.create(username="left-over")
    Group.objects.all().delete()
    restore_baseline(database_name)
    assert not User.objects.filter(username="left-over").exists()
    assert sorted(Group.objects.values_list("name", flat=True)) == before


@pytest.mark.django_db(transaction=True)
def test_rows_written_after_a_restore_get_numbers_of_their_own(database_name: str) -> None:
    restore_baseline(database_name)
    taken = list(Group.objects.values_list("pk", flat=True))
    assert Group.objects.create(name="one more").pk > max(taken)


@pytest.mark.django_db(transaction=True)
def test_append_only_tables_are_emptied_too(owner_connection: psycopg.Connection, database_name: str) -> None:
    owner_connection.execute("CREATE TABLE kept_for_ever (id int)")
    try:
        owner_connection.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$"
        )
        owner_connection.execute("CREATE TRIGGER guard BEFORE TRUNCATE ON kept_for_ever EXECUTE FUNCTION refuse()")
        owner_connection.execute("INSERT INTO kept_for_ever VALUES (1)")
        restore_baseline(database_name)
        assert owner_connection.execute("SELECT count(*) FROM kept_for_ever").fetchone() == (0,)
    finally:
        owner_connection.execute("DROP TABLE kept_for_ever")
        owner_connection.execute("DROP FUNCTION IF EXISTS refuse()")


@pytest.mark.django_db(transaction=True)
def test_a_row_of_the_migrations_that_a_test_changed_is_put_back(database_name: str) -> None:
    before = sorted(Group.objects.values_list("pk", "name"))
    Group.objects.filter(pk=before[0][0]).update(name="renamed")
    restore_baseline(database_name)
    assert sorted(Group.objects.values_list("pk", "name")) == before


@pytest.mark.django_db(transaction=True)
def test_a_table_that_grew_large_takes_no_room_afterwards(
    owner_connection: psycopg.Connection, database_name: str
) -> None:
    def measure(table: str) -> int:
        found = owner_connection.execute("SELECT pg_relation_size(%s::regclass)", [table]).fetchone()
        assert found is not None
        return int(found[0])

    owner_connection.execute("CREATE TABLE large AS SELECT repeat('x', 500) FROM generate_series(1, 2000)")
    owner_connection.execute("CREATE TABLE small AS SELECT 'x'")
    try:
        assert measure("large") > BLOATED_BYTES > measure("small")
        restore_baseline(database_name)
        assert measure("large") == 0
        for table in ("large", "small"):
            assert owner_connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    finally:
        owner_connection.execute("DROP TABLE large, small")
