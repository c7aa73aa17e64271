"""Adaptive items: what a tenant may keep beside facts (SPEC X-7). Keys as in D-10, made in SQL."""

from pathlib import Path

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from memory.tenants.sql import WORKER_ROLE, enable_rls, restrict_function

SQL = Path(__file__).resolve().parent.parent / "sql"


def read_sql(name: str) -> str:
    return (SQL / name).read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_extraction")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="AdaptiveItem",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("item_type", models.CharField(max_length=20)),
                        ("status", models.CharField(max_length=16)),
                        ("key_hash", models.BinaryField(max_length=32)),
                        ("sealed", models.BinaryField()),
                        ("confidence", models.FloatField()),
                        ("provenance", models.CharField(max_length=20, default="observation")),
                        ("language", models.CharField(max_length=16, blank=True, default="")),
                        ("evidence_message_ids", ArrayField(base_field=models.UUIDField(), size=None)),
                        ("run_id", models.UUIDField()),
                        ("first_said_at", models.DateTimeField()),
                        ("last_said_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={"verbose_name": "adaptive item", "db_table": "adaptive_item"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(read_sql("0004_adaptive_items.sql"), read_sql("0004_adaptive_items_reverse.sql")),
            ],
        ),
        *enable_rls("adaptive_item"),
        *restrict_function("claim_expired_items_v1(timestamptz, integer)", roles=(WORKER_ROLE,)),
    ]
