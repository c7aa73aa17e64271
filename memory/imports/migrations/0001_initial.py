"""The tables of imports that a worker carries out. Keys are made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0012_squashed_0016_scope_of_opendsr")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ImportRun",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("file_format", models.CharField(max_length=12, verbose_name="format")),
                        ("status", models.CharField(default="waiting", max_length=10)),
                        ("body_digest", models.BinaryField(max_length=32)),
                        ("size", models.IntegerField(verbose_name="bytes")),
                        ("actor", models.CharField(max_length=80)),
                        ("taken", models.IntegerField(default=0)),
                        ("sealed", models.BinaryField(null=True)),
                        ("failure", models.CharField(blank=True, default="", max_length=60)),
                        ("attempts", models.IntegerField(default=0)),
                        ("created_at", models.DateTimeField(verbose_name="accepted at")),
                        ("available_at", models.DateTimeField()),
                        ("claimed_until", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "import", "db_table": "memory_import"},
                ),
                migrations.CreateModel(
                    name="ImportPart",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("import_id", models.UUIDField(editable=False)),
                        ("number", models.IntegerField()),
                        ("sealed", models.BinaryField()),
                    ],
                    options={
                        "verbose_name": "part of an import",
                        "verbose_name_plural": "parts of imports",
                        "db_table": "memory_import_part",
                    },
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("memory_import"),
        *enable_rls("memory_import_part"),
        *restrict_function("claim_imports_v1(timestamptz, timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("drop_imports_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
        *restrict_function("count_open_imports_v1(timestamptz)", roles=SERVICE_ROLES),
    ]
