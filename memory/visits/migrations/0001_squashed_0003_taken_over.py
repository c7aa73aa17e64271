"""The table of visits. The key is made in SQL (D-10)."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import SERVICE_ROLES, WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql" / "0001_tables.sql"


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("visits", "0001_initial"),
        ("visits", "0002_consent"),
        ("visits", "0003_taken_over"),
    ]

    dependencies = [
        ("memory", "0001_squashed_0023_calibration"),
        ("tenants", "0012_squashed_0016_scope_of_opendsr"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Visit",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("key_id", models.UUIDField(editable=False, null=True)),
                        ("link_hash", models.BinaryField(max_length=32, null=True)),
                        ("link_expires_at", models.DateTimeField()),
                        (
                            "permissions",
                            ArrayField(base_field=models.CharField(max_length=16), size=None),
                        ),
                        ("locale", models.CharField(max_length=8)),
                        ("theme", models.CharField(max_length=8)),
                        ("return_url", models.CharField(blank=True, default="", max_length=2000)),
                        ("created_at", models.DateTimeField()),
                        ("opened_at", models.DateTimeField(null=True)),
                        ("session_hash", models.BinaryField(max_length=32, null=True)),
                        ("expires_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                    ],
                    options={
                        "verbose_name": "visit",
                        "db_table": "visit",
                    },
                ),
            ],
            database_operations=[
                migrations.RunSQL(SQL.read_text(encoding="utf-8")),
            ],
        ),
        *enable_rls("visit"),
        *restrict_function("open_visit_v1(bytea, bytea, timestamptz, timestamptz)", roles=SERVICE_ROLES),
        *restrict_function("find_visit_v1(bytea, timestamptz)", roles=SERVICE_ROLES),
        *restrict_function("drop_visits_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
