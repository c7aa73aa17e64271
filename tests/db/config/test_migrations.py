"""The schema is the sum of the migrations: models, SQL files and database say the same, from whichever state one comes."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.launch import paths

ROOMS = ("config", "corrections", "retrieval", "memory", "patterns")
# The database knows the type of a position in its log and of short numbers more closely than Django does.
CLOSER = {
    ("varchar(24)", "pg_lsn"),
    ("double precision", "real"),
    ("double precision[]", "real[]"),
}
STATE = """
SELECT 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text FROM pg_proc p
 WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'column', a.attrelid::regclass || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || a.attnotnull
    || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || coalesce(a.attstattarget::text, ''), c.relacl::text
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'public'::regnamespace
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attnum > 0
UNION ALL
SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid), '' FROM pg_constraint
 WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT 'index', indexname, indexdef, '' FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid), '' FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'policy', tablename || '.' || policyname, qual || with_check, roles::text FROM pg_policies
"""


def ask(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def read_files() -> Iterator[str]:
    """The text of every SQL file that migrations run."""
    root = paths.ROOT
    for room in ROOMS:
        for folder in ("sql", "functions"):
            yield from (
                p.read_text("utf-8") for p in sorted((root / room).rglob(f"{folder}/*.sql")) if "reverse" not in p.name
            )


def find_dropped(text: str) -> set[str]:
    """What a later migration takes away or puts something else in the place of."""
    names = re.findall(r"DROP (?:FUNCTION|CONSTRAINT|INDEX|TRIGGER) (?:IF EXISTS )?(\w+(?:, \w+)*)", text)
    return {name for each in names for name in each.split(", ")}


def list_models() -> list[type[models.Model]]:
    ours = [m for m in apps.get_models() if m.__module__.split(".")[0] in ROOMS]
    return [m for m in ours if not m._meta.proxy and m._meta.managed]


@pytest.mark.django_db
def test_no_model_waits_for_a_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
def test_every_field_is_a_column_of_its_type() -> None:
    rows = ask(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a JOIN pg_class c"
        " ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"
    )
    columns = {
        (table, name): kind.replace("character varying", "varchar").replace(",", ", ") for table, name, kind in rows
    }
    found = {}
    for model in list_models():
        for field in model._meta.concrete_fields:
            wanted = str(field.db_type(connection)).replace("timestamptz", "timestamp with time zone")
            kind = columns.get((model._meta.db_table, str(field.column)))
            if kind != wanted and (wanted, kind) not in CLOSER:
                found[f"{model._meta.db_table}.{field.column}"] = (wanted, kind)
    assert len(columns) > 500
    assert found == {}


@pytest.mark.django_db
def test_every_function_stands_in_a_file_with_its_last_text() -> None:
    text = "\n".join(read_files())
    functions = dict(
        ask(
            "SELECT proname, prosrc FROM pg_proc p WHERE pronamespace = 'public'::regnamespace"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        )
    )
    assert [name for name, body in functions.items() if body not in text] == []
    assert set(re.findall(r"^CREATE (?:OR REPLACE )?FUNCTION (\w+)", text, re.M)) - find_dropped(text) == set(functions)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pattern", "catalog"),
    [
        (r"^\s*(?:ADD )?CONSTRAINT (\w+)", "SELECT conname FROM pg_constraint"),
        (r"^CREATE (?:UNIQUE )?INDEX (\w+)", "SELECT indexname FROM pg_indexes"),
        (r"^CREATE (?:CONSTRAINT )?TRIGGER (\w+)", "SELECT tgname FROM pg_trigger"),
    ],
)
def test_what_a_file_makes_is_in_the_database(pattern: str, catalog: str) -> None:
    text = "\n".join(read_files())
    named = set(re.findall(pattern, text, re.M))
    assert len(named) > 10
    assert named - find_dropped(text) - {name for (name,) in ask(catalog)} == set()


@pytest.fixture
def as_before(as_role: Callable[[str], None]) -> Iterator[MigrationRecorder]:
    """As the owner, on a database that came by the migrations of before they were squashed; taken back at the end."""
    as_role("owner")
    with transaction.atomic():
        recorder = MigrationRecorder(connection)
        loader = MigrationLoader(connection)
        for key, squashed in loader.replacements.items():
            recorder.record_unapplied(*key)
            for name in squashed.replaces:
                recorder.record_applied(*name)
        yield recorder
        transaction.set_rollback(True)


def test_a_database_of_before_goes_on_as_it_is(as_before: MigrationRecorder) -> None:
    state = ask(STATE)
    assert len(state) > 1000
    call_command("migrate", verbosity=0, interactive=False)
    assert sorted(ask(STATE), key=str) == sorted(state, key=str)
    assert set(MigrationLoader(connection).replacements) <= set(as_before.applied_migrations())


def test_a_database_with_a_part_of_them_is_told_to_take_an_earlier_version_first(as_before: MigrationRecorder) -> None:
    as_before.record_unapplied("memory", "0023_calibration")
    with pytest.raises(CommandError, match=r"only a part of memory\.0001_squashed_0023_calibration\. Start the last"):
        call_command("migrate", verbosity=0, interactive=False)
