"""The table of kept items. The key is made in SQL (D-10)."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    initial = True

    dependencies = [("memory", "0001_squashed_0023_calibration"), ("tenants", "0001_squashed_0011_scopes_of_episodes")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="KeptItem",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("path_hash", models.BinaryField(max_length=32)),
                        ("prefix_hashes", ArrayField(base_field=models.BinaryField(max_length=32), size=None)),
                        ("version", models.PositiveIntegerField()),
                        ("sealed", models.BinaryField()),
                        ("sealed_search", models.BinaryField(null=True)),
                        ("ttl_seconds", models.PositiveIntegerField(null=True)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField(null=True)),
                        ("replaced_at", models.DateTimeField(null=True)),
                    ],
                    options={"verbose_name": "kept item", "db_table": "kept_item"},
                ),
            ],
            database_operations=[migrations.RunSQL(read_sql("0001_tables.sql"), read_sql("0001_reverse.sql"))],
        ),
        *enable_rls("kept_item"),
        *restrict_function("claim_expired_kept_items_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
