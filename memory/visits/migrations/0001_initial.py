"""The table of visits. The key is made in SQL (D-10)."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0022_pauses"), ("tenants", "0015_scopes_of_projects")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Visit",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("key_id", models.UUIDField(editable=False)),
                        ("link_hash", models.BinaryField(max_length=32)),
                        ("link_expires_at", models.DateTimeField()),
                        ("permissions", ArrayField(base_field=models.CharField(max_length=16), size=None)),
                        ("locale", models.CharField(max_length=8)),
                        ("theme", models.CharField(max_length=8)),
                        ("return_url", models.CharField(blank=True, default="", max_length=2000)),
                        ("created_at", models.DateTimeField()),
                        ("opened_at", models.DateTimeField(null=True)),
                        ("session_hash", models.BinaryField(max_length=32, null=True)),
                        ("expires_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "visit", "db_table": "visit"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("visit"),
        *restrict_function("open_visit_v1(bytea, bytea, timestamptz, timestamptz)", roles=SERVICE_ROLES),
        *restrict_function("find_visit_v1(bytea, timestamptz)", roles=SERVICE_ROLES),
        *restrict_function("drop_visits_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
