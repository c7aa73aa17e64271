"""Runs of retention, and what is over its age. The key is made in SQL (D-10)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("consents", "0001_initial"), ("kept", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="RetentionRun",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("began_at", models.DateTimeField()),
                        ("last_user_id", models.UUIDField(null=True)),
                        ("users", models.IntegerField(default=0)),
                        ("messages", models.BigIntegerField(default=0)),
                        ("items", models.BigIntegerField(default=0)),
                        ("skipped", models.IntegerField(default=0)),
                        ("finished_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "retention run", "db_table": "retention_run"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("retention_run"),
        *restrict_function("list_retaining_tenants_v1()", roles=SERVICE_ROLES),
    ]
